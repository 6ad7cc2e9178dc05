// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/variant_edits.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/variants.hpp"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

bool isSame(const Json& a, const Json& b);

bool areSameMembers(const Json& a, const Json& b) {
    return a.size() == b.size() && std::all_of(a.items().begin(), a.items().end(), [&](const auto& member) {
               const auto other = b.find(member.key());
               return other != b.end() && isSame(member.value(), *other);
           });
}

/// Whatever the order of keys.
bool isSame(const Json& a, const Json& b) {
    if (a.is_object() && b.is_object()) return areSameMembers(a, b);
    if (a.is_array() && b.is_array()) return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Json& x, const Json& y) { return isSame(x, y); });
    return a == b;
}

/// Edits can't say null: it removes what stands there.
bool saysNull(const Json& value) { return value.is_null(); }

void collect(const Json& base, const Json& changed, std::vector<std::string>& place, std::vector<ScenarioEdit>& edits);

/// Whether what differs can be told member by member.
bool canDescend(const Json& base, const Json& changed) {
    if (base.is_object() && changed.is_object()) {
        return std::none_of(changed.items().begin(), changed.items().end(), [&](const auto& member) {
            const auto before = base.find(member.key());
            return saysNull(member.value()) && (before == base.end() || !before->is_null());
        });
    }
    return base.is_array() && changed.is_array() && base.size() == changed.size() && std::none_of(changed.begin(), changed.end(), saysNull);
}

void descend(const Json& base, const Json& changed, std::vector<std::string>& place, std::vector<ScenarioEdit>& edits) {
    if (base.is_array()) {
        for (std::size_t i = 0; i < base.size(); ++i) {
            place.push_back(std::to_string(i));
            collect(base[i], changed[i], place, edits);
            place.pop_back();
        }
        return;
    }
    for (const auto& member : base.items()) {
        if (changed.contains(member.key())) continue;
        place.push_back(member.key());
        edits.push_back({joinPointer(place), nullptr});
        place.pop_back();
    }
    for (const auto& member : changed.items()) {
        place.push_back(member.key());
        const auto before = base.find(member.key());
        if (before == base.end()) edits.push_back({joinPointer(place), member.value()});
        else collect(*before, member.value(), place, edits);
        place.pop_back();
    }
}

void collect(const Json& base, const Json& changed, std::vector<std::string>& place, std::vector<ScenarioEdit>& edits) {
    if (isSame(base, changed)) return;
    if (canDescend(base, changed)) descend(base, changed, place, edits);
    else edits.push_back({joinPointer(place), changed});
}

} // namespace

std::vector<ScenarioEdit> differences(const Json& base, const Json& changed) {
    std::vector<ScenarioEdit> edits;
    std::vector<std::string> place;
    collect(base, changed, place, edits);
    return edits;
}

bool isSharedByVariants(const std::string& pointer) {
    static constexpr std::array<std::string_view, 6> shared{"variants", "measures", "notes", "search", "view", "format"};
    const std::vector<std::string> parts = pointerParts(pointer);
    return !parts.empty() && std::find(shared.begin(), shared.end(), parts.front()) != shared.end();
}

Json editsObject(const std::vector<ScenarioEdit>& edits) {
    Json object = Json::object();
    for (const ScenarioEdit& edit : edits) {
        object.erase(edit.pointer); // a later edit of the same place takes its turn
        object[edit.pointer] = *edit.value;
    }
    return object;
}

std::string freeVariantName(const Json& document, const std::string& asked) {
    const std::vector<ScenarioVariant> variants = variantsOf(document);
    const auto isTaken = [&](const std::string& name) { return std::any_of(variants.begin(), variants.end(), [&](const ScenarioVariant& one) { return one.name == name; }); };
    std::string name = asked;
    for (int number = 2; isTaken(name); ++number) name = asked + " (" + std::to_string(number) + ")";
    return name;
}

} // namespace orrery
