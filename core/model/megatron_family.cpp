// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_families.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Arguments of Megatron-LM that name a position embedding; another word is a problem.
PositionKind megatronPositions(const ConfigReader& config) {
    const std::string kind = config.text({"position_embedding_type"}, "learned_absolute");
    if (kind == "learned_absolute") return PositionKind::learned;
    if (kind == "rope" || kind == "yarn") return PositionKind::rotary;
    if (kind == "alibi") return PositionKind::alibi;
    if (kind != "none")
        config.fail("out-of-range", "position_embedding_type", "Megatron has no position embedding `" + kind + "`.",
                    "Use learned_absolute, rope, yarn, alibi or none.");
    return PositionKind::none;
}

/// `moe_layer_freq`: experts in every so-many-th layer, or a list with 1 for each layer that has them.
void placeMegatronExperts(const ConfigReader& config, LayerList& layers, bool isList) {
    if (isList) {
        const std::vector<std::int64_t> pattern = config.counts({"moe_layer_freq"}, 1).value_or(std::vector<std::int64_t>{});
        if (pattern.size() != layers.size()) {
            config.fail("out-of-range", "moe_layer_freq",
                        "The list has " + std::to_string(pattern.size()) + " entries for " + std::to_string(layers.size()) + " layers.",
                        "Give one number a layer: 1 for experts, 0 for none.");
            return;
        }
        placeExperts(layers, [&](std::int64_t i) { return pattern[static_cast<std::size_t>(i)] == 1; });
    } else {
        const std::int64_t every = config.size({"moe_layer_freq"}, mostLayers, 1);
        placeExperts(layers, [&](std::int64_t i) { return i % every == 0; });
    }
}

/// `window_size`: tokens to the left that attention reaches, its own besides; `window_attn_skip_freq`: every so-many-th layer reaches all, or
/// a list with 0 for each layer that does.
void limitMegatronReach(const ConfigReader& config, const Json* skips, LayerList& layers) {
    const std::int64_t left = config.count({"window_size"}, mostPositions, 0);
    if (left == 0) return;
    if (!skips || !skips->is_array()) return limitReach(config, layers, AttentionReach::window, left + 1, config.count({"window_attn_skip_freq"}, mostLayers, 0));
    const std::vector<std::int64_t> limited = config.counts({"window_attn_skip_freq"}, 1).value_or(std::vector<std::int64_t>{});
    if (limited.size() != layers.size()) {
        config.fail("out-of-range", "window_attn_skip_freq",
                    "The list has " + std::to_string(limited.size()) + " entries for " + std::to_string(layers.size()) + " layers.",
                    "Give one number a layer: 1 for a window, 0 for none.");
        return;
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layers[i].reach = limited[i] == 1 ? AttentionReach::window : AttentionReach::all;
        layers[i].span = limited[i] == 1 ? left + 1 : 0;
    }
}

void readMegatronExperts(const ConfigReader& config, const Json* frequency, LayerList& layers, Architecture& a) {
    Experts experts;
    experts.count = config.size({"num_moe_experts", "num_experts"}, mostExperts);
    experts.perToken = std::min(experts.count, config.size({"moe_router_topk"}, mostExperts, 2));
    experts.ffn = config.size({"moe_ffn_hidden_size"}, mostWidth, a.ffn);
    experts.sharedFfn = config.count({"moe_shared_expert_intermediate_size"}, mostWidth, 0);
    experts.bias = a.mlpBias;
    a.experts = experts;
    placeMegatronExperts(config, layers, frequency && frequency->is_array());
}

} // namespace

Architecture megatronDefaults() {
    Architecture a;
    a.activation = ActivationKind::gelu;
    a.tiedEmbedding = true;
    a.attentionDropout = a.hiddenDropout = 0.1;
    return a;
}

void finishMegatron(const ConfigReader& config, Architecture& a) {
    a.gatedMlp = config.flag({"gated_linear_unit"}, false);
    const std::string norm = config.text({"normalization"}, "LayerNorm");
    a.norm = norm == "RMSNorm" ? NormKind::rms_norm : NormKind::layer_norm;
    a.normBias = a.norm == NormKind::layer_norm;
    if (norm != "RMSNorm" && norm != "LayerNorm")
        config.fail("out-of-range", "normalization", "Megatron has no normalization `" + norm + "`.", "Use LayerNorm or RMSNorm.");
    a.positions = megatronPositions(config);
    if (a.positions == PositionKind::learned) a.positionRows = a.maxPositions;
    a.attentionOutputBias = a.mlpBias = config.flag({"add_bias_linear"}, true);
    a.qkvBias = a.mlpBias || config.flag({"add_qkv_bias"}, false);
    a.qkNorm = config.flag({"qk_layernorm"}, false) ? QkNorm::per_head : QkNorm::none;
    a.embeddingNorm = config.flag({"embed_layernorm"}, false);
    a.nextTokenModules = config.count({"mtp_num_layers", "num_nextn_predict_layers"}, mostLayers, 0);
    LayerList layers = sameLayers(a);
    if (config.has({"num_moe_experts", "num_experts"})) readMegatronExperts(config, config.raw("moe_layer_freq"), layers, a);
    limitMegatronReach(config, config.raw("window_attn_skip_freq"), layers);
    setLayers(a, layers);
}

} // namespace orrery
