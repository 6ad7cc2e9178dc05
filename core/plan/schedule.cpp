#include "core/plan/schedule.hpp"

#include <algorithm>

namespace orrery {
namespace {

std::vector<Step> gpipeStage(int microBatches) {
    std::vector<Step> steps;
    steps.reserve(2 * static_cast<std::size_t>(microBatches));
    for (int i = 0; i < microBatches; ++i) steps.push_back({StepKind::forward, i, 0});
    for (int i = 0; i < microBatches; ++i) steps.push_back({StepKind::backward, i, 0});
    return steps;
}

/// Every stage's forwards and backwards in their own orders, `warmup` forwards first, then one of each in turn.
std::vector<Step> alternate(const std::vector<Step>& forwards, const std::vector<Step>& backwards, std::size_t warmup) {
    std::vector<Step> steps;
    steps.reserve(forwards.size() + backwards.size());
    std::size_t f = 0;
    std::size_t b = 0;
    while (f < warmup) steps.push_back(forwards[f++]);
    while (f < forwards.size()) {
        steps.push_back(forwards[f++]);
        steps.push_back(backwards[b++]);
    }
    while (b < backwards.size()) steps.push_back(backwards[b++]);
    return steps;
}

std::vector<Step> oneForwardOneBackward(int pipeline, int stage, int microBatches) {
    std::vector<Step> forwards;
    std::vector<Step> backwards;
    for (int i = 0; i < microBatches; ++i) {
        forwards.push_back({StepKind::forward, i, 0});
        backwards.push_back({StepKind::backward, i, 0});
    }
    return alternate(forwards, backwards, static_cast<std::size_t>(std::min(pipeline - 1 - stage, microBatches)));
}

std::vector<Step> interleavedStage(int pipeline, int chunks, int stage, int microBatches) {
    std::vector<Step> forwards;
    std::vector<Step> backwards;
    for (int group = 0; group < microBatches; group += pipeline) {
        const int end = std::min(group + pipeline, microBatches);
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int i = group; i < end; ++i) {
                forwards.push_back({StepKind::forward, i, static_cast<std::int16_t>(chunk)});
                backwards.push_back({StepKind::backward, i, static_cast<std::int16_t>(chunks - 1 - chunk)});
            }
        }
    }
    const std::size_t warmup = static_cast<std::size_t>(2 * (pipeline - 1 - stage) + (chunks - 1) * pipeline);
    return alternate(forwards, backwards, std::min(warmup, forwards.size()));
}

} // namespace

Schedule makeSchedule(ScheduleKind kind, int pipeline, int virtualPipeline, int microBatches) {
    Schedule schedule;
    for (int stage = 0; stage < pipeline; ++stage) {
        if (kind == ScheduleKind::gpipe)
            schedule.push_back(gpipeStage(microBatches));
        else if (virtualPipeline > 1)
            schedule.push_back(interleavedStage(pipeline, virtualPipeline, stage, microBatches));
        else
            schedule.push_back(oneForwardOneBackward(pipeline, stage, microBatches));
    }
    return schedule;
}

} // namespace orrery
