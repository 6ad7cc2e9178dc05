// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/scheduler.hpp"

#include "core/base/expect.hpp"
#include "core/base/mixed_bits.hpp"
#include "core/order/serving/policy_traits.hpp"

#include <array>
#include <utility>

namespace orrery {

bool SchedulingStrategy::canEverRun(const Scheduler&, int, int) const { return true; }
bool SchedulingStrategy::isSteady(const Scheduler&) const { return true; }

Scheduler::Scheduler(const EngineSettings& engine, const RequestList& requests, std::vector<RequestState>& states, RunLog& log, const CacheWindow& window)
    : settings(engine), pool(engine.blocks, engine.prefixCaching, window), waiting(engine.order), requests_(requests), states_(states), log_(log), strategy_(traitsOf(engine.policy).strategy(engine)) {
    ORRERY_EXPECT(engine.maxSeqs >= 1 && engine.maxBatchedTokens >= 1 && engine.blockSize >= 1, engine.maxSeqs, engine.maxBatchedTokens, engine.blockSize);
    ORRERY_EXPECT(engine.speculative.tokens >= 0 && engine.speculative.acceptance >= 0 && engine.speculative.acceptance <= 1, engine.speculative.tokens, engine.speculative.acceptance);
}

Scheduler::~Scheduler() = default;

Rejection Scheduler::refusal(int input, int target) const {
    const std::int64_t all = std::int64_t{input} + target;
    if (all > settings.maxModelLength) return Rejection::longer_than_model;
    // The last token is never computed on; drafts and what a drafting model writes need a place behind the newest.
    const std::int64_t slots = std::min<std::int64_t>(all - 1 + slotsBehind(target), settings.maxModelLength);
    if (mostBlocksFor(static_cast<int>(slots)) > pool.blocks() || !strategy_->canEverRun(*this, input, target)) return Rejection::longer_than_pool;
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
    plan.loaded = 0;
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

BlockTable& Scheduler::tableOf(RequestState& request) {
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
    BlockTable& table = tableOf(request);
    if (pool.keeps(PageKind::whole)) pool.take(PageKind::whole, count, table.whole);
    if (pool.keeps(PageKind::windowed)) pool.take(PageKind::windowed, count, table.windowed);
    request.blocks += count;
}

void Scheduler::leaveBehind(RequestState& holder, int computed) {
    const int behind = std::min(holder.blocks, pool.window().blocksBehind(computed, settings.blockSize));
    if (behind <= holder.behind) return;
    pool.giveBack(PageKind::windowed, tableOf(holder).windowed, holder.behind, behind);
    holder.behind = behind;
    holder.leftBehind = true;
}

/// The pages of a block go together, though vLLM gives back kind by kind: who has nothing behind a window keeps its place in the queue.
void Scheduler::giveBack(RequestState& holder) {
    const BlockTable& table = tableOf(holder);
    if (!pool.keeps(PageKind::windowed)) {
        pool.giveBack(PageKind::whole, table.whole, 0, holder.blocks);
    } else {
        for (int block = holder.blocks - 1; block >= 0; --block) {
            if (pool.keeps(PageKind::whole)) pool.giveBack(PageKind::whole, table.whole, block, block + 1);
            if (block >= holder.behind) pool.giveBack(PageKind::windowed, table.windowed, block, block + 1);
        }
    }
    holder.blocks = holder.behind = 0;
}

bool Scheduler::reserveMore(RequestState& holder, int tokens) {
    const int needed = blocksFor(tokens + settings.speculative.lookahead) - holder.blocks;
    if (needed <= 0) return true;
    if (pool.freeBeside(needed, needed) < 0) return false;
    takeBlocks(holder, needed);
    return true;
}

void Scheduler::goOn(int request, int computed) {
    ORRERY_EXPECT(computed >= 0, request, computed);
    RequestState& holder = state(request);
    if (pool.keeps(PageKind::windowed)) {
        nameBlocks(request, computed);
        leaveBehind(holder, computed);
    }
    if (holder.blocks * settings.blockSize <= computed) takeBlocks(holder, 1);
}

BlockPool::Key Scheduler::keyOf(int request, int block, PageKind kind, bool& findable) const {
    constexpr BlockPool::Key top = BlockPool::Key{1} << 63U;
    const BlockPool::Key ofKind = BlockPool::Key{kind == PageKind::windowed} << 62U;
    const Request& asked = requests_.requests[static_cast<std::size_t>(request)];
    const std::int64_t last = std::int64_t{block + 1} * settings.blockSize - 1; // token
    const std::int64_t hash = last / requests_.hashBlockSize;
    const std::int64_t told = requests_.answersHashed ? std::int64_t{asked.input} + asked.output : asked.input;
    findable = last < told && hash < static_cast<std::int64_t>(asked.hashes.size());
    if (!findable) { // nobody else's; mixed where they come into the hash table, which takes few bits of a key
        const BlockPool::Key own = static_cast<BlockPool::Key>(request) << 31U | static_cast<BlockPool::Key>(block + 1);
        return pool.keeps(PageKind::windowed) ? (mixedBits(own) | top) ^ ofKind : own | top;
    }
    // The chained hash of the block in which the last token lies names all tokens up to it.
    return ((mixedBits((asked.hashes[static_cast<std::size_t>(hash)] << 22U) + static_cast<std::uint64_t>(block) + 1) & ~top) | 1U) ^ ofKind;
}

/// The page that holds a block of a waiting request, or −1.
int Scheduler::foundPage(int request, int block, PageKind kind) {
    bool findable = false;
    const BlockPool::Key key = keyOf(request, block, kind, findable);
    if (findable || state(request).leftBehind) return pool.find(key); // see publish()
    const int own = state(request).table;
    if (own < 0) return -1;
    const std::vector<int>& before = tables_[static_cast<std::size_t>(own)].of(kind); // what it had before it was preempted
    return block < static_cast<int>(before.size()) && pool.keyOf(before[static_cast<std::size_t>(block)]) == key ? before[static_cast<std::size_t>(block)] : -1;
}

/// Who loses its place finds what was its own by its table. Windows leave gaps there, which pages of former times may fill: those are found by
/// their keys.
void Scheduler::publish(int request) {
    BlockTable& table = tableOf(state(request));
    for (const PageKind kind : {PageKind::whole, PageKind::windowed}) {
        const std::vector<int>& pages = table.of(kind);
        for (int block = 0; block < std::min(state(request).namedBlocks, static_cast<int>(pages.size())); ++block) {
            bool findable = false;
            const BlockPool::Key key = keyOf(request, block, kind, findable);
            const int page = pages[static_cast<std::size_t>(block)];
            if (!findable && page >= 0 && pool.keyOf(page) == key) pool.publish(page);
        }
    }
}

int Scheduler::cachedBlocks(int request) {
    hits_.clear();
    tierHits_.clear();
    if (!pool.caches()) return 0;
    int blocks = (state(request).known() - 1) / settings.blockSize;
    if (pool.keeps(PageKind::whole)) {
        for (int block = 0; block < blocks; ++block) {
            const int page = foundPage(request, block, PageKind::whole);
            if (page < 0) break;
            hits_.whole.push_back(page);
        }
        if (tiers_) findInTiers(request, blocks);
        blocks = static_cast<int>(hits_.whole.size() + tierHits_.size());
    }
    return pool.keeps(PageKind::windowed) ? windowedHits(request, blocks) : blocks;
}

/// Layers with windows need what the next token sees alone: the longest beginning of so many blocks of which they have that.
int Scheduler::windowedHits(int request, int blocks) {
    hits_.windowed.assign(static_cast<std::size_t>(blocks), -1);
    const auto behind = [&] { return pool.window().blocksBehind(std::int64_t{blocks} * settings.blockSize, settings.blockSize); };
    for (int block = blocks - 1; block >= behind(); --block) {
        const int page = foundPage(request, block, PageKind::windowed);
        hits_.windowed[static_cast<std::size_t>(block)] = page;
        if (page < 0) blocks = block;
    }
    return blocks;
}

bool Scheduler::admitFirst(int cached, int tokens, int spare) {
    const int request = waiting.first();
    RequestState& admitted = state(request);
    const int blocks = std::max(cached, blocksFor(tokens)), computed = std::max(admitted.computed, cached * settings.blockSize);
    const int behind = std::min(blocks, pool.window().blocksBehind(computed, settings.blockSize));
    const int shared = tiers_ ? std::min(cached, static_cast<int>(hits_.whole.size())) : cached; // the rest is loaded
    const int hitsWhole = pool.keeps(PageKind::whole) ? shared : 0, hitsWindowed = pool.keeps(PageKind::windowed) ? cached : 0;
    const int whole = blocks - shared, windowed = blocks - std::max(cached, behind); // pages of their own
    int revivedWhole = 0, revivedWindowed = 0;                                       // hits that nobody uses leave the queue of free pages
    for (int i = 0; i < hitsWhole; ++i) revivedWhole += int{pool.isFree(hits_.whole[static_cast<std::size_t>(i)])};
    for (int i = behind; i < hitsWindowed; ++i) revivedWindowed += int{pool.isFree(hits_.windowed[static_cast<std::size_t>(i)])};
    if (pool.freeBeside(whole + revivedWhole, windowed + revivedWindowed) < spare) return false;

    waiting.popFirst();
    running.push_back(request);
    admitted.phase = RequestState::Phase::running;
    BlockTable& table = tableOf(admitted);
    if (pool.caches()) {
        for (int i = 0; i < hitsWhole; ++i) pool.share(hits_.whole[static_cast<std::size_t>(i)]);
        for (int i = behind; i < hitsWindowed; ++i) pool.share(hits_.windowed[static_cast<std::size_t>(i)]);
        table.whole.assign(hits_.whole.begin(), hits_.whole.begin() + hitsWhole);
        table.windowed.assign(hits_.windowed.begin(), hits_.windowed.begin() + hitsWindowed);
        if (pool.keeps(PageKind::windowed)) table.windowed.resize(static_cast<std::size_t>(blocks - windowed), -1);
    }
    if (pool.keeps(PageKind::whole)) pool.take(PageKind::whole, whole, table.whole);
    if (pool.keeps(PageKind::windowed)) pool.take(PageKind::windowed, windowed, table.windowed);
    admitted.blocks = blocks;
    admitted.namedBlocks = shared;
    admitted.behind = behind;
    admitted.leftBehind = admitted.leftBehind || behind > 0;
    admitted.computed = computed;

    RequestRecord& record = log_.of(request);
    const double waited = now_ - admitted.waitingSince;
    if (admitted.preemptions > 0) {
        record.preempted += waited;
    } else {
        record.queued += waited;
        if (record.admitted < 0) {
            record.admitted = now_;
            record.cachedTokens = std::min(cached * settings.blockSize, admitted.input);
            for (int i = shared; i < cached; ++i) {
                const auto kind = static_cast<std::size_t>(tiers_->tier(tierHits_[static_cast<std::size_t>(i - shared)]).settings.kind);
                record.tierTokens[kind] += std::max(0, std::min(settings.blockSize, admitted.input - i * settings.blockSize));
            }
        }
    }
    if (tiers_) loadFromTiers(request, shared, cached);
    return true;
}

void Scheduler::preempt(std::size_t position, bool toTheEnd) {
    ORRERY_EXPECT(position < running.size(), position, running.size());
    const int request = running[position];
    RequestState& lost = state(request);
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(position));
    if (pool.caches() && pool.keeps(PageKind::windowed)) publish(request);
    giveBack(lost);
    lost.namedBlocks = lost.computed = 0;
    lost.phase = RequestState::Phase::waiting;
    lost.waitingSince = now_;
    ++lost.preemptions;
    ++log_.of(request).preemptions;
    plan_->preempted.push_back(request);
    if (toTheEnd) waiting.pushBack(request, lost.priority, lost.arrival);
    else waiting.pushFront(request, lost.priority, lost.arrival);
}

void Scheduler::schedule(int request, int tokens) {
    ORRERY_EXPECT(tokens >= 1, request, tokens);
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
    BlockTable& table = tableOf(holder);
    const auto name = [&](PageKind kind) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, holder.namedBlocks, kind, findable);
        pool.name(table.of(kind)[static_cast<std::size_t>(holder.namedBlocks)], key, findable);
    };
    const int first = holder.namedBlocks;
    for (; holder.namedBlocks < full; ++holder.namedBlocks) {
        if (pool.keeps(PageKind::whole)) name(PageKind::whole);
        if (pool.keeps(PageKind::windowed) && holder.namedBlocks >= holder.behind) name(PageKind::windowed);
    }
    if (tiers_) nameInTiers(request, first, full);
}

