#pragma once

#include "core/scenario/scenario.hpp"
#include "core/schedule/pipeline_schedule.hpp"

namespace orrery {

/// The schedule of the scenario's plan. With `overlap.expert` forwards and backwards that nothing binds run as pairs where the
/// schedule has room for it; with the overlap pass off none do, DualPipe's neither.
PipelineSchedule scheduleOf(const Scenario& scenario);

/// Whether it runs backwards in two parts: the input's gradient, which other stages wait for, and the weights'.
inline bool splitsBackward(ScheduleKind schedule) {
    return schedule == ScheduleKind::zb_h1 || schedule == ScheduleKind::zb_v || schedule == ScheduleKind::dual_pipe;
}

} // namespace orrery
