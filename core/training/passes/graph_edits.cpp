// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <optional>
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

namespace {

/// Which part of a layer an operator belongs to (Megatron-Core, megatron/core/transformer/transformer_layer.py: a layer's router is captured
/// with the norm before it and with shared experts). Nothing: none that a graph of parts holds.
std::optional<GraphPart> partOfLayer(const Operator& op, bool hasExperts, bool isSent) {
    const std::string_view name = op.name;
    if (name.starts_with("attention.")) return GraphPart::attention;
    if (name.starts_with("state.")) return GraphPart::mamba;
    if (name.starts_with("mlp.")) {
        if (!hasExperts) return GraphPart::mlp;
        return name == "mlp.norm" ? GraphPart::moe_router : GraphPart::moe;
    }
    if (!name.starts_with("moe.")) return std::nullopt;
    if (name.starts_with("moe.router") || name.starts_with("moe.top_k") || name.starts_with("moe.shared")) return GraphPart::moe_router;
    return name == "moe.permute" && !isSent ? GraphPart::moe_preprocess : GraphPart::moe;
}

} // namespace

Graph outsideGraphsPass(Graph graph, const std::vector<GraphPart>& parts, bool waits) {
    const auto holds = [&](GraphPart part) { return std::find(parts.begin(), parts.end(), part) != parts.end(); };
    const bool hasExperts = std::any_of(graph.forward.begin(), graph.forward.end(), [](const Operator& op) { return op.name.starts_with("moe."); });
    bool isSent = false; // tokens, to their experts
    for (Operator& op : graph.forward) {
        const std::optional<GraphPart> part = partOfLayer(op, hasExperts, isSent);
        const bool ofExperts = part == GraphPart::moe_router || part == GraphPart::moe_preprocess;
        op.eager = !part || !(holds(*part) || (ofExperts && holds(GraphPart::moe)));
        if (op.name == "moe.top_k") op.hostWaits = waits;
        isSent = isSent || op.name == "moe.dispatch";
    }
    return graph;
}

} // namespace orrery
