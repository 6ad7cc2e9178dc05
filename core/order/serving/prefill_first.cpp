// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/scheduler.hpp"
#include "core/order/serving/scheduling_strategy.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

namespace {

class PrefillFirst : public SchedulingStrategy {
public:
    explicit PrefillFirst(double watermark) : watermark_(watermark) {}

    void plan(Scheduler& scheduler) override {
        prefill(scheduler);
        decodes_ = scheduler.isPlanEmpty();
        if (decodes_) decode(scheduler);
    }
    bool canEverRun(const Scheduler& scheduler, int input, int target) const override {
        return scheduler.mostBlocksFor(input + target - 1 + scheduler.slotsBehind(target)) + spare(scheduler) <= scheduler.pool.blocks();
    }
    /// Who waits is looked at before windows leave blocks behind in a step, so the step after it may let somebody in. So it may after a step that
    /// let somebody in whose tokens but one the cache had: it looks like a step of decodes, and took of its tokens what the next waits for.
    bool isSteady(const Scheduler& scheduler) const override { return scheduler.waiting.isEmpty() || (decodes_ && !scheduler.pool.keeps(PageKind::windowed)); }

private:
    int spare(const Scheduler& scheduler) const { return static_cast<int>(std::floor(watermark_ * scheduler.pool.blocks())); }

    void prefill(Scheduler& scheduler) const {
        int budget = scheduler.settings.maxBatchedTokens;
        while (!scheduler.waiting.isEmpty() && static_cast<int>(scheduler.running.size()) < scheduler.settings.maxSeqs) {
            const int request = scheduler.waiting.first();
            const RequestState& state = scheduler.state(request);
            const int cached = state.computed == 0 ? scheduler.cachedBlocks(request) : 0;
            const int tokens = state.known() - std::max(state.computed, cached * scheduler.settings.blockSize);
            const bool isAlone = scheduler.isPlanEmpty() && scheduler.running.empty(); // see RunningFirst
            if (tokens > budget && !isAlone) break;
            if (!scheduler.admitFirst(cached, state.known(), isAlone ? 0 : spare(scheduler))) break;
            scheduler.schedule(request, tokens);
            budget -= tokens;
        }
    }

    static void decode(Scheduler& scheduler) {
        int budget = scheduler.settings.maxBatchedTokens;
        for (std::size_t i = 0; i < scheduler.running.size() && budget > 0; ++i) {
            const int request = scheduler.running[i];
            const RequestState& state = scheduler.state(request);
            const int tokens = std::min({scheduler.wanted(state), budget, scheduler.settings.maxModelLength - 1 - state.computed});
            if (scheduler.isGivenAll(state) || tokens <= 0) continue;
            while (!scheduler.reserve(request, state.computed + tokens)) {
                const std::size_t last = scheduler.running.size() - 1;
                scheduler.preempt(last);
                if (last == i) return;
            }
            scheduler.schedule(request, tokens);
            budget -= tokens;
        }
    }

    double watermark_;
    bool decodes_ = false; ///< the last plan let nobody in
};

} // namespace

std::unique_ptr<SchedulingStrategy> makePrefillFirst(double watermark) { return std::make_unique<PrefillFirst>(watermark); }

} // namespace orrery
