// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/scheduler.hpp"

#include "core/base/mixed_bits.hpp"
#include "core/serving/scheduling_strategy.hpp"

#include <algorithm>

namespace orrery {

std::unique_ptr<SchedulingStrategy> makeStrategy(const EngineSettings& settings) {
    constexpr double v0Watermark = 0.01;
    switch (settings.policy) {
    case SchedulerPolicy::vllm: return makeRunningFirst({});
    case SchedulerPolicy::vllm_v0: return settings.chunkedPrefill ? makeRunningFirst({true, v0Watermark, false}) : makePrefillFirst(v0Watermark);
    case SchedulerPolicy::trtllm_guaranteed_no_evict: return makeRunningFirst({true, 0, true});
    case SchedulerPolicy::trtllm_max_utilization: return makeRunningFirst({true, 0, false});
    case SchedulerPolicy::sglang: return makeSglang();
    }
    return makeRunningFirst({});
}

bool SchedulingStrategy::canEverRun(const Scheduler&, int, int) const { return true; }
bool SchedulingStrategy::isSteady(const Scheduler&) const { return true; }

Scheduler::Scheduler(const EngineSettings& engine, const RequestList& requests, std::vector<RequestState>& states, RunLog& log)
    : settings(engine), pool(engine.blocks, engine.prefixCaching), waiting(engine.order), requests_(requests), states_(states), log_(log), strategy_(makeStrategy(engine)) {}

Scheduler::~Scheduler() = default;

Rejection Scheduler::refusal(int input, int target) const {
    const std::int64_t all = std::int64_t{input} + target;
    if (all > settings.maxModelLength) return Rejection::longer_than_model;
    // The last token is never computed on; drafts and what a drafting model writes need a place behind the newest.
    const std::int64_t slots = std::min<std::int64_t>(all - 1 + (target > 1 ? draftSlots() : 0), settings.maxModelLength);
    if (slots > std::int64_t{pool.blocks()} * settings.blockSize || !strategy_->canEverRun(*this, input, target)) return Rejection::longer_than_pool;
    if (!settings.chunkedPrefill && input > settings.maxBatchedTokens) return Rejection::longer_than_step;
    return Rejection::none;
}

void Scheduler::enqueue(int request, double now) {
    RequestState& entered = state(request);
    entered.phase = RequestState::Phase::waiting;
    entered.waitingSince = now;
    waiting.pushBack(request, entered.priority, entered.arrival);
}

bool Scheduler::plan(double now, StepPlan& plan) {
    plan.chunks.clear();
    plan.batch.prefills.clear();
    plan.batch.decodes = plan.batch.draftTokens = 0;
    plan.batch.decodeContext = 0;
    plan.contextSum = 0;
    plan.preempted.clear();
    plan_ = &plan;
    now_ = now;
    std::size_t lost = 0;
    do { // who lost their place may have left the plan empty: vLLM plans again at once
        lost = plan.preempted.size();
        strategy_->plan(*this);
    } while (plan.chunks.empty() && plan.preempted.size() > lost);
    finishPlan();
    return !plan.chunks.empty();
}

void Scheduler::finishPlan() {
    for (PlannedChunk& chunk : plan_->chunks) {
        RequestState& request = state(chunk.request);
        const int before = request.computed;
        if (request.known() - before == 1) {
            ++plan_->batch.decodes;
            plan_->batch.draftTokens += chunk.drafts;
            plan_->contextSum += before;
        } else {
            plan_->batch.prefills.push_back({chunk.tokens, before});
        }
        request.computed = before + chunk.tokens;
        chunk.emits = request.computed - chunk.drafts == request.known();
        chunk.preemptions = request.preemptions;
        if (!chunk.emits) continue;
        ++request.pending;
        request.inFlight += 1 + chunk.drafts;
    }
    if (plan_->batch.decodes > 0) plan_->batch.decodeContext = static_cast<double>(plan_->contextSum) / plan_->batch.decodes;
}

std::vector<int>& Scheduler::tableOf(RequestState& request) {
    if (!pool.caches()) return noTable_;
    if (request.table < 0) {
        if (freeTables_.empty()) {
            freeTables_.push_back(static_cast<int>(tables_.size()));
            tables_.emplace_back();
        }
        request.table = freeTables_.back();
        freeTables_.pop_back();
    }
    return tables_[static_cast<std::size_t>(request.table)];
}

void Scheduler::dropTable(RequestState& request) {
    if (request.table < 0) return;
    tables_[static_cast<std::size_t>(request.table)].clear();
    freeTables_.push_back(request.table);
    request.table = -1;
}

void Scheduler::takeBlocks(RequestState& request, int count) {
    pool.take(count, tableOf(request));
    request.blocks += count;
}

bool Scheduler::reserveMore(RequestState& holder, int tokens) {
    const int needed = blocksFor(tokens + settings.speculative.lookahead) - holder.blocks;
    if (needed <= 0) return true;
    if (needed > pool.free()) return false;
    takeBlocks(holder, needed);
    return true;
}

BlockPool::Key Scheduler::keyOf(int request, int block, bool& findable) const {
    constexpr BlockPool::Key top = BlockPool::Key{1} << 63U;
    const Request& asked = requests_.requests[static_cast<std::size_t>(request)];
    const std::int64_t last = std::int64_t{block + 1} * settings.blockSize - 1; // token
    const std::int64_t hash = last / requests_.hashBlockSize;
    findable = last < asked.input && hash < static_cast<std::int64_t>(asked.hashes.size());
    if (!findable) return top | static_cast<BlockPool::Key>(request) << 31U | static_cast<BlockPool::Key>(block + 1); // nobody else's
    // The chained hash of the block in which the last token lies names all tokens up to it.
    return (mixedBits((asked.hashes[static_cast<std::size_t>(hash)] << 22U) + static_cast<std::uint64_t>(block) + 1) & ~top) | 1U;
}

int Scheduler::cachedBlocks(int request) {
    hits_.clear();
    if (!pool.caches()) return 0;
    RequestState& asking = state(request);
    const int most = (asking.known() - 1) / settings.blockSize;
    for (int block = 0; block < most; ++block) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, block, findable);
        int found = -1;
        if (findable) {
            found = pool.find(key);
        } else if (asking.table >= 0) { // what it had before it was preempted
            const std::vector<int>& before = tables_[static_cast<std::size_t>(asking.table)];
            if (block < static_cast<int>(before.size()) && pool.keyOf(before[static_cast<std::size_t>(block)]) == key) found = before[static_cast<std::size_t>(block)];
        }
        if (found < 0) break;
        hits_.push_back(found);
    }
    return static_cast<int>(hits_.size());
}

