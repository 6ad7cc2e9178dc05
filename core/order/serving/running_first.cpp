// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/scheduler.hpp"
#include "core/order/serving/scheduling_strategy.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

namespace {

/// Whom vLLM preempts: who was admitted last, or by priority who is least urgent (the first of several).
std::size_t victimOf(Scheduler& scheduler) {
    if (scheduler.settings.order == QueueOrder::fcfs) return scheduler.running.size() - 1;
    std::size_t victim = 0;
    for (std::size_t i = 1; i < scheduler.running.size(); ++i) {
        const RequestState &one = scheduler.state(scheduler.running[i]), &worst = scheduler.state(scheduler.running[victim]);
        if (one.priority > worst.priority || (one.priority == worst.priority && one.arrival > worst.arrival)) victim = i;
    }
    return victim;
}

class RunningFirst : public SchedulingStrategy {
public:
    explicit RunningFirst(const RunningFirstRules& rules) : rules_(rules) {}

    void plan(Scheduler& scheduler) override {
        budget_ = scheduler.settings.maxBatchedTokens;
        if (planRunning(scheduler)) admitWaiting(scheduler);
    }
    bool canEverRun(const Scheduler& scheduler, int input, int target) const override {
        const int slots = input + target - (rules_.reservesAnswer ? 0 : 1) + scheduler.slotsBehind(target);
        return mostBlocks(scheduler, slots) + spare(scheduler) <= scheduler.pool.blocks();
    }

private:
    /// Who is admitted with a place for all its tokens needs them before any lies behind a window.
    int mostBlocks(const Scheduler& scheduler, int tokens) const { return rules_.wholePrompt ? scheduler.blocksFor(tokens) : scheduler.mostBlocksFor(tokens); }
    int spare(const Scheduler& scheduler) const { return static_cast<int>(std::floor(rules_.watermark * scheduler.pool.blocks())); }

    /// False where somebody lost their place: then nobody is admitted in this step.
    bool planRunning(Scheduler& scheduler) {
        bool isEnough = true;
        for (std::size_t i = 0; i < scheduler.running.size() && budget_ > 0;) {
            const int request = scheduler.running[i];
            const RequestState& state = scheduler.state(request);
            const int tokens = std::min({scheduler.wanted(state), budget_, scheduler.settings.maxModelLength - 1 - state.computed});
            if (scheduler.isGivenAll(state) || tokens <= 0) {
                ++i;
                continue;
            }
            while (!scheduler.reserve(request, state.computed + tokens)) {
                isEnough = false;
                const std::size_t victim = victimOf(scheduler);
                const int loser = scheduler.running[victim];
                budget_ += scheduler.unschedule(loser);
                scheduler.preempt(victim);
                if (loser == request) return false;
                if (victim < i) --i;
            }
            scheduler.schedule(request, tokens);
            budget_ -= tokens;
            ++i;
        }
        return isEnough;
    }

    void admitWaiting(Scheduler& scheduler) {
        int promised = 0; // blocks, to those that run
        if (rules_.reservesAnswer && !scheduler.waiting.isEmpty())
            for (const int request : scheduler.running) promised += blocksToTheEnd(scheduler, request);
        while (!scheduler.waiting.isEmpty() && budget_ > 0 && static_cast<int>(scheduler.running.size()) < scheduler.settings.maxSeqs) {
            const int request = scheduler.waiting.first();
            const RequestState& state = scheduler.state(request);
            const int own = blocksToTheEnd(scheduler, request);
            if (rules_.reservesAnswer && promised + own > scheduler.pool.blocks()) break;
            const int cached = state.computed == 0 ? scheduler.cachedBlocks(request) : 0;
            const int before = std::max(state.computed, cached * scheduler.settings.blockSize);
            int tokens = state.known() - before;
            // Without chunks a prompt waits for a step that has room for it. What a preempted request had generated may have made it longer
            // than any step: then it runs alone (vLLM would wait for ever).
            const bool isAlone = scheduler.isPlanEmpty() && scheduler.running.empty();
            if (scheduler.settings.chunkedPrefill || isAlone) tokens = scheduler.settings.chunkedPrefill ? std::min(tokens, budget_) : tokens;
            else if (tokens > budget_) break;
            if (!scheduler.admitFirst(cached, rules_.wholePrompt ? state.known() : before + tokens, isAlone && state.preemptions > 0 ? 0 : spare(scheduler))) break;
            scheduler.schedule(request, tokens);
            budget_ -= tokens;
            promised += own;
        }
    }

    int blocksToTheEnd(Scheduler& scheduler, int request) const {
        const RequestState& state = scheduler.state(request);
        return std::min(mostBlocks(scheduler, state.input + state.target + scheduler.draftSlots()), scheduler.pool.blocks());
    }

    RunningFirstRules rules_;
    int budget_ = 0;
};

} // namespace

std::unique_ptr<SchedulingStrategy> makeRunningFirst(const RunningFirstRules& rules) { return std::make_unique<RunningFirst>(rules); }

} // namespace orrery
