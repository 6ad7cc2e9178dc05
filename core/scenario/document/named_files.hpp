// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

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