void Scheduler::end(int request) {
    RequestState& ended = state(request);
    if (ended.phase == RequestState::Phase::waiting) waiting.remove(request, ended.priority, ended.arrival);
    if (tiers_) touchInTiers(request, ended.namedBlocks);
    giveBack(ended);
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
    if (tiers_) touchInTiers(request, ended.namedBlocks);
    giveBack(ended);
    dropTable(ended);
}

void Scheduler::dropEnded() {
    std::erase_if(running, [&](int request) { return state(request).phase != RequestState::Phase::running; });
}

void Scheduler::skippedLikeSteps(int steps) { strategy_->skippedLikeSteps(steps); }
bool Scheduler::isSteady() const { return strategy_->isSteady(*this); }

void Scheduler::attachTiers(std::shared_ptr<CacheTier> shared) {
    if (!pool.caches() || pool.keeps(PageKind::windowed)) return;
    tiers_ = std::make_unique<CacheTiers>(settings, std::move(shared));
    if (tiers_->size() == 0) return tiers_.reset();
    pool.onEviction = [this](BlockPool::Key key) { tiers_->evicted(key); };
}

/// Behind what the accelerators hold, block by block as far as any tier goes on.
void Scheduler::findInTiers(int request, int blocks) {
    for (int block = static_cast<int>(hits_.whole.size()); block < blocks; ++block) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, block, PageKind::whole, findable);
        const int tier = findable ? tiers_->find(key) : -1;
        if (tier < 0) return;
        tierHits_.push_back(tier);
    }
}

