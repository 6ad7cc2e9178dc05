// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/kineto_reader.hpp"
#include "core/records/views/recorded_job.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orrery {

/// Whether this is a recorded trace, or a folder, which stands for the ranks of one recorded job. What comes through a pipe is neither.
bool isRecord(const std::string& path);

/// A recorded job: the file of one rank, or a folder with a file of each; the files are read side by side. Nothing, with problems, where one can't be read.
std::optional<RecordedJob> recordedFiles(const std::string& path, const CommunicationRules& rules, Problems& problems);

/// What a device did, from a file of a profiler on disk, up to a GiB, packed or not, its kernels sorted by the rules; nothing, with a problem, where it is something else.
std::optional<KinetoTrace> kinetoFile(const std::string& fileName, const CommunicationRules& rules, Problems& problems);

/// "3=FILE" or "FILE".
struct RankedFile {
    std::string file;
    std::optional<std::int64_t> rank;
};

RankedFile rankedFile(const std::string& text);

/// Rules of what counts as communication, from a JSON file or, as "-", standard input; no name: the shipped ones. Nothing, with problems, where they can't be read.
std::optional<CommunicationRules> communicationFile(const std::string& fileName, Problems& problems);

} // namespace orrery
