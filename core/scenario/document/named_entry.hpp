// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/nearest_word.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <string>
#include <vector>

namespace orrery {

/// The problem of an id that a catalogue does not have; names the nearest one. `Entry` has an `id`.
template <typename Entry>
Problem unknownEntry(std::string code, const std::string& pointer, const std::string& what, const std::string& given,
                     const std::vector<Entry>& catalogue) {
    std::vector<std::string> ids;
    for (const Entry& entry : catalogue) ids.push_back(entry.id);
    const auto nearest = nearestWord(given, ids);
    Problem problem = error(std::move(code), pointer, "The catalogue has no " + what + " \"" + given + "\".")
                          .mend("Choose one of its " + std::to_string(ids.size()) + " entries (orrery-cli list).");
    if (nearest) {
        problem.mend = (nearest->likely ? "Did you mean \"" : "The nearest is \"") + nearest->word + "\"" + (nearest->likely ? "?" : ".");
        problem.edits.push_back({pointer, nearest->word});
    }
    return problem;
}

} // namespace orrery
