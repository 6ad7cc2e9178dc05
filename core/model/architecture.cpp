// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/architecture.hpp"
#include "core/base/json.hpp"
#include "core/model/architecture_table.hpp"
#include "core/model/config_reader.hpp"
#include "core/model/config_rules.hpp"
#include "core/model/layer_rules.hpp"
#include "core/model/mixer_rules.hpp"
#include "core/model/vision_rules.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

std::string supportedTypes(const ArchitectureTable& table) {
    std::string list;
    for (const std::string& type : table.types()) list += (list.empty() ? "" : ", ") + type;
    return list;
}

/// The row for a config, or a problem. `type` becomes the type that the row is of.
const Json* findRow(const ConfigReader& reader, const ArchitectureTable& table, std::string& type) {
    type = reader.text({"model_type"}, "");
    const std::string className = classOf(reader.config());
    const auto refuse = [&](const std::string& why) {
        reader.fail("unsupported-layer", "model_type", "The model has " + why + ": its type is `" + type + "`. That can't be simulated.",
                    "Choose a decoder of one of these types: " + supportedTypes(table) + ".");
        return nullptr;
    };
    if (const std::string* why = table.refusal(type)) return refuse(*why);
    if (reader.flag({"is_encoder_decoder"}, false)) {
        reader.fail("unsupported-layer", "is_encoder_decoder", "The model is an encoder with a decoder (`is_encoder_decoder`). Decoders alone can be simulated.",
                    "Choose a model that is a decoder.");
        return nullptr;
    }
    if (const Json* row = table.row(type)) {
        const bool encodes = row->contains("encoder_unless") && !reader.flag({row->at("encoder_unless").get_ref<const std::string&>().c_str()}, false);
        return encodes ? refuse("an encoder alone") : row;
    }
    if (const std::string* named = table.typeOfClass(className)) {
        if (!type.empty())
            reader.warn("architecture-by-likeness", "model_type",
                        "The type `" + type + "` is not known; by its class `" + className + "` it is taken for a model like `" + *named + "`, with that type's defaults.",
                        "Check the number of parameters against the model's card.");
        type = *named;
        return table.row(type);
    }
    if (type.empty() && className.empty()) {
        reader.fail("missing-config-field", "model_type", "The model's config has no `model_type`.", "Add it: one of " + supportedTypes(table) + ".");
        return nullptr;
    }
    if (const Likeness* likeness = type.empty() ? nullptr : likenessOf(reader.config(), table)) {
        std::string fields;
        for (const std::string& field : likeness->fields) fields += (fields.empty() ? "`" : ", `") + field + "`";
        reader.warn("architecture-by-likeness", "model_type",
                    "The type `" + type + "` is not known; by its fields " + fields + " it is taken for a model like `" + likeness->type + "`, with that type's defaults.",
                    "Check the number of parameters against the model's card.");
        return table.row(likeness->type);
    }
    reader.fail("unknown-architecture", type.empty() ? "architectures" : "model_type", "The architecture `" + (type.empty() ? className : type) + "` can't be simulated yet.",
                "Choose a model of one of these types: " + supportedTypes(table) + ".");
    return nullptr;
}

/// Reads the properties that rows have, one after another.
class PropertyReader {
public:
    PropertyReader(const Json& row, ConfigRules& rules) : row_(row), rules_(rules) {}

    bool has(const char* property) const { return row_.contains(property); }
    std::int64_t number(const char* property, std::int64_t most, std::int64_t otherwise = 0) {
        const std::int64_t value = has(property) ? rules_.number(row_.at(property), most) : otherwise;
        rules_.keep(property, value);
        return value;
    }
    bool flag(const char* property, bool otherwise = false) { return has(property) ? rules_.flag(row_.at(property)) : otherwise; }
    double dropout(const char* property) { return has(property) ? rules_.dropout(row_.at(property)) : 0; }
    std::string word(const char* property, const char* otherwise) { return has(property) ? rules_.word(row_.at(property)) : otherwise; }
    const Json& rule(const char* property) const { return row_.at(property); }

private:
    const Json& row_;
    ConfigRules& rules_;
};

NormPlacement placementNamed(const std::string& name) { return name == "after" ? NormPlacement::after : name == "around" ? NormPlacement::around
                                                                                                                         : NormPlacement::before; }

QkNorm qkNormNamed(const std::string& name) {
    if (name == "per_head") return QkNorm::per_head;
    if (name == "whole") return QkNorm::whole;
    return name == "unweighted" ? QkNorm::unweighted : QkNorm::none;
}

PositionKind positionsNamed(const std::string& name) {
    if (name == "learned") return PositionKind::learned;
    if (name == "rotary") return PositionKind::rotary;
    return name == "alibi" ? PositionKind::alibi : PositionKind::none;
}

void readSizes(PropertyReader& row, Architecture& a) {
    a.hidden = row.number("hidden", mostWidth);
    a.layers = row.number("layers", mostLayers);
    a.heads = row.number("heads", mostHeads);
    a.vocabulary = row.number("vocabulary", mostVocabulary);
    a.ffn = row.number("ffn", mostWidth);
    a.kvHeads = row.number("kv_heads", mostHeads, a.heads);
    a.headDim = row.number("head_dim", mostWidth);
    a.queryRank = row.number("query_rank", mostWidth);
    a.headValueDim = row.number("value_dim", mostWidth);
    a.maxPositions = row.number("max_positions", mostPositions);
    a.positionRows = row.number("position_rows", mostPositions);
    a.embeddingWidth = row.number("embedding_width", mostWidth, a.hidden);
    a.nextTokenModules = row.number("next_token_modules", mostLayers);
}

