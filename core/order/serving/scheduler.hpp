// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/requests/request.hpp"
#include "core/order/serving/block_pool.hpp"
#include "core/order/serving/cache_tiers.hpp"
#include "core/order/serving/engine_settings.hpp"
#include "core/order/serving/run_log.hpp"
#include "core/order/serving/step_batch.hpp"
#include "core/order/serving/waiting_queue.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace orrery {

class SchedulingStrategy;

/// Where a request stands in the engine that has it.
struct RequestState {
    int input = 0;     ///< tokens of the prompt
    int target = 0;    ///< tokens that this engine generates
    int generated = 0; ///< tokens that have come out
    int inFlight = 0;  ///< tokens that steps under way will give, drafts counted as accepted
    int pending = 0;   ///< steps under way that will give a token
    int computed = 0;  ///< tokens whose keys and values are in the cache, those of steps under way included
    int blocks = 0;
    int namedBlocks = 0; ///< that the prefix cache knows
    int behind = 0;      ///< blocks that its window has left behind: of these it has no page of layers with windows
    int table = -1;      ///< its block table, where blocks are told apart
    int preemptions = 0;
    int priority = 0;
    double arrival = 0;
    double waitingSince = 0;
    double lastToken = 0; ///< s
    double credit = 0;    ///< expected drafts accepted that are no whole token yet
    enum class Phase : std::uint8_t { away,
                                      waiting,
                                      running } phase = Phase::away;
    bool wasAdmitted = false; ///< here
    bool leftBehind = false;  ///< some block, at any time

    int known() const { return input + generated + inFlight; }
};

/// Part of a step: some tokens of one request.
struct PlannedChunk {
    int request = 0;
    int tokens = 0;
    int drafts = 0;      ///< of these
    int preemptions = 0; ///< of the request when this was planned
    bool emits = false;  ///< the newest token is among them: a token comes out
};

struct StepPlan {
    std::vector<PlannedChunk> chunks;
    StepBatch batch;
    std::int64_t contextSum = 0; ///< of the decodes
    double loaded = 0;           ///< s, when the last block is there that somebody admitted here has loaded from a tier; 0: nobody
    std::vector<int> preempted;  ///< requests that lost their place, in order
};

/// The pages of a sequence's blocks, in order; −1: none that it ever had.
struct BlockTable {
    std::vector<int> whole, windowed;
    std::vector<int>& of(PageKind kind) { return kind == PageKind::whole ? whole : windowed; }
    void clear() {
        whole.clear();
        windowed.clear();
    }
};

/// Queues and cache of an engine, and what a strategy may do with them.
class Scheduler {
public:
    /// `requests` and `states` are indexed by request; `states` is shared by the instances that a request passes through one after the other.
    Scheduler(const EngineSettings& settings, const RequestList& requests, std::vector<RequestState>& states, RunLog& log, const CacheWindow& window = {});
    ~Scheduler();

    /// Why no plan could ever finish this many tokens.
    Rejection refusal(int input, int target) const;
    void enqueue(int request, double now);
    /// Keeps blocks in the settings' tiers as well; `shared`: the one that other instances use too. Not of a model with windows.
    void attachTiers(std::shared_ptr<CacheTier> shared);
    const CacheTiers* tiers() const { return tiers_.get(); }
    /// Begins to load what tiers with prefetch hold of a request that has arrived.
    void prefetch(int request, double now);
    /// Plans the next step and counts it as under way; false when nothing can run.
    bool plan(double now, StepPlan& plan);
    /// Gives back the place and blocks of a request that has ended; call dropEnded() once after some.
    void end(int request);
    void dropEnded();
    /// Keeps the blocks of a request that ends (for a transfer) until freeHeld().
    void hold(int request);
    void freeHeld(int request);
    /// Steps like the last one were run without being planned.
    void skippedLikeSteps(int steps);
    /// Until a request ends or arrives, every plan is all that run, a token each.
    bool isSteady() const;

    // What strategies use.
    const EngineSettings& settings;
    BlockPool pool;
    WaitingQueue waiting;
    std::vector<int> running; ///< in order of admission

