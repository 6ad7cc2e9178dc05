// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Adds kernels behind an operator, one after the other.
class Chain {
public:
    Chain(Graph& graph, std::ptrdiff_t behind) : graph_(graph), place_(behind + 1) {}

    TensorId tensor(std::string name, double bytes) { return addTensor(graph_, std::move(name), bytes, TensorRole::replicated); }

    void add(std::string name, std::vector<TensorId> inputs, std::vector<TensorId> outputs, std::vector<TensorId> saved, double flops) {
        Operator op;
        op.name = std::move(name);
        op.kind = OperatorKind::activation;
        op.role = TensorRole::replicated;
        op.inputs = std::move(inputs);
        op.outputs = std::move(outputs);
        op.saved = std::move(saved);
        op.flops = flops;
        graph_.forward.insert(graph_.forward.begin() + place_, std::move(op));
        ++place_;
    }

    /// Whoever read `from` behind the chain reads `to`.
    void hand(TensorId from, TensorId to) {
        for (auto op = graph_.forward.begin() + place_; op != graph_.forward.end(); ++op) {
            std::replace(op->inputs.begin(), op->inputs.end(), from, to);
            std::replace(op->saved.begin(), op->saved.end(), from, to);
        }
    }

private:
    Graph& graph_;
    std::ptrdiff_t place_;
};

constexpr double fp32 = 4; ///< bytes

std::ptrdiff_t placeOf(const Graph& graph, const std::string& name) {
    const auto found = std::find_if(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; });
    return found == graph.forward.end() ? -1 : found - graph.forward.begin();
}

} // namespace

Graph eagerExpertBiasPass(Graph graph, bool bias, bool clamp) {
    const std::ptrdiff_t permute = placeOf(graph, "moe.permute");
    if (permute < 0) return graph;
    const TensorId scores = graph.forward[static_cast<std::size_t>(permute)].outputs[1];
    for (const std::string product : {"moe.gate_up", "moe.up", "moe.down"}) {
        const std::ptrdiff_t place = placeOf(graph, product);
        if (place < 0) continue;
        Chain chain(graph, place);
        std::vector<TensorId> given = graph.forward[static_cast<std::size_t>(place)].outputs;
        if (bias)
            for (TensorId& id : given) {
                const double elements = bytesOf(graph, id) / sixteenBit;
                const TensorId weighted = chain.tensor("expert_bias", elements * fp32), sum = chain.tensor("expert_biased_fp32", elements * fp32);
                const TensorId biased = chain.tensor("expert_biased", elements * sixteenBit);
                chain.add(product + ".bias", {scores}, {weighted}, {scores}, elements);
                chain.add(product + ".bias_sum", {id, weighted}, {sum}, {}, elements);
                chain.add(product + ".bias_cast", {sum}, {biased}, {}, 0);
                chain.hand(id, biased);
                id = biased;
            }
        if (clamp && product != "moe.down")
            for (const TensorId id : given) {
                const double bytes = bytesOf(graph, id);
                const TensorId clamped = chain.tensor("expert_clamped", bytes), joined = chain.tensor("expert_joined", bytes);
                chain.add(product + ".clamp", {id}, {clamped}, {id}, bytes / sixteenBit);
                chain.add(product + ".join", {clamped}, {joined}, {}, 0);
                chain.hand(id, joined);
            }
    }
    return graph;
}

Graph expertScoresPass(Graph graph, bool fused) {
    const std::ptrdiff_t permute = placeOf(graph, "moe.permute"), multiply = placeOf(graph, "moe.multiply");
    if (permute < 0 || multiply < 0) return graph;
    const TensorId scores = graph.forward[static_cast<std::size_t>(permute)].outputs[1];
    Operator& product = graph.forward[static_cast<std::size_t>(multiply)];
    std::erase(product.inputs, scores);
    std::erase(product.saved, scores);
    product.flops -= bytesOf(graph, product.outputs.front()) / sixteenBit;
    if (product.inputs.size() == 1 && placeOf(graph, "moe.activation") >= 0) {
        // Nothing is left to multiply.
        const TensorId from = product.outputs.front(), to = product.inputs.front();
        Chain(graph, multiply).hand(from, to);
        graph.forward.erase(graph.forward.begin() + multiply);
    }
    const std::ptrdiff_t sum = placeOf(graph, "moe.unpermute");
    const TensorId given = graph.forward[static_cast<std::size_t>(sum)].inputs.front();
    const double bytes = bytesOf(graph, given), elements = bytes / sixteenBit;
    Chain chain(graph, sum - 1);
    const TensorId weighed = chain.tensor("weighed_output", bytes);
    if (fused) {
        chain.add("moe.weigh", {given, scores}, {weighed}, {given, scores}, elements);
    } else {
        const TensorId wide = chain.tensor("expert_output_fp32", elements * fp32), result = chain.tensor("weighed_output_fp32", elements * fp32);
        chain.add("moe.weigh_cast", {given}, {wide}, {}, 0);
        chain.add("moe.weigh", {wide, scores}, {result}, {wide, scores}, elements);
        chain.add("moe.weighed_cast", {result}, {weighed}, {}, 0);
    }
    chain.hand(given, weighed);
    return graph;
}

Graph eagerExpertsPass(Graph graph, bool waits) {
    bool inside = false;
    for (Operator& op : graph.forward) {
        if (op.name == "moe.top_k") {
            inside = true;
            op.hostWaits = waits;
        } else if (inside && op.name.starts_with("moe.") && !op.name.starts_with("moe.shared")) {
            op.eager = true;
        }
    }
    return graph;
}

} // namespace orrery
