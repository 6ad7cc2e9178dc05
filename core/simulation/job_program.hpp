// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/engine/engine.hpp"
#include "core/job_traffic/job_traffic.hpp"
#include "core/transfers/flow_transfers.hpp"

#include <memory>
#include <vector>

namespace orrery {

/// A training job on some accelerators of a fabric.
struct PlacedJob {
    const Scenario* scenario = nullptr; ///< its cluster says what its accelerators are; its links count only where it is alone
    std::vector<int> placement;         ///< by rank of the job: the fabric's rank
};

/// One iteration of a placed job as a program, and what its transfers are.
struct JobProgram {
    std::unique_ptr<JobTraffic> traffic; ///< the transfers' patterns are its own
    Program program;
    std::vector<Transfer> transfers; ///< by the program's own numbers
    Problems problems;               ///< what makes it impossible; then the rest means nothing
};

/// Every data-parallel rank runs by itself: what tells two of them apart is where other jobs sit. `recompute` is not `automatic`.
JobProgram programOf(const PlacedJob& job, const std::shared_ptr<RoutedFabric>& fabric);

} // namespace orrery
