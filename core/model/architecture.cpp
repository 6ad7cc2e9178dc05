#include "core/model/architecture.hpp"

#include "core/model/config_reader.hpp"

#include <algorithm>
#include <iterator>

namespace orrery {
namespace {

// Beyond these a number is a typing mistake, and products of sizes would leave what a double holds exactly.
constexpr std::int64_t mostLayers = 100'000;
constexpr std::int64_t mostWidth = 10'000'000;
constexpr std::int64_t mostHeads = 100'000;
constexpr std::int64_t mostVocabulary = 1'000'000'000;
constexpr std::int64_t mostPositions = 1'000'000'000;

/// What llama, mistral and qwen2 share: rotary positions, RMS norms, a gated MLP.
void readGatedRotary(const ConfigReader& config, Architecture& a) {
    a.hidden = config.size({"hidden_size"}, mostWidth);
    a.layers = config.size({"num_hidden_layers"}, mostLayers);
    a.heads = config.size({"num_attention_heads"}, mostHeads);
    a.ffn = config.size({"intermediate_size"}, mostWidth);
    a.vocabulary = config.size({"vocab_size"}, mostVocabulary);
    a.kvHeads = config.size({"num_key_value_heads"}, mostHeads, a.heads);
    a.headDim = config.size({"head_dim"}, mostWidth, 0);
    a.maxPositions = config.size({"max_position_embeddings"}, mostPositions, 0);
    a.norm = NormKind::rms_norm;
    a.positions = PositionKind::rotary;
    a.activation = config.activation({"hidden_act"}, ActivationKind::silu);
    a.gatedMlp = true;
    a.tiedEmbedding = config.flag({"tie_word_embeddings"}, false);
    a.attentionDropout = config.dropout({"attention_dropout"}, 0);
}

void readLlama(const ConfigReader& config, Architecture& a) {
    readGatedRotary(config, a);
    a.qkvBias = a.attentionOutputBias = config.flag({"attention_bias"}, false);
    a.mlpBias = config.flag({"mlp_bias"}, false);
}

void readMistral(const ConfigReader& config, Architecture& a) {
    readGatedRotary(config, a);
    a.kvHeads = config.size({"num_key_value_heads"}, mostHeads, 8);
    // A config that leaves the window out attends to everything: Hugging Face's default of 4096 is that of
    // Mistral-7B-v0.1, whose config states it; later ones say null.
    a.slidingWindow = config.size({"sliding_window"}, mostPositions, 0);
}

void readQwen2(const ConfigReader& config, Architecture& a) {
    readGatedRotary(config, a);
    a.kvHeads = config.size({"num_key_value_heads"}, mostHeads, 32);
    a.qkvBias = true; // not the output projection, and no field switches it
    if (config.flag({"use_sliding_window"}, false)) a.slidingWindow = config.size({"sliding_window"}, mostPositions, 4096);
}

void readGpt2(const ConfigReader& config, Architecture& a) {
    a.hidden = config.size({"n_embd", "hidden_size"}, mostWidth);
    a.layers = config.size({"n_layer", "num_hidden_layers"}, mostLayers);
    a.heads = config.size({"n_head", "num_attention_heads"}, mostHeads);
    a.vocabulary = config.size({"vocab_size"}, mostVocabulary);
    a.ffn = config.size({"n_inner"}, mostWidth, 4 * a.hidden);
    a.maxPositions = config.size({"n_positions", "max_position_embeddings"}, mostPositions, 1024);
    a.positions = PositionKind::learned;
    a.positionRows = a.maxPositions;
    a.activation = config.activation({"activation_function"}, ActivationKind::gelu);
    a.tiedEmbedding = config.flag({"tie_word_embeddings"}, true);
    // Hugging Face's GPT-2 always has biases; Megatron's models of the same shape may not, and its name for that is read too.
    a.qkvBias = a.attentionOutputBias = a.mlpBias = config.flag({"add_bias_linear"}, true);
    a.normBias = true;
    a.attentionDropout = config.dropout({"attn_pdrop"}, 0.1);
    a.hiddenDropout = config.dropout({"resid_pdrop"}, 0.1);
}

void readOpt(const ConfigReader& config, Architecture& a) {
    a.hidden = config.size({"hidden_size"}, mostWidth);
    a.layers = config.size({"num_hidden_layers"}, mostLayers);
    a.heads = config.size({"num_attention_heads"}, mostHeads);
    a.ffn = config.size({"ffn_dim"}, mostWidth);
    a.vocabulary = config.size({"vocab_size"}, mostVocabulary);
    a.embeddingWidth = config.size({"word_embed_proj_dim"}, mostWidth, a.hidden);
    a.maxPositions = config.size({"max_position_embeddings"}, mostPositions, 2048);
    a.positions = PositionKind::learned;
    a.positionRows = a.maxPositions; // OPTLearnedPositionalEmbedding stores two more that no position ever reads
    a.activation = config.activation({"activation_function"}, ActivationKind::relu);
    a.tiedEmbedding = config.flag({"tie_word_embeddings"}, true);
    a.qkvBias = a.attentionOutputBias = a.mlpBias = config.flag({"enable_bias"}, true);
    a.normBias = true;
    a.finalNorm = config.flag({"do_layer_norm_before"}, true) && !config.flag({"_remove_final_layer_norm"}, false);
    a.attentionDropout = config.dropout({"attention_dropout"}, 0);
    a.hiddenDropout = config.dropout({"dropout"}, 0.1);
}

void readMpt(const ConfigReader& config, Architecture& a) {
    a.hidden = config.size({"d_model", "hidden_size"}, mostWidth);
    a.layers = config.size({"n_layers", "num_hidden_layers"}, mostLayers);
    a.heads = config.size({"n_heads", "num_attention_heads"}, mostHeads);
    a.vocabulary = config.size({"vocab_size"}, mostVocabulary);
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
    a.tiedEmbedding = config.flag({"tie_word_embeddings"}, true);
    a.qkvBias = a.attentionOutputBias = a.mlpBias = !config.flag({"no_bias"}, true);
    a.normBias = true;
    a.attentionDropout = attention.dropout({"attn_pdrop"}, 0);
    a.hiddenDropout = config.dropout({"resid_pdrop"}, 0);
}

void readBloom(const ConfigReader& config, Architecture& a) {
    a.hidden = config.size({"hidden_size", "n_embed"}, mostWidth);
    a.layers = config.size({"n_layer", "num_hidden_layers"}, mostLayers);
    a.heads = config.size({"n_head", "num_attention_heads"}, mostHeads);
    a.vocabulary = config.size({"vocab_size"}, mostVocabulary);
    a.ffn = 4 * a.hidden;
    a.positions = PositionKind::alibi;
    a.tiedEmbedding = config.flag({"tie_word_embeddings"}, true);
    a.qkvBias = a.attentionOutputBias = a.mlpBias = a.normBias = true;
    a.embeddingNorm = true;
    a.attentionDropout = config.dropout({"attention_dropout"}, 0);
    a.hiddenDropout = config.dropout({"hidden_dropout"}, 0);
}

void readFalcon(const ConfigReader& config, Architecture& a) {
    a.hidden = config.size({"hidden_size"}, mostWidth);
    a.layers = config.size({"num_hidden_layers", "n_layer"}, mostLayers);
    a.heads = config.size({"num_attention_heads", "n_head"}, mostHeads);
    a.vocabulary = config.size({"vocab_size"}, mostVocabulary);
    a.ffn = config.size({"ffn_hidden_size"}, mostWidth, 4 * a.hidden);
    const bool newDecoder = config.flag({"new_decoder_architecture"}, false);
    // FalconAttention: the number of key-value heads counts only in the new decoder.
    if (newDecoder)
        a.kvHeads = config.size({"num_kv_heads", "n_head_kv"}, mostHeads, a.heads);
    else
        a.kvHeads = config.flag({"multi_query"}, true) ? 1 : a.heads;
    a.positions = config.flag({"alibi"}, false) ? PositionKind::alibi : PositionKind::rotary;
    if (a.positions == PositionKind::rotary) a.maxPositions = config.size({"max_position_embeddings"}, mostPositions, 0);
    a.activation = config.activation({"activation"}, ActivationKind::gelu);
    // Falcon's checkpoints carry an output matrix of their own whatever `tie_word_embeddings` says: 7,217,189,760
    // parameters of falcon-7b and 179,522,565,120 of falcon-180B count the vocabulary twice.
    a.tiedEmbedding = false;
    a.qkvBias = a.attentionOutputBias = a.mlpBias = config.flag({"bias"}, false);
    a.normBias = true;
    a.parallelAttention = newDecoder || config.flag({"parallel_attn"}, true);
    // FalconDecoderLayer: attention and MLP share one norm when parallel, except that the new decoder gives each its own.
    const std::int64_t parallelNorms = config.size({"num_ln_in_parallel_attn"}, 2, newDecoder ? 2 : 1);
    a.normsPerLayer = a.parallelAttention ? static_cast<int>(parallelNorms) : 2;
    a.attentionDropout = config.dropout({"attention_dropout"}, 0);
    a.hiddenDropout = config.dropout({"hidden_dropout"}, 0);
}

void readGptNeox(const ConfigReader& config, Architecture& a) {
    a.hidden = config.size({"hidden_size"}, mostWidth);
    a.layers = config.size({"num_hidden_layers"}, mostLayers);
    a.heads = config.size({"num_attention_heads"}, mostHeads);
    a.ffn = config.size({"intermediate_size"}, mostWidth);
    a.vocabulary = config.size({"vocab_size"}, mostVocabulary);
    a.maxPositions = config.size({"max_position_embeddings"}, mostPositions, 0);
    a.positions = PositionKind::rotary;
    a.activation = config.activation({"hidden_act"}, ActivationKind::gelu);
    a.tiedEmbedding = config.flag({"tie_word_embeddings"}, false);
    a.qkvBias = a.attentionOutputBias = config.flag({"attention_bias"}, true);
    a.mlpBias = a.normBias = true;
    a.parallelAttention = config.flag({"use_parallel_residual"}, true);
    a.attentionDropout = config.dropout({"attention_dropout"}, 0);
    a.hiddenDropout = config.dropout({"hidden_dropout"}, 0);
}

struct Family {
    const char* modelType;
    const char* className; ///< stands in `architectures` where `model_type` is missing
    void (*read)(const ConfigReader&, Architecture&);
    const char* hiddenName;
    const char* headsName;
    const char* kvHeadsName;
};

constexpr Family families[] = {
    {"gpt2", "GPT2LMHeadModel", readGpt2, "n_embd", "n_head", "n_head"},
    {"llama", "LlamaForCausalLM", readLlama, "hidden_size", "num_attention_heads", "num_key_value_heads"},
    {"mistral", "MistralForCausalLM", readMistral, "hidden_size", "num_attention_heads", "num_key_value_heads"},
    {"qwen2", "Qwen2ForCausalLM", readQwen2, "hidden_size", "num_attention_heads", "num_key_value_heads"},
    {"opt", "OPTForCausalLM", readOpt, "hidden_size", "num_attention_heads", "num_attention_heads"},
    {"mpt", "MPTForCausalLM", readMpt, "d_model", "n_heads", "attn_config/kv_n_heads"},
    {"bloom", "BloomForCausalLM", readBloom, "hidden_size", "n_head", "n_head"},
    {"falcon", "FalconForCausalLM", readFalcon, "hidden_size", "num_attention_heads", "num_kv_heads"},
    {"gpt_neox", "GPTNeoXForCausalLM", readGptNeox, "hidden_size", "num_attention_heads", "num_attention_heads"},
};

std::string supportedTypes() {
    std::string list;
    for (const Family& family : families) list += (list.empty() ? "" : ", ") + std::string(family.modelType);
    return list;
}

const Family* findFamily(const Json& config, const ConfigReader& reader) {
    std::string type = reader.text({"model_type"}, "");
    const auto classes = config.find("architectures");
    const bool named = classes != config.end() && classes->is_array() && !classes->empty() && classes->front().is_string();
    const std::string className = named ? classes->front().get<std::string>() : "";
    const auto found = std::find_if(std::begin(families), std::end(families), [&](const Family& family) {
        return type.empty() ? className == family.className : type == family.modelType;
    });
    if (found != std::end(families)) return &*found;
    if (type.empty() && className.empty())
        reader.fail("missing-config-field", "model_type", "The model's config has no `model_type`.", "Add it: one of " + supportedTypes() + ".");
    else
        reader.fail("unknown-architecture", type.empty() ? "architectures" : "model_type",
                    "The architecture `" + (type.empty() ? className : type) + "` can't be simulated yet.",
                    "Choose a model of one of these types: " + supportedTypes() + ".");
    return nullptr;
}

/// What must hold between the fields, whatever the family.
void check(const Family& family, const ConfigReader& reader, Architecture& a) {
    const std::string heads = std::to_string(a.heads);
    if (a.headDim == 0) {
        if (a.hidden % a.heads != 0) {
            reader.fail("heads-do-not-divide", family.headsName,
                        "`" + std::string(family.headsName) + "` " + heads + " doesn't divide `" + family.hiddenName + "` " + std::to_string(a.hidden) + ".",
                        "Choose a number of heads that divides " + std::to_string(a.hidden) + ".");
            return;
        }
        a.headDim = a.hidden / a.heads;
    }
    if (a.heads % a.kvHeads != 0)
        reader.fail("heads-do-not-divide", family.kvHeadsName,
                    std::to_string(a.kvHeads) + " key-value heads don't divide " + heads + " query heads.",
                    "Give `" + std::string(family.kvHeadsName) + "` as a divisor of " + heads + ".");
}

} // namespace

std::optional<Architecture> readArchitecture(const Json& config, const std::string& pointer, Problems& problems) {
    if (!config.is_object()) {
        Problem problem;
        problem.code = "wrong-type";
        problem.pointer = pointer;
        problem.message = "The model's config is not an object.";
        problem.mend = "Give the content of a Hugging Face config.json.";
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
    const std::size_t before = problems.size();
    const ConfigReader reader(config, pointer, problems);
    const Family* family = findFamily(config, reader);
    if (!family) return std::nullopt;
    Architecture architecture;
    architecture.modelType = family->modelType;
    family->read(reader, architecture);
    if (architecture.kvHeads == 0) architecture.kvHeads = architecture.heads;
    if (architecture.embeddingWidth == 0) architecture.embeddingWidth = architecture.hidden;
    if (problems.size() == before) check(*family, reader, architecture);
    if (problems.size() != before) return std::nullopt;
    return architecture;
}

double Architecture::layerParameters() const {
    const double h = static_cast<double>(hidden);
    const double f = static_cast<double>(ffn);
    const double query = static_cast<double>(heads * headDim);
    const double keyValue = 2 * static_cast<double>(kvHeads * headDim);
    double total = h * (query + keyValue) + query * h;
    if (qkvBias) total += query + keyValue;
    if (attentionOutputBias) total += h;
    const double inner = gatedMlp ? 2 * f : f;
    total += h * inner + f * h;
    if (mlpBias) total += inner + h;
    return total + normsPerLayer * (normBias ? 2 * h : h);
}

double Architecture::embeddingParameters() const {
    const double h = static_cast<double>(hidden);
    const double width = static_cast<double>(embeddingWidth);
    double total = static_cast<double>(vocabulary) * width + static_cast<double>(positionRows) * h;
    if (embeddingWidth != hidden) total += width * h;
    if (embeddingNorm) total += normBias ? 2 * h : h;
    return total;
}

double Architecture::headParameters() const {
    const double h = static_cast<double>(hidden);
    const double width = static_cast<double>(embeddingWidth);
    const double rows = static_cast<double>(vocabulary);
    double total = finalNorm ? (normBias ? 2 * h : h) : 0;
    if (embeddingWidth != hidden) total += h * width;
    if (!tiedEmbedding) total += rows * width;
    if (logitBias) total += rows;
    return total;
}

double Architecture::parameters() const {
    return static_cast<double>(layers) * layerParameters() + embeddingParameters() + headParameters();
}

} // namespace orrery
