// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_families.hpp"

#include <algorithm>

namespace orrery {
namespace {

void finishMistral(const ConfigReader& config, Architecture& a) {
    // A config that leaves the window out attends to everything: Hugging Face's default of 4096 is that of
    // Mistral-7B-v0.1, whose config states it; later ones say null.
    LayerList layers = sameLayers(a);
    limitReach(config, layers, AttentionReach::window, config.size({"sliding_window"}, mostPositions, 0), 0);
    setLayers(a, layers);
}

void finishQwen2(const ConfigReader& config, Architecture& a) { setLayers(a, readQwenLayers(config, a)); }

void finishQwen3(const ConfigReader& config, Architecture& a) {
    readBiases(config, a);
    setLayers(a, readQwenLayers(config, a));
}

void finishGpt2(const ConfigReader& config, Architecture& a) {
    a.positionRows = a.maxPositions;
    // Hugging Face's GPT-2 always has biases; Megatron's models of the same shape may not, and its name for that is read too.
    a.qkvBias = a.attentionOutputBias = a.mlpBias = config.flag({"add_bias_linear"}, true);
}

void finishOpt(const ConfigReader& config, Architecture& a) {
    a.embeddingWidth = config.size({"word_embed_proj_dim"}, mostWidth, a.hidden);
    a.positionRows = a.maxPositions; // OPTLearnedPositionalEmbedding stores two more that no position ever reads
    a.qkvBias = a.attentionOutputBias = a.mlpBias = config.flag({"enable_bias"}, true);
    a.finalNorm = config.flag({"do_layer_norm_before"}, true) && !config.flag({"_remove_final_layer_norm"}, false);
}

void finishMpt(const ConfigReader& config, Architecture& a) {
    a.ffn = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(a.hidden) * config.factor({"expansion_ratio"}, 4)));
    const ConfigReader attention = config.inner("attn_config");
    const std::string kind = attention.text({"attn_type"}, "multihead_attention");
    a.kvHeads = kind == "multiquery_attention" ? 1 : attention.size({"kv_n_heads"}, mostHeads, a.heads);
    if (attention.flag({"alibi"}, true)) {
        a.positions = PositionKind::alibi;
    } else if (attention.flag({"rope"}, false)) {
        a.positions = PositionKind::rotary;
        a.maxPositions = config.size({"max_seq_len"}, mostPositions, 2048);
    } else if (config.flag({"learned_pos_emb"}, true)) {
        a.positions = PositionKind::learned;
        a.maxPositions = a.positionRows = config.size({"max_seq_len"}, mostPositions, 2048);
    }
    a.qkvBias = a.attentionOutputBias = a.mlpBias = !config.flag({"no_bias"}, true);
    a.attentionDropout = attention.dropout({"attn_pdrop"}, 0);
}

void finishFalcon(const ConfigReader& config, Architecture& a) {
    const bool newDecoder = config.flag({"new_decoder_architecture"}, false);
    // FalconAttention: the number of key-value heads counts only in the new decoder.
    if (newDecoder)
        a.kvHeads = config.size({"num_kv_heads", "n_head_kv"}, mostHeads, a.heads);
    else
        a.kvHeads = config.flag({"multi_query"}, true) ? 1 : a.heads;
    a.positions = config.flag({"alibi"}, false) ? PositionKind::alibi : PositionKind::rotary;
    if (a.positions == PositionKind::rotary) a.maxPositions = config.size({"max_position_embeddings"}, mostPositions, 0);
    // Falcon's checkpoints carry an output matrix of their own whatever `tie_word_embeddings` says: 7,217,189,760
    // parameters of falcon-7b and 179,522,565,120 of falcon-180B count the vocabulary twice.
    a.tiedEmbedding = false;
    a.qkvBias = a.attentionOutputBias = a.mlpBias = config.flag({"bias"}, false);
    a.parallelAttention = newDecoder || config.flag({"parallel_attn"}, true);
    // FalconDecoderLayer: attention and MLP share one norm when parallel, except that the new decoder gives each its own.
    const std::int64_t parallelNorms = config.size({"num_ln_in_parallel_attn"}, 2, newDecoder ? 2 : 1);
    a.inputNorms = a.parallelAttention ? static_cast<int>(parallelNorms) : 2;
}

void finishGptNeox(const ConfigReader& config, Architecture& a) {
    a.qkvBias = a.attentionOutputBias = config.flag({"attention_bias"}, true);
    a.parallelAttention = config.flag({"use_parallel_residual"}, true);
}

void finishPhi3(const ConfigReader& config, Architecture& a) {
    LayerList layers = sameLayers(a);
    limitReach(config, layers, AttentionReach::window, config.size({"sliding_window"}, mostPositions, 0), 0);
    setLayers(a, layers);
}

