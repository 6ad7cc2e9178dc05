// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/step_table.hpp"

namespace orrery {

PassInputs inputsOf(const PipelineStep& pass, const Placement& placement) {
    PassInputs needed;
    const auto add = [&](PassResult result, int chunk) {
        needed.inputs[static_cast<std::size_t>(needed.count++)] = {result, chunk, pass.microBatch};
    };
    if (pass.kind == PassKind::forward) {
        if (pass.chunk > 0) add(PassResult::activations, pass.chunk - 1);
    } else if (pass.kind == PassKind::backward || pass.kind == PassKind::backward_input) {
        add(PassResult::activations, pass.chunk);
        if (pass.chunk + 1 < placement.modelChunks()) add(PassResult::gradient, pass.chunk + 1);
    } else if (pass.kind == PassKind::backward_weight) {
        add(PassResult::gradient, pass.chunk);
    }
    return needed;
}

StepTable::StepTable(const PipelineSchedule& schedule)
    : chunks_(schedule.placement.modelChunks()), microBatches_(schedule.placement.microBatches),
      places_(3 * static_cast<std::size_t>(chunks_) * static_cast<std::size_t>(microBatches_)) {
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        for (std::size_t index = 0; index < schedule.stages[stage].size(); ++index) {
            const PipelineStep& step = schedule.stages[stage][index];
            const auto leave = [&](PassResult result) {
                StepPlace& place = places_[slot(result, step.chunk, step.microBatch)];
                if (place.stage < 0) place = {static_cast<int>(stage), static_cast<int>(index)};
            };
            if (step.kind == PassKind::forward) leave(PassResult::activations);
            if (step.kind == PassKind::backward || step.kind == PassKind::backward_input) leave(PassResult::gradient);
            if (step.kind == PassKind::backward || step.kind == PassKind::backward_weight) leave(PassResult::weight_gradient);
        }
    }
}

int unitLength(const std::vector<PipelineStep>& steps, int index) {
    const auto count = static_cast<int>(steps.size());
    const auto at = [&](int i) -> const PipelineStep& { return steps[static_cast<std::size_t>(i)]; };
    if (!isCommunication(at(index).kind)) return at(index).withNext && index + 1 < count ? 2 : 1;
    int end = index;
    while (end < count && isCommunication(at(end).kind)) ++end;
    return end - index;
}

} // namespace orrery
