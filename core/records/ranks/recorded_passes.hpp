// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/engine/engine.hpp"
#include "core/records/ranks/planned_ranks.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// How fast a device's passes went on while communication ran beside them, read off a run: the rule is the engine's (Interference), so that what a kernel is slowed by
/// stands at the kernel and not over its whole pass.
class PassPace {
public:
    PassPace(const Program& program, const TaskTimes& times, DeviceId device);
    /// When a pass of the device, which began at its start in the run, has done so many seconds of what it takes alone, s.
    double moment(TaskId pass, double alone) const;
    /// What a pass of the device would have taken alone, s: what it did take in the run, without what slowed it.
    double alone(TaskId pass) const;

private:
    struct Beside {
        double start = 0, end = 0; ///< s
        LoadClass load = 0;
    };
    double factorOver(LoadClass slowed, double start, double end) const;
    double next(double moment) const;

    const Program& program_;
    const TaskTimes& times_;
    std::vector<Beside> beside_;  ///< by start
    std::vector<double> latest_;  ///< end of those up to each
    std::vector<double> moments_; ///< at which any begins or ends, rising
};

/// What a rank of a planned job computed as its record says, pass by pass in the plan's order, s.
struct RecordedPasses {
    std::vector<double> passes;
    std::vector<double> kernels; ///< of all passes, without collectives
    std::vector<bool> beside;    ///< of each of them: whether communication outside its pass ran at the same time
};

/// Finds the plan's kernels in a record: those that are no communication, by start, have the names of the plan's operators. Nothing, with a problem that says where
/// they part, where the record is of something else. The record may be of another rank that computes the same as `rank`.
std::optional<RecordedPasses> passesIn(const KinetoTrace& trace, const PlannedRanks& ranks, int rank, const std::string& fileName, Problems& problems);

/// Visits the kernels of a record: which pass of the lane, the plan's kernel, and which of the record's.
template <typename Visit>
void visitKernels(const PlannedRanks& ranks, int rank, Visit&& visitor) {
    std::size_t at = 0, pass = 0;
    for (const TaskId task : ranks.passes(ranks.laneOf(rank))) {
        for (const PlannedKernel& kernel : ranks.kernels(task))
            if (!kernel.collective) visitor(pass, kernel, at++);
        ++pass;
    }
}

} // namespace orrery
