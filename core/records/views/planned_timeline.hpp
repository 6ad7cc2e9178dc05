// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/planned_ranks.hpp"
#include "core/records/ranks/rank_classes.hpp"
#include "core/records/views/record_timeline.hpp"

#include <map>
#include <string>
#include <vector>

namespace orrery {

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
