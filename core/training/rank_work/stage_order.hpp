// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/rank_work/model_chunks.hpp"

#include <array>
#include <vector>

namespace orrery {

/// The schedule of the scenario's plan. With `overlap.expert` forwards and backwards that nothing binds run as pairs where the
/// schedule has room for it; with the overlap pass off none do, DualPipe's neither.
PipelineSchedule scheduleOf(const Scenario& scenario);
/// The same with another number of micro-batches.
PipelineSchedule scheduleOf(const Scenario& scenario, int microBatches);

/// A unit's part in one step of the schedule.
struct UnitPass {
    const Unit* unit = nullptr;
    PipelineStep step;
    bool first = false, last = false; ///< of its step

    bool isForward() const { return step.kind == PassKind::forward; }
    /// Whether the unit's weights are read: a weight part multiplies activations and gradients only.
    bool readsWeights() const { return step.kind != PassKind::backward_weight; }
    /// Whether the micro-batch's gradients of the unit's weights are complete afterwards.
    bool endsGradients() const { return step.kind == PassKind::backward || step.kind == PassKind::backward_weight; }
};

/// What runs at once on a stage: a unit's pass, or a forward and a backward together.
struct PlacedWork {
    std::array<UnitPass, 2> passes;
    int count = 1;

    const UnitPass* begin() const { return passes.data(); }
    const UnitPass* end() const { return passes.data() + count; }
};

/// A stage's steps unit by unit: forwards from the first to the last, backwards from the last to the first. Units of
/// steps that run together stand beside each other; what one step has more runs alone.
std::vector<PlacedWork> stageOrder(const std::vector<PipelineStep>& steps, const ModelChunks& chunks);

/// The segment of a pass.
std::uint32_t segmentOf(const UnitPass& pass);

} // namespace orrery
