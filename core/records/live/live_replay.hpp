// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/live/live_exchange.hpp"
#include "core/records/live/live_network.hpp"
#include "core/records/live/live_slice.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A known rank in virtual time, s.
struct LiveRankTimes {
    double total = 0;                ///< from its first event to its last
    double compute = 0;              ///< its own work
    double waiting = 0;              ///< in collectives and messages: for others and for the network
    std::vector<double> steps;       ///< when each optimizer's step ended
    std::optional<double> iteration; ///< mean between the end of the first step and the end of the last
    struct Call {
        std::size_t event = 0; ///< of the slice
        double called = 0, ended = 0;
    };
    std::vector<Call> calls;
};

struct LiveTimes {
    std::vector<LiveRankTimes> ranks;     ///< as the slices
    std::size_t freePartners = 0;         ///< calls to or with ranks that nobody stands for: they are taken to be ready
    std::vector<std::string> differences; ///< between ranks that should do the same work, in sentences
    std::optional<LiveFault> fault;       ///< ranks of one class that do different things, or that wait for each other in virtual time
};

/// Plays known ranks together, with those that they stand for: own work takes its CPU time by `computeScale`; a collective begins when its last
/// member has called and takes what the drawn network needs, beside all else that is on it; without a network it takes no time. A message begins when both
/// ends have called. Slices of earlier runs are repeated by their last step until they are as long as the longest real one.
/// Deterministic for given slices.
LiveTimes replayLive(const std::vector<LiveSlice>& known, const LiveGroups& groups, LiveNetwork* network, double computeScale);

} // namespace orrery
