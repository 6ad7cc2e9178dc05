// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/structure_check.hpp"

#include <algorithm>

namespace orrery {
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
}

} // namespace orrery
