// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/passes.hpp"

#include <utility>

namespace orrery {
namespace {

Operator copyOf(const std::string& name, Phase phase, double bytes) {
    Operator op;
    op.name = name;
    op.kind = OperatorKind::permute;
    op.phase = phase;
    op.bytesRead = op.bytesWritten = bytes / 2;
    op.trafficCounted = true;
    return op;
}

} // namespace

Graph weightCopiesPass(Graph graph, const WeightCopies& copies) {
    if (copies.gatheredBytes > 0) {
        const std::string name = graph.name + ".weights.lay_out";
        graph.forward.insert(graph.forward.begin(), copyOf(name, Phase::forward, copies.gatheredBytes));
        graph.backward.insert(graph.backward.begin(), copyOf(name + ".again", Phase::backward, copies.gatheredBytes));
    }
    if (copies.gradientBytes > 0) {
        Operator copy = copyOf(graph.name + ".gradients.lay_out", Phase::backward, copies.gradientBytes);
        copy.weightPart = true;
        graph.backward.push_back(std::move(copy));
    }
    return graph;
}

} // namespace orrery
