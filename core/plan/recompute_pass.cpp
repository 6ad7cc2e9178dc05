#include "core/plan/passes.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace orrery {
namespace {

bool inAttentionCore(const Operator& op) {
    for (const char* name : {"attention.core", "attention.scores", "attention.mask", "attention.softmax",
                             "attention.probability_dropout", "attention.context"})
        if (op.name == name) return true;
    return false;
}

Operator again(const Operator& op) {
    Operator copy = op;
    copy.phase = Phase::recompute;
    copy.weights = copy.replicatedWeights = 0;
    copy.saved.clear();
    return copy;
}

Graph recomputeLayer(Graph graph) {
    std::vector<Operator> redone;
    for (const Operator& op : graph.forward) redone.push_back(again(op));
    for (Operator& op : graph.forward) op.saved.clear();
    if (!graph.forward.empty()) graph.forward.front().saved = {graph.forward.front().inputs.front()};
    graph.backward.insert(graph.backward.begin(), redone.begin(), redone.end());
    return graph;
}

Graph recomputeAttentionCore(Graph graph) {
    std::vector<Operator> redone;
    std::set<TensorId> inside;
    for (const Operator& op : graph.forward) {
        if (!inAttentionCore(op)) continue;
        redone.push_back(again(op));
        inside.insert(op.outputs.begin(), op.outputs.end());
    }
    if (redone.empty()) return graph;
    // What the core makes is made again, except its result, which the output projection keeps.
    for (Operator& op : graph.forward)
        if (inAttentionCore(op)) std::erase_if(op.saved, [&](TensorId id) { return inside.contains(id); });
    const auto first = std::find_if(graph.backward.begin(), graph.backward.end(), [&](const Operator& op) {
        return std::any_of(redone.begin(), redone.end(), [&](const Operator& r) { return op.name.starts_with(r.name + "."); });
    });
    graph.backward.insert(first, redone.begin(), redone.end());
    return graph;
}

} // namespace

Graph recomputePass(Graph graph, RecomputeKind kind) {
    switch (kind) {
    case RecomputeKind::full: return recomputeLayer(std::move(graph));
    case RecomputeKind::selective: return recomputeAttentionCore(std::move(graph));
    case RecomputeKind::none:
    case RecomputeKind::automatic: break;
    }
    return graph;
}

} // namespace orrery
