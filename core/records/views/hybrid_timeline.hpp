// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/hybrid_run.hpp"
#include "core/records/ranks/planned_ranks.hpp"
#include "core/records/ranks/rank_classes.hpp"
#include "core/records/views/record_timeline.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace orrery {

/// More ranks than these are not drawn: recorded ones come first, then the first of every class.
inline constexpr std::size_t mostHybridRanks = 256;

/// A hybrid replay as a timeline, ranks of a class beneath each other: a stage for each rank with one lane, in which work between collectives, waiting and transit alternate. The roles say who was
/// recorded and who is played after which rank. `drawn` gets the places in HybridRun::ranks, by stage.
RecordTimeline hybridTimeline(const HybridRun& run, std::vector<std::size_t>& drawn);

/// The same matrix as that of recorded ranks (recorded_job.hpp), among the ranks that are drawn.
std::vector<std::vector<double>> waitingMatrix(const HybridRun& run, const std::vector<std::size_t>& drawn);

/// A hybrid over its plan, as the window shows it.
struct PlannedTimeline {
    RecordTimeline record;
    std::vector<int> ranks;                   ///< by stage of the timeline
    std::vector<std::vector<double>> waiting; ///< s: at [i][j] what the i-th of them waits in collectives that the j-th comes to last
};

/// Ranks grouped by class: those that were recorded (with their files), the first of every class, and others up to `mostHybridRanks`. Each has a lane that sums it up, and a row
/// for its passes, its transfers between stages and its data-parallel collectives. Roles say who was recorded, and which rank another is drawn like.
PlannedTimeline plannedTimeline(const PlannedRanks& ranks, const TaskTimes& times, const std::vector<RankClass>& classes, const std::map<int, std::string>& recorded);

} // namespace orrery
