// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace orrery {

/// Seconds (or any unit) a pass through one chunk takes, the same for all stages.
struct PassTimes {
    double forward = 1;
    double backwardInput = 1;
    double backwardWeight = 1;
    std::optional<double> together; ///< a forward and a whole backward overlapped; left out: their sum
};

/// Seconds of the step at `index` of `stage`; of a pair that runs together asked once, for the first of the two.
using StepSeconds = std::function<double(int stage, int index)>;

struct StepTimes {
    double start = 0;
    double end = 0;
};

struct PlayedSchedule {
    std::vector<std::vector<StepTimes>> steps; ///< as in the schedule; both of a pair have the pair's times
    std::vector<double> busy;                  ///< by stage
    double span = 0;                           ///< first start to last end of all stages

    /// Idle time of a stage over the whole pipeline's span.
    double idle(int stage) const { return span - busy[static_cast<std::size_t>(stage)]; }
    /// Idle time of a stage between its own first start and last end: what Qi et al. call the bubble.
    double idleWithin(int stage) const;
    double mostIdle() const;
    double mostIdleWithin() const;
};

/// Runs every stage's list in order as early as its inputs allow; handing results on takes no time. Chunks and micro-batches are in the
/// placement's range. Nothing when the schedule deadlocks, lacks a step another needs, or has communication steps.
std::optional<PlayedSchedule> playSchedule(const PipelineSchedule& schedule, const StepSeconds& seconds);
std::optional<PlayedSchedule> playSchedule(const PipelineSchedule& schedule, const PassTimes& times);

} // namespace orrery
