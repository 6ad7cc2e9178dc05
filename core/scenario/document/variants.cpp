// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/variants.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/nearest_word.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <algorithm>
#include <set>

namespace orrery {
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
