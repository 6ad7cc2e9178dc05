// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/communication.hpp"

#include "core/order/schedule/step_table.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace orrery {
namespace {

struct HandOver {
    PipelineStep send;
    PipelineStep receive;
    int to = 0;
};

/// What `pass` makes for a chunk on another stage.
std::optional<HandOver> handOverOf(const PipelineStep& pass, int stage, const Placement& placement) {
    const bool forward = pass.kind == PassKind::forward;
    if (!forward && pass.kind != PassKind::backward && pass.kind != PassKind::backward_input) return std::nullopt;
    const int next = pass.chunk + (forward ? 1 : -1);
    if (next < 0 || next == placement.modelChunks()) return std::nullopt;
    const int to = placement.stageOf(next, pass.microBatch);
    if (to == stage) return std::nullopt;
    return HandOver{{forward ? PassKind::send_activations : PassKind::send_gradients, false, pass.chunk, pass.microBatch},
                    {forward ? PassKind::receive_activations : PassKind::receive_gradients, false, pass.chunk, pass.microBatch},
                    to};
}

PipelineSchedule receivingBeforeUse(const PipelineSchedule& schedule) {
    PipelineSchedule result = schedule;
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        const auto& steps = schedule.stages[stage];
        auto& written = result.stages[stage];
        written.clear();
        const auto count = static_cast<int>(steps.size());
        for (int first = 0; first < count;) {
            const auto end = static_cast<std::size_t>(first + unitLength(steps, first));
            for (auto i = static_cast<std::size_t>(first); i < end; ++i) {
                for (const PassInput& input : inputsOf(steps[i], schedule.placement)) {
                    if (input.chunk == steps[i].chunk ||
                        schedule.placement.stageOf(input.chunk, input.microBatch) == static_cast<int>(stage))
                        continue;
                    const bool activations = input.result == PassResult::activations;
                    written.push_back({activations ? PassKind::receive_activations : PassKind::receive_gradients, false,
                                       static_cast<std::int16_t>(input.chunk), input.microBatch});
                }
            }
            const auto unit = static_cast<std::size_t>(first);
            for (std::size_t i = unit; i < end; ++i) written.push_back(steps[i]);
            for (std::size_t i = unit; i < end; ++i)
                if (const auto handOver = handOverOf(steps[i], static_cast<int>(stage), schedule.placement))
                    written.push_back(handOver->send);
            first = static_cast<int>(end);
        }
    }
    return result;
}

/// Plays the schedule in rounds of one unit a stage, so that all sends and receives follow one order common to the stages.
PipelineSchedule receivingAsSent(const PipelineSchedule& schedule) {
    const StepTable table(schedule);
    PipelineSchedule result = schedule;
    for (auto& steps : result.stages) steps.clear();
    std::vector<int> done(schedule.stages.size(), 0);
    while (true) {
        const std::vector<int> before = done;
        const auto ready = [&](std::size_t stage, int first, int length) {
            for (int i = first; i < first + length; ++i) {
                for (const PassInput& input : inputsOf(schedule.stages[stage][static_cast<std::size_t>(i)], schedule.placement)) {
                    const StepPlace& maker = table.maker(input);
                    if (maker.stage < 0 || maker.index >= before[static_cast<std::size_t>(maker.stage)]) return false;
                }
            }
            return true;
        };
        std::vector<std::pair<std::size_t, HandOver>> sent;
        for (std::size_t stage = 0; stage < done.size(); ++stage) {
            const auto& steps = schedule.stages[stage];
            const int first = before[stage];
            if (first == static_cast<int>(steps.size())) continue;
            const int length = unitLength(steps, first);
            if (!ready(stage, first, length)) continue;
            for (int i = first; i < first + length; ++i) {
                const PipelineStep& step = steps[static_cast<std::size_t>(i)];
                result.stages[stage].push_back(step);
                if (const auto handOver = handOverOf(step, static_cast<int>(stage), schedule.placement)) sent.emplace_back(stage, *handOver);
            }
            done[stage] += length;
        }
        for (const auto& [from, handOver] : sent) {
            result.stages[from].push_back(handOver.send);
            result.stages[static_cast<std::size_t>(handOver.to)].push_back(handOver.receive);
        }
        if (done == before) break;
    }
    for (std::size_t stage = 0; stage < done.size(); ++stage)
        if (done[stage] != static_cast<int>(schedule.stages[stage].size()))
            throw std::invalid_argument("The schedule deadlocks and cannot be given communication steps.");
    return result;
}

} // namespace

PipelineSchedule withCommunication(const PipelineSchedule& schedule, ReceivePlacement placement) {
    return placement == ReceivePlacement::before_use ? receivingBeforeUse(schedule) : receivingAsSent(schedule);
}

} // namespace orrery
