// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenario_words.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
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

/// Where making a layer's operators again may end: behind the last that keeps something it made itself. What later ones keep, their
/// inputs, is there by then.
std::size_t lastNeeded(const std::vector<Operator>& forward) {
    for (std::size_t count = forward.size(); count > 0; --count) {
        const Operator& op = forward[count - 1];
        for (std::size_t later = count - 1; later < forward.size(); ++later)
            for (const TensorId id : forward[later].saved)
                if (std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end()) return count;
    }
    return 0;
}

Graph recomputeLayer(Graph graph, bool stopsEarly) {
    std::vector<Operator> redone;
    const std::size_t count = stopsEarly ? lastNeeded(graph.forward) : graph.forward.size();
    for (std::size_t i = 0; i < count; ++i) redone.push_back(again(graph.forward[i]));
    for (Operator& op : graph.forward) op.saved.clear();
    if (!graph.forward.empty()) graph.forward.front().saved = {graph.forward.front().inputs.front()};
    graph.backward.insert(graph.backward.begin(), redone.begin(), redone.end());
    return graph;
}

/// What the chosen operators make is made again, except what an operator outside keeps.
Graph recomputeChosen(Graph graph, const std::function<bool(const Operator&)>& chosen) {
    std::vector<Operator> redone;
    std::set<TensorId> inside;
    for (const Operator& op : graph.forward) {
        if (!chosen(op)) continue;
        redone.push_back(again(op));
        inside.insert(op.outputs.begin(), op.outputs.end());
    }
    if (redone.empty()) return graph;
    for (Operator& op : graph.forward)
        if (chosen(op)) std::erase_if(op.saved, [&](TensorId id) { return inside.contains(id); });
    const auto first = std::find_if(graph.backward.begin(), graph.backward.end(), [&](const Operator& op) {
        return std::any_of(redone.begin(), redone.end(), [&](const Operator& r) { return op.name.starts_with(r.name + "."); });
    });
    graph.backward.insert(first, redone.begin(), redone.end());
    return graph;
}

bool inModule(const Operator& op, RecomputeModule module) {
    const auto in = [&](const char* prefix) { return op.name.starts_with(prefix); };
    switch (module) {
    case RecomputeModule::core_attention: return inAttentionCore(op);
    case RecomputeModule::norms: return op.kind == OperatorKind::norm && !in("head") && !in("embedding");
    case RecomputeModule::feed_forward: return in("mlp.") && op.kind != OperatorKind::norm && op.kind != OperatorKind::residual;
    case RecomputeModule::experts: return in("moe.") && op.kind != OperatorKind::norm;
    case RecomputeModule::expert_activation: return in("moe.") && op.kind == OperatorKind::activation;
    case RecomputeModule::shared_experts: return in("moe.shared");
    case RecomputeModule::latent_up_projections: return op.name == "attention.q_up" || op.name == "attention.kv_up" || op.kind == OperatorKind::rotary;
    }
    return false;
}

} // namespace

Graph recomputePass(Graph graph, RecomputeKind kind, const std::vector<std::string>& modules, bool stopsEarly) {
    switch (kind) {
    case RecomputeKind::full: return recomputeLayer(std::move(graph), stopsEarly);
    case RecomputeKind::selective: return recomputeChosen(std::move(graph), inAttentionCore);
    case RecomputeKind::modules:
        // One after the other: modules may lie within each other's reach.
        for (const std::string& name : modules)
            if (const auto module = fromText<RecomputeModule>(name))
                graph = recomputeChosen(std::move(graph), [&](const Operator& op) { return inModule(op, *module); });
        return graph;
    case RecomputeKind::every:
    case RecomputeKind::none:
    case RecomputeKind::automatic: break;
    }
    return graph;
}

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
