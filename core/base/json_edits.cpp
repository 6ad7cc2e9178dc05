// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_edits.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace orrery {
namespace {

std::optional<std::size_t> arrayIndex(const std::string& part) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
    return index;
}

/// The child named by one member of a pointer, or null.
Json* child(Json& node, const std::string& part) {
    if (node.is_object()) {
        const auto found = node.find(part);
        return found == node.end() ? nullptr : &*found;
    }
    if (node.is_array()) {
        const auto index = arrayIndex(part);
        return index && *index < node.size() ? &node[*index] : nullptr;
    }
    return nullptr;
}

std::string prefix(const std::vector<std::string>& parts, std::size_t count) {
    return joinPointer({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count)});
}

[[noreturn]] void refuse(const std::string& pointer) {
    throw std::invalid_argument("no value can be put at " + (pointer.empty() ? std::string("the whole document") : pointer));
}

void put(Json& node, const std::string& part, const Json& value, const std::string& pointer) {
    if (node.is_object()) {
        node[part] = value;
    } else if (node.is_array()) {
        const auto index = part == "-" ? std::optional(node.size()) : arrayIndex(part);
        if (!index || *index > node.size()) refuse(pointer);
        if (*index == node.size()) {
            node.push_back(value);
        } else {
            node[*index] = value;
        }
    } else {
        refuse(pointer);
    }
}

/// Applies one edit in place and gives the edit that undoes it; nothing when the document stays as it is.
std::optional<ScenarioEdit> applyOne(Json& document, const ScenarioEdit& edit) {
    const std::vector<std::string> parts = pointerParts(edit.pointer);
    if (parts.empty()) {
        if (edit.value->is_null()) refuse(edit.pointer);
        ScenarioEdit inverse{"", document};
        document = edit.value;
        return inverse;
    }

    Json* node = &document;
    std::size_t depth = 0; // how many members of the pointer lead to `node`
    while (depth + 1 < parts.size()) {
        Json* next = child(*node, parts[depth]);
        if (!next) break;
        node = next;
        ++depth;
    }
    Json* target = depth + 1 == parts.size() ? child(*node, parts[depth]) : nullptr;

    if (edit.value->is_null()) {
        if (!target) return std::nullopt;
        // Putting a removed key back would put it last; the whole parent keeps the order.
        ScenarioEdit inverse{prefix(parts, depth), *node};
        if (node->is_array()) {
            node->erase(*arrayIndex(parts[depth]));
        } else {
            node->erase(parts[depth]);
        }
        return inverse;
    }
    if (target) {
        // "Set to null" means remove, so a null that was there can only come back with its parent.
        ScenarioEdit inverse = target->is_null() ? ScenarioEdit{prefix(parts, depth), *node}
                                                 : ScenarioEdit{edit.pointer, *target};
        *target = edit.value;
        return inverse;
    }

    Json addition = edit.value;
    for (std::size_t i = parts.size(); i > depth + 1; --i) {
        Json wrapped = Json::object();
        wrapped[parts[i - 1]] = std::move(addition);
        addition = std::move(wrapped);
    }
    const bool appended = node->is_array();
    std::vector<std::string> added(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(depth + 1));
    if (appended) added.back() = std::to_string(node->size());
    put(*node, parts[depth], addition, edit.pointer);
    return ScenarioEdit{joinPointer(added), nullptr};
}

} // namespace

std::vector<std::string> pointerParts(const std::string& pointer) {
    std::vector<std::string> parts;
    if (pointer.empty()) return parts;
    std::string part;
    for (std::size_t i = pointer.front() == '/' ? 1 : 0; i <= pointer.size(); ++i) {
        if (i == pointer.size() || pointer[i] == '/') {
            parts.push_back(std::move(part));
            part.clear();
        } else if (pointer[i] == '~' && i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
            part += pointer[++i] == '0' ? '~' : '/';
        } else {
            part += pointer[i];
        }
    }
    return parts;
}

std::string joinPointer(const std::vector<std::string>& parts) {
    std::string pointer;
    for (const std::string& part : parts) {
        pointer += '/';
        for (const char c : part) {
            if (c == '~') {
                pointer += "~0";
            } else if (c == '/') {
                pointer += "~1";
            } else {
                pointer += c;
            }
        }
    }
    return pointer;
}

const Json* valueAt(const Json& document, const std::string& pointer) {
    // Nearly every pointer goes through objects and escapes nothing: then no text need be copied to follow it.
    const Json* value = &document;
    std::string_view rest = pointer;
    if (rest.find('~') != std::string_view::npos) rest = {};
    while (!rest.empty() && rest.front() == '/' && value->is_object()) {
        rest.remove_prefix(1);
        const std::string_view key = rest.substr(0, rest.find('/'));
        const auto found = value->find(key);
        if (found == value->end()) return nullptr;
        value = &*found;
        rest.remove_prefix(key.size());
        if (rest.empty()) return value;
    }
    const Json::json_pointer place(pointer);
    return document.contains(place) ? &document.at(place) : nullptr;
}

std::optional<double> numberAt(const Json& document, const std::string& pointer) {
    const Json* value = valueAt(document, pointer);
    return value && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

EditOutcome applyEdits(const Json& document, const std::vector<ScenarioEdit>& edits) {
    Json changed = document;
    EditOutcome outcome;
    try {
        for (const ScenarioEdit& edit : edits) {
            if (auto inverse = applyOne(changed, edit)) outcome.inverse.push_back(std::move(*inverse));
        }
    } catch (const std::invalid_argument& refusal) {
        return {document, {}, refusal.what()};
    }
    outcome.document = std::move(changed);
    std::reverse(outcome.inverse.begin(), outcome.inverse.end());
    return outcome;
}

bool samePlaces(const std::vector<ScenarioEdit>& a, const std::vector<ScenarioEdit>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const ScenarioEdit& x, const ScenarioEdit& y) { return x.pointer == y.pointer; });
}

} // namespace orrery
