// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// The schedule of the scenario's plan. With `overlap.expert` forwards and backwards that nothing binds run as pairs where the
/// schedule has room for it; with the overlap pass off none do, DualPipe's neither.
PipelineSchedule scheduleOf(const Scenario& scenario);
/// The same with another number of micro-batches.
PipelineSchedule scheduleOf(const Scenario& scenario, int microBatches);

} // namespace orrery
