// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/scheduler.hpp"
#include "core/order/serving/scheduling_strategy.hpp"

#include <algorithm>

namespace orrery {

namespace {

// SGLang's own constants (environ.py): the share of their answers' rest that running requests are expected to need falls from step to step,
// and goes up again when that was too little.
constexpr double firstRatio = 0.7, leastRatio = firstRatio * 0.14, ratioFall = (firstRatio - leastRatio) / 600;
constexpr int mostExpected = 4096;   // tokens of one answer
constexpr int prefillTokens = 16384; // of a batch of several prompts
constexpr int stepsAhead = 20;       // that a retraction makes room for

class Sglang : public SchedulingStrategy {
public:
    void plan(Scheduler& scheduler) override {
        if (scheduler.running.empty()) ratio_ = firstRatio; // idle
        prefill(scheduler);
        if (scheduler.isPlanEmpty()) decode(scheduler);
    }
    bool canEverRun(const Scheduler& scheduler, int input, int target) const override {
        const EngineSettings& engine = scheduler.settings;
        const std::int64_t tokens = std::int64_t{input} + target + scheduler.draftSlots() + 1; // one place stays free
        return scheduler.pool.window().mostBlocks(tokens, engine.chunkedPrefill ? engine.maxBatchedTokens + engine.speculative.lookahead : tokens, engine.blockSize) <= scheduler.pool.blocks();
    }
    /// The ratio falls from step to step, so that somebody who waits may be let in.
    bool isSteady(const Scheduler& scheduler) const override { return scheduler.waiting.isEmpty(); }
    void skippedLikeSteps(int steps) override {
        for (; steps > 0; --steps) fall();
    }

private:
    void fall() { ratio_ = std::max(ratio_ - ratioFall, leastRatio); }

    void prefill(Scheduler& scheduler) const {
        const bool hasChunks = scheduler.settings.chunkedPrefill;
        int chunkLeft = hasChunks ? scheduler.settings.maxBatchedTokens : std::max(scheduler.settings.maxBatchedTokens, prefillTokens);
        int inputLeft = std::max(scheduler.settings.maxBatchedTokens, prefillTokens);
        double totalLeft = static_cast<double>(scheduler.pool.free()) * scheduler.settings.blockSize;
        for (const int request : scheduler.running) {
            const RequestState& state = scheduler.state(request);
            totalLeft -= ratio_ * std::min(state.target - state.generated, mostExpected);
        }
        bool isCut = false; // at most one prompt is under way in chunks
        for (const int request : scheduler.running) {
            const RequestState& state = scheduler.state(request);
            const int left = state.known() - state.computed;
            if (left <= 1 || scheduler.isGivenAll(state)) continue;
            const int tokens = std::min(left, chunkLeft);
            if (tokens <= 0 || !scheduler.reserve(request, state.computed + tokens)) continue;
            scheduler.schedule(request, tokens);
            totalLeft -= tokens;
            chunkLeft -= tokens;
            inputLeft -= tokens;
            isCut = tokens < left;
        }
        while (!isCut && chunkLeft > 0 && !scheduler.waiting.isEmpty() && static_cast<int>(scheduler.running.size()) < scheduler.settings.maxSeqs) {
            const int request = scheduler.waiting.first();
            const RequestState& state = scheduler.state(request);
            const int cached = state.computed == 0 ? scheduler.cachedBlocks(request) : 0;
            const int before = std::max(state.computed, cached * scheduler.settings.blockSize);
            const int left = state.known() - before, answer = std::min(state.target - state.generated, mostExpected);
            const bool isAlone = scheduler.isPlanEmpty() && scheduler.running.empty();
            if (!isAlone && left + answer >= totalLeft) break;
            if (left > inputLeft && !scheduler.isPlanEmpty()) break;
            int tokens = left;
            if (hasChunks && left > chunkLeft) {
                tokens = chunkLeft / scheduler.settings.blockSize * scheduler.settings.blockSize;
                if (tokens == 0 && isAlone) tokens = chunkLeft; // a step shorter than a block
                isCut = true;
            } else if (left > chunkLeft && !isAlone) break;
            if (tokens <= 0 || !scheduler.admitFirst(cached, before + tokens, 0)) break;
            scheduler.schedule(request, tokens);
            totalLeft -= tokens + (isCut ? 0 : answer);
            chunkLeft -= tokens;
            inputLeft -= tokens;
        }
    }

    /// Blocks that the next step of everybody who decodes needs.
    static int neededBlocks(Scheduler& scheduler) {
        int needed = 0;
        for (const int request : scheduler.running) {
            const RequestState& state = scheduler.state(request);
            if (scheduler.isGivenAll(state)) continue;
            needed += std::max(0, scheduler.blocksFor(state.computed + scheduler.wanted(state) + scheduler.settings.speculative.lookahead) - state.blocks);
        }
        return needed;
    }

    void decode(Scheduler& scheduler) {
        if (neededBlocks(scheduler) > scheduler.pool.free()) retract(scheduler);
        else fall();
        for (const int request : scheduler.running) {
            const RequestState& state = scheduler.state(request);
            const int tokens = std::min(scheduler.wanted(state), scheduler.settings.maxModelLength - 1 - state.computed);
            if (scheduler.isGivenAll(state) || tokens <= 0 || !scheduler.reserve(request, state.computed + tokens)) continue;
            scheduler.schedule(request, tokens);
        }
    }

    /// Those who have generated least lose their place, the longest prompt first, until the others have room for some steps.
    void retract(Scheduler& scheduler) {
        bool isFirst = true;
        while (scheduler.running.size() > 1 && (isFirst || std::int64_t{scheduler.pool.free()} * scheduler.settings.blockSize < static_cast<std::int64_t>(scheduler.running.size()) * stepsAhead)) {
            isFirst = false;
            std::size_t victim = 0;
            for (std::size_t i = 1; i < scheduler.running.size(); ++i) {
                const RequestState &one = scheduler.state(scheduler.running[i]), &least = scheduler.state(scheduler.running[victim]);
                if (one.generated < least.generated || (one.generated == least.generated && one.input >= least.input)) victim = i;
            }
            scheduler.preempt(victim, true);
        }
        double given = 0, asked = 0;
        for (const int request : scheduler.running) {
            const RequestState& state = scheduler.state(request);
            given += state.generated;
            asked += state.target;
        }
        ratio_ = std::min(1.0, (given + stepsAhead * static_cast<double>(scheduler.running.size())) / (asked + 1));
    }

    double ratio_ = firstRatio;
};

} // namespace

std::unique_ptr<SchedulingStrategy> makeSglang() { return std::make_unique<Sglang>(); }

} // namespace orrery
