// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/device_graph.hpp"
#include "core/records/ranks/joint_replay.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

/// A rank whose collectives are those of its groups: all that its record shows, each event waiting for what it waited for. Times in ns.
struct GraphedRank {
    std::int64_t rank = 0;
    DeviceGraph graph;
    RankRecord record;
    std::vector<std::int64_t> durations;    ///< by node; of collectives as recorded
    std::vector<std::uint32_t> collectives; ///< by collective of the record: its node
};

/// `scale` multiplies the time of the kernels that are no communication, by name of the trace; empty: none.
GraphedRank graphedRank(const KinetoTrace& trace, RankRecord record, const std::vector<double>& scale = {});

/// Sets the clocks of graphs and records back to the first rank's; gives how far each was ahead, ns.
std::vector<std::int64_t> setClocksBack(std::vector<GraphedRank>& ranks, const std::vector<JointOperation>& operations);

struct GroupedReplay {
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::vector<std::vector<Interval>> runs;  ///< by rank's place and node; of what never begins or ends: `never`
    std::vector<JointCollective> collectives; ///< by operation; of one that never ends, `end` is `never`
    std::optional<Hang> hang;                 ///< where a stopped rank is missed first
};

/// Plays ranks together. A collective ends at each member as long after the last arrival as it did in the record; a member that left before the last came did not wait
/// for it, and takes its own time. With nothing asked each rank runs as it was recorded.
GroupedReplay replayGroups(const std::vector<GraphedRank>& ranks, const std::vector<JointOperation>& operations, const RankWhatIfs& whatIfs = {});

} // namespace orrery
