// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/config_reader.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

bool isWhole(const Json& value, std::int64_t least, std::int64_t most) {
    if (!value.is_number()) return false;
    const double number = value.get<double>();
    return number >= static_cast<double>(least) && number <= static_cast<double>(most) && number == std::floor(number);
}

constexpr const char* checkAgainstConfig = "Check the value against the model's config.json.";

} // namespace

ConfigReader::Field ConfigReader::locate(FieldName name) const {
    for (const char* one : {name.name, name.other, name.third}) {
        if (!one) continue;
        asked_->insert(one);
        const auto found = config_.find(one);
        if (found != config_.end() && !found->is_null()) return {one, &*found};
    }
    return {name.name, nullptr};
}

ConfigReader::Field ConfigReader::typed(FieldName name, bool (Json::*is)() const noexcept, const char* wanted) const {
    const Field field = locate(name);
    if (!field.value || (field.value->*is)()) return field;
    wrongType(field.name, *field.value, wanted);
    return {field.name, nullptr};
}

void ConfigReader::fail(const char* code, const std::string& name, std::string message, std::string mend) const {
    Problem problem;
    problem.code = code;
    problem.pointer = pointer_ + "/" + name;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    problems_.push_back(std::move(problem));
}

void ConfigReader::warn(const char* code, const std::string& name, std::string message, std::string mend) const {
    fail(code, name, std::move(message), std::move(mend));
    problems_.back().severity = Severity::warning;
}

void ConfigReader::missing(const char* name) const {
    const std::string quoted = "`" + std::string(name) + "`";
    fail("missing-config-field", name, "The model's config has no " + quoted + ".",
         "Add " + quoted + " to the config, as in the model's config.json.");
}

void ConfigReader::wrongType(const std::string& name, const Json& value, const char* wanted) const {
    fail("wrong-type", name, "The config's `" + name + "` is " + value.dump() + ", not " + wanted + ".",
         "Give " + std::string(wanted) + ".");
}

std::int64_t ConfigReader::whole(FieldName name, std::int64_t least, std::int64_t most, std::int64_t fallback) const {
    const Field field = locate(name);
    if (!field.value) return fallback;
    if (!field.value->is_number()) {
        wrongType(field.name, *field.value, "a whole number");
        return least;
    }
    if (isWhole(*field.value, least, most)) return static_cast<std::int64_t>(field.value->get<double>());
    fail("out-of-range", field.name,
         field.quoted() + " is " + field.value->dump() + "; it must be a whole number from " + std::to_string(least) + " to " +
             std::to_string(most) + ".",
         checkAgainstConfig);
    return least;
}

std::int64_t ConfigReader::size(FieldName name, std::int64_t most) const {
    if (!has(name)) missing(name.name);
    return whole(name, 1, most, 1);
}

std::int64_t ConfigReader::size(FieldName name, std::int64_t most, std::int64_t fallback) const {
    return whole(name, 1, most, fallback);
}

std::int64_t ConfigReader::count(FieldName name, std::int64_t most, std::int64_t fallback) const {
    return whole(name, 0, most, fallback);
}

bool ConfigReader::flag(FieldName name, bool fallback) const {
    const Field field = typed(name, &Json::is_boolean, "true or false");
    return field.value ? field.value->get<bool>() : fallback;
}

double ConfigReader::factor(FieldName name, double fallback) const {
    const Field field = typed(name, &Json::is_number, "a number");
    if (!field.value) return fallback;
    const double value = field.value->get<double>();
    if (value > 0 && value <= 1000) return value;
    fail("out-of-range", field.name, field.quoted() + " is " + field.value->dump() + "; it must be above 0 and at most 1000.",
         checkAgainstConfig);
    return fallback;
}

double ConfigReader::dropout(FieldName name, double fallback) const {
    const Field field = typed(name, &Json::is_number, "a number");
    if (!field.value) return fallback;
    const double value = field.value->get<double>();
    if (value >= 0 && value < 1) return value;
    fail("out-of-range", field.name, field.quoted() + " is " + field.value->dump() + "; a dropout is at least 0 and less than 1.",
         "Give 0 for no dropout.");
    return fallback;
}

std::string ConfigReader::text(FieldName name, const std::string& fallback) const {
    const Field field = typed(name, &Json::is_string, "a text");
    return field.value ? field.value->get<std::string>() : fallback;
}

ActivationKind ConfigReader::activation(FieldName name, ActivationKind fallback) const {
    const Field field = typed(name, &Json::is_string, "a text");
    if (!field.value) return fallback;
    const std::string kind = field.value->get<std::string>();
    if (kind.rfind("gelu", 0) == 0 || kind == "quick_gelu") return ActivationKind::gelu;                                                                                        // gelu_new, gelu_fast, gelu_pytorch_tanh …
    if (kind == "silu" || kind == "swish" || kind == "swiglu" || kind == "swigluoai" || kind == "xielu" || kind == "situ" || kind == "quick_silu") return ActivationKind::silu; // curves of about as much work
    if (kind == "relu") return ActivationKind::relu;
    if (kind == "relu2" || kind == "squared_relu" || kind == "relu_squared") return ActivationKind::squared_relu;
    fail("unknown-activation", field.name, "The activation `" + kind + "` isn't known.", "Use gelu, relu, relu2 or silu.");
    return fallback;
}

std::optional<std::vector<std::string>> ConfigReader::texts(FieldName name) const {
    const Field field = typed(name, &Json::is_array, "a list");
    if (!field.value) return std::nullopt;
    std::vector<std::string> list;
    for (const Json& entry : *field.value) {
        if (!entry.is_string()) {
            wrongType(std::string(field.name) + "/" + std::to_string(list.size()), entry, "a text");
            return std::nullopt;
        }
        list.push_back(entry.get<std::string>());
    }
    return list;
}

