// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace orrery {
namespace {

/// Adapters sit beside the linear layers of attention and feed-forward, or those that are named.
bool hasAdapter(const Operator& op, const std::vector<std::string>& adapted) {
    if (op.kind != OperatorKind::gemm || op.weights <= 0) return false;
    if (!adapted.empty()) return std::find(adapted.begin(), adapted.end(), op.name) != adapted.end();
    return !op.name.starts_with("head.") && !op.name.starts_with("embedding.") && !op.name.starts_with("moe.router");
}

/// Products with a layer's frozen matrices, forward and back.
bool readsFrozen(const Operator& op) {
    if (op.kind != OperatorKind::gemm && op.kind != OperatorKind::grouped_gemm) return false;
    if (op.name.starts_with("head.") || op.name.starts_with("embedding.") || op.name.starts_with("moe.router")) return false;
    return op.name.find(".lora") == std::string::npos;
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
    op.format = MatrixFormat::sixteen_bit; // the thin matrices are ordinary linear layers beside the quantised one
    return op;
}

/// Adds what the adapter gives to what the layer gave: a kernel of its own.
Operator sumWith(Graph& graph, const Operator& thin, double elements, const std::vector<TensorId>& sums) {
    Operator sum;
    sum.name = thin.name + ".sum";
    sum.kind = OperatorKind::residual;
    sum.phase = thin.phase;
    sum.role = thin.role;
    sum.flops = elements;
    sum.inputs = sum.outputs = sums;
    sum.inputs.push_back(addTensor(graph, thin.name + ".output", sixteenBit * elements, TensorRole::whole));
    return sum;
}

bool reads(const Operator& op, TensorId id) { return std::find(op.inputs.begin(), op.inputs.end(), id) != op.inputs.end(); }

/// What only the gradient of a frozen matrix would have read is not kept. A product that keeps its input for that keeps it no longer, whoever else
/// keeps the same tensor: that one may make it again.
void dropUnread(Graph& graph) {
    std::set<TensorId> read;
    for (const Operator& op : graph.backward) read.insert(op.inputs.begin(), op.inputs.end());
    for (Operator& op : graph.forward) {
        const auto readByItsOwn = [&](TensorId id) {
            return std::any_of(graph.backward.begin(), graph.backward.end(), [&](const Operator& later) {
                return reads(later, id) && (later.name.starts_with(op.name + ".") || later.kind == OperatorKind::collective);
            });
        };
        std::erase_if(op.saved, [&](TensorId id) { return !read.contains(id) || (readsFrozen(op) && !readByItsOwn(id)); });
    }
}

} // namespace

Graph loraPass(Graph graph, int rank, const std::vector<std::string>& adaptedProducts) {
    std::vector<Operator> forward;
    for (Operator& op : graph.forward) {
        const bool adapted = hasAdapter(op, adaptedProducts);
        const Operator thin = adapted ? adapter(op, ".lora", rank) : Operator{};
        const double trained = adapted ? rank * (op.shape.n + op.shape.k) : 0;
        const OperatorShape layer = op.shape;
        op.weights = op.replicatedWeights = 0;
        forward.push_back(std::move(op));
        if (!adapted) continue;
        const double given = thin.shape.m * layer.n * thin.shape.batch;
        forward.push_back(thin);
        forward.back().weights = trained;
        Operator sum = sumWith(graph, thin, given, thin.outputs);
        forward.back().outputs = {sum.inputs.back()};
        forward.push_back(std::move(sum));
    }
    graph.forward = std::move(forward);
    std::vector<Operator> backward;
    for (Operator& op : graph.backward) {
        const bool product = op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm;
        const bool weightGradient = product && op.name.ends_with(weightGradientSuffix);
        if (!weightGradient) {
            // Adapters' gradients are made with what passes through them: what is gathered again for them can't wait for a weight part.
            if (op.kind == OperatorKind::collective) op.weightPart = false;
            backward.push_back(std::move(op));
            continue;
        }
        // The frozen matrix has no gradient; its adapter's two matrices, and what passes through them, do.
        const std::string layer = productOf(op.name);
        for (const Operator& thin : graph.forward) {
            if (thin.name != layer + ".lora") continue;
            Operator gradient = adapter(thin, ".backward", 0);
            gradient.shape = thin.shape;
            gradient.flops = 2 * thin.flops;
            gradient.kernels = 4;
            gradient.phase = Phase::backward;
            gradient.inputs = op.inputs;
            const auto through = std::find_if(backward.rbegin(), backward.rend(), [&](const Operator& done) { return done.name == layer + std::string(inputGradientSuffix); });
            const std::vector<TensorId> passed = through == backward.rend() ? std::vector<TensorId>{} : through->outputs;
            Operator sum = sumWith(graph, gradient, op.shape.m * op.shape.k * op.shape.batch, passed);
            gradient.outputs = {sum.inputs.back()};
            backward.push_back(std::move(gradient));
            if (!passed.empty()) backward.push_back(std::move(sum));
        }
    }
    graph.backward = std::move(backward);
    dropUnread(graph);
    return graph;
}

Graph widenFrozenPass(Graph graph, double storedBytes) {
    const auto widened = [&](std::vector<Operator> operators) {
        std::vector<Operator> result;
        result.reserve(2 * operators.size());
        for (Operator& op : operators) {
            if (!readsFrozen(op)) {
                result.push_back(std::move(op));
                continue;
            }
            const double elements = op.shape.k * op.shape.n * op.shape.batch;
            Operator widen;
            widen.name = op.name + ".widen";
            widen.kind = OperatorKind::permute;
            widen.phase = op.phase;
            widen.role = TensorRole::whole;
            widen.outputs = {addTensor(graph, op.name + ".weight", sixteenBit * elements, TensorRole::whole)};
            widen.bytesRead = storedBytes * elements;
            widen.bytesWritten = sixteenBit * elements;
            op.inputs.push_back(widen.outputs.front());
            result.push_back(std::move(widen));
            result.push_back(std::move(op));
        }
        return result;
    };
    std::vector<Operator> forward = std::exchange(graph.forward, {}), backward = std::exchange(graph.backward, {});
    graph.forward = widened(std::move(forward));
    graph.backward = widened(std::move(backward));
    return graph;
}

} // namespace orrery
