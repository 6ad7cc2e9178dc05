// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/variants.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <algorithm>
#include <array>
#include <set>

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

namespace {

std::string pointerOf(std::size_t variant) { return "/variants/" + std::to_string(variant); }

Problem noSuchVariant(const std::vector<ScenarioVariant>& variants, const std::string& name) {
    std::vector<std::string> names;
    names.reserve(variants.size());
    for (const ScenarioVariant& variant : variants) names.push_back(variant.name);
    if (names.empty()) return error("no-such-variant", "/variants", "The scenario has no variants, so none is called " + inQuotes(name) + ".").mend("Leave #" + name + " out.");
    const auto nearest = nearestWord(name, names);
    return error("no-such-variant", "/variants", "The scenario has no variant called " + inQuotes(name) + ": it has " + joinWords(quoted(names), " and ") + ".")
        .mend("Use #" + (nearest ? nearest->word : names.front()) + ".");
}

} // namespace

std::vector<ScenarioVariant> variantsOf(const Json& document) {
    std::vector<ScenarioVariant> variants;
    const Json* list = valueAt(document, "/variants");
    if (!list || !list->is_array()) return variants;
    for (const Json& entry : *list) {
        if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string()) continue;
        ScenarioVariant variant{entry["name"].get<std::string>(), {}};
        if (entry.contains("edits") && entry["edits"].is_object())
            for (const auto& [pointer, value] : entry["edits"].items()) variant.edits.push_back({pointer, value});
        variants.push_back(std::move(variant));
    }
    return variants;
}

std::optional<BoxedJson> documentOfVariant(const Json& document, const std::string& name, Problems& problems) {
    const std::vector<ScenarioVariant> variants = variantsOf(document);
    const auto found = std::find_if(variants.begin(), variants.end(), [&](const ScenarioVariant& variant) { return variant.name == name; });
    if (found == variants.end()) {
        problems.push_back(noSuchVariant(variants, name));
        return std::nullopt;
    }
    const EditOutcome edited = applyEdits(document, found->edits);
    if (!edited.error.empty()) {
        problems.push_back(error("no-such-place", pointerOf(static_cast<std::size_t>(found - variants.begin())) + "/edits", edited.error).mend("Change the edit's pointer."));
        return std::nullopt;
    }
    const bool named = std::any_of(found->edits.begin(), found->edits.end(), [](const ScenarioEdit& edit) { return edit.pointer == "/name"; });
    Json changed = *edited.document;
    if (!named) {
        const Json* base = valueAt(changed, "/name");
        changed["name"] = (base && base->is_string() && !base->get_ref<const std::string&>().empty() ? base->get<std::string>() + " · " : std::string()) + name;
    }
    return BoxedJson(std::move(changed));
}

void checkVariants(const Json& document, Problems& problems) {
    std::set<std::string> names;
    const std::vector<ScenarioVariant> variants = variantsOf(document);
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const auto& [name, edits] = variants[i];
        if (!names.insert(name).second) problems.push_back(error("name-stands-twice", pointerOf(i) + "/name", "Two variants are called " + inQuotes(name) + ".").mend("Give one of them another name."));
        for (const ScenarioEdit& edit : edits) {
            const std::string why = applyEdits(document, {edit}).error;
            if (edit.pointer.empty() || edit.pointer.front() != '/')
                problems.push_back(error("not-a-pointer", joinPointer({"variants", std::to_string(i), "edits", edit.pointer}), inQuotes(edit.pointer) + " is no JSON pointer.").mend("Write it as \"/parallelism/tensor\"."));
            else if (!why.empty() && edits.size() == 1)
                problems.push_back(error("no-such-place", joinPointer({"variants", std::to_string(i), "edits", edit.pointer}), why).mend("Change the edit's pointer."));
        }
    }
}

} // namespace orrery
