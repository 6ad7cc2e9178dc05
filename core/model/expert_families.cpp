// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_families.hpp"

#include <algorithm>

namespace orrery {
namespace {

Experts readExperts(const ConfigReader& config, FieldName count, FieldName perToken, FieldName width) {
    Experts experts;
    experts.count = config.size(count, mostExperts);
    experts.perToken = config.size(perToken, mostExperts);
    experts.ffn = config.size(width, mostWidth);
    if (config.has(count) && experts.perToken > experts.count)
        config.fail("out-of-range", perToken.name,
                    "A token visits " + std::to_string(experts.perToken) + " experts (`" + perToken.name + "`), but there are only " +
                        std::to_string(experts.count) + " (`" + count.name + "`).",
                    "Give at most " + std::to_string(experts.count) + ".");
    return experts;
}

/// Experts in every layer.
void setAllExpertLayers(Architecture& a, LayerList layers) {
    placeExperts(layers, [](std::int64_t) { return true; });
    setLayers(a, layers);
}

void finishMixtral(const ConfigReader& config, Architecture& a) {
    a.experts = readExperts(config, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
    LayerList layers = sameLayers(a);
    limitReach(config, layers, AttentionReach::window, config.size({"sliding_window"}, mostPositions, 0), 0);
    setAllExpertLayers(a, std::move(layers));
}

/// Qwen2-MoE and Qwen3-MoE: experts in every `decoder_sparse_step`-th layer, those of `mlp_only_layers` excepted.
void placeQwenExperts(const ConfigReader& config, Architecture& a) {
    const std::int64_t step = config.size({"decoder_sparse_step"}, mostLayers, 1);
    const std::vector<std::int64_t> dense = config.counts({"mlp_only_layers"}, mostLayers).value_or(std::vector<std::int64_t>{});
    LayerList layers = readQwenLayers(config, a);
    placeExperts(layers, [&](std::int64_t i) {
        return (i + 1) % step == 0 && std::find(dense.begin(), dense.end(), i) == dense.end();
    });
    setLayers(a, layers);
}

void finishQwen2Moe(const ConfigReader& config, Architecture& a) {
    a.experts = readExperts(config, {"num_experts"}, {"num_experts_per_tok"}, {"moe_intermediate_size"});
    a.experts->sharedFfn = config.size({"shared_expert_intermediate_size"}, mostWidth);
    a.experts->sharedGate = true;
    placeQwenExperts(config, a);
}

void finishQwen3Moe(const ConfigReader& config, Architecture& a) {
    readBiases(config, a);
    a.experts = readExperts(config, {"num_experts"}, {"num_experts_per_tok"}, {"moe_intermediate_size"});
    placeQwenExperts(config, a);
}

void finishOlmoe(const ConfigReader& config, Architecture& a) {
    readBiases(config, a);
    a.experts = readExperts(config, {"num_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
    setAllExpertLayers(a, sameLayers(a));
}

/// DeepSeek's experts, as GLM-4.5 has them too: `n_shared_experts` visited by all tokens, the first layers dense.
void readDeepSeekExperts(const ConfigReader& config, Architecture& a, bool balancingBias) {
    a.nextTokenModules = config.count({"num_nextn_predict_layers"}, mostLayers, 0);
    if (!config.has({"n_routed_experts"})) return;
    a.experts = readExperts(config, {"n_routed_experts"}, {"num_experts_per_tok"}, {"moe_intermediate_size"});
    a.experts->sharedFfn = config.count({"n_shared_experts"}, mostExperts, 0) * a.experts->ffn;
    a.experts->balancingBias = balancingBias;
    a.experts->routerInFp32 = true;
    constexpr std::int64_t mostGroups = 255;
    const std::int64_t groups = config.size({"n_group"}, mostGroups, 1), visited = config.size({"topk_group"}, mostGroups, groups);
    if (a.experts->count % groups == 0 && visited <= groups && a.experts->count / groups * visited >= a.experts->perToken) {
        a.experts->groups = static_cast<std::uint8_t>(groups);
        a.experts->groupsPerToken = static_cast<std::uint8_t>(visited);
    }
    const std::int64_t first = config.count({"first_k_dense_replace"}, mostLayers, 0);
    const std::int64_t frequency = config.size({"moe_layer_freq"}, mostLayers, 1);
    LayerList layers = sameLayers(a);
    placeExperts(layers, [&](std::int64_t i) { return i >= first && i % frequency == 0; });
    setLayers(a, layers);
}

void readLatentAttention(const ConfigReader& config, Architecture& a) {
    LatentAttention latent;
    latent.queryRank = config.size({"q_lora_rank"}, mostWidth, 0);
    latent.keyValueRank = config.size({"kv_lora_rank"}, mostWidth);
    latent.plainDim = config.size({"qk_nope_head_dim"}, mostWidth);
    latent.rotaryDim = config.size({"qk_rope_head_dim"}, mostWidth);
    latent.valueDim = config.size({"v_head_dim"}, mostWidth);
    a.latent = latent;
    a.headDim = latent.plainDim + latent.rotaryDim;
    a.kvHeads = a.heads;
    a.qkvBias = a.attentionOutputBias = config.flag({"attention_bias"}, false);
}

void finishDeepSeekV2(const ConfigReader& config, Architecture& a) {
    readLatentAttention(config, a);
    readDeepSeekExperts(config, a, false);
}

void finishDeepSeekV3(const ConfigReader& config, Architecture& a) {
    readLatentAttention(config, a);
    readDeepSeekExperts(config, a, config.text({"topk_method"}, "noaux_tc") == "noaux_tc");
}

void finishGlm4Moe(const ConfigReader& config, Architecture& a) {
    a.qkvBias = config.flag({"attention_bias"}, false); // not of the output projection
    a.qkNorm = config.flag({"use_qk_norm"}, false) ? QkNorm::per_head : QkNorm::none;
    readDeepSeekExperts(config, a, true);
}

void finishMiniMaxM2(const ConfigReader& config, Architecture& a) {
    a.qkNorm = config.flag({"use_qk_norm"}, false) ? QkNorm::whole : QkNorm::none;
    a.experts = readExperts(config, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
    a.experts->balancingBias = config.flag({"use_routing_bias"}, true);
    setAllExpertLayers(a, sameLayers(a));
}

void finishGptOss(const ConfigReader& config, Architecture& a) {
    a.qkvBias = a.attentionOutputBias = config.flag({"attention_bias"}, true);
    a.experts = readExperts(config, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
    a.experts->bias = a.experts->routerBias = true;
    a.experts->clamped = config.has({"swiglu_limit"});
    LayerList layers = sameLayers(a);
    limitReach(config, layers, AttentionReach::window, config.size({"sliding_window"}, mostPositions, 128), 2);
    setAllExpertLayers(a, std::move(layers));
}

void finishLlama4(const ConfigReader& config, Architecture& a) {
    a.qkvBias = a.attentionOutputBias = config.flag({"attention_bias"}, false);
    if (config.flag({"use_qk_norm"}, true)) a.qkNorm = QkNorm::unweighted;
    // `intermediate_size` is an expert's, shared or routed; dense layers have their own.
    a.experts = readExperts(config, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
    a.experts->sharedFfn = a.experts->ffn;

    // Layers without rotary positions see all keys, the others a chunk.
    const std::int64_t noRotaryEvery = config.size({"no_rope_layer_interval"}, mostLayers, 4);
    LayerList layers = sameLayers(a);
    limitReach(config, layers, AttentionReach::chunk, config.size({"attention_chunk_size"}, mostPositions, 0), noRotaryEvery);
    const auto rotary = config.counts({"no_rope_layers"}, 1); // 1 with rotary positions, 0 without
    if (rotary && !rotary->empty() && rotary->size() != layers.size())
        config.fail("list-length", "no_rope_layers", "The config's `no_rope_layers` doesn't name each of the model's layers once.",
                    "Give 0 or 1 for each layer.");
    for (std::size_t i = 0; i < layers.size(); ++i)
        layers[i].rotary = rotary && rotary->size() == layers.size() ? (*rotary)[i] == 1
                                                                     : (static_cast<std::int64_t>(i) + 1) % noRotaryEvery != 0;

    const std::int64_t step = config.size({"interleave_moe_layer_step"}, mostLayers, 1);
    const auto listed = config.counts({"moe_layers"}, mostLayers);
    placeExperts(layers, [&](std::int64_t i) {
        return listed ? std::find(listed->begin(), listed->end(), i) != listed->end() : (i + 1) % step == 0;
    });
    setLayers(a, layers);
}

void finishGrok1(const ConfigReader& config, Architecture& a) {
    a.experts = readExperts(config, {"num_local_experts", "num_experts"}, {"num_experts_per_tok", "num_selected_experts"}, {"intermediate_size"});
    setAllExpertLayers(a, sameLayers(a));
}

void finishDbrx(const ConfigReader& config, Architecture& a) {
    const ConfigReader attention = config.inner("attn_config");
    a.kvHeads = attention.size({"kv_n_heads"}, mostHeads, 1);
    a.attentionDropout = attention.dropout({"attn_pdrop"}, 0);
    a.experts = readExperts(config.inner("ffn_config"), {"moe_num_experts"}, {"moe_top_k"}, {"ffn_hidden_size"});
    setAllExpertLayers(a, sameLayers(a));
}

Architecture withKvHeads(std::int64_t kvHeads) {
    Architecture a = gatedRotary();
    a.kvHeads = kvHeads;
    return a;
}

Architecture qwen2MoeDefaults() {
    Architecture a = gatedRotary();
    a.qkvBias = true;
    return a;
}

Architecture qwen3MoeDefaults() {
    Architecture a = withKvHeads(4);
    a.headDim = 128;
    a.qkNorm = QkNorm::per_head;
    return a;
}

Architecture olmoeDefaults() {
    Architecture a = gatedRotary();
    a.qkNorm = QkNorm::whole;
    return a;
}

Architecture gptOssDefaults() {
    Architecture a = withKvHeads(8);
    a.headDim = 64;
    a.attentionSinks = true;
    return a;
}

/// xAI's model.py norms what attention and experts give as well: two norms a layer, 786,432 parameters in all, that configs of
/// this type do not mention and counts of it (315,684,034,560) leave out.
Architecture grok1Defaults() {
    Architecture a = withKvHeads(8);
    a.activation = ActivationKind::gelu;
    a.tiedEmbedding = true;
    return a;
}

Architecture dbrxDefaults() {
    Architecture a = gatedRotary();
    a.norm = NormKind::layer_norm;
    return a;
}

} // namespace

const std::vector<Family>& expertFamilies() {
    constexpr MlpWidth noDenseLayers = MlpWidth::only_with_dense_layers;
    static const std::vector<Family> families{
        {.modelType = "mixtral", .className = "MixtralForCausalLM", .defaults = withKvHeads(8), .finish = finishMixtral, .mlpWidth = noDenseLayers, .ffn = {}},
        {.modelType = "qwen2_moe", .className = "Qwen2MoeForCausalLM", .defaults = qwen2MoeDefaults(), .finish = finishQwen2Moe, .mlpWidth = noDenseLayers},
        {.modelType = "qwen3_moe", .className = "Qwen3MoeForCausalLM", .defaults = qwen3MoeDefaults(), .finish = finishQwen3Moe, .mlpWidth = noDenseLayers},
        {.modelType = "olmoe", .className = "OlmoeForCausalLM", .defaults = olmoeDefaults(), .finish = finishOlmoe, .mlpWidth = noDenseLayers, .ffn = {}},
        {.modelType = "deepseek_v2", .className = "DeepseekV2ForCausalLM", .defaults = gatedRotary(), .finish = finishDeepSeekV2, .mlpWidth = noDenseLayers, .headDim = {}},
        {.modelType = "deepseek_v3", .className = "DeepseekV3ForCausalLM", .defaults = gatedRotary(), .finish = finishDeepSeekV3, .mlpWidth = noDenseLayers, .headDim = {}},
        {.modelType = "kimi_k2", .className = "KimiK2ForCausalLM", .defaults = gatedRotary(), .finish = finishDeepSeekV3, .mlpWidth = noDenseLayers, .headDim = {}},
        {.modelType = "glm4_moe", .className = "Glm4MoeForCausalLM", .defaults = withKvHeads(8), .finish = finishGlm4Moe, .mlpWidth = noDenseLayers},
        {.modelType = "minimax_m2", .className = "MiniMaxM2ForCausalLM", .defaults = withKvHeads(8), .finish = finishMiniMaxM2, .mlpWidth = noDenseLayers, .ffn = {}},
        {.modelType = "gpt_oss", .className = "GptOssForCausalLM", .defaults = gptOssDefaults(), .finish = finishGptOss, .mlpWidth = noDenseLayers, .ffn = {}},
        {.modelType = "llama4_text", .className = "Llama4ForCausalLM", .defaults = gatedRotary(), .finish = finishLlama4, .mlpWidth = noDenseLayers, .ffn = {"intermediate_size_mlp"}},
        {.modelType = "grok-1", .className = "Grok1ModelForCausalLM", .defaults = grok1Defaults(), .finish = finishGrok1, .mlpWidth = noDenseLayers, .ffn = {}},
        {.modelType = "dbrx", .className = "DbrxForCausalLM", .defaults = dbrxDefaults(), .finish = finishDbrx, .mlpWidth = noDenseLayers, .hidden = {"d_model", "hidden_size"}, .layers = {"n_layers", "num_hidden_layers"}, .heads = {"n_heads", "num_attention_heads"}, .kvHeads = {"attn_config/kv_n_heads"}, .headDim = {}, .ffn = {}, .maxPositions = {"max_seq_len"}, .activation = {}, .hiddenDropout = {"resid_pdrop"}},
    };
    return families;
}

} // namespace orrery
