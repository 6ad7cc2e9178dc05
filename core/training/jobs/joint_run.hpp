// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/network/routing/routed_fabric.hpp"
#include "core/training/jobs/job_program.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace orrery {

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
