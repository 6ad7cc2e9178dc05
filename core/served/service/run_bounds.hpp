// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/scenario/scenario.hpp"
#include "core/served/service/engine_pool.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// What serving requests will take, known before any of them is drawn.
struct ServedSize {
    double requests = 0;
    double steps = 0; ///< of all instances, by the mean lengths: as many as would run with nothing but these
    double bytes = 0; ///< of requests, their records, steps and the timeline
};

ServedSize sizeOfServing(const ServingWorkload& workload, const std::vector<EnginePool>& pools);

/// Whether each step and each gap between tokens is kept: a fleet's long runs are too long for that, and go without.
bool keepsSteps(const ServingWorkload& workload, const ServedSize& size, const RunControl& control);

/// A problem with the largest number that would do, where serving needs more memory than `control` allows.
std::optional<Problem> servedBeyondCeiling(const ServingWorkload& workload, const std::vector<EnginePool>& pools, const RunControl& control);

/// The same for a static batch: the prompts of a step, listed one by one, and a span of the timeline for every token.
std::optional<Problem> batchBeyondCeiling(const InferenceWorkload& workload, const RunControl& control);

} // namespace orrery
