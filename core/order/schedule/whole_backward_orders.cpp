// SPDX-License-Identifier: GPL-3.0-or-later
// The orders that know only whole backwards: GPipe, 1F1B and interleaved 1F1B.
#include "core/order/schedule/orders.hpp"

#include <algorithm>

namespace orrery {
namespace {

using Steps = std::vector<PipelineStep>;

PipelineStep forwardOf(int microBatch, int chunk) {
    return {PassKind::forward, false, static_cast<std::int16_t>(chunk), microBatch};
}

PipelineStep backwardOf(int microBatch, int chunk) {
    return {PassKind::backward, false, static_cast<std::int16_t>(chunk), microBatch};
}

PipelineSchedule emptySchedule(const PipelineShape& shape, int chunksPerStage) {
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::loop, shape.stages, chunksPerStage, shape.microBatches};
    return schedule;
}

/// Every stage's forwards and backwards in their own orders, `warmup` forwards first, then one of each in turn, or both together.
Steps alternate(const Steps& forwards, const Steps& backwards, int warmup, bool paired = false) {
    Steps steps;
    steps.reserve(forwards.size() + backwards.size());
    const std::size_t ahead = std::min(forwards.size(), static_cast<std::size_t>(warmup));
    steps.insert(steps.end(), forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(ahead));
    for (std::size_t i = 0; i < backwards.size(); ++i) {
        if (ahead + i < forwards.size()) {
            steps.push_back(forwards[ahead + i]);
            steps.back().withNext = paired;
        }
        steps.push_back(backwards[i]);
    }
    return steps;
}

} // namespace

PipelineSchedule gpipeOrder(const PipelineShape& shape) {
    PipelineSchedule schedule = emptySchedule(shape, 1);
    for (int stage = 0; stage < shape.stages; ++stage) {
        Steps& steps = schedule.stages.emplace_back();
        for (int i = 0; i < shape.microBatches; ++i) steps.push_back(forwardOf(i, stage));
        for (int i = 0; i < shape.microBatches; ++i) steps.push_back(backwardOf(i, stage));
        schedule.mostInFlight.push_back(shape.microBatches);
    }
    return schedule;
}

PipelineSchedule oneForwardOneBackwardOrder(const PipelineShape& shape) {
    PipelineSchedule schedule = emptySchedule(shape, 1);
    for (int stage = 0; stage < shape.stages; ++stage) {
        Steps forwards;
        Steps backwards;
        for (int i = 0; i < shape.microBatches; ++i) {
            forwards.push_back(forwardOf(i, stage));
            backwards.push_back(backwardOf(i, stage));
        }
        schedule.stages.push_back(alternate(forwards, backwards, shape.stages - 1 - stage));
        schedule.mostInFlight.push_back(std::min(shape.microBatches, shape.stages - stage));
    }
    return schedule;
}

PipelineSchedule interleavedOrder(const PipelineShape& shape, bool paired) {
    const int chunks = shape.chunksPerStage;
    PipelineSchedule schedule = emptySchedule(shape, chunks);
    for (int stage = 0; stage < shape.stages; ++stage) {
        Steps forwards;
        Steps backwards;
        for (int group = 0; group < shape.microBatches; group += shape.stages) {
            for (int slot = 0; slot < chunks; ++slot) {
                for (int i = group; i < group + shape.stages; ++i) {
                    forwards.push_back(forwardOf(i, slot * shape.stages + stage));
                    backwards.push_back(backwardOf(i, (chunks - 1 - slot) * shape.stages + stage));
                }
            }
        }
        const int warmup = 2 * (shape.stages - 1 - stage) + (chunks - 1) * shape.stages + (paired ? 1 : 0);
        schedule.stages.push_back(alternate(forwards, backwards, warmup, paired));
        schedule.mostInFlight.push_back(std::min(shape.microBatches * chunks, warmup + 1));
    }
    return schedule;
}

} // namespace orrery
