// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"

#include <utility>

namespace orrery {

TensorId addTensor(Graph& graph, std::string name, double bytes, TensorRole role) {
    graph.tensors.push_back({std::move(name), bytes, role});
    return static_cast<TensorId>(graph.tensors.size()) - 1;
}

Operator collectiveOperator(std::string name, RankGroup group, double bytes) {
    Operator op;
    op.name = std::move(name);
    op.kind = OperatorKind::collective;
    op.role = TensorRole::whole;
    op.group = group;
    op.messageBytes = bytes;
    return op;
}

} // namespace orrery
