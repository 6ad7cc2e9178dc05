// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/config_wrapper.hpp"

#include <string_view>

namespace orrery {
namespace {

/// What may stand beside a language model.
constexpr std::string_view otherParts[] = {"vision_config", "audio_config", "vision_tower_config", "visual", "vit_config", "sound_config", "speech_config"};

/// Names in `config` of parts besides its language model.
std::string partsBeside(const Json& config) {
    std::string parts;
    for (const std::string_view part : otherParts) {
        const auto found = config.find(std::string(part));
        if (found != config.end() && found->is_object()) parts += (parts.empty() ? "`" : ", `") + std::string(part) + "`";
    }
    return parts;
}

void warnOfParts(const Json& config, const std::string& pointer, Problems& problems) {
    const std::string parts = partsBeside(config);
    if (parts.empty()) return;
    Problem problem;
    problem.severity = Severity::warning;
    problem.code = "text-alone";
    problem.pointer = pointer;
    problem.message = "The model has parts besides its language model (" + parts + "); text alone is simulated, assumed to come without images or sound.";
    problem.mend = "Add their parameters and time where they matter.";
    problems.push_back(std::move(problem));
}

std::string typeOf(const Json& config) { return config.contains("model_type") && config["model_type"].is_string() ? config["model_type"].get<std::string>() : std::string(); }

} // namespace

UnwrappedConfig unwrapped(const Json& config, const std::string& pointer, Problems& problems, const ArchitectureTable& table) {
    const std::string outer = typeOf(config);
    warnOfParts(config, pointer, problems);
    if (table.refusal(outer)) return {config, pointer}; // an encoder-decoder has a text part too
    for (const std::string& key : table.wrapperKeys()) {
        const auto found = config.find(key);
        if (found == config.end() || !found->is_object() || found->empty()) continue;
        UnwrappedConfig inner{*found, pointer + "/" + key};
        if (typeOf(inner.config).empty()) inner.config["model_type"] = table.row(outer + "_text") ? outer + "_text" : outer;
        for (const char* field : {"tie_word_embeddings", "quantization_config", "architectures"})
            if (!inner.config.contains(field) && config.contains(field)) inner.config[field] = config[field];
        if (const Json* defaults = table.defaults(typeOf(inner.config)))
            for (const auto& [field, value] : defaults->items())
                if (!inner.config.contains(field)) inner.config[field] = value;
        return unwrapped(inner.config, inner.pointer, problems, table); // a thinker has a language model in turn
    }
    return {config, pointer};
}

std::string classOf(const Json& config) {
    const auto classes = config.find("architectures");
    return classes != config.end() && classes->is_array() && !classes->empty() && classes->front().is_string() ? classes->front().get<std::string>() : std::string();
}

bool hasHead(const ConfigReader& config, const Json& row) {
    const std::string name = classOf(config.config());
    if (name.empty() || name == row.value("class", "")) return true;
    for (const char* other : {"ForSequenceClassification", "ForTokenClassification", "ForRewardModel", "RewardModel", "ForEmbedding"})
        if (name.find(other) != std::string::npos) return false;
    return !(name.ends_with("Model") && !name.ends_with("LMHeadModel"));
}

std::string storedFormat(const ConfigReader& config) {
    if (!config.has({"quantization_config"}) || !config.config().at("quantization_config").is_object()) return {};
    const Json& given = config.config().at("quantization_config");
    const auto text = [&](const Json& from, const char* key) { return from.contains(key) && from[key].is_string() ? from[key].get<std::string>() : std::string(); };
    const auto number = [&](const Json& from, const char* key) { return from.contains(key) && from[key].is_number() ? from[key].get<double>() : 0.0; };
    const auto whole = [](double bits, bool isFloat) -> std::string { return bits == 8 ? (isFloat ? "fp8" : "int8") : bits == 4 ? (isFloat ? "nvfp4" : "int4")
                                                                                                                                : ""; };
    const std::string method = text(given, "quant_method");
    std::string stored;
    if (method == "fp8" || method == "fbgemm_fp8") stored = "fp8";
    else if (method == "awq" || method == "gptq" || method == "auto-round" || method == "autoround") stored = whole(given.contains("bits") ? number(given, "bits") : number(given, "w_bit"), false);
    else if (method == "mxfp4") stored = "mxfp4";
    else if (method == "bitsandbytes") stored = given.value("load_in_8bit", false) ? "int8" : "nf4";
    else if (method == "modelopt" || method.empty()) {
        const std::string algorithm = text(given, "quant_algo");
        stored = algorithm.find("NVFP4") != std::string::npos ? "nvfp4" : algorithm.find("FP8") != std::string::npos ? "fp8"
                                                                      : algorithm.find("W4A16") != std::string::npos ? "int4"
                                                                                                                     : "";
    } else if (method == "compressed-tensors" && given.contains("config_groups") && given["config_groups"].is_object()) {
        for (const Json& group : given["config_groups"]) {
            if (!group.is_object() || !group.contains("weights") || !group["weights"].is_object()) continue;
            stored = whole(number(group["weights"], "num_bits"), text(group["weights"], "type") == "float");
            break;
        }
    }
    if (stored.empty())
        config.warn("unread-quantisation", "quantization_config", "How the checkpoint's weights are stored (`quant_method` " + (method.empty() ? "missing" : "`" + method + "`") + ") isn't known; they are taken as the workload's precision says.",
                    "Give the workload's precision, or a method of fp8, awq, gptq, mxfp4, modelopt, compressed-tensors, bitsandbytes.");
    return stored;
}

} // namespace orrery
