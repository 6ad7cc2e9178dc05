// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/ranks/planned_ranks.hpp"
#include "core/records/traces/kineto_reader.hpp"

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
