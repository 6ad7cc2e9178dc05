// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/config_rules.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace orrery {
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
