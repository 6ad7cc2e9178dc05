// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/megatron_layers.hpp"
#include "core/exchange/import/megatron_parts.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace orrery {
namespace {

constexpr const char* configAt = "/model/config/";

/// Attention that reaches back `span` tokens, but for every `fullEvery`-th layer's (0: none), or those that are marked with false.
struct Window {
    std::int64_t span = 0, fullEvery = 0;
    std::vector<bool> limited;
};

/// Sizes and kinds that Megatron's arguments state, before a family is found for them.
struct Described {
    std::int64_t layers = 0, hidden = 0, heads = 0, groups = 0, ffn = 0, headDim = 0, vocabulary = 0, positions = 0;
    bool gated = false;
    std::string activation = "gelu"; ///< Hugging Face's word
    bool rmsNorm = false, tied = true, bias = true, qkvBias = true, queryKeyNorm = false, embeddingNorm = false, latent = false;
    std::string positionKind = "learned_absolute";
    double attentionDropout = 0.1, hiddenDropout = 0.1, rotaryBase = 10000;
    Window window;

    bool grouped() const { return groups != heads; }
    bool rotary() const { return positionKind == "rope" || positionKind == "yarn"; }
    bool ownHeadDim() const { return headDim * heads != hidden; }
};

struct ExpertArguments {
    std::int64_t count = 0, perToken = 2, ffn = 0, sharedFfn = 0, groups = 0, groupsPerToken = 0;
    std::int64_t denseFirst = 0, every = 1;
    std::vector<bool> listed; ///< a layer has experts, where neither number says it
};

std::int64_t required(ScenarioDraft& draft, OptionList& options, const char* name, const char* example) {
    const bool given = options.has(name);
    const auto value = draft.number(options, name);
    if (value) return *value;
    const int line = lineOf(options, name);
    draft.fail(line, "size-missing", std::string("--") + name + (given ? " has no usable value." : " is not given, and the model needs it."),
               std::string("Write it into the text: --") + name + " " + example + ".");
    return 0;
}

std::string positionKind(ScenarioDraft& draft, OptionList& options) {
    std::string kind = draft.text(options, "position-embedding-type").value_or("learned_absolute");
    if (options.flag("use-rotary-position-embeddings")) kind = "rope";
    const bool dropped = options.flag("no-position-embedding");
    if (dropped && kind == "learned_absolute") kind = "none";
    if (kind == "rotary") kind = "rope"; // BigScience's word
    static constexpr const char* known[] = {"learned_absolute", "rope", "yarn", "alibi", "none"};
    for (const char* word : known)
        if (kind == word) return kind;
    if (kind == "absolute") return "learned_absolute";
    draft.warn(lineOf(options, "position-embedding-type"), "option-not-understood",
               "--position-embedding-type " + kind + " is not known; rotary positions were taken.");
    return "rope";
}

/// Activation and gate; gives the default width of the feed-forward layer.
std::int64_t readActivation(OptionList& options, Described& d) {
    const GivenOption* named = options.take("activation-func"); // Megatron-Bridge names it beside the gate
    const bool gelu = named && named->value().find("gelu") != std::string::npos;
    const bool gate = options.flag("swiglu");
    const bool swiglu = gate && !gelu;
    const bool geglu = options.flag("geglu") || (gate && gelu);
    const GivenOption* glu = options.take("glu-activation"); // BigScience's fork
    const bool quick = options.flag("quick-geglu");
    const bool squared = options.flag("squared-relu") || (named && named->value().find("squared") != std::string::npos);
    d.gated = swiglu || geglu || glu || quick;
    d.activation = swiglu || (glu && glu->value() == "swiglu") ? "silu" : squared ? "relu2"
                                                                      : d.gated   ? "gelu"
                                                                                  : "gelu_new";
    if (options.flag("openai-gelu") || options.flag("onnx-safe")) d.activation = "gelu_new";
    // validate_args: a gated layer of three matrices keeps the parameters of one of two.
    return d.gated ? d.hidden * 8 / 3 / 64 * 64 : 4 * d.hidden;
}

Described describe(ScenarioDraft& draft, OptionList& options, std::int64_t tensor) {
    Described d;
    d.layers = required(draft, options, options.has("num-layers") || !options.has("encoder-num-layers") ? "num-layers" : "encoder-num-layers", "32");
    d.hidden = required(draft, options, "hidden-size", "4096");
    d.heads = required(draft, options, "num-attention-heads", "32");
    const std::int64_t usualFfn = readActivation(options, d);
    d.ffn = draft.number(options, "ffn-hidden-size").value_or(usualFfn);
    const bool grouped = options.flag("group-query-attention");
    const auto groups = draft.number(options, "num-query-groups");
    const auto keyValueHeads = draft.number(options, "num-key-value-heads"); // Megatron-DeepSpeed's word
    d.groups = keyValueHeads ? *keyValueHeads : groups && (grouped || *groups > 1) ? *groups
                                            : grouped                              ? 1
                                                                                   : d.heads;
    if (groups && !grouped && !keyValueHeads)
        draft.note(lineOf(options, "num-query-groups"), "assumed", "--num-query-groups stands without --group-query-attention; grouped attention was taken.");
    d.headDim = draft.number(options, "kv-channels").value_or(d.heads > 0 ? d.hidden / d.heads : 0);
    d.positionKind = positionKind(draft, options);
    d.rotaryBase = draft.amount(options, "rotary-base").value_or(10000);
    const auto normalization = draft.text(options, "normalization");
    d.rmsNorm = normalization && (*normalization == "RMSNorm" || *normalization == "rmsnorm");
    d.tied = !options.flag("untie-embeddings-and-output-weights");
    d.bias = !options.flag("disable-bias-linear");
    d.qkvBias = options.flag("add-qkv-bias") || d.bias;
    d.queryKeyNorm = options.flag("qk-layernorm");
    d.embeddingNorm = options.flag("embed-layernorm");
    d.latent = options.flag("multi-latent-attention");
    d.attentionDropout = draft.amount(options, "attention-dropout").value_or(0.1);
    d.hiddenDropout = draft.amount(options, "hidden-dropout").value_or(0.1);
    d.vocabulary = megatronVocabulary(draft, options, tensor);
    return d;
}

/// Dense layers before layers with experts are a number; whatever else, a list.
void placeExperts(const std::vector<bool>& marked, ExpertArguments& experts) {
    const auto first = std::find(marked.begin(), marked.end(), true);
    experts.every = 1;
    if (std::find(first, marked.end(), false) == marked.end()) experts.denseFirst = first - marked.begin();
    else experts.listed = marked;
}

void readPattern(ScenarioDraft& draft, OptionList& options, std::int64_t layers, ExpertArguments& experts) {
    const GivenOption* option = options.take("moe-layer-freq");
    if (!option || option->values.empty()) return;
    std::string pattern = option->value();
    while (!pattern.empty() && (pattern.front() == '"' || pattern.front() == '\'')) pattern.erase(0, 1);
    while (!pattern.empty() && (pattern.back() == '"' || pattern.back() == '\'')) pattern.pop_back();
    if (const auto every = wholeNumber(pattern); every && *every >= 1 && *every <= layers) {
        experts.every = *every;
    } else if (const auto marked = layersMarked(pattern, layers)) {
        placeExperts(*marked, experts);
    } else {
        draft.warn(option->line, "option-not-understood", "--moe-layer-freq " + pattern + " is no list of a 0 or 1 for each layer; experts in all layers were taken.",
                   "Set which layers have experts in the model's config.");
    }
}

/// `--window-size 127,0` or (127, 0): tokens to the left and right of one's own; a causal model looks left alone. -1: all of them.
void readWindow(ScenarioDraft& draft, OptionList& options, Described& d) {
    const GivenOption* option = options.take("window-size");
    const GivenOption* skips = options.take("window-attn-skip-freq");
    if (!option || option->values.empty()) return;
    std::string text;
    for (const char c : option->value()) text += std::isdigit(static_cast<unsigned char>(c)) || c == '-' ? c : ' ';
    std::istringstream sides(text);
    std::string left;
    sides >> left;
    const auto reach = wholeNumber(left);
    if (!reach || *reach < -1 || *reach >= ScenarioDraft::mostNumber) {
        draft.warn(option->line, "option-not-understood", "--window-size " + option->value() + " is no pair of tokens to the left and the right; attention to all of them was taken.", "Write --window-size 4095,0.");
        return;
    }
    if (*reach < 0) return;
    d.window.span = *reach + 1;
    if (!skips || skips->values.empty()) return;
    if (const auto every = wholeNumber(skips->value()); every && *every >= 1) d.window.fullEvery = *every;
    else if (const auto marked = layersMarked(skips->value(), d.layers)) d.window.limited = *marked;
    else draft.warn(skips->line, "option-not-understood", "--window-attn-skip-freq " + skips->value() + " is no list of a 0 or 1 for each layer; the window was taken in all layers.", "Write every how many layers one attends to all tokens.");
}

std::optional<ExpertArguments> readExperts(ScenarioDraft& draft, OptionList& options, const Described& d) {
    const auto count = draft.number(options, "num-experts");
    ExpertArguments experts;
    experts.perToken = draft.number(options, "moe-router-topk").value_or(draft.number(options, "topk").value_or(2));
    experts.ffn = draft.number(options, "moe-ffn-hidden-size").value_or(d.ffn);
    experts.sharedFfn = draft.number(options, "moe-shared-expert-intermediate-size").value_or(0);
    experts.groups = draft.number(options, "moe-router-num-groups").value_or(0);
    experts.groupsPerToken = draft.number(options, "moe-router-group-topk").value_or(0);
    readPattern(draft, options, d.layers, experts);
    if (!count || *count == 1) return std::nullopt;
    experts.count = *count;
    return experts;
}

/// Where a family cannot say what the arguments say.
class Approximation {
public:
    Approximation(ScenarioDraft& draft, std::string family) : draft_(draft), family_(std::move(family)) {}
    void unless(bool exact, const std::string& what) {
        if (exact) return;
        const bool replaced = what.back() == ')'; // it says by what
        draft_.warn(0, "model-approximated", "Models of the type " + family_ + " have no " + what + (replaced ? "." : "; left out."),
                    "Parameters and times differ by that much.");
    }

private:
    ScenarioDraft& draft_;
    std::string family_;
};

void common(ScenarioDraft& draft, const Described& d, const char* type) {
    draft.set(std::string(configAt) + "model_type", type);
    draft.set(std::string(configAt) + "hidden_size", d.hidden);
    draft.set(std::string(configAt) + "num_hidden_layers", d.layers);
    draft.set(std::string(configAt) + "num_attention_heads", d.heads);
    draft.set(std::string(configAt) + "vocab_size", d.vocabulary);
    if (d.positions > 0) draft.set(std::string(configAt) + "max_position_embeddings", d.positions);
    draft.set(std::string(configAt) + "tie_word_embeddings", d.tied);
}

/// Hugging Face's types say some of what Megatron's arguments can; what none of them says is written in Megatron's own words.
bool isGpt2(const Described& d) {
    return d.positionKind == "learned_absolute" && !d.gated && !d.grouped() && !d.ownHeadDim() && !d.rmsNorm && !d.queryKeyNorm && !d.embeddingNorm;
}

bool isBloom(const Described& d) {
    return d.positionKind == "alibi" && !d.gated && d.embeddingNorm && d.ffn == 4 * d.hidden && d.bias && !d.grouped() && !d.ownHeadDim() && !d.rmsNorm && !d.queryKeyNorm;
}

bool isNeox(const Described& d) {
    return d.rotary() && !d.gated && d.bias && !d.grouped() && !d.ownHeadDim() && !d.rmsNorm && !d.queryKeyNorm && !d.embeddingNorm;
}

bool isGatedRotary(const Described& d) { return d.gated && d.rmsNorm && d.rotary() && !d.embeddingNorm && d.hiddenDropout == 0; }

void writeGpt2(ScenarioDraft& draft, const Described& d) {
    const auto set = [&](const char* key, Json value) { draft.set(std::string(configAt) + key, std::move(value)); };
    set("model_type", "gpt2");
    set("n_embd", d.hidden);
    set("n_layer", d.layers);
    set("n_head", d.heads);
    set("n_inner", d.ffn);
    set("n_positions", d.positions);
    set("vocab_size", d.vocabulary);
    set("activation_function", d.activation);
    set("tie_word_embeddings", d.tied);
    set("add_bias_linear", d.bias);
    set("attn_pdrop", d.attentionDropout);
    set("resid_pdrop", d.hiddenDropout);
}

void writeBloom(ScenarioDraft& draft, const Described& d) {
    common(draft, d, "bloom");
    const auto set = [&](const char* key, Json value) { draft.set(std::string(configAt) + key, std::move(value)); };
    draft.document["model"]["config"].erase("num_hidden_layers");
    draft.document["model"]["config"].erase("num_attention_heads");
    draft.document["model"]["config"].erase("max_position_embeddings"); // ALiBi has no table
    set("n_layer", d.layers);
    set("n_head", d.heads);
    set("attention_dropout", d.attentionDropout);
    set("hidden_dropout", d.hiddenDropout);
}

void writeNeox(ScenarioDraft& draft, const Described& d) {
    common(draft, d, "gpt_neox");
    const auto set = [&](const char* key, Json value) { draft.set(std::string(configAt) + key, std::move(value)); };
    set("intermediate_size", d.ffn);
    set("hidden_act", d.activation);
    set("use_parallel_residual", false);
    set("attention_bias", d.qkvBias);
    set("attention_dropout", d.attentionDropout);
    set("hidden_dropout", d.hiddenDropout);
}

/// Llama and what differs from it by a key: Qwen2 (query, key and value biases), Qwen3 (their norms).
void writeGatedRotary(ScenarioDraft& draft, const Described& d) {
    const bool qwen2 = !d.bias && d.qkvBias && !d.queryKeyNorm;
    const char* type = d.queryKeyNorm ? "qwen3" : qwen2 ? "qwen2"
                                                        : "llama";
    common(draft, d, type);
    const auto set = [&](const char* key, Json value) { draft.set(std::string(configAt) + key, std::move(value)); };
    set("intermediate_size", d.ffn);
    set("num_key_value_heads", d.groups);
    if (d.ownHeadDim() || d.queryKeyNorm) set("head_dim", d.headDim);
    set("hidden_act", d.activation);
    set("rope_theta", d.rotaryBase);
    set("attention_dropout", d.attentionDropout);
    if (!qwen2 && d.qkvBias) set("attention_bias", true);
    if (!qwen2 && !d.queryKeyNorm && d.bias) set("mlp_bias", true);
}

/// Layers with experts in Megatron's own words: 1 for each that has them.
Json expertPattern(const Described& d, const ExpertArguments& e) {
    Json layers = Json::array();
    for (const bool has : e.listed) layers.push_back(has ? 1 : 0);
    if (!e.listed.empty()) return layers;
    if (e.denseFirst == 0) return e.every;
    for (std::int64_t i = 0; i < d.layers; ++i) layers.push_back(i >= e.denseFirst && i % e.every == 0 ? 1 : 0);
    return layers;
}

/// A model that no Hugging Face type has, by the names of Megatron's TransformerConfig.
void writeMegatron(ScenarioDraft& draft, const Described& d, const std::optional<ExpertArguments>& e) {
    common(draft, d, "megatron_gpt");
    const auto set = [&](const char* key, Json value) { draft.set(std::string(configAt) + key, std::move(value)); };
    draft.document["model"]["config"].erase("num_hidden_layers");
    set("num_layers", d.layers);
    set("ffn_hidden_size", d.ffn);
    if (d.grouped()) set("num_query_groups", d.groups);
    if (d.ownHeadDim()) set("kv_channels", d.headDim);
    set("gated_linear_unit", d.gated);
    set("activation_func", d.activation);
    set("normalization", d.rmsNorm ? "RMSNorm" : "LayerNorm");
    set("position_embedding_type", d.positionKind);
    set("add_bias_linear", d.bias);
    if (d.qkvBias && !d.bias) set("add_qkv_bias", true);
    if (d.queryKeyNorm) set("qk_layernorm", true);
    if (d.embeddingNorm) set("embed_layernorm", true);
    if (d.window.span > 0) {
        set("window_size", d.window.span - 1);
        Json limited = Json::array();
        for (const bool one : d.window.limited) limited.push_back(one ? 1 : 0);
        if (!limited.empty()) set("window_attn_skip_freq", limited);
        else if (d.window.fullEvery > 0) set("window_attn_skip_freq", d.window.fullEvery);
    }
    set("attention_dropout", d.attentionDropout);
    set("hidden_dropout", d.hiddenDropout);
    if (!e) return;
    set("num_moe_experts", e->count);
    set("moe_router_topk", e->perToken);
    set("moe_ffn_hidden_size", e->ffn);
    if (e->sharedFfn > 0) set("moe_shared_expert_intermediate_size", e->sharedFfn);
    set("moe_layer_freq", expertPattern(d, *e));
}

/// Mixtral's layers are the plainest.
bool isMixtral(const Described& d, const ExpertArguments& e) { return e.sharedFfn == 0 && e.denseFirst == 0 && e.every == 1 && !d.queryKeyNorm && !d.qkvBias; }
bool isQwenMoe(const Described& d, const ExpertArguments& e) { return e.sharedFfn == 0 && e.denseFirst == 0 && d.queryKeyNorm && !d.qkvBias; }
/// Glm4Moe has shared experts, dense beginnings and a choice of norms.
bool isGlmMoe(const ExpertArguments& e) { return e.every == 1 && (e.ffn == 0 || e.sharedFfn % e.ffn == 0); }

bool hasExpertType(const Described& d, const ExpertArguments& e) {
    return isGatedRotary(d) && !d.bias && d.window.span == 0 && e.listed.empty() && (isMixtral(d, e) || isQwenMoe(d, e) || isGlmMoe(e));
}

void writeExperts(ScenarioDraft& draft, const Described& d, const ExpertArguments& e) {
    const bool plain = isMixtral(d, e), qwen = !plain && isQwenMoe(d, e);
    const char* type = plain ? "mixtral" : qwen ? "qwen3_moe"
                                                : "glm4_moe";
    common(draft, d, type);
    const auto set = [&](const char* key, Json value) { draft.set(std::string(configAt) + key, std::move(value)); };
    set("num_key_value_heads", d.groups);
    if (d.ownHeadDim() || !plain) set("head_dim", d.headDim);
    set("hidden_act", d.activation);
    set("rope_theta", d.rotaryBase);
    set("attention_dropout", d.attentionDropout);
    set("intermediate_size", plain ? e.ffn : d.ffn);
    set("num_experts_per_tok", e.perToken);
    if (plain) {
        set("num_local_experts", e.count);
    } else if (qwen) {
        set("num_experts", e.count);
        set("moe_intermediate_size", e.ffn);
        set("decoder_sparse_step", e.every);
    } else {
        set("n_routed_experts", e.count);
        set("moe_intermediate_size", e.ffn);
        set("n_shared_experts", e.ffn > 0 ? e.sharedFfn / e.ffn : 0);
        set("first_k_dense_replace", e.denseFirst);
        set("use_qk_norm", d.queryKeyNorm);
        set("attention_bias", d.qkvBias);
    }
}

void writeLatent(ScenarioDraft& draft, OptionList& options, const Described& d, const std::optional<ExpertArguments>& e) {
    common(draft, d, "deepseek_v3");
    const auto set = [&](const char* key, Json value) { draft.set(std::string(configAt) + key, std::move(value)); };
    const auto rank = draft.number(options, "q-lora-rank");
    set("q_lora_rank", rank ? Json(*rank) : Json(nullptr));
    set("kv_lora_rank", draft.number(options, "kv-lora-rank").value_or(32));
    set("qk_nope_head_dim", draft.number(options, "qk-head-dim").value_or(128));
    set("qk_rope_head_dim", draft.number(options, "qk-pos-emb-head-dim").value_or(64));
    set("v_head_dim", draft.number(options, "v-head-dim").value_or(128));
    set("num_key_value_heads", d.heads);
    set("intermediate_size", d.ffn);
    set("hidden_act", d.activation);
    set("rope_theta", d.rotaryBase);
    set("attention_dropout", d.attentionDropout);
    if (e) {
        set("n_routed_experts", e->count);
        set("num_experts_per_tok", e->perToken);
        set("moe_intermediate_size", e->ffn);
        set("n_shared_experts", e->ffn > 0 ? e->sharedFfn / e->ffn : 0);
        set("first_k_dense_replace", e->denseFirst);
        set("moe_layer_freq", e->every);
        if (e->groups > 0) set("n_group", e->groups);
        if (e->groupsPerToken > 0) set("topk_group", e->groupsPerToken);
    } else {
        set("first_k_dense_replace", d.layers); // dense throughout
    }
    Approximation differs(draft, "deepseek_v3");
    differs.unless(d.gated, "feed-forward layer without a gate (a gated one was taken)");
    differs.unless(d.rmsNorm, "layer norm with a bias (RMS norm was taken)");
    differs.unless(!d.bias, "biases");
    differs.unless(d.window.span == 0, "window of attention");
    differs.unless(!e || e->listed.empty(), "layers with experts between dense ones (experts in all layers were taken)");
}

} // namespace

