// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/config_rules.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
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

namespace {

[[noreturn]] void refuseRule(const Json& rule) { throw std::runtime_error("catalogue architectures.json: the rule " + rule.dump() + " is not known"); }

bool has(const Json& rule, const char* part) { return rule.is_object() && rule.contains(part); }

/// The number that a list holds for each layer where it is the same one (Hunyuan).
std::optional<std::int64_t> sameInAll(const Json& list) {
    if (!list.is_array() || list.empty() || !list.front().is_number_integer()) return std::nullopt;
    if (std::any_of(list.begin(), list.end(), [&](const Json& entry) { return entry != list.front(); })) return std::nullopt;
    return list.front().get<std::int64_t>();
}

/// What stands after the last slash of a path, and what before it.
std::pair<std::string, const char*> partsOf(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::pair(std::string(), path.c_str()) : std::pair(path.substr(0, slash), path.c_str() + slash + 1);
}

} // namespace

ConfigRules::Place ConfigRules::placeOf(const Json& keys) const {
    const Json& first = keys.is_array() ? keys.front() : keys;
    const auto [outer, name] = partsOf(first.get_ref<const std::string&>());
    FieldName names{name};
    if (keys.is_array()) {
        const char** others[] = {&names.other, &names.third};
        for (std::size_t i = 1; i < keys.size() && i <= 2; ++i) *others[i - 1] = partsOf(keys[i].get_ref<const std::string&>()).second;
    }
    return {outer.empty() ? config_ : config_.inner(outer.c_str()), names};
}

const Json* ConfigRules::raw(const Json& keys) const {
    const Place place = placeOf(keys);
    for (const char* name : {place.name.name, place.name.other, place.name.third})
        if (const Json* value = name ? place.reader.raw(name) : nullptr) return value;
    return nullptr;
}

std::string ConfigRules::fieldOf(const Json& rule) const {
    if (has(rule, "key")) {
        const Json& keys = rule.at("key");
        const std::string& path = keys.is_array() ? keys.front().get_ref<const std::string&>() : keys.get_ref<const std::string&>();
        const Place place = placeOf(keys);
        const std::string outer = partsOf(path).first;
        return (outer.empty() ? "" : outer + "/") + place.reader.nameOf(place.name);
    }
    if (!rule.is_structured()) return {};
    for (const auto& [name, part] : rule.items())
        if (name != "if") // what decides is not what is wrong
            if (std::string field = fieldOf(part); !field.empty()) return field;
    return {};
}

std::int64_t ConfigRules::number(const Json& rule, std::int64_t most) {
    if (rule.is_number()) return rule.get<std::int64_t>();
    if (has(rule, "key")) {
        if (const Json* given = raw(rule.at("key"))) {
            if (*given == "auto") return number(rule.value("default", Json(0)), most);
            if (const std::optional<std::int64_t> alike = sameInAll(*given); alike && *alike > 0 && *alike <= most) return *alike;
        }
        const Place place = placeOf(rule.at("key"));
        const bool zero = rule.value("zero", false);
        if (!rule.contains("default")) return zero ? place.reader.count(place.name, most, 0) : place.reader.size(place.name, most);
        const std::int64_t fallback = place.reader.has(place.name) ? 1 : number(rule.at("default"), most);
        return zero ? place.reader.count(place.name, most, fallback) : place.reader.size(place.name, most, fallback);
    }
    if (has(rule, "same")) {
        const auto found = kept_.find(rule.at("same").get<std::string>());
        if (found == kept_.end()) refuseRule(rule);
        return found->second;
    }
    if (has(rule, "if")) return number(rule.at(flag(rule.at("if")) ? "then" : "else"), most);
    if (has(rule, "length")) {
        const Json* list = raw(rule.at("length"));
        if (!list) return 0;
        return static_cast<std::int64_t>(list->is_string() ? list->get_ref<const std::string&>().size() : list->is_array() ? list->size()
                                                                                                                           : 0);
    }
    if (has(rule, "scaled")) return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(number(rule.at("scaled"), most)) * factor(rule.at("by"))));
    for (const char* operation : {"product", "sum", "quotient"}) {
        if (!has(rule, operation)) continue;
        const Json& parts = rule.at(operation);
        std::int64_t value = number(parts.at(0), most);
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const std::int64_t next = number(parts[i], most);
            if (operation[0] == 'p') value *= next;
            else if (operation[0] == 's') value += next;
            else value /= std::max<std::int64_t>(1, next);
        }
        return value;
    }
    refuseRule(rule);
}

