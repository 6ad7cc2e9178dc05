// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace orrery {
namespace {

bool isKeptCollective(const Operator& op) {
    return op.collective == CollectiveKind::reduce_scatter || op.collective == CollectiveKind::all_to_all;
}

/// What the policy keeps, beside the layer's input.
std::set<TensorId> keptOutputs(const Graph& graph) {
    std::set<TensorId> kept;
    int products = 0;
    for (const Operator& op : graph.forward) {
        if (op.kind == OperatorKind::gemm) {
            for (TensorId output : op.outputs)
                if (++products % 2 == 1) kept.insert(output);
        } else if (op.kind == OperatorKind::attention || isKeptCollective(op)) {
            kept.insert(op.outputs.begin(), op.outputs.end());
        }
    }
    return kept;
}

/// The part of an operator that makes the `wanted` of its outputs.
Operator partly(const Operator& op, std::vector<TensorId> wanted, const Graph& graph) {
    const auto bytes = [&](const std::vector<TensorId>& ids) {
        double sum = 0;
        for (TensorId id : ids) sum += graph.tensors[static_cast<std::size_t>(id)].bytes;
        return sum;
    };
    Operator part = op;
    part.phase = Phase::recompute;
    part.weights = part.replicatedWeights = 0;
    part.saved.clear();
    const double share = op.kind == OperatorKind::gemm && bytes(op.outputs) > 0 ? bytes(wanted) / bytes(op.outputs) : 1;
    part.flops *= share;
    part.shape.n *= share;
    if (op.kind == OperatorKind::gemm) part.outputs = std::move(wanted);
    return part;
}

/// What nothing reads is held until the layer runs again and comes to it: the last product that is made again stands for that.
void dropUnread(const Graph& graph, const std::set<TensorId>& read, std::vector<Operator>& redone) {
    const auto product = std::find_if(redone.rbegin(), redone.rend(), [](const Operator& op) { return op.kind == OperatorKind::gemm; });
    if (redone.empty()) return;
    Operator& last = product == redone.rend() ? redone.back() : *product;
    for (const Operator& op : graph.forward)
        for (TensorId id : op.saved)
            if (!read.contains(id)) last.inputs.push_back(id);
}

} // namespace

Graph recomputeOperatorsPass(Graph graph, bool onlyNeeded) {
    if (graph.forward.empty()) return graph;
    std::set<TensorId> kept = keptOutputs(graph);
    const TensorId input = graph.forward.front().inputs.front();
    kept.insert(input);

    std::set<TensorId> read; // by backward, or to make what it reads
    for (Operator& op : graph.forward) {
        read.insert(op.saved.begin(), op.saved.end());
        op.saved.clear();
    }
    std::vector<Operator> redone;
    for (auto op = graph.forward.rbegin(); op != graph.forward.rend(); ++op) {
        std::vector<TensorId> wanted;
        for (TensorId output : op->outputs)
            if (read.contains(output) && !kept.contains(output)) wanted.push_back(output);
        if (wanted.empty()) continue;
        read.insert(op->inputs.begin(), op->inputs.end());
        redone.push_back(partly(*op, std::move(wanted), graph));
    }
    std::reverse(redone.begin(), redone.end());
    for (Operator& op : graph.forward)
        for (TensorId output : op.outputs)
            if (kept.contains(output) && (!onlyNeeded || read.contains(output))) op.saved.push_back(output);
    graph.forward.front().saved.push_back(input);
    if (!onlyNeeded) dropUnread(graph, read, redone);
    graph.backward.insert(graph.backward.begin(), redone.begin(), redone.end());
    return graph;
}

} // namespace orrery
