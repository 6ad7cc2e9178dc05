// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Matrices that one product stands for, by how its name ends.
struct JoinedProduct {
    std::string_view ending;
    std::array<std::string_view, 3> parts;
    std::size_t count;
};

constexpr std::array<JoinedProduct, 2> joinedProducts{{{".qkv", {".q", ".k", ".v"}, 3}, {".gate_up", {".gate", ".up", ""}, 2}}};

const JoinedProduct* joinedProduct(const Operator& op) {
    if (op.kind != OperatorKind::gemm) return nullptr;
    for (const JoinedProduct& joined : joinedProducts)
        if (op.name.ends_with(joined.ending) && op.outputs.size() == joined.count) return &joined;
    return nullptr;
}

} // namespace

Graph separateProductsPass(Graph graph) {
    std::vector<Operator> forward;
    forward.reserve(graph.forward.size() + 3);
    for (Operator& op : graph.forward) {
        const JoinedProduct* joined = joinedProduct(op);
        if (!joined) {
            forward.push_back(std::move(op));
            continue;
        }
        const std::string stem = op.name.substr(0, op.name.size() - joined->ending.size());
        double bytes = 0;
        for (const TensorId output : op.outputs) bytes += bytesOf(graph, output);
        // A column has its rows and may have a bias; what is left over (attention's sinks) stays with the first.
        const double aColumn = std::floor(op.weights / op.shape.n);
        double rest = op.weights;
        for (std::size_t i = joined->count; i-- > 1;) rest -= aColumn * std::round(op.shape.n * bytesOf(graph, op.outputs[i]) / bytes);
        for (std::size_t i = 0; i < joined->count; ++i) {
            Operator part = op;
            part.name = stem + std::string(joined->parts[i]);
            part.outputs = {op.outputs[i]};
            part.shape.n = std::round(op.shape.n * bytesOf(graph, op.outputs[i]) / bytes);
            part.flops = op.flops * part.shape.n / op.shape.n;
            part.weights = i == 0 ? rest : aColumn * part.shape.n;
            forward.push_back(std::move(part));
        }
    }
    graph.forward = std::move(forward);
    return graph;
}

Graph fuseGradientSumsPass(Graph graph) {
    for (Operator& op : graph.backward) {
        if (op.kind != OperatorKind::residual || !op.name.ends_with(".gradient_sum") || op.inputs.size() != 2) continue;
        op.bytesRead = bytesOf(graph, op.inputs.back());
        op.bytesWritten = 0;
    }
    return graph;
}

} // namespace orrery