void finishGemma2(const ConfigReader& config, Architecture& a) {
    readBiases(config, a);
    a.logitSoftcap = config.factor({"final_logit_softcapping"}, 30) > 0;
    LayerList layers = sameLayers(a);
    limitReach(config, layers, AttentionReach::window, config.size({"sliding_window"}, mostPositions, 4096), 2);
    setLayers(a, layers);
}

void finishGemma3(const ConfigReader& config, Architecture& a) {
    readBiases(config, a);
    LayerList layers = sameLayers(a);
    limitReach(config, layers, AttentionReach::window, config.size({"sliding_window"}, mostPositions, 4096),
               config.size({"sliding_window_pattern"}, mostLayers, 6));
    setLayers(a, layers);
}

Architecture biasedLayerNorm() {
    Architecture a;
    a.qkvBias = a.attentionOutputBias = a.mlpBias = a.normBias = true;
    return a;
}

Architecture gpt2Defaults() {
    Architecture a = biasedLayerNorm();
    a.positions = PositionKind::learned;
    a.maxPositions = 1024;
    a.tiedEmbedding = true;
    a.attentionDropout = a.hiddenDropout = 0.1;
    return a;
}

Architecture optDefaults() {
    Architecture a = biasedLayerNorm();
    a.positions = PositionKind::learned;
    a.maxPositions = 2048;
    a.activation = ActivationKind::relu;
    a.tiedEmbedding = true;
    a.hiddenDropout = 0.1;
    return a;
}

Architecture bloomDefaults() {
    Architecture a = biasedLayerNorm();
    a.positions = PositionKind::alibi;
    a.tiedEmbedding = a.embeddingNorm = true;
    return a;
}

Architecture mptDefaults() {
    Architecture a;
    a.normBias = a.tiedEmbedding = true;
    return a;
}

Architecture falconDefaults() {
    Architecture a;
    a.normBias = true;
    return a;
}

Architecture neoxDefaults() {
    Architecture a = biasedLayerNorm();
    a.positions = PositionKind::rotary;
    return a;
}

Architecture mistralDefaults() {
    Architecture a = gatedRotary();
    a.kvHeads = 8;
    return a;
}

Architecture qwen2Defaults() {
    Architecture a = gatedRotary();
    a.kvHeads = 32;
    a.qkvBias = true; // not the output projection, and no field switches it
    return a;
}

Architecture qwen3Defaults() {
    Architecture a = gatedRotary();
    a.kvHeads = 32;
    a.headDim = 128;
    a.qkNorm = QkNorm::per_head;
    return a;
}

Architecture gemmaDefaults() {
    Architecture a = gatedRotary();
    a.activation = ActivationKind::gelu;
    a.headDim = 256;
    a.tiedEmbedding = true;
    return a;
}

Architecture gemma2Defaults() {
    Architecture a = gemmaDefaults();
    a.normPlacement = NormPlacement::around;
    return a;
}

Architecture gemma3Defaults() {
    Architecture a = gemma2Defaults();
    a.qkNorm = QkNorm::per_head;
    return a;
}

Architecture olmo2Defaults() {
    Architecture a = gatedRotary();
    a.normPlacement = NormPlacement::after;
    a.qkNorm = QkNorm::whole;
    return a;
}

Architecture nemotronDefaults() {
    Architecture a;
    a.positions = PositionKind::rotary;
    a.activation = ActivationKind::squared_relu;
    a.normBias = true; // LayerNorm1P: the weight is stored less one
    return a;
}

/// Chowdhery et al. 2022, section 2: no biases, attention and MLP in parallel, SwiGLU. Each branch has a norm of its own, as
/// the paper's formula writes them.
Architecture palmDefaults() {
    Architecture a = gatedRotary();
    a.norm = NormKind::layer_norm;
    a.tiedEmbedding = a.parallelAttention = true;
    return a;
}

} // namespace

Architecture gatedRotary() {
    Architecture a;
    a.norm = NormKind::rms_norm;
    a.positions = PositionKind::rotary;
    a.activation = ActivationKind::silu;
    a.gatedMlp = true;
    return a;
}

void readBiases(const ConfigReader& config, Architecture& a) {
    a.qkvBias = a.attentionOutputBias = config.flag({"attention_bias"}, a.qkvBias);
    a.mlpBias = config.flag({"mlp_bias"}, a.mlpBias);
}

LayerList readQwenLayers(const ConfigReader& config, const Architecture& a) {
    LayerList layers = sameLayers(a);
    if (!config.flag({"use_sliding_window"}, false)) return layers;
    limitReach(config, layers, AttentionReach::window, config.size({"sliding_window"}, mostPositions, 4096), 0);
    if (config.has({"layer_types"})) return layers;
    const std::int64_t first = std::min(config.count({"max_window_layers"}, mostLayers, 28), a.layers);
    std::fill_n(layers.begin(), first, LayerKind{});
    return layers;
}

