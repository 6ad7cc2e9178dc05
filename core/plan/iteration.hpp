#pragma once

#include "core/engine/engine.hpp"
#include "core/plan/rank_work.hpp"
#include "core/plan/schedule.hpp"
#include "core/scenario/scenario.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// What a task of the program is.
struct TaskInfo {
    std::uint32_t segment = 0; ///< index into RankWork::segments
    std::int32_t microBatch = -1;
    std::int32_t layer = -1;
    std::int16_t chunk = 0;
    std::int16_t stage = 0;
    StreamKind stream = StreamKind::compute;
};

/// One training iteration as tasks on every stage's streams: a representative rank for each stage, since the ranks of a stage
/// (tensor and data groups) can't differ here.
struct Iteration {
    Program program;
    std::vector<TaskInfo> tasks;
    Schedule schedule;
    RankWork work;                     ///< with the segments of communication and optimizer added
    std::vector<double> stageElements; ///< parameters a rank of the stage holds
};

/// Builds the iteration: schedule steps as compute tasks a layer each, transfers between stages, gradient and parameter
/// communication as buckets beside backward and forward (or after them, without overlap), the optimizer behind the gradient
/// norm that all stages wait for.
Iteration buildIteration(const Scenario& scenario, RankWork work);

} // namespace orrery
