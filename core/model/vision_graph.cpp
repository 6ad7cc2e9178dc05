// SPDX-License-Identifier: GPL-3.0-or-later
// A vision transformer (Dosovitskiy et al. 2020, arXiv 2010.11929) and the projector behind it. Attention has no mask: every patch meets every other of
// its image, tile or window, and kernels are fused ones. Tensor ranks share heads and columns out as they do in the language model.
#include "core/model/graph_builder.hpp"

#include <algorithm>

namespace orrery {
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