    RequestState& state(int request) { return states_[static_cast<std::size_t>(request)]; }
    /// The engine knows already that steps under way give all its tokens.
    bool isGivenAll(const RequestState& request) const { return request.pending > 0 && request.generated + request.pending >= request.target; }
    /// Tokens that a running request wants to compute, drafts included.
    int wanted(const RequestState& request) const {
        const bool hasDrafts = request.generated + request.inFlight > 0;
        return request.known() - request.computed + (hasDrafts ? settings.speculative.tokens : 0);
    }
    /// Slots behind a request's tokens that drafts may come to need: steps planned ahead count all drafts of the step before as accepted.
    int draftSlots() const { return settings.speculative.tokens * (settings.asyncScheduling ? 2 : 1) + settings.speculative.lookahead; }
    /// Of these, those that a request of so many answered tokens comes to need: where its first token is all it gives here, nothing is drafted, yet
    /// its prompt's places go with those of a drafting model, which writes beside it (reserve()).
    int slotsBehind(int target) const { return target > 1 ? draftSlots() : settings.speculative.lookahead; }
    int blocksFor(int tokens) const { return (std::min(tokens, settings.maxModelLength) + settings.blockSize - 1) / settings.blockSize; }
    /// Most blocks' worth that a request of so many tokens takes of an empty pool at any time: a step's tokens have their places before those go
    /// that they leave behind their window.
    int mostBlocksFor(int tokens) const {
        const int kept = std::min(tokens, settings.maxModelLength);
        return static_cast<int>(pool.window().mostBlocks(kept, settings.chunkedPrefill ? settings.maxBatchedTokens + settings.speculative.lookahead : kept, settings.blockSize));
    }
    /// Gets blocks so that the first `tokens` of a running request have a place, and a drafting model's beyond; false where too few are free.
    bool reserve(int request, int tokens) {
        RequestState& holder = state(request);
        if (pool.keeps(PageKind::windowed)) leaveBehind(holder, holder.computed);
        return tokens + settings.speculative.lookahead <= holder.blocks * settings.blockSize || reserveMore(holder, tokens); // nearly always: no division
    }
    /// Blocks at the beginning of a waiting request's tokens that the cache has; at least one token stays to be computed.
    int cachedBlocks(int request);
    /// Admits the first of those waiting, who has `cached` blocks as cachedBlocks() said, with a place for its first `tokens`, if `spare` blocks
    /// stay free.
    bool admitFirst(int cached, int tokens, int spare);
    /// Takes place and blocks from a running request: it waits again, first in line (or last), and computes all anew.
    void preempt(std::size_t position, bool toTheEnd = false);
    /// Adds the next `tokens` of a running request to the plan.
    void schedule(int request, int tokens);
    /// Takes a request out of the plan; gives its tokens.
    int unschedule(int request);
    bool isPlanEmpty() const { return plan_->chunks.empty(); }

    /// Names full blocks whose tokens are settled, up to the first `tokens`.
    void nameBlocks(int request, int tokens) {
        if (pool.caches() && tokens >= (state(request).namedBlocks + 1) * settings.blockSize) nameMore(request, tokens);
    }
    /// What a plan does to the blocks of a request that goes on by one token behind the first `computed`.
    void goOn(int request, int computed);

private:
    void finishPlan();
    BlockTable& tableOf(RequestState& request);
    void takeBlocks(RequestState& request, int count);
    void giveBack(RequestState& holder);
    /// Lets go of what those do not see who come behind the first `computed` tokens.
    void leaveBehind(RequestState& holder, int computed);
    bool reserveMore(RequestState& holder, int tokens);
    void nameMore(int request, int tokens);
    void dropTable(RequestState& request);
    BlockPool::Key keyOf(int request, int block, PageKind kind, bool& findable) const;
    int foundPage(int request, int block, PageKind kind);
    void publish(int request);
    int windowedHits(int request, int blocks);
    void findInTiers(int request, int blocks);
    void loadFromTiers(int request, int first, int end);
    void nameInTiers(int request, int first, int end);
    void touchInTiers(int request, int blocks);

    const RequestList& requests_;
    std::vector<RequestState>& states_;
    RunLog& log_;
    std::unique_ptr<SchedulingStrategy> strategy_;
    StepPlan* plan_ = nullptr;
    double now_ = 0;
    std::vector<BlockTable> tables_;
    std::vector<int> freeTables_;
    BlockTable hits_;
    std::vector<int> tierHits_;         ///< tiers of the blocks behind these
    std::unique_ptr<CacheTiers> tiers_; ///< null: none
    struct Prefetched {
        int first = 0, end = 0; ///< blocks
        double until = 0;       ///< s, when they are there
    };
    std::unordered_map<int, Prefetched> prefetched_; ///< by request that waits
    BlockTable noTable_;                             ///< of all requests, where blocks are only counted
};

} // namespace orrery