bool ConfigRules::flag(const Json& rule) {
    if (rule.is_boolean()) return rule.get<bool>();
    if (has(rule, "key")) {
        const Place place = placeOf(rule.at("key"));
        return place.reader.flag(place.name, place.reader.has(place.name) || !rule.contains("default") ? false : flag(rule.at("default")));
    }
    if (has(rule, "has")) return raw(rule.at("has")) != nullptr;
    if (has(rule, "not")) return !flag(rule.at("not"));
    if (has(rule, "if")) return flag(rule.at(flag(rule.at("if")) ? "then" : "else"));
    if (has(rule, "any")) return std::any_of(rule.at("any").begin(), rule.at("any").end(), [&](const Json& part) { return flag(part); });
    if (has(rule, "all")) return std::all_of(rule.at("all").begin(), rule.at("all").end(), [&](const Json& part) { return flag(part); });
    if (has(rule, "is")) return word(rule.at("is").at(0)) == rule.at("is").at(1).get_ref<const std::string&>();
    if (has(rule, "above")) return static_cast<double>(number(rule.at("above").at(0), mostPositions)) > rule.at("above").at(1).get<double>();
    refuseRule(rule);
}

std::string ConfigRules::word(const Json& rule) {
    if (rule.is_string()) return rule.get<std::string>();
    if (has(rule, "if")) return word(rule.at(flag(rule.at("if")) ? "then" : "else"));
    if (!has(rule, "key")) refuseRule(rule);
    const Place place = placeOf(rule.at("key"));
    const std::string given = place.reader.text(place.name, rule.contains("default") && !place.reader.has(place.name) ? word(rule.at("default")) : std::string());
    if (!rule.contains("words")) return given;
    const Json& words = rule.at("words");
    const auto found = words.find(given);
    if (found != words.end()) return found->get<std::string>();
    std::string known;
    for (const auto& [name, meaning] : words.items()) known += (known.empty() ? "" : ", ") + name;
    const std::string field = place.reader.nameOf(place.name);
    place.reader.fail("out-of-range", field, "The config's `" + field + "` is `" + given + "`, which is not known for this type.", "Use one of: " + known + ".");
    return words.begin()->get<std::string>();
}

double ConfigRules::dropout(const Json& rule) {
    if (rule.is_number()) return rule.get<double>();
    if (!has(rule, "key")) refuseRule(rule);
    const Place place = placeOf(rule.at("key"));
    return place.reader.dropout(place.name, rule.value("default", 0.0));
}

double ConfigRules::factor(const Json& rule) {
    if (rule.is_number()) return rule.get<double>();
    if (!has(rule, "key")) refuseRule(rule);
    const Place place = placeOf(rule.at("key"));
    return place.reader.factor(place.name, rule.value("default", 1.0));
}

ActivationKind ConfigRules::activation(const Json& rule, ActivationKind fallback) {
    if (rule.is_string()) {
        static const std::map<std::string, ActivationKind> kinds{{"gelu", ActivationKind::gelu}, {"relu", ActivationKind::relu}, {"silu", ActivationKind::silu}, {"relu2", ActivationKind::squared_relu}};
        const auto found = kinds.find(rule.get<std::string>());
        if (found == kinds.end()) refuseRule(rule);
        return found->second;
    }
    if (!has(rule, "key")) refuseRule(rule);
    const Place place = placeOf(rule.at("key"));
    return place.reader.activation(place.name, rule.contains("default") ? activation(rule.at("default"), fallback) : fallback);
}

} // namespace orrery
