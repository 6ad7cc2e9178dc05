// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/vision_tower.hpp"
#include "core/model/graph_builder.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

/// Tokens along both edges.
struct Grid {
    double across = 1, down = 1;
    double tokens() const { return across * down; }
};

/// Qwen-VL's smart_resize (transformers, image_processing_qwen2_vl.py).
Grid rounded(const VisionTower& v, double width, double height, double unit) {
    const auto whole = [&](double pixels) { return std::max(1.0, std::nearbyint(pixels / unit)); };
    Grid grid{whole(width), whole(height)};
    const double pixels = grid.tokens() * unit * unit;
    if (v.mostPixels > 0 && pixels > real(v.mostPixels)) {
        const double shrink = std::sqrt(width * height / real(v.mostPixels));
        grid = {std::max(1.0, std::floor(width / shrink / unit)), std::max(1.0, std::floor(height / shrink / unit))};
    } else if (pixels < real(v.leastPixels)) {
        const double grow = std::sqrt(real(v.leastPixels) / (width * height));
        grid = {std::ceil(width * grow / unit), std::ceil(height * grow / unit)};
    }
    return grid;
}

/// The image is made as large as there is room for (transformers, image_processing_gemma4.py).
Grid filled(const VisionTower& v, double width, double height, double unit) {
    const double scale = std::sqrt(real(v.tokensOfImage) * unit * unit / (width * height));
    return {std::max(1.0, std::floor(scale * width / unit)), std::max(1.0, std::floor(scale * height / unit))};
}

/// Squares whose grid comes nearest to the image's proportions; of equally near ones the larger where the image has pixels for half of it
/// (InternVL, dynamic_preprocess). With the whole image beside them where there are several.
double tiles(const VisionTower& v, double width, double height) {
    const double wanted = width / height, edge = real(v.edge);
    double best = 1, distance = std::abs(wanted - 1);
    for (std::int64_t count = 2; count <= v.mostTiles; ++count)
        for (std::int64_t across = 1; across <= count; ++across) {
            if (count % across != 0) continue;
            const double away = std::abs(wanted - real(across) / real(count / across));
            if (away > distance || (away == distance && width * height <= edge * edge * real(count) / 2)) continue;
            distance = away;
            best = real(count);
        }
    return best > 1 ? best + 1 : 1;
}

} // namespace

double VisionTower::layerParameters() const {
    const double h = real(hidden), heads3 = 3 * real(heads * headDim), f = real(ffn);
    double total = h * heads3 + (qkvBias ? heads3 : 0) + heads3 / 3 * h + (outputBias ? h : 0);
    total += (gatedMlp ? 3 : 2) * h * f + (mlpBias ? (gatedMlp ? 2 : 1) * f + h : 0);
    if (qkNorm) total += 2 * real(headDim);
    return total + (normsAround ? 4 : 2) * h * (normBias ? 2 : 1);
}

std::vector<double> VisionTower::projectorWidths() const {
    std::vector<double> widths{real(hidden) * (pools ? 1 : real(merge * merge))};
    for (const std::int64_t width : projector) widths.push_back(real(width));
    widths.push_back(real(output));
    return widths;
}

double VisionTower::projectorParameters() const {
    const std::vector<double> widths = projectorWidths();
    double total = real(projectorNorm) * (normsMerged ? widths.front() : real(hidden));
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) total += widths[i] * widths[i + 1] + (projectorBias ? widths[i + 1] : 0);
    return total;
}

double VisionTower::parameters() const {
    const double h = real(hidden), norm = h * (normBias ? 2 : 1);
    double total = 3 * real(patch * patch * frames) * h + (patchBias ? h : 0) + real(positions + extraTokens) * h;
    total += real(layers) * layerParameters() + (firstNorm ? norm : 0) + (lastNorm ? norm : 0) + projectorParameters();
    if (deepProjectors == 0) return total;
    VisionTower deep = *this;
    deep.normsMerged = true;
    return total + real(deepProjectors) * deep.projectorParameters();
}

ImageParts imageParts(const VisionTower& tower, std::int64_t width, std::int64_t height) {
    const double w = real(width), h = real(height), unit = real(tower.patch * tower.merge), merged = real(tower.merge * tower.merge);
    ImageParts parts;
    if (tower.sizing == ImageSizing::rounded || tower.sizing == ImageSizing::filled) {
        parts.tokens = (tower.sizing == ImageSizing::rounded ? rounded(tower, w, h, unit) : filled(tower, w, h, unit)).tokens();
        parts.patches = parts.tokens * merged;
    } else {
        const double edge = std::floor(real(tower.edge) / real(tower.patch));
        parts.patches = edge * edge;
        parts.sequences = tower.sizing == ImageSizing::tiled ? tiles(tower, w, h) : 1;
        parts.tokens = parts.sequences * (tower.tokensOfImage > 0 ? real(tower.tokensOfImage) : std::floor(parts.patches / merged));
    }
    parts.patches += real(tower.extraTokens);
    return parts;
}

