// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/records/ranks/kernel_likeness.hpp"
#include "core/records/ranks/planned_ranks.hpp"
#include "core/records/ranks/planned_what_ifs.hpp"
#include "core/records/ranks/rank_classes.hpp"
#include "core/records/ranks/recorded_passes.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace orrery {

/// What is asked of a planned hybrid beside its records.
struct PlannedQuestion {
    std::map<std::size_t, RecordedPasses> likeness; ///< by place of a class: the record that its ranks take after, as if it were of the class's first rank; of others all records of the class
    RankWhatIfs whatIfs;
    std::vector<ScaledKernels> scaled;
    bool prune = true;
};

/// What was left out of a run because nothing of it reaches a recorded rank.
struct LeftOut {
    std::size_t tasks = 0, ranks = 0; ///< ranks: of which nothing was run
    std::vector<bool> lanes;          ///< those of which any task was left out
};

/// An iteration of a planned job some of whose ranks follow their records.
struct PlannedHybrid {
    double iterationTime = 0;     ///< s, of the whole job, mean over `draws`; means nothing with a hang
    double sigma = 0;             ///< of the logarithm of a kernel's time among its kind, without what stretches whole passes, as the records show it
    std::vector<TaskTimes> draws; ///< by task of the iteration; one with a hang, with 0 where a task never ran
    std::optional<PlannedHang> hang;
    LeftOut leftOut;
};

/// Plays the job: recorded ranks take their passes' times from the record; the others take the mean of each kernel among the records of their class and
/// draw their kernels about it, as widely as the records spread. Collectives and sends happen together, re-timed on the cluster. What communication beside a pass does to
/// it is in the record; a rank that comes early to a collective is through with its work before the last one comes, so that its record does not have what slows the last.
/// The others' means are therefore of kernels that nothing ran beside, and the run slows them. With a what-if the recorded passes, too, are slowed anew, by what then runs beside
/// them: what they take alone is what the run without it has them take, less what slows them there. `draws`: how many times the unrecorded ranks are drawn. Nothing, with
/// problems, where a class has no record.
///
/// Ranks of one lane (of one tensor and context group) are in step: where their classes differ, as by the experts they hold, each pass takes as long as the slowest of them.
///
/// Kernels that are scaled take as much longer or shorter, recorded or drawn; what else there is keeps its time, collectives too. A recorded pass changes by what its scaled
/// kernels change: its kernels are taken to run one after another, as on one stream, and the gaps between them stay.
///
/// What nothing of reaches a recorded rank is left out with `prune` (neededTasks). When the last rank is through is a result too, so that while nobody stops the end of every
/// rank counts, and nothing is left out.
std::optional<PlannedHybrid> playPlannedHybrid(PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<RankClass>& classes, std::uint64_t seed, int draws, Problems& problems, const PlannedQuestion& question = {}, const RunControl& control = {});

} // namespace orrery
