// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// A kernel that moves a tensor into another order, as part of the collective beside it.
Operator layOut(const Operator& collective, TensorId from, TensorId to, double bytes) {
    Operator op;
    op.name = collective.name + ".lay_out";
    op.kind = OperatorKind::permute;
    op.role = TensorRole::whole;
    op.phase = collective.phase;
    op.weightPart = collective.weightPart;
    op.inputs = {from};
    op.outputs = {to};
    op.bytesRead = op.bytesWritten = bytes;
    return op;
}

std::vector<Operator> withCopies(Graph& graph, std::vector<Operator> operators) {
    std::vector<Operator> result;
    result.reserve(operators.size() + operators.size() / 2);
    for (Operator& op : operators) {
        const bool ofTensorRanks = op.kind == OperatorKind::collective && op.group == RankGroup::tensor;
        if (ofTensorRanks && op.collective == CollectiveKind::all_gather) {
            const TensorId whole = op.outputs.front();
            const TensorId byRank = addTensor(graph, graph.tensors[static_cast<std::size_t>(whole)].name + "_by_rank", bytesOf(graph, whole), TensorRole::whole);
            op.outputs.front() = byRank;
            Operator copy = layOut(op, byRank, whole, bytesOf(graph, whole));
            result.push_back(std::move(op));
            result.push_back(std::move(copy));
        } else if (ofTensorRanks && op.collective == CollectiveKind::reduce_scatter) {
            const TensorId whole = op.inputs.front();
            const TensorId byRank = addTensor(graph, graph.tensors[static_cast<std::size_t>(whole)].name + "_by_rank", bytesOf(graph, whole), TensorRole::whole);
            op.inputs.front() = byRank;
            result.push_back(layOut(op, whole, byRank, bytesOf(graph, whole)));
            result.push_back(std::move(op));
        } else {
            result.push_back(std::move(op));
        }
    }
    return result;
}

} // namespace

Graph layoutCopiesPass(Graph graph) {
    std::vector<Operator> forward = std::exchange(graph.forward, {}), backward = std::exchange(graph.backward, {});
    graph.forward = withCopies(graph, std::move(forward));
    graph.backward = withCopies(graph, std::move(backward));
    return graph;
}

} // namespace orrery
