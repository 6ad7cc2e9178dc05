// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/passes.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace orrery {

Graph sequencePass(Graph graph, int ranks) {
    if (ranks == 1) return graph;
    for (Tensor& tensor : graph.tensors)
        if (tensor.role == TensorRole::replicated) tensor.bytes /= ranks;
    for (Operator& op : graph.forward) {
        if (op.role == TensorRole::replicated) {
            op.flops /= ranks;
            op.shape.m /= ranks;
        }
        const bool conjugate = op.kind == OperatorKind::collective && op.group == RankGroup::tensor && op.kernels == 1 &&
                               op.collective != CollectiveKind::all_gather;
        if (!conjugate) continue;
        // f becomes gather and scatter, g the other way round; the whole side now takes memory of its own.
        if (op.collective == CollectiveKind::none) {
            op.collective = CollectiveKind::all_gather;
            op.backwardCollective = CollectiveKind::reduce_scatter;
            graph.tensors[static_cast<std::size_t>(op.outputs.front())].bytes = op.messageBytes;
        } else {
            op.collective = CollectiveKind::reduce_scatter;
            op.backwardCollective = CollectiveKind::all_gather;
            graph.tensors[static_cast<std::size_t>(op.inputs.front())].bytes = op.messageBytes;
        }
    }
    return graph;
}

Graph keepGatheredInputs(Graph graph) {
    std::set<TensorId> gathered;
    for (Operator& op : graph.forward) {
        const bool gathers = op.kind == OperatorKind::collective && op.group == RankGroup::tensor && op.collective == CollectiveKind::all_gather;
        if (gathers) gathered.insert(op.outputs.begin(), op.outputs.end());
        if (op.kind == OperatorKind::gemm && gathered.contains(op.inputs.front())) op.saved = {op.inputs.front()};
    }
    return graph;
}

Graph shareGathersPass(Graph graph) {
    std::map<TensorId, TensorId> gathered, same; // by input; by the output that another's stands for
    std::erase_if(graph.forward, [&](const Operator& op) {
        if (op.kind != OperatorKind::collective || op.group != RankGroup::tensor || op.collective != CollectiveKind::all_gather) return false;
        const auto [known, first] = gathered.try_emplace(op.inputs.front(), op.outputs.front());
        if (!first) same[op.outputs.front()] = known->second;
        return !first;
    });
    if (same.empty()) return graph;
    for (std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (Operator& op : *operators)
            for (std::vector<TensorId>* ids : {&op.inputs, &op.saved})
                for (TensorId& id : *ids)
                    if (const auto known = same.find(id); known != same.end()) id = known->second;
    return graph;
}

Graph removeIdentities(Graph graph) {
    const auto isIdentity = [](const Operator& op) {
        return op.kind == OperatorKind::collective && op.collective == CollectiveKind::none;
    };
    // What an identity keeps, the input of a layer that is made again, its reader keeps.
    for (std::size_t i = 0; i + 1 < graph.forward.size(); ++i) {
        if (!isIdentity(graph.forward[i])) continue;
        const std::vector<TensorId>& kept = graph.forward[i].saved;
        graph.forward[i + 1].saved.insert(graph.forward[i + 1].saved.end(), kept.begin(), kept.end());
    }
    std::erase_if(graph.forward, isIdentity);
    std::erase_if(graph.backward, isIdentity);
    return graph;
}

} // namespace orrery
