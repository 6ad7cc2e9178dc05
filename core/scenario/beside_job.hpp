// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/serving_workload.hpp"

#include <memory>
#include <string>
#include <vector>

namespace orrery {

struct Scenario;

/// Another job on the cluster at the same time.
struct BesideJob {
    std::string file;                         ///< as the scenario names it
    std::vector<std::string> hosts;           ///< ids
    std::shared_ptr<const Scenario> scenario; ///< never null; a planned iteration of training
    std::vector<int> placement;               ///< by rank of the job: the cluster's accelerator
};

/// The accelerators that none of the jobs has.
std::vector<AcceleratorRange> placesBeside(const std::vector<BesideJob>& jobs, int accelerators);

} // namespace orrery
