// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/scheduling_strategy.hpp"
#include "core/order/serving/scheduler.hpp"

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
