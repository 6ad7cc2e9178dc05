// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/ranks/planned_ranks.hpp"
#include "core/ranks/rank_classes.hpp"
#include "core/traces/kineto_reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a rank of a planned job computed as its record says, pass by pass in the plan's order, s.
struct RecordedPasses {
    std::vector<double> passes;
    std::vector<double> kernels; ///< of all passes, without collectives
    std::vector<bool> beside;    ///< of each of them: whether communication outside its pass ran at the same time
};

/// Finds the plan's kernels in a record: those that are no communication, by start, have the names of the plan's operators. Nothing, with a problem that says where
/// they part, where the record is of something else.
std::optional<RecordedPasses> passesIn(const KinetoTrace& trace, const PlannedRanks& ranks, int rank, const std::string& fileName, Problems& problems);

/// An iteration of a planned job some of whose ranks follow their records.
struct PlannedHybrid {
    double iterationTime = 0; ///< s, mean over `draws`
    double sigma = 0;         ///< of the logarithm of a kernel's time among its kind, without what stretches whole passes, as the records show it
    std::vector<TaskTimes> draws;
};

/// Plays the job: recorded ranks take their passes' times from the record; the others take the mean of each kernel among the records of their class and
/// draw their kernels about it, as widely as the records spread. Collectives and sends happen together, re-timed on the cluster. What communication beside a pass does to
/// it is in the record; a rank that comes early to a collective is through with its work before the last one comes, so that its record does not have what slows the last.
/// The others' means are therefore of kernels that nothing ran beside, and the run slows them. `draws`: how many times the unrecorded ranks are drawn. Nothing, with
/// problems, where a class has no record.
std::optional<PlannedHybrid> playPlannedHybrid(PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<RankClass>& classes, std::uint64_t seed, int draws, Problems& problems, const RunControl& control = {});

} // namespace orrery
