// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/player.hpp"

#include "core/order/schedule/step_table.hpp"

#include <algorithm>

namespace orrery {
namespace {

class Player {
public:
    Player(const PipelineSchedule& schedule, const StepSeconds& seconds)
        : schedule_(schedule), seconds_(seconds), table_(schedule), done_(schedule.stages.size(), 0) {
        played_.busy.assign(schedule.stages.size(), 0);
        for (const auto& steps : schedule.stages) played_.steps.emplace_back(steps.size());
    }

    std::optional<PlayedSchedule> run() {
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t stage = 0; stage < done_.size(); ++stage)
                while (playNext(stage)) moved = true;
        }
        for (std::size_t stage = 0; stage < done_.size(); ++stage)
            if (done_[stage] != static_cast<int>(schedule_.stages[stage].size())) return std::nullopt;
        for (const auto& times : played_.steps)
            if (!times.empty()) played_.span = std::max(played_.span, times.back().end);
        return std::move(played_);
    }

private:
    /// When the inputs of a step are there; nothing when one is not yet.
    std::optional<double> inputsReady(const PipelineStep& step) const {
        double ready = 0;
        for (const PassInput& input : inputsOf(step, schedule_.placement)) {
            const StepPlace& maker = table_.maker(input);
            if (maker.stage < 0 || maker.index >= done_[static_cast<std::size_t>(maker.stage)]) return std::nullopt;
            ready = std::max(ready, played_.steps[static_cast<std::size_t>(maker.stage)][static_cast<std::size_t>(maker.index)].end);
        }
        return ready;
    }

    bool playNext(std::size_t stage) {
        const auto& steps = schedule_.stages[stage];
        const int first = done_[stage];
        if (first == static_cast<int>(steps.size()) || isCommunication(steps[static_cast<std::size_t>(first)].kind)) return false;
        const int length = unitLength(steps, first);
        auto& times = played_.steps[stage];
        double start = first == 0 ? 0 : times[static_cast<std::size_t>(first) - 1].end;
        for (int i = first; i < first + length; ++i) {
            const auto ready = inputsReady(steps[static_cast<std::size_t>(i)]);
            if (!ready) return false;
            start = std::max(start, *ready);
        }
        const double lasting = seconds_(static_cast<int>(stage), first);
        for (int i = first; i < first + length; ++i) times[static_cast<std::size_t>(i)] = {start, start + lasting};
        played_.busy[stage] += lasting;
        done_[stage] += length;
        return true;
    }

    const PipelineSchedule& schedule_;
    const StepSeconds& seconds_;
    StepTable table_;
    std::vector<int> done_; ///< by stage: steps that have run
    PlayedSchedule played_;
};

} // namespace

double PlayedSchedule::idleWithin(int stage) const {
    const auto& times = steps[static_cast<std::size_t>(stage)];
    return times.empty() ? 0 : times.back().end - times.front().start - busy[static_cast<std::size_t>(stage)];
}

double PlayedSchedule::mostIdle() const {
    double most = 0;
    for (std::size_t stage = 0; stage < steps.size(); ++stage) most = std::max(most, idle(static_cast<int>(stage)));
    return most;
}

double PlayedSchedule::mostIdleWithin() const {
    double most = 0;
    for (std::size_t stage = 0; stage < steps.size(); ++stage) most = std::max(most, idleWithin(static_cast<int>(stage)));
    return most;
}

std::optional<PlayedSchedule> playSchedule(const PipelineSchedule& schedule, const StepSeconds& seconds) {
    return Player(schedule, seconds).run();
}

std::optional<PlayedSchedule> playSchedule(const PipelineSchedule& schedule, const PassTimes& times) {
    const double backward = times.backwardInput + times.backwardWeight;
    return playSchedule(schedule, [&](int stage, int index) {
        const PipelineStep& step = schedule.stages[static_cast<std::size_t>(stage)][static_cast<std::size_t>(index)];
        if (step.withNext) return times.together.value_or(times.forward + backward);
        switch (step.kind) {
        case PassKind::forward: return times.forward;
        case PassKind::backward: return backward;
        case PassKind::backward_input: return times.backwardInput;
        case PassKind::backward_weight: return times.backwardWeight;
        default: return 0.0;
        }
    });
}

} // namespace orrery
