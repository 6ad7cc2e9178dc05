// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/paired_orders.hpp"

#include "core/schedule/player.hpp"
#include "core/schedule/step_table.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// One forward ahead of the backwards, so that each has a stranger beside it; holds one micro-batch more than 1F1B would.
PipelineSchedule oneAhead(const PipelineShape& shape) {
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::loop, 1, 1, shape.microBatches};
    std::vector<PipelineStep>& steps = schedule.stages.emplace_back();
    for (int i = 0; i < shape.microBatches; ++i) {
        steps.push_back({PassKind::forward, i > 0, 0, i});
        if (i > 0) steps.push_back({PassKind::backward, false, 0, i - 1});
    }
    steps.push_back({PassKind::backward, false, 0, shape.microBatches - 1});
    schedule.mostInFlight.push_back(std::min(2, shape.microBatches));
    return schedule;
}

} // namespace

bool canRunPaired(PipelineOrder order, const PipelineShape& shape) {
    switch (traitsOf(order).pairRoom) {
    case PairRoom::none: return false;
    case PairRoom::single_stage: return shape.stages == 1 && shape.chunksPerStage == 1;
    case PairRoom::several_chunks: return shape.chunksPerStage > 1;
    }
    return false;
}

PipelineSchedule pairedOrder(PipelineOrder order, const PipelineShape& shape) {
    if (shape.stages == 1) return oneAhead(shape);
    PipelineSchedule schedule = makePipelineSchedule(order, shape);
    const auto played = playSchedule(schedule, PassTimes{});
    const StepTable table(schedule);
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        std::vector<PipelineStep>& steps = schedule.stages[stage];
        for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
            if (steps[i].kind != PassKind::forward || steps[i + 1].kind != PassKind::backward) continue;
            // Only where the backward could begin with the forward: so no pair can ever wait for itself.
            double ready = 0;
            for (const PassInput& input : inputsOf(steps[i + 1], schedule.placement)) {
                const StepPlace& maker = table.maker(input);
                ready = std::max(ready, played->steps[static_cast<std::size_t>(maker.stage)][static_cast<std::size_t>(maker.index)].end);
            }
            steps[i].withNext = ready <= played->steps[stage][i].start;
        }
    }
    return schedule;
}

} // namespace orrery
