// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/records/traces/flight_record.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A collective, send or receive that does not end.
struct StuckOperation {
    std::string group, description; ///< name of the group, and what it is for
    std::int64_t sequence = 0;
    std::string operation, inputs;         ///< as most of those in it call it
    std::vector<std::int64_t> in, missing; ///< ranks that wait in it; ranks that have not called it
    std::vector<std::int64_t> unknown;     ///< members without a record
    std::string where;                     ///< what called it
};

/// Ranks of a group that call different things as the same collective.
struct DifferentCalls {
    std::string group, description;
    std::int64_t sequence = 0;                              ///< the first one that differs
    std::map<std::string, std::vector<std::int64_t>> calls; ///< ranks by operation and sizes
};

/// Why a job stands still, as far as the flight recorders of its ranks say.
struct StuckJob {
    std::vector<StuckOperation> stuck;                          ///< by group
    std::vector<DifferentCalls> different;                      ///< by group
    std::map<std::int64_t, std::vector<std::int64_t>> waitsFor; ///< of each rank that waits, the ranks that it waits for
    std::vector<std::int64_t> roots;                            ///< ranks that others wait for, and that wait for nobody
    std::vector<std::int64_t> circle;                           ///< where there are none: ranks that wait for each other, each for the next
    std::map<std::int64_t, std::string> lastCalls;              ///< of the roots: what they called last
    std::vector<std::string> sentences;
};

/// Ranks must be known and differ; otherwise nothing, with a problem.
std::optional<StuckJob> stuckJob(const std::vector<FlightRecord>& records, Problems& problems);

/// `orrery-flight/1`.
Json toJson(const StuckJob& job);

} // namespace orrery