void readForm(PropertyReader& row, ConfigRules& rules, Architecture& a) {
    a.norm = row.word("norm", "layer_norm") == "rms_norm" ? NormKind::rms_norm : NormKind::layer_norm;
    a.normPlacement = placementNamed(row.word("norm_placement", "before"));
    a.qkNorm = qkNormNamed(row.word("qk_norm", "none"));
    a.positions = positionsNamed(row.word("positions", "none"));
    if (a.positions != PositionKind::learned) a.positionRows = 0;
    if (row.has("activation")) a.activation = rules.activation(row.rule("activation"), ActivationKind::silu);
    a.gatedMlp = row.flag("gated_mlp");
    a.tiedEmbedding = row.flag("tied_embedding");
    a.qkvBias = row.flag("qkv_bias");
    a.attentionOutputBias = row.flag("attention_output_bias");
    a.outputGate = row.flag("output_gate");
    a.attentionSinks = row.flag("attention_sinks");
    a.mlpBias = row.flag("mlp_bias");
    a.normBias = row.flag("norm_bias");
    a.parallelAttention = row.flag("parallel");
    a.inputNorms = static_cast<int>(row.number("input_norms", 2, 2));
    a.finalNorm = row.flag("final_norm", true);
    a.embeddingNorm = row.flag("embedding_norm");
    a.logitBias = row.flag("logit_bias");
    a.logitSoftcap = row.flag("logit_softcap");
    a.attentionDropout = row.dropout("attention_dropout");
    a.hiddenDropout = row.dropout("hidden_dropout");
}

/// What must hold between the fields, whatever the type.
void check(const Json& row, ConfigRules& rules, Architecture& a) {
    if (a.heads < 1 || a.kvHeads < 1) return; // a problem says so already
    const std::string heads = std::to_string(a.heads), headsField = rules.fieldOf(row.at("heads"));
    const ConfigReader& config = rules.config();
    if (a.headDim == 0) {
        if (a.hidden % a.heads != 0) {
            config.fail("heads-do-not-divide", headsField,
                        "`" + headsField + "` " + heads + " doesn't divide `" + rules.fieldOf(row.at("hidden")) + "` " + std::to_string(a.hidden) + ".",
                        "Choose a number of heads that divides " + std::to_string(a.hidden) + ".");
            return;
        }
        a.headDim = a.hidden / a.heads;
    }
    if (a.heads % a.kvHeads != 0) {
        const std::string own = row.contains("kv_heads") ? rules.fieldOf(row.at("kv_heads")) : std::string(), field = own.empty() ? headsField : own;
        config.fail("heads-do-not-divide", field, std::to_string(a.kvHeads) + " key-value heads don't divide " + heads + " query heads.",
                    "Give `" + field + "` as a divisor of " + heads + ".");
    }
    const bool denseLayers = std::any_of(a.kinds.begin(), a.kinds.end(), [](const LayerKind& kind) { return kind.feedForward && !kind.experts && kind.ffn == 0; });
    if (a.ffn == 0 && denseLayers) {
        const std::string field = row.contains("ffn") ? rules.fieldOf(row.at("ffn")) : std::string();
        config.missing(field.empty() ? "intermediate_size" : field.c_str());
    }
}

Architecture readArchitecture(const Json& row, ConfigRules& rules, const std::string& type) {
    PropertyReader properties(row, rules);
    Architecture a;
    a.modelType = type;
    readSizes(properties, a);
    readForm(properties, rules, a);
    if (row.contains("latent")) readLatent(row.at("latent"), rules, a);
    if (row.contains("compressed")) readCompressed(row.at("compressed"), rules, a);
    if (row.contains("state")) readState(row.at("state"), rules, a);
    if (row.contains("indexer")) readIndexer(row.at("indexer"), rules, a);
    if (row.contains("experts")) readExperts(row.at("experts"), rules, a);
    readBesideBlocks(row, rules, a);
    readLayers(row, rules, a);
    a.storedAs = storedFormat(rules.config());
    a.outputMatrix = hasHead(rules.config(), row);
    return a;
}

} // namespace

std::optional<Architecture> importArchitecture(const Json& config, const std::string& pointer, Problems& problems, const ArchitectureTable& table) {
    if (!config.is_object()) {
        Problem problem;
        problem.code = "wrong-type";
        problem.pointer = pointer;
        problem.message = "The model's config is not an object.";
        problem.mend = "Give the content of a Hugging Face config.json.";
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
    Problems found;
    const UnwrappedConfig language = unwrapped(config, pointer, found, table);
    const ConfigReader reader(language.config, language.pointer, found);
    std::string type;
    std::optional<Architecture> architecture;
    if (const Json* row = hasErrors(found) ? nullptr : findRow(reader, table, type)) {
        ConfigRules rules(reader);
        architecture = readArchitecture(*row, rules, type);
        if (!hasErrors(found)) check(*row, rules, *architecture);
        if (!hasErrors(found)) refuseUnreadStructure(*row, reader, table, type);
        if (!hasErrors(found)) architecture->vision = readVision(config, pointer, table, *architecture);
    }
    const bool failed = hasErrors(found);
    problems.insert(problems.end(), found.begin(), found.end());
    if (failed) return std::nullopt;
    return architecture;
}

std::optional<Architecture> importArchitecture(const Json& config, const std::string& pointer, Problems& problems) {
    return importArchitecture(config, pointer, problems, ArchitectureTable::shipped());
}

} // namespace orrery
