#include "core/plan/passes.hpp"

#include <set>
#include <utility>

namespace orrery {
namespace {

/// Adapters sit beside the linear layers of attention and feed-forward.
bool hasAdapter(const Operator& op) {
    return op.kind == OperatorKind::gemm && op.weights > 0 && !op.name.starts_with("head.") && !op.name.starts_with("embedding.") &&
           !op.name.starts_with("moe.router");
}

/// The two thin products as one operator: x A of depth k, then B of depth `rank`.
Operator adapter(const Operator& layer, const char* suffix, double rank) {
    Operator op = layer;
    op.name += suffix;
    op.weights = op.replicatedWeights = 0;
    op.saved.clear();
    op.shape = {layer.shape.m, rank, layer.shape.k + layer.shape.n, layer.shape.batch};
    op.flops = 2 * op.shape.batch * op.shape.m * op.shape.n * op.shape.k;
    op.kernels = 2;
    return op;
}

/// What only the gradient of a frozen matrix would have read is not kept.
void dropUnread(Graph& graph) {
    std::set<TensorId> read;
    for (const Operator& op : graph.backward) read.insert(op.inputs.begin(), op.inputs.end());
    for (Operator& op : graph.forward) std::erase_if(op.saved, [&](TensorId id) { return !read.contains(id); });
}

} // namespace

Graph loraPass(Graph graph, int rank) {
    std::vector<Operator> forward;
    for (Operator& op : graph.forward) {
        const bool adapted = hasAdapter(op);
        const Operator thin = adapted ? adapter(op, ".lora", rank) : Operator{};
        const double trained = adapted ? rank * (op.shape.n + op.shape.k) : 0;
        op.weights = op.replicatedWeights = 0;
        forward.push_back(std::move(op));
        if (!adapted) continue;
        forward.push_back(thin);
        forward.back().weights = trained;
    }
    graph.forward = std::move(forward);
    std::vector<Operator> backward;
    for (Operator& op : graph.backward) {
        const bool product = op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm;
        const bool weightGradient = product && op.name.ends_with(".wgrad");
        if (!weightGradient) {
            backward.push_back(std::move(op));
            continue;
        }
        // The frozen matrix has no gradient; its adapter's two matrices, and what passes through them, do.
        const std::string layer = op.name.substr(0, op.name.size() - 6);
        for (const Operator& thin : graph.forward) {
            if (thin.name != layer + ".lora") continue;
            Operator gradient = adapter(thin, ".backward", 0);
            gradient.shape = thin.shape;
            gradient.flops = 2 * thin.flops;
            gradient.kernels = 4;
            gradient.phase = Phase::backward;
            gradient.inputs = op.inputs;
            gradient.outputs.clear();
            backward.push_back(std::move(gradient));
        }
    }
    graph.backward = std::move(backward);
    dropUnread(graph);
    return graph;
}

} // namespace orrery
