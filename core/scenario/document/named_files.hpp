// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <string>
#include <string_view>
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

/// A file that a scenario names, and where it names it.
struct NamedFile {
    std::string pointer;
    std::string path; ///< as it stands there
};

/// The files that a scenario names: its model's configuration or graph, its log of requests, profiles, other scenarios, recorded ranks. In the document's order.
std::vector<NamedFile> namedFiles(const Json& document);

/// Whether a path leads out of the folder from which it counts: it is absolute, or climbs above its start. Links are not followed.
bool leadsOutside(std::string_view path);

} // namespace orrery
