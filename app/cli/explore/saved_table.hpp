// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/plain_table.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A name for a table that says no format by its ending, before anything is computed for it; an empty one is none.
std::optional<Problem> problemOfTableName(const std::string& path);

/// Writes the tables by the ending of `path`, in one step; an empty path is not asked for. Gives why it could not be.
std::optional<Problem> saveTables(const std::string& path, const std::vector<PlainTable>& tables);

} // namespace orrery
