// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/views/recorded_job.hpp"

#include <optional>
#include <string>

namespace orrery {

/// Whether this is a recorded trace, or a folder, which stands for the ranks of one recorded job. What comes through a pipe is neither.
bool isRecord(const std::string& path);

/// A recorded job: the file of one rank, or a folder with a file of each; the files are read side by side. Nothing, with problems, where one can't be read.
std::optional<RecordedJob> recordedFiles(const std::string& path, const CommunicationRules& rules, Problems& problems);

} // namespace orrery
