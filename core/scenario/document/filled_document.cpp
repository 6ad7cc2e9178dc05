// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/filled_document.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/schema_check.hpp"

namespace orrery {

const Json* FilledDocument::find(const std::string& pointer) const {
    return valueAt(document_, pointer);
}

void FilledDocument::fill(const std::string& pointer, Json value, std::string why) {
    if (has(pointer)) return;
    document_[Json::json_pointer(pointer)] = value;
    assume(pointer, std::move(value), std::move(why));
}

void FilledDocument::fillFragment(const std::string& pointer, const Json& fragment, const std::string& why) {
    for (const auto& [key, value] : fragment.items()) {
        const std::string at = below(pointer, key);
        const Json* given = find(at);
        if (value.is_object() && (!given || given->is_object())) fillFragment(at, value, why);
        else fill(at, value, why);
    }
}

void FilledDocument::fillFallbacks(const std::string& pointer, const std::vector<Field>& fields) {
    for (const Field& field : fields)
        if (!field.fallback->is_null()) fill(below(pointer, field.key), field.fallback, "the default");
}

void FilledDocument::replace(const std::string& pointer, Json value) { document_[Json::json_pointer(pointer)] = std::move(value); }

void FilledDocument::assume(std::string pointer, Json value, std::string why) {
    assumptions_.push_back({std::move(pointer), std::move(value), std::move(why)});
}

int FilledDocument::integer(const std::string& pointer, int fallback) const {
    const Json* value = find(pointer);
    return value && value->is_number() ? value->get<int>() : fallback;
}

double FilledDocument::number(const std::string& pointer, double fallback) const {
    const Json* value = find(pointer);
    return value && value->is_number() ? value->get<double>() : fallback;
}

bool FilledDocument::boolean(const std::string& pointer, bool fallback) const {
    const Json* value = find(pointer);
    return value && value->is_boolean() ? value->get<bool>() : fallback;
}

std::string FilledDocument::text(const std::string& pointer, const std::string& fallback) const {
    const Json* value = find(pointer);
    return value && value->is_string() ? value->get<std::string>() : fallback;
}

} // namespace orrery