const std::vector<Family>& denseFamilies() {
    static const std::vector<Family> families{
        {.modelType = "gpt2", .className = "GPT2LMHeadModel", .defaults = gpt2Defaults(), .finish = finishGpt2, .mlpWidth = MlpWidth::four_times_hidden, .hidden = {"n_embd", "hidden_size"}, .layers = {"n_layer", "num_hidden_layers"}, .heads = {"n_head", "num_attention_heads"}, .kvHeads = {}, .headDim = {}, .ffn = {"n_inner"}, .maxPositions = {"n_positions", "max_position_embeddings"}, .activation = {"activation_function"}, .attentionDropout = {"attn_pdrop"}, .hiddenDropout = {"resid_pdrop"}},
        {.modelType = "llama", .className = "LlamaForCausalLM", .defaults = gatedRotary(), .finish = readBiases},
        {.modelType = "mistral", .className = "MistralForCausalLM", .defaults = mistralDefaults(), .finish = finishMistral},
        {.modelType = "qwen2", .className = "Qwen2ForCausalLM", .defaults = qwen2Defaults(), .finish = finishQwen2},
        {.modelType = "qwen3", .className = "Qwen3ForCausalLM", .defaults = qwen3Defaults(), .finish = finishQwen3},
        {.modelType = "opt", .className = "OPTForCausalLM", .defaults = optDefaults(), .finish = finishOpt, .kvHeads = {}, .headDim = {}, .ffn = {"ffn_dim"}, .activation = {"activation_function"}, .hiddenDropout = {"dropout"}},
        {.modelType = "mpt", .className = "MPTForCausalLM", .defaults = mptDefaults(), .finish = finishMpt, .mlpWidth = MlpWidth::four_times_hidden, .hidden = {"d_model", "hidden_size"}, .layers = {"n_layers", "num_hidden_layers"}, .heads = {"n_heads", "num_attention_heads"}, .kvHeads = {"attn_config/kv_n_heads"}, .headDim = {}, .ffn = {}, .maxPositions = {}, .activation = {}, .attentionDropout = {}, .hiddenDropout = {"resid_pdrop"}},
        {.modelType = "bloom", .className = "BloomForCausalLM", .defaults = bloomDefaults(), .mlpWidth = MlpWidth::four_times_hidden, .hidden = {"hidden_size", "n_embed"}, .layers = {"n_layer", "num_hidden_layers"}, .heads = {"n_head", "num_attention_heads"}, .kvHeads = {}, .headDim = {}, .ffn = {}, .maxPositions = {}, .activation = {}, .hiddenDropout = {"hidden_dropout"}},
        {.modelType = "falcon", .className = "FalconForCausalLM", .defaults = falconDefaults(), .finish = finishFalcon, .mlpWidth = MlpWidth::four_times_hidden, .layers = {"num_hidden_layers", "n_layer"}, .heads = {"num_attention_heads", "n_head"}, .kvHeads = {}, .headDim = {}, .ffn = {"ffn_hidden_size"}, .maxPositions = {}, .activation = {"activation"}, .hiddenDropout = {"hidden_dropout"}},
        {.modelType = "gpt_neox", .className = "GPTNeoXForCausalLM", .defaults = neoxDefaults(), .finish = finishGptNeox, .kvHeads = {}, .headDim = {}, .hiddenDropout = {"hidden_dropout"}},
        {.modelType = "phi3", .className = "Phi3ForCausalLM", .defaults = gatedRotary(), .finish = finishPhi3, .hiddenDropout = {"resid_pdrop"}},
        {.modelType = "gemma", .className = "GemmaForCausalLM", .defaults = gemmaDefaults(), .finish = readBiases, .activation = {"hidden_activation", "hidden_act"}},
        {.modelType = "gemma2", .className = "Gemma2ForCausalLM", .defaults = gemma2Defaults(), .finish = finishGemma2, .activation = {"hidden_activation", "hidden_act"}},
        {.modelType = "gemma3_text", .className = "Gemma3ForCausalLM", .defaults = gemma3Defaults(), .finish = finishGemma3, .activation = {"hidden_activation", "hidden_act"}},
        {.modelType = "olmo2", .className = "Olmo2ForCausalLM", .defaults = olmo2Defaults(), .finish = readBiases},
        {.modelType = "nemotron", .className = "NemotronForCausalLM", .defaults = nemotronDefaults(), .finish = readBiases},
        {.modelType = "megatron_gpt", .className = "MegatronGPTModel", .defaults = megatronDefaults(), .finish = finishMegatron, .mlpWidth = MlpWidth::four_times_hidden, .layers = {"num_layers", "num_hidden_layers"}, .kvHeads = {"num_query_groups"}, .headDim = {"kv_channels"}, .ffn = {"ffn_hidden_size"}, .activation = {"activation_func"}, .hiddenDropout = {"hidden_dropout"}},
        {.modelType = "palm", .className = "PalmForCausalLM", .defaults = palmDefaults(), .finish = readBiases},
    };
    return families;
}

} // namespace orrery
