// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/records/live/live_replay.hpp"
#include "core/records/live/live_slice.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orrery {

/// What came of a live run at one world size.
struct LiveAnswer {
    int world = 0;
    std::string network; ///< name of the scenario whose cluster carried the collectives; empty: they took no time
    double computeScale = 1;
    std::vector<LiveSlice> slices; ///< real ranks first, then recorded ones
    LiveTimes times;
    std::vector<LiveFault> faults;
    std::map<int, std::string> stacks; ///< of real ranks at the fault, by rank
    std::vector<std::string> remarks;
};

/// `orrery-live/1`. Times in s, memory in bytes as tensors asked for it.
Json toDocument(const LiveAnswer& answer);

/// The same rank in several worlds: what changed between the first and the last, in sentences.
std::vector<std::string> changesBetween(const LiveAnswer& first, const LiveAnswer& last);

/// A live run as a trace for Perfetto: a row a rank, its own work and its calls in virtual time. Chrome's trace format.
Json toTrace(const LiveAnswer& answer);

} // namespace orrery