void Scheduler::loadFromTiers(int request, int first, int end) {
    Prefetched ahead;
    if (const auto known = prefetched_.find(request); known != prefetched_.end()) {
        ahead = known->second;
        prefetched_.erase(known);
    }
    std::array<int, cacheTierKindCount> loads{};
    for (int block = first; block < end; ++block) {
        const int tier = tierHits_[static_cast<std::size_t>(block - first)];
        if (tiers_->tier(tier).settings.prefetch && block >= ahead.first && block < ahead.end) plan_->loaded = std::max(plan_->loaded, ahead.until);
        else ++loads[static_cast<std::size_t>(tier)];
    }
    for (int tier = 0; tier < tiers_->size(); ++tier)
        if (const int blocks = loads[static_cast<std::size_t>(tier)]; blocks > 0) plan_->loaded = std::max(plan_->loaded, tiers_->load(tier, blocks, now_));
    touchInTiers(request, end);
}

void Scheduler::touchInTiers(int request, int blocks) {
    for (int block = blocks - 1; block >= 0; --block) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, block, PageKind::whole, findable);
        if (findable) tiers_->touch(key);
    }
}

/// The last one first, so that it is the first to go.
void Scheduler::nameInTiers(int request, int first, int end) {
    for (int block = end - 1; block >= first; --block) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, block, PageKind::whole, findable);
        if (findable) tiers_->computed(key);
    }
}

void Scheduler::prefetch(int request, double now) {
    if (!tiers_ || !tiers_->prefetches()) return;
    cachedBlocks(request);
    Prefetched ahead;
    ahead.first = ahead.end = static_cast<int>(hits_.whole.size());
    std::array<int, cacheTierKindCount> loads{};
    for (const int tier : tierHits_) {
        ++ahead.end;
        if (tiers_->tier(tier).settings.prefetch) ++loads[static_cast<std::size_t>(tier)];
    }
    for (int tier = 0; tier < tiers_->size(); ++tier)
        if (const int blocks = loads[static_cast<std::size_t>(tier)]; blocks > 0) ahead.until = std::max(ahead.until, tiers_->load(tier, blocks, now));
    if (ahead.until > 0) prefetched_[request] = ahead;
}

} // namespace orrery
