// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/model/config_reader.hpp"
#include "core/model/model_families.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery {
namespace {

/// A field that asks for something the operator graph has no form for, in configs of one type or (no type) of any.
struct UnknownPart {
    const char* modelType;
    const char* field;
    const char* what;
    const char* mend = nullptr;
};

constexpr const char* giveTextConfig = "Give the content of `text_config` as the config: the language part alone.";

constexpr UnknownPart unknownParts[] = {
    {nullptr, "vision_config", "a vision part", giveTextConfig},
    {nullptr, "audio_config", "an audio part", giveTextConfig},
    {nullptr, "text_config", "parts besides its language model", giveTextConfig},
    {nullptr, "hybrid_override_pattern", "Mamba layers"},
    {nullptr, "hybrid_layer_pattern", "Mamba layers"},
    {nullptr, "layers_block_type", "Mamba layers"},
    {nullptr, "attn_layer_period", "Mamba layers"},
    {nullptr, "ssm_state_size", "Mamba layers"},
    {nullptr, "mamba_d_state", "Mamba layers"},
    {nullptr, "mamba_num_heads", "Mamba layers"},
    {nullptr, "full_attention_interval", "linear attention"},
    {nullptr, "linear_num_key_heads", "linear attention"},
    {nullptr, "linear_attn_config", "linear attention"},
    {nullptr, "compress_ratios", "sparse attention over compressed keys"},
    {nullptr, "index_topk", "sparse attention with an indexer"},
    {"deepseek_v4", "model_type", "sparse attention over compressed keys"},
    {"deepseek_v32", "model_type", "sparse attention with an indexer"},
    {"glm_moe_dsa", "model_type", "sparse attention with an indexer"},
    {"nemotron_h", "model_type", "Mamba layers"},
    {"mamba", "model_type", "Mamba layers"},
    {"mamba2", "model_type", "Mamba layers"},
    {"falcon_mamba", "model_type", "Mamba layers"},
    {"rwkv", "model_type", "recurrent layers"},
};

bool refuseUnknownParts(const ConfigReader& reader, const std::string& type) {
    for (const UnknownPart& part : unknownParts) {
        const bool asked = part.modelType ? type == part.modelType : reader.has({part.field});
        if (!asked) continue;
        const std::string field(part.field);
        reader.fail("unsupported-layer", field,
                    "The model has " + std::string(part.what) + (part.modelType ? ": its type is `" + type + "`." : " (`" + field + "`).") +
                        " That can't be simulated yet.",
                    part.mend ? part.mend : "Choose a model of attention and MLP or expert layers alone.");
        return true;
    }
    // MiniMax: 1 for softmax attention, 0 for lightning attention.
    const auto attention = reader.counts({"attn_type_list"}, 1);
    if (!attention || std::find(attention->begin(), attention->end(), 0) == attention->end()) return false;
    reader.fail("unsupported-layer", "attn_type_list", "The model has linear attention (`attn_type_list`). That can't be simulated yet.",
                "Choose a model of attention and MLP or expert layers alone.");
    return true;
}

std::string supportedTypes() {
    std::string list;
    for (const std::vector<Family>* families : {&denseFamilies(), &expertFamilies()})
        for (const Family& family : *families) list += (list.empty() ? "" : ", ") + std::string(family.modelType);
    return list;
}

const Family* findFamily(const Json& config, const ConfigReader& reader) {
    const std::string type = reader.text({"model_type"}, "");
    const auto classes = config.find("architectures");
    const bool named = classes != config.end() && classes->is_array() && !classes->empty() && classes->front().is_string();
    const std::string className = named ? classes->front().get<std::string>() : "";
    if (refuseUnknownParts(reader, type)) return nullptr;
    for (const std::vector<Family>* families : {&denseFamilies(), &expertFamilies()})
        for (const Family& family : *families)
            if (type.empty() ? className == family.className : type == family.modelType) return &family;
    if (type.empty() && className.empty())
        reader.fail("missing-config-field", "model_type", "The model's config has no `model_type`.", "Add it: one of " + supportedTypes() + ".");
    else
        reader.fail("unknown-architecture", type.empty() ? "architectures" : "model_type",
                    "The architecture `" + (type.empty() ? className : type) + "` can't be simulated yet.",
                    "Choose a model of one of these types: " + supportedTypes() + ".");
    return nullptr;
}

/// What all families have, under each one's names. Values that the family presets stand in for missing fields.
Architecture readCommon(const Family& family, const ConfigReader& config) {
    Architecture a = family.defaults;
    a.modelType = family.modelType;
    a.hidden = config.size(family.hidden, mostWidth);
    a.layers = config.size(family.layers, mostLayers);
    a.heads = config.size(family.heads, mostHeads);
    a.vocabulary = config.size({"vocab_size"}, mostVocabulary);
    switch (family.mlpWidth) {
    case MlpWidth::required: a.ffn = config.size(family.ffn, mostWidth); break;
    case MlpWidth::four_times_hidden: a.ffn = config.size(family.ffn, mostWidth, 4 * a.hidden); break;
    case MlpWidth::only_with_dense_layers: a.ffn = config.size(family.ffn, mostWidth, 0); break;
    }
    a.kvHeads = config.size(family.kvHeads, mostHeads, a.kvHeads > 0 ? a.kvHeads : a.heads);
    a.headDim = config.size(family.headDim, mostWidth, a.headDim);
    a.maxPositions = config.size(family.maxPositions, mostPositions, a.maxPositions);
    a.activation = config.activation(family.activation, a.activation);
    a.tiedEmbedding = config.flag({"tie_word_embeddings"}, a.tiedEmbedding);
    a.attentionDropout = config.dropout(family.attentionDropout, a.attentionDropout);
    a.hiddenDropout = config.dropout(family.hiddenDropout, a.hiddenDropout);
    a.embeddingWidth = a.hidden;
    return a;
}

/// What must hold between the fields, whatever the family.
void check(const Family& family, const ConfigReader& reader, Architecture& a) {
    const std::string heads = std::to_string(a.heads);
    if (a.headDim == 0) {
        if (a.hidden % a.heads != 0) {
            reader.fail("heads-do-not-divide", family.heads.name,
                        "`" + std::string(family.heads.name) + "` " + heads + " doesn't divide `" + family.hidden.name + "` " +
                            std::to_string(a.hidden) + ".",
                        "Choose a number of heads that divides " + std::to_string(a.hidden) + ".");
            return;
        }
        a.headDim = a.hidden / a.heads;
    }
    if (a.heads % a.kvHeads != 0) {
        const std::string field = family.kvHeads.name ? family.kvHeads.name : family.heads.name;
        reader.fail("heads-do-not-divide", field, std::to_string(a.kvHeads) + " key-value heads don't divide " + heads + " query heads.",
                    "Give `" + field + "` as a divisor of " + heads + ".");
    }
    const bool denseLayers = std::any_of(a.kinds.begin(), a.kinds.end(), [](const LayerKind& kind) { return !kind.experts; });
    if (a.ffn == 0 && denseLayers) reader.missing(family.ffn.name ? family.ffn.name : "intermediate_size");
}

} // namespace

std::optional<Architecture> importArchitecture(const Json& config, const std::string& pointer, Problems& problems) {
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
    Architecture architecture = readCommon(*family, reader);
    if (family->finish) family->finish(reader, architecture);
    if (problems.size() == before) check(*family, reader, architecture);
    if (problems.size() != before) return std::nullopt;
    return architecture;
}

} // namespace orrery
