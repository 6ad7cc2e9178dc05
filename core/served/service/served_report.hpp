// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "core/served/service/engine_pool.hpp"

#include <vector>

namespace orrery {

/// The cache of the instances that decode.
CacheReport cacheOf(const std::vector<EnginePool>& pools);

/// What a served workload comes to per accelerator, in money and energy, and its cache.
void fillServedFigures(ServingReport& report, const Economics& economics, const std::vector<EnginePool>& pools, const ServingOutcome& outcome);

/// Rows of a typical step of each phase, as often as the tokens of the instances ask for, mean over all accelerators: what the steps' time went into.
void addServedOperations(Result& result, const std::vector<EnginePool>& pools, const ServingReport& report);

/// All instances in time.
Timeline servedTimelineOf(const std::vector<EnginePool>& pools, const ServingReport& report);

} // namespace orrery
