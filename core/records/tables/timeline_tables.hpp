// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/views/recorded_job.hpp"
#include "core/results/report/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// The statements that make the tables and views of a timeline's database, each column with its meaning and unit in a comment; SQLite keeps them in the file, and
/// `.schema` shows them.
std::string_view timelineSchema();

/// The bytes of an SQLite file with a simulated timeline. Nothing, with `fault` in SQLite's words, where there is no memory for it.
std::optional<std::string> resultDatabase(const Result& result, std::string& fault);

/// The same of recorded ranks.
std::optional<std::string> recordDatabase(const RecordedJob& job, std::string& fault);

} // namespace orrery