bool Scheduler::admitFirst(int cached, int tokens, int spare) {
    const int request = waiting.first();
    RequestState& admitted = state(request);
    const int needed = std::max(0, blocksFor(tokens) - cached);
    int revived = 0; // hits that nobody uses leave the queue of free blocks
    for (int i = 0; i < cached; ++i)
        if (pool.isFree(hits_[static_cast<std::size_t>(i)])) ++revived;
    if (needed + revived + spare > pool.free()) return false;

    waiting.popFirst();
    running.push_back(request);
    admitted.phase = RequestState::Phase::running;
    if (pool.caches()) {
        std::vector<int>& table = tableOf(admitted);
        for (int i = 0; i < cached; ++i) pool.share(hits_[static_cast<std::size_t>(i)]);
        table.assign(hits_.begin(), hits_.begin() + cached);
    }
    admitted.blocks = admitted.namedBlocks = cached;
    takeBlocks(admitted, needed);
    admitted.computed = std::max(admitted.computed, cached * settings.blockSize);

    RequestRecord& record = log_.of(request);
    const double waited = now_ - admitted.waitingSince;
    if (admitted.preemptions > 0) {
        record.preempted += waited;
    } else {
        record.queued += waited;
        if (record.admitted < 0) {
            record.admitted = now_;
            record.cachedTokens = std::min(cached * settings.blockSize, admitted.input);
        }
    }
    return true;
}

void Scheduler::preempt(std::size_t position, bool toTheEnd) {
    const int request = running[position];
    RequestState& lost = state(request);
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(position));
    pool.giveBack(tableOf(lost), lost.blocks);
    lost.blocks = lost.namedBlocks = lost.computed = 0;
    lost.phase = RequestState::Phase::waiting;
    lost.waitingSince = now_;
    ++lost.preemptions;
    ++log_.of(request).preemptions;
    plan_->preempted.push_back(request);
    if (toTheEnd) waiting.pushBack(request, lost.priority, lost.arrival);
    else waiting.pushFront(request, lost.priority, lost.arrival);
}

void Scheduler::schedule(int request, int tokens) {
    const RequestState& scheduled = state(request);
    plan_->chunks.push_back({request, tokens, std::max(0, tokens - (scheduled.known() - scheduled.computed)), 0, false});
    nameBlocks(request, scheduled.computed + tokens);
}

int Scheduler::unschedule(int request) {
    for (auto chunk = plan_->chunks.begin(); chunk != plan_->chunks.end(); ++chunk) {
        if (chunk->request != request) continue;
        const int tokens = chunk->tokens;
        plan_->chunks.erase(chunk);
        return tokens;
    }
    return 0;
}

void Scheduler::nameMore(int request, int tokens) {
    RequestState& holder = state(request);
    const int full = std::min(tokens, holder.input + holder.generated) / settings.blockSize;
    if (full <= holder.namedBlocks) return;
    const std::vector<int>& table = tableOf(holder);
    for (; holder.namedBlocks < full; ++holder.namedBlocks) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, holder.namedBlocks, findable);
        pool.name(table[static_cast<std::size_t>(holder.namedBlocks)], key, findable);
    }
}

void Scheduler::end(int request) {
    RequestState& ended = state(request);
    if (ended.phase == RequestState::Phase::waiting) waiting.remove(request, ended.priority, ended.arrival);
    pool.giveBack(tableOf(ended), ended.blocks);
    ended.blocks = 0;
    dropTable(ended);
    ended.phase = RequestState::Phase::away;
}

void Scheduler::hold(int request) {
    RequestState& ended = state(request);
    if (ended.phase == RequestState::Phase::waiting) waiting.remove(request, ended.priority, ended.arrival);
    ended.phase = RequestState::Phase::away;
}

void Scheduler::freeHeld(int request) {
    RequestState& ended = state(request);
    pool.giveBack(tableOf(ended), ended.blocks);
    ended.blocks = 0;
    dropTable(ended);
}

void Scheduler::dropEnded() {
    std::erase_if(running, [&](int request) { return state(request).phase != RequestState::Phase::running; });
}

void Scheduler::skippedLikeSteps(int steps) { strategy_->skippedLikeSteps(steps); }
bool Scheduler::isSteady() const { return strategy_->isSteady(*this); }

} // namespace orrery
