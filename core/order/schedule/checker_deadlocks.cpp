// SPDX-License-Identifier: GPL-3.0-or-later
// Whether in-order streams get to their ends. A step once runnable stays so, hence any order of trying finds the same end.
#include "core/order/schedule/checker_parts.hpp"

namespace orrery {
namespace {

class StreamRunner {
public:
    StreamRunner(const PipelineSchedule& schedule, const StepTable& table, const TransferTable& transfers, SendMode mode)
        : schedule_(schedule), table_(table), transfers_(transfers), mode_(mode), done_(schedule.stages.size(), 0),
          posted_(schedule.stages.size(), 0) {}

    void run() {
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t stage = 0; stage < done_.size(); ++stage)
                while (advance(stage)) moved = true;
        }
    }

    void reportStuck(std::vector<ScheduleFault>& faults) const {
        for (std::size_t stage = 0; stage < done_.size(); ++stage) {
            if (done_[stage] == static_cast<int>(schedule_.stages[stage].size())) continue;
            const int end = done_[stage] + unitLength(schedule_.stages[stage], done_[stage]);
            for (int index = done_[stage]; index < end; ++index) {
                const StepPlace place{static_cast<int>(stage), index};
                const auto awaited = awaits(place);
                if (!awaited) continue;
                faults.push_back(faultAt(ScheduleFaultKind::deadlock, schedule_, place,
                                         "it waits for ever for " + withArticle(step(*awaited)) + ", " + toText(*awaited) + "."));
            }
        }
    }

private:
    const PipelineStep& step(StepPlace place) const {
        return schedule_.stages[static_cast<std::size_t>(place.stage)][static_cast<std::size_t>(place.index)];
    }
    bool isDone(StepPlace place) const { return place.index < done_[static_cast<std::size_t>(place.stage)]; }
    bool isPosted(StepPlace place) const { return place.index < posted_[static_cast<std::size_t>(place.stage)]; }

    /// What keeps a step that is next on its stage from ending, if anything.
    std::optional<StepPlace> awaits(StepPlace place) const {
        const PipelineStep& next = step(place);
        if (isCommunication(next.kind)) {
            const TransferPlaces& both = transfers_.at({handsGradients(next.kind), next.chunk, next.microBatch});
            const StepPlace other = isSend(next.kind) ? both.receive : both.send;
            const bool waits = !isSend(next.kind) || mode_ == SendMode::rendezvous;
            if (waits && !isPosted(other)) return other;
            return std::nullopt;
        }
        for (const PassInput& input : inputsOf(next, schedule_.placement))
            if (const StepPlace maker = table_.maker(input); !isDone(maker)) return maker;
        return std::nullopt;
    }

    bool advance(std::size_t stage) {
        const auto& steps = schedule_.stages[stage];
        if (done_[stage] == static_cast<int>(steps.size())) return false;
        const int end = done_[stage] + unitLength(steps, done_[stage]);
        const bool posts = posted_[stage] < end;
        if (posts && isCommunication(steps[static_cast<std::size_t>(done_[stage])].kind)) {
            posted_[stage] = end;
            return true;
        }
        for (int index = done_[stage]; index < end; ++index)
            if (awaits({static_cast<int>(stage), index})) return false;
        posted_[stage] = end;
        done_[stage] = end;
        return true;
    }

    const PipelineSchedule& schedule_;
    const StepTable& table_;
    const TransferTable& transfers_;
    SendMode mode_;
    std::vector<int> done_;   ///< by stage: steps that have ended
    std::vector<int> posted_; ///< by stage: steps that have ended, and the communication group it is in
};

} // namespace

void checkDeadlocks(const PipelineSchedule& schedule, const StepTable& table, const TransferTable& transfers, SendMode mode,
                    std::vector<ScheduleFault>& faults) {
    StreamRunner runner(schedule, table, transfers, mode);
    runner.run();
    runner.reportStuck(faults);
}

} // namespace orrery