// A vision transformer (Dosovitskiy et al. 2020, arXiv 2010.11929) and the projector behind it. Attention has no mask: every patch meets every other of
// its image, tile or window, and kernels are fused ones. Tensor ranks share heads and columns out as they do in the language model.

namespace {

class TowerGraph {
public:
    TowerGraph(GraphBuilder& builder, const VisionTower& tower, const ImageParts& image, double images)
        : b(builder), v(tower), sequences_(images * image.sequences), length_(image.patches), merged_(images * image.tokens), tokens_(sequences_ * image.patches),
          hidden_(double(tower.hidden)) {}

    std::vector<TensorId> run() {
        TensorId x = addPatches();
        if (v.firstNorm) x = norm("vision.first_norm", x);
        // Layers whose result goes to the language model's first ones lie evenly among them.
        std::vector<TensorId> given;
        const std::int64_t step = v.deepProjectors > 0 ? std::max<std::int64_t>(1, v.layers / (v.deepProjectors + 1)) : 0;
        for (std::int64_t layer = 0; layer < v.layers; ++layer) {
            x = addLayer(x, v.window == 0 || layer >= v.layers - v.wholeLayers);
            const bool deep = step > 0 && (layer + 1) % step == 0 && std::int64_t(given.size()) < v.deepProjectors;
            if (deep) given.push_back(addProjector(x, true));
        }
        if (v.lastNorm) x = norm("vision.last_norm", x);
        given.push_back(addProjector(x, v.normsMerged));
        return given;
    }

private:
    double bytesOf(double width) const { return tokens_ * width * activationBytes; }
    TensorId whole(const char* name, double bytes) { return b.tensor(name, bytes, TensorRole::replicated); }
    TensorId shared(const char* name, double width) { return b.tensor(name, bytesOf(width), TensorRole::heads); }

    TensorId norm(const char* name, TensorId input) {
        const TensorId normed = whole("vision_normed", bytesOf(hidden_));
        b.norm(name, input, normed, tokens_, hidden_, v.normBias);
        return normed;
    }

    TensorId addPatches() {
        const double pixels = 3 * double(v.patch * v.patch * v.frames);
        const TensorId given = whole("pixels", bytesOf(pixels)), patches = whole("patches", bytesOf(hidden_));
        b.gemm("vision.patches", TensorRole::replicated, given, {patches}, {tokens_, hidden_, pixels}, v.patchBias);
        if (v.positions + v.extraTokens == 0) return patches;
        const TensorId placed = whole("placed_patches", bytesOf(hidden_));
        Operator& add = b.add("vision.positions", OperatorKind::residual, TensorRole::replicated, {patches}, {placed});
        add.flops = tokens_ * hidden_;
        add.replicatedWeights = double(v.positions + v.extraTokens) * hidden_;
        return placed;
    }

    /// What a block gives, normed where the tower does, added to its input.
    TensorId added(const char* norms, const char* name, TensorId branch, TensorId input) {
        if (v.normsAround) branch = norm(norms, branch);
        const TensorId sum = whole("vision_residual", bytesOf(hidden_));
        b.add(name, OperatorKind::residual, TensorRole::replicated, {branch, input}, {sum}).flops = tokens_ * hidden_;
        return sum;
    }

    TensorId addLayer(TensorId x, bool whole) {
        x = added("vision.attention.post_norm", "vision.attention.residual", addAttention(norm("vision.attention.norm", x), whole), x);
        return added("vision.mlp.post_norm", "vision.mlp.residual", addMlp(norm("vision.mlp.norm", x)), x);
    }