std::optional<std::vector<std::int64_t>> ConfigReader::counts(FieldName name, std::int64_t most) const {
    const Field field = typed(name, &Json::is_array, "a list");
    if (!field.value) return std::nullopt;
    std::vector<std::int64_t> list;
    for (const Json& entry : *field.value) {
        if (!isWhole(entry, 0, most)) {
            wrongType(std::string(field.name) + "/" + std::to_string(list.size()), entry,
                      ("a whole number from 0 to " + std::to_string(most)).c_str());
            return std::nullopt;
        }
        list.push_back(static_cast<std::int64_t>(entry.get<double>()));
    }
    return list;
}

ConfigReader ConfigReader::inner(const char* name) const {
    static const Json nothing = Json::object();
    const Field field = typed({name}, &Json::is_object, "an object");
    ConfigReader reader(field.value ? *field.value : nothing, pointer_ + "/" + name, problems_);
    reader.asked_ = asked_;
    return reader;
}

namespace {

/// Says nothing that a plain model hasn't: no experts or one, no window, every layer full attention.
bool isNeutral(const Json& value) {
    if (value.is_null()) return true;
    if (value.is_boolean()) return !value.get<bool>();
    if (value.is_number()) return value.get<double>() <= 1;
    if (value.is_string()) return value.get_ref<const std::string&>().empty();
    if (value.is_array())
        return std::all_of(value.begin(), value.end(), [](const Json& entry) {
            return entry == "full_attention" || entry == "attention" || entry == "dense" || (entry.is_number() && entry == 0);
        });
    return value.empty();
}

/// A window that the config itself switches off.
bool isSwitchedOff(const Json& config, const std::string& field) {
    const bool window = field.find("window") != std::string::npos;
    const auto used = config.find("use_sliding_window");
    return window && used != config.end() && used->is_boolean() && !used->get<bool>();
}

/// Whether the row has a rule that reads the field, be it one that didn't come to it.
bool isNamedIn(const Json& rule, const std::string& field) {
    if (rule.is_string()) {
        const std::string& text = rule.get_ref<const std::string&>();
        return text == field || (text.size() > field.size() && text.starts_with(field) && text[field.size()] == '/');
    }
    return rule.is_structured() && std::any_of(rule.begin(), rule.end(), [&field](const Json& part) { return isNamedIn(part, field); });
}

} // namespace

const Likeness* likenessOf(const Json& config, const ArchitectureTable& table) {
    const auto stands = [&config](const std::string& field) {
        const auto found = config.find(field);
        return found != config.end() && !found->is_null();
    };
    for (const Likeness& likeness : table.likenesses())
        if (std::all_of(likeness.fields.begin(), likeness.fields.end(), stands)) return &likeness;
    return nullptr;
}

namespace {

/// A field that nobody read, with a name as fields about layers have: it may make other layers than were read. Those known to do so are
/// refused; of others nobody can say what they ask for.
void warnOfUnreadFields(const Json& row, const ConfigReader& reader, const ArchitectureTable& table, const std::string& type) {
    const auto isAboutLayers = [&table](const std::string& name) {
        return std::any_of(table.structuralWords().begin(), table.structuralWords().end(), [&name](const std::string& word) { return name.find(word) != std::string::npos; });
    };
    // "swa_num_attention_heads": 64 beside "num_attention_heads": 64 repeats what was read.
    const auto repeats = [&reader](const std::string& name, const Json& value) {
        return std::any_of(reader.config().items().begin(), reader.config().items().end(), [&](const auto& other) {
            return reader.wasAsked(other.key()) && other.value() == value && (name.ends_with("_" + other.key()) || name.starts_with(other.key() + "_"));
        });
    };
    for (const auto& [name, value] : reader.config().items()) {
        const bool isListed = std::any_of(table.structuralFields().begin(), table.structuralFields().end(), [&](const StructuralField& field) { return field.name == name; });
        if (isListed || value.is_object() || isNeutral(value) || reader.wasAsked(name) || isNamedIn(row, name) || table.isHarmless(name) || !isAboutLayers(name) || isSwitchedOff(reader.config(), name) || repeats(name, value)) continue;
        reader.warn("unread-field", name, "The config's `" + name + "` is not known for a model of type `" + type + "` and was not read; by its name it may change the layers.",
                    "Compare the parameters that come out with the model's card; remove the field if they agree.");
    }
}

} // namespace

void refuseUnreadStructure(const Json& row, const ConfigReader& reader, const ArchitectureTable& table, const std::string& type) {
    const Json& config = reader.config();
    // Some configs say a thing by several names.
    const auto saidOtherwise = [&](const StructuralField& field, const Json& value) {
        return std::any_of(table.structuralFields().begin(), table.structuralFields().end(), [&](const StructuralField& other) {
            const auto found = config.find(other.name);
            return other.name != field.name && other.what == field.what && found != config.end() && *found == value && (reader.wasAsked(other.name) || isNamedIn(row, other.name));
        });
    };
    for (const StructuralField& field : table.structuralFields()) {
        const auto found = config.find(field.name);
        if (found == config.end() || isNeutral(*found) || reader.wasAsked(field.name) || isSwitchedOff(config, field.name) || isNamedIn(row, field.name) || saidOtherwise(field, *found)) continue;
        reader.fail("unread-structure", field.name, "The config's `" + field.name + "` asks for " + field.what + ", which a model of type `" + type + "` doesn't have: the layers would be others than the config says.",
                    "Check `model_type` against the model's config.json, or remove `" + field.name + "`.");
    }
    warnOfUnreadFields(row, reader, table, type);
}

} // namespace orrery
