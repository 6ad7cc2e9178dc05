// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/engine/engine.hpp"
#include "core/network/routing/routed_fabric.hpp"
#include "core/network/transfers/flow_transfers.hpp"
#include "core/training/job_traffic/job_traffic.hpp"
#include "core/training/plan/tensor_contention.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// A job, planned or recorded, on some accelerators of a fabric.
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
    LinkSet transferLinks;           ///< that the job's transfers cross, and others' traffic that the drawing states
    LinkSet segmentLinks;            ///< that collectives in its segments cross, where these can run as transfers of their own
};

/// How collectives in segments (of tensor and context groups) run.
enum class SegmentCollectives : std::uint8_t {
    alone,  ///< as long as they take with their links to themselves
    shared, ///< as transfers among the others, the segments' operators as tasks around them
};

/// A planned job's every data-parallel rank runs by itself: what tells two of them apart is where other jobs sit. `recompute` is not `automatic`.
JobProgram programOf(const PlacedJob& job, const std::shared_ptr<RoutedFabric>& fabric, SegmentCollectives collectives = SegmentCollectives::alone);

/// How jobs fare that share a fabric.
struct JointRun {
    std::vector<double> iterationTimes; ///< s, by job
    Problems problems;                  ///< what makes it impossible; then the rest means nothing
};

/// Runs one iteration of each job, planned or recorded and made separately, at the same time: where their transfers meet on links they share
/// them max-min fairly (core/engine). Jobs don't share accelerators. A planned job's data-parallel ranks run each by itself; a recorded job's
/// run as one, for all do the same. Collectives inside segments contend too where tensor and context groups meet other traffic; those of
/// experts, and those that run in chunks with their products (`overlap.tensor`), last as long as they do alone. Nothing when stopped. A job's
/// `recompute` is not `automatic`.
std::optional<JointRun> runTogether(const std::vector<PlacedJob>& jobs, std::shared_ptr<RoutedFabric> fabric, const RunControl& control = {});

} // namespace orrery
