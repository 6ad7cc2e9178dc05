// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/ranks/planned_hybrid.hpp"
#include "core/ranks/recorded_memory.hpp"

#include <map>
#include <string>

namespace orrery {

/// A recorded rank's file, and its memory where the record has it.
struct RankFile {
    std::string file;
    std::optional<RecordedPeak> memory;
};

/// How long a rank waits for others in collectives, and how long its transfers themselves take, s.
struct LaneWaits {
    double waiting = 0, transit = 0;
};
std::vector<LaneWaits> waitsByLane(const Iteration& iteration, const TaskTimes& times);

/// What each rank gives to collectives and sends, bytes: an all-reduce of S over n ranks moves 2 (n − 1)/n S, a gathering or scattering (n − 1)/n S.
double movedBytes(const Iteration& iteration, int lane, const Scenario& scenario);

/// The result document of a hybrid run over a plan.
Json plannedHybridDocument(const PlannedRanks& ranks, const PlannedHybrid& hybrid, const std::vector<RankClass>& classes, const std::map<int, RankFile>& files);

} // namespace orrery
