// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/result_pointer.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Entries of a list are short to name; more than these and a message helps nobody.
constexpr std::size_t mostNamed = 12;

using Conditions = std::vector<std::pair<std::string, std::string>>;

/// Nothing where a step is no `key=value,…`.
std::optional<Conditions> conditionsOf(const std::string& step) {
    Conditions conditions;
    for (std::size_t from = 0; from <= step.size();) {
        const std::size_t end = std::min(step.find(',', from), step.size());
        const std::size_t equals = step.find('=', from);
        if (equals >= end) return std::nullopt;
        conditions.emplace_back(step.substr(from, equals - from), step.substr(equals + 1, end - equals - 1));
        from = end + 1;
    }
    return conditions;
}

bool meets(const Json& entry, const Conditions& conditions) {
    return entry.is_object() && std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
               const auto found = entry.find(condition.first);
               if (found == entry.end()) return false;
               return found->is_string() ? found->template get_ref<const std::string&>() == condition.second : found->dump() == condition.second;
           });
}

std::optional<std::size_t> indexOf(const std::string& step) {
    constexpr std::size_t mostDigits = 9;
    const bool digits = !step.empty() && step.size() <= mostDigits && std::all_of(step.begin(), step.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return digits ? std::optional<std::size_t>(std::stoul(step)) : std::nullopt;
}

const Json* stepInto(const Json& value, const std::string& step) {
    if (value.is_object()) {
        const auto found = value.find(step);
        return found == value.end() ? nullptr : &*found;
    }
    if (!value.is_array()) return nullptr;
    if (const auto index = indexOf(step)) return *index < value.size() ? &value[*index] : nullptr;
    const auto conditions = conditionsOf(step);
    if (!conditions) return nullptr;
    const auto found = std::find_if(value.begin(), value.end(), [&](const Json& entry) { return meets(entry, *conditions); });
    return found == value.end() ? nullptr : &*found;
}

std::vector<std::string> namesAt(const Json& value) {
    std::vector<std::string> names;
    if (value.is_object())
        for (const auto& [key, member] : value.items()) names.push_back(key);
    return names;
}

std::string whatIsThere(const Json& value) {
    if (value.is_array()) return "a list of " + counted(static_cast<std::int64_t>(value.size()), "entry") + ", of which a number or key=value chooses one";
    if (!value.is_object()) return "a value without members";
    std::vector<std::string> names = namesAt(value);
    const bool more = names.size() > mostNamed;
    if (more) names.resize(mostNamed);
    return joinWords(names, " and ") + (more ? " and more" : "");
}

} // namespace

const Json* resultAt(const Json& result, const std::string& pointer) {
    if (!pointer.empty() && pointer.front() != '/') return nullptr;
    const Json* value = &result;
    for (const std::string& step : pointerParts(pointer)) {
        value = stepInto(*value, step);
        if (!value) return nullptr;
    }
    return value;
}

Problem noSuchFigure(const Json& result, const std::string& pointer) {
    Problem problem;
    problem.code = "no-such-figure";
    problem.pointer = pointer;
    if (pointer.empty() || pointer.front() != '/') {
        problem.message = "\"" + pointer + "\" is neither a pointer into the result nor a name of the scenario's measures.";
        problem.mend = "Write it as \"/iteration_time_s\", or name it under measures.";
        return problem;
    }
    const std::vector<std::string> steps = pointerParts(pointer);
    const Json* value = &result;
    std::vector<std::string> reached;
    for (const std::string& step : steps) {
        const Json* next = stepInto(*value, step);
        if (!next) break;
        value = next;
        reached.push_back(step);
    }
    const std::string& missing = steps[std::min(reached.size(), steps.size() - 1)];
    problem.message = "The result has no \"" + pointer + "\": at \"" + (reached.empty() ? "/" : joinPointer(reached)) + "\" stands " + whatIsThere(*value) + ".";
    const auto nearest = nearestWord(missing, namesAt(*value));
    if (nearest && nearest->likely) {
        reached.push_back(nearest->word);
        problem.mend = "The nearest is \"" + joinPointer(reached) + "\".";
    } else {
        problem.mend = "\"orrery-cli simulate SCENARIO --json\" prints every figure.";
    }
    return problem;
}

} // namespace orrery
