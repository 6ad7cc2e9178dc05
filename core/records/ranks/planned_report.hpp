// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/records/ranks/planned_hybrid.hpp"
#include "core/records/ranks/recorded_memory.hpp"

#include <map>
#include <string>

namespace orrery {

/// A recorded rank's file, and its memory where the record has it.
struct RankFile {
    std::string file;
    std::optional<RecordedPeak> memory;
    std::optional<BeyondMemory> beyond; ///< where the memory that is asked about doesn't hold it
};

/// The files of a planned hybrid.
struct HybridFiles {
    std::map<int, RankFile> ranks;           ///< recorded ones
    std::map<std::size_t, RankFile> classes; ///< by place of a class: what its ranks take after, where that was named
    bool asksMemory = false;                 ///< another memory than the accelerator's; `beyond` says who doesn't fit
};

/// How long a rank waits for others in collectives, and how long its transfers themselves take, s.
struct LaneWaits {
    double waiting = 0, transit = 0;
};
std::vector<LaneWaits> waitsByLane(const Iteration& iteration, const TaskTimes& times);

/// What each rank gives to collectives and sends, bytes: an all-reduce of S over n ranks moves 2 (n − 1)/n S, a gathering or scattering (n − 1)/n S.
double movedBytes(const Iteration& iteration, int lane, const Scenario& scenario);

/// The result document of a hybrid run over a plan. A rank of which something was left out has no times.
Json plannedHybridDocument(const PlannedRanks& ranks, const PlannedHybrid& hybrid, const std::vector<RankClass>& classes, const HybridFiles& files);

} // namespace orrery
