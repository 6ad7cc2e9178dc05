#pragma once

#include "core/scenario/scenario.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

enum class StepKind : std::uint8_t { forward, backward };

/// One pass of one micro-batch through one chunk of a stage.
struct Step {
    StepKind kind = StepKind::forward;
    std::int32_t microBatch = 0;
    std::int16_t chunk = 0; ///< of the stage, from 0; chunk c of stage i is the model's chunk c·p + i
};

/// The steps of every stage in the order its compute stream runs them.
using Schedule = std::vector<std::vector<Step>>;

/// GPipe (Huang et al. 2019), 1F1B (Narayanan et al. 2021, figure 4) and interleaved 1F1B (figure 4, below).
/// Interleaving runs micro-batches in groups of `pipeline`; a last, smaller group is run the same way.
Schedule makeSchedule(ScheduleKind kind, int pipeline, int virtualPipeline, int microBatches);

} // namespace orrery