    TensorId addAttention(TensorId input, bool whole_) {
        const double heads = double(v.heads), dim = double(v.headDim), width = heads * dim;
        TensorId query = shared("vision_query", width), key = shared("vision_key", width);
        const TensorId value = shared("vision_value", width);
        b.gemm("vision.attention.qkv", TensorRole::column, input, {query, key, value}, {tokens_, 3 * width, hidden_}, v.qkvBias);
        if (v.qkNorm) {
            const TensorId normedQuery = shared("vision_normed_query", width), normedKey = shared("vision_normed_key", width);
            Operator& norms = b.add("vision.attention.qk_norm", OperatorKind::norm, TensorRole::heads, {query, key}, {normedQuery, normedKey});
            norms.flops = 2 * normFlops * tokens_ * width;
            norms.kernels = 2;
            norms.replicatedWeights = 2 * dim;
            norms.saved = {query, key};
            query = normedQuery;
            key = normedKey;
        }
        const std::int64_t side = v.window / v.patch; // patches of a window, whole ones
        const double met = whole_ ? length_ : std::min(length_, double(side) * double(side));
        const TensorId context = shared("vision_context", width), logSumExp = b.tensor("vision_log_sum_exp", tokens_ * heads * 4, TensorRole::heads);
        Operator& core = b.add("vision.attention.core", OperatorKind::attention, TensorRole::heads, {query, key, value}, {context, logSumExp});
        core.sequences = tokens_ / met;
        core.shape = {met, met, dim, core.sequences * heads};
        core.flops = 4 * tokens_ * met * width;
        core.valueWidth = dim;
        core.unmasked = true;
        core.saved = {query, key, value, context, logSumExp};
        const TensorId output = whole("vision_attention_output", bytesOf(hidden_));
        b.gemm("vision.attention.output", TensorRole::row, context, {output}, {tokens_, hidden_, width}, v.outputBias);
        return output;
    }

    TensorId addMlp(TensorId input) {
        const double f = double(v.ffn), parts = v.gatedMlp ? 2 : 1;
        const TensorId up = shared("vision_up", parts * f), activated = shared("vision_activated", f);
        b.gemm("vision.mlp.up", TensorRole::column, input, {up}, {tokens_, parts * f, hidden_}, v.mlpBias);
        Operator& act = b.add("vision.mlp.activation", OperatorKind::activation, TensorRole::heads, {up}, {activated});
        act.flops = (activationFlops + parts - 1) * tokens_ * f;
        act.saved = {up};
        const TensorId output = whole("vision_mlp_output", bytesOf(hidden_));
        b.gemm("vision.mlp.down", TensorRole::row, activated, {output}, {tokens_, hidden_, f}, v.mlpBias);
        return output;
    }

    TensorId addProjector(TensorId input, bool normsMerged) {
        const std::vector<double> widths = v.projectorWidths();
        if (v.projectorNorm > 0 && !normsMerged && !v.pools) input = projectorNorm(input, tokens_, hidden_);
        TensorId x = whole("merged_patches", merged_ * widths.front() * activationBytes);
        b.add(v.pools ? "vision.pool" : "vision.merge", v.pools ? OperatorKind::activation : OperatorKind::permute, TensorRole::replicated, {input}, {x}).flops = v.pools ? tokens_ * hidden_ : 0;
        if (v.projectorNorm > 0 && (normsMerged || v.pools)) x = projectorNorm(x, merged_, widths.front());
        // Two products are shared out over tensor ranks as an MLP's are.
        const bool mlp = widths.size() == 3;
        for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
            const bool last = i + 2 == widths.size();
            const TensorRole role = !mlp ? TensorRole::replicated : last ? TensorRole::row
                                                                         : TensorRole::column;
            const TensorRole made = mlp && !last ? TensorRole::heads : TensorRole::replicated;
            const double bytes = merged_ * widths[i + 1] * activationBytes;
            const TensorId output = b.tensor(last ? "image_tokens" : "projector_wide", bytes, made);
            b.gemm("vision.projector." + std::to_string(i + 1), role, x, {output}, {merged_, widths[i + 1], widths[i]}, v.projectorBias);
            x = output;
            if (last) break;
            const TensorId activated = b.tensor("projector_activated", bytes, made);
            Operator& act = b.add("vision.projector.activation", OperatorKind::activation, made, {output}, {activated});
            act.flops = activationFlops * merged_ * widths[i + 1];
            act.saved = {output};
            x = activated;
        }
        return x;
    }

    TensorId projectorNorm(TensorId input, double tokens, double width) {
        const TensorId normed = whole("projector_normed", tokens * width * activationBytes);
        Operator& op = b.add("vision.projector.norm", OperatorKind::norm, TensorRole::replicated, {input}, {normed});
        op.flops = normFlops * tokens * width;
        op.replicatedWeights = double(v.projectorNorm) * width;
        op.saved = {input};
        return normed;
    }

    GraphBuilder& b;
    const VisionTower& v;
    double sequences_, length_; ///< that attention stays within, and patches of each
    double merged_;             ///< tokens for the language model
    double tokens_, hidden_;    ///< patches of all, and the width of one
};

} // namespace

std::vector<TensorId> addVisionTower(GraphBuilder& b, const VisionTower& tower, const ImageParts& image, double images) { return TowerGraph(b, tower, image, images).run(); }

Graph buildVisionGraph(const VisionTower& tower, const ImageParts& image, double images) {
    GraphBuilder b("vision", static_cast<std::size_t>(tower.layers) * 12);
    addVisionTower(b, tower, image, images);
    return b.take();
}

} // namespace orrery