namespace {

/// A hybrid pattern is the number of layers: Megatron counts attention and what follows it as two.
void putLayers(OptionList& options, const HybridLayers& hybrid) {
    options.take("num-layers");
    GivenOption option;
    option.name = "num-layers";
    option.written = "--num-layers";
    option.values.push_back(std::to_string(hybrid.experts.size()));
    options.add(std::move(option));
}

} // namespace

std::optional<MegatronModel> readMegatronModel(ScenarioDraft& draft, OptionList& options, std::int64_t tensor) {
    const bool hadErrors = hasErrors(draft.problems);
    const auto hybrid = takeHybridLayers(draft, options);
    if (!hadErrors && hasErrors(draft.problems)) return std::nullopt;
    if (hybrid) putLayers(options, *hybrid);
    Described d = describe(draft, options, tensor);
    const bool lengthGiven = options.has("seq-length") || !options.has("encoder-seq-length");
    const std::int64_t length = required(draft, options, lengthGiven ? "seq-length" : "encoder-seq-length", "4096");
    d.positions = draft.number(options, "max-position-embeddings").value_or(length);
    readWindow(draft, options, d);
    std::optional<ExpertArguments> experts = readExperts(draft, options, d);
    if (hybrid && experts) placeExperts(hybrid->experts, *experts);
    if (hybrid && hybrid->latent) d.latent = true;
    auto predicted = draft.number(options, "mtp-num-layers", 0);
    if (hybrid && hybrid->nextTokenModules > 0) predicted = hybrid->nextTokenModules;
    if (!hadErrors && hasErrors(draft.problems)) return std::nullopt;
    if (!hadErrors && d.headDim == 0) {
        draft.fail(lineOf(options, "num-attention-heads"), "heads-do-not-divide", "There are more attention heads than the hidden size has numbers.",
                   "Check --num-attention-heads and --hidden-size.");
        return std::nullopt;
    }

    if (d.latent) writeLatent(draft, options, d, experts);
    else if (experts && hasExpertType(d, *experts)) writeExperts(draft, d, *experts);
    else if (experts || d.window.span > 0) writeMegatron(draft, d, experts);
    else if (isBloom(d)) writeBloom(draft, d);
    else if (isGatedRotary(d)) writeGatedRotary(draft, d);
    else if (isNeox(d)) writeNeox(draft, d);
    else if (isGpt2(d)) writeGpt2(draft, d);
    else writeMegatron(draft, d, std::nullopt);
    if (predicted && *predicted > 0) draft.set(std::string(configAt) + "num_nextn_predict_layers", *predicted);

    MegatronModel model;
    model.layers = d.layers;
    model.sequenceLength = length;
    model.experts = experts.has_value();
    if (hybrid) model.layersOfStage = hybrid->layersOfStage;
    return model;
}

} // namespace orrery
