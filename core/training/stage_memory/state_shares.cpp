// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_memory/state_shares.hpp"

#include <algorithm>

namespace orrery {
namespace {

bool isProduct(const Operator& op) { return op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm; }

} // namespace

std::vector<StateShare> stateShares(const PieceWork& piece) {
    std::vector<StateShare> shares;
    const std::string& name = piece.graph.name;
    // Muon steps over the layers' matrices; Adam over the rest.
    const bool isLayer = name != "embedding" && name != "head";
    double rest = piece.elements;
    for (const Operator& op : piece.graph.forward) {
        const double elements = op.weights + op.replicatedWeights;
        if (elements <= 0) continue;
        const bool routed = op.kind == OperatorKind::grouped_gemm;
        shares.push_back({op.name, elements, routed, !(isProduct(op) && isLayer), op.format != MatrixFormat::sixteen_bit});
        if (!routed) rest -= elements;
    }
    if (rest > 0.5) shares.push_back({name + ".tied_weight", rest, false, true, false});
    return shares;
}

std::vector<std::pair<double, double>> weightGradientShapes(const PieceWork& layer) {
    std::vector<std::pair<double, double>> shapes;
    for (const Operator& op : layer.graph.forward)
        if (isProduct(op) && op.weights > 0 && !op.name.starts_with("head.")) shapes.emplace_back(op.shape.n, op.shape.k);
    std::sort(shapes.begin(), shapes.end());
    shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
    return shapes;
}

} // namespace orrery
