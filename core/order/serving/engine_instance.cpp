// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/engine_instance.hpp"
#include "core/base/mixed_bits.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr std::size_t longestRun = 4096; // steps: a request that comes unforeseen throws the rest of a run away

/// In [0, 1), a function of its arguments alone (SplitMix64).
double acceptanceDraw(std::uint64_t seed, std::uint64_t request, std::uint64_t position) {
    const std::uint64_t bits = mixedBits(seed * 0x9e3779b97f4a7c15ULL + request * 0xd1342543de82ef95ULL + position * 0xda942042e4dd58b5ULL + 0x632be59bd9b4e019ULL);
    return static_cast<double>(bits >> 11U) * 0x1p-53;
}

} // namespace

EngineInstance::EngineInstance(int number, const EngineSettings& settings, const StepClock& clock, const RequestList& requests, std::vector<RequestState>& states, RunLog& log, const CacheWindow& window)
    : number_(number), settings_(settings), clock_(clock), requests_(requests), states_(states), log_(log), scheduler_(settings, requests, states, log, window) {}

/// What others look for, or what is looked up as requests arrive, must be there when it is: then steps are planned one by one.
void EngineInstance::attachTiers(std::shared_ptr<CacheTier> shared) {
    const bool isShared = shared != nullptr;
    scheduler_.attachTiers(std::move(shared));
    if (const CacheTiers* tiers = scheduler_.tiers(); tiers != nullptr && (isShared || tiers->prefetches() || requests_.answersHashed)) stepByStep = true;
}

void EngineInstance::submit(int request, double now, double since) {
    if (role != InstanceRole::decode) {
        ++load_;
        log_.of(request).prefillInstance = log_.of(request).instance = number_;
    }
    if (settings_.receiveInterval > 1) unread_.push_back({request, since});
    else scheduler_.enqueue(request, since);
    if (role != InstanceRole::decode) scheduler_.prefetch(request, now);
    if (!running_ || ends_.size() == 1) return;
    // Who comes in the midst of a run takes part in the first plan from now on.
    const auto last = std::lower_bound(ends_.begin(), ends_.end(), now);
    if (last != ends_.end()) ends_.erase(last + 1, ends_.end());
}

void EngineInstance::fail(double now, std::vector<int>& lost) {
    if (running_) {
        const auto over = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), now) - ends_.begin());
        double begun = started_;
        if (over > 0) { // of a run of like steps, in which nobody ends
            begun = ends_[over - 1];
            ends_.resize(over);
            std::vector<int> nobody;
            stepEnds(ends_.front(), nobody);
        }
        totals.busySeconds += std::max(0.0, now - begun);
    }
    const std::size_t first = lost.size();
    lost.insert(lost.end(), scheduler_.running.begin(), scheduler_.running.end());
    for (; !scheduler_.waiting.isEmpty(); scheduler_.waiting.popFirst()) lost.push_back(scheduler_.waiting.first());
    for (const Received& one : unread_) {
        states_[static_cast<std::size_t>(one.request)].waitingSince = one.since;
        lost.push_back(one.request);
    }
    for (std::size_t i = first; i < lost.size(); ++i) {
        RequestState& state = states_[static_cast<std::size_t>(lost[i])];
        if (state.phase == RequestState::Phase::running) {
            state.waitingSince = now;
            ++state.preemptions; // what it waits from here on is no longer the queue
        }
        state.phase = RequestState::Phase::away;
        state.computed = state.blocks = state.namedBlocks = state.behind = state.inFlight = state.pending = 0;
        state.table = -1;
        state.wasAdmitted = state.leftBehind = false;
        ++log_.of(lost[i]).moves;
    }
}

double EngineInstance::seconds(const StepBatch& batch) const {
    const double step = clock_.seconds(batch);
    return settings_.asyncScheduling ? step : settings_.hostSeconds + step;
}

/// Looks for new requests where it is time to, or where there is nothing else to do.
void EngineInstance::receive() {
    const bool isIdle = scheduler_.running.empty() && scheduler_.waiting.isEmpty();
    if (stepsUnread_ < settings_.receiveInterval && !isIdle) return;
    for (const Received& one : unread_) scheduler_.enqueue(one.request, one.since);
    unread_.clear();
    stepsUnread_ = 0;
}

bool EngineInstance::launch(double now, Launched& launched) {
    if (settings_.receiveInterval > 1) receive();
    const int running = static_cast<int>(scheduler_.running.size()), waiting = static_cast<int>(scheduler_.waiting.size());
    totals.mostRequests = std::max(totals.mostRequests, running + waiting);
    if (running + waiting == 0 || !scheduler_.plan(now, launched.plan)) return false;
    if (watch) watch(now, launched.plan);
    stepsUnread_ = launched.plan.batch.prefills.empty() ? stepsUnread_ + 1 : settings_.receiveInterval;
    launched.ready = settings_.asyncScheduling ? now + settings_.hostSeconds : now;
    launched.usedBlocks = scheduler_.pool.used();
    launched.freeBlocks = scheduler_.pool.free();
    launched.running = static_cast<int>(scheduler_.running.size());
    launched.waiting = static_cast<int>(scheduler_.waiting.size());
    return true;
}

void EngineInstance::run(double now) {
    running_ = true;
    const double planned = std::max(now, now_.ready);
    started_ = std::max(planned, now_.plan.loaded);
    if (started_ > planned)
        for (const PlannedChunk& chunk : now_.plan.chunks)
            if (RequestRecord& record = log_.of(chunk.request); record.prefilled < 0) record.loading += started_ - planned;
    alone_ = seconds(now_.plan.batch);
    sending_ = traffic != nullptr ? std::min(alone_, traffic->alone(number_, now_.plan.batch)) : 0;
    ends_.assign(1, started_ + (alone_ - sending_));
}

void EngineInstance::start(double now, double until) {
    if (!running_) {
        if (!launch(now, now_)) return;
        run(now);
        if (!settings_.asyncScheduling && !stepByStep && traffic == nullptr) extend(until);
    }
    if (settings_.asyncScheduling && !hasNext_) hasNext_ = launch(now, next_);
}

/// Adds the ends of like steps behind the one that runs.
void EngineInstance::extend(double until) {
    const StepPlan& plan = now_.plan;
    if (!plan.batch.prefills.empty() || plan.batch.draftTokens > 0 || !plan.preempted.empty() || settings_.speculative.tokens > 0 || plan.chunks.size() != scheduler_.running.size()) return;
    if (ends_.back() >= until || !scheduler_.isSteady()) return;
    const CacheWindow& window = scheduler_.pool.window();
    // The step of the run, from 1, at which a request leaves its next block behind.
    const auto stepBehind = [&](const RequestState& state) { return window.tokensUntilBehind(state.behind, settings_.blockSize) - state.computed + 1; };
    int left = std::numeric_limits<int>::max(); // tokens of whoever ends first
    for (const int request : scheduler_.running) {
        const RequestState& state = scheduler_.state(request);
        if (state.generated == 0 || log_.of(request).firstToken < 0) return; // its first token is an event of its own
        left = std::min({left, state.target - state.generated, settings_.maxModelLength - state.computed});
        // A step is planned whose token begins a chunk: it leaves the one before behind.
        if (window.share > 0 && window.chunks) left = static_cast<int>(std::min<std::int64_t>(left, stepBehind(state) + 1));
    }
    std::size_t most = std::min(longestRun, static_cast<std::size_t>(std::max(0, left - 1)));
    if (!unread_.empty()) most = std::min(most, static_cast<std::size_t>(std::max(0, settings_.receiveInterval - stepsUnread_)));
    if (most < 2) return;
    const auto size = static_cast<std::size_t>(settings_.blockSize);
    blockNeeds_.assign(size, 0);
    blockTurns_.resize(size);
    for (std::vector<int>& turns : blockTurns_) turns.clear();
    for (const int request : scheduler_.running) {
        const RequestState& state = scheduler_.state(request);
        const int first = state.blocks * settings_.blockSize - state.computed + 1; // the step that begins with a full block, from 1
        if (first > settings_.blockSize) return;                                   // has blocks in reserve
        const std::size_t needs = static_cast<std::size_t>(first) % size;
        ++blockNeeds_[needs];
        blockTurns_[needs].push_back(request);
        if (window.share <= 0 || window.chunks) continue;
        const std::size_t leaves = static_cast<std::size_t>(stepBehind(state)) % size;
        if (leaves != needs) blockTurns_[leaves].push_back(request);
    }
    // What windows leave behind makes room for who waits, and what is taken from the free pages may shorten what it would find there.
    const bool cutsAtTurns = window.share > 0 && !scheduler_.waiting.isEmpty();
    int freeBlocks = scheduler_.pool.free();
    StepBatch batch = plan.batch;
    std::int64_t context = plan.contextSum;
    while (ends_.size() < most && ends_.back() < until) {
        if (cutsAtTurns && !blockTurns_[ends_.size() % size].empty()) return;
        freeBlocks -= blockNeeds_[ends_.size() % size]; // what is left behind meanwhile comes on top
        if (freeBlocks < 0) return;
        context += batch.decodes;
        batch.decodeContext = static_cast<double>(context) / batch.decodes;
        ends_.push_back(ends_.back() + seconds(batch));
    }
}

void EngineInstance::count(double start, double end, int usedBlocks, int freeBlocks) {
    ++totals.steps;
    totals.busySeconds += end - start;
    totals.usedBlockSeconds += usedBlocks * (end - start);
    if (!keepSteps) return;
    StepRecord step{start, end - start, static_cast<int>(now_.plan.batch.prefills.size()), 0, now_.plan.batch.decodes, now_.plan.batch.draftTokens, now_.running, now_.waiting, freeBlocks};
    for (const StepBatch::Chunk& chunk : now_.plan.batch.prefills) step.prefillTokens += chunk.tokens;
    constexpr double rounding = 1e-12;
    if (const double more = step.seconds - alone_; traffic != nullptr && more > rounding * alone_) step.slowed = more;
    steps.push_back(step);
}

void EngineInstance::send(double now) {
    sends_ = true;
    traffic->start(number_, sending_, now);
}

void EngineInstance::hasSent(double now) {
    sends_ = false;
    sending_ = 0;
    ends_.assign(1, now);
}

void EngineInstance::stepEnds(double now, std::vector<int>& ended) {
    count(started_, ends_.front(), now_.usedBlocks, now_.freeBlocks);
    if (ends_.size() > 1) emitLikeSteps();
    else giveTokens(now, ended);
    running_ = false;
    if (!hasNext_) return;
    std::swap(now_, next_);
    hasNext_ = false;
    run(now);
}

int EngineInstance::accepted(int request, RequestState& state, int drafts) const {
    const SpeculativeSettings& speculative = settings_.speculative;
    if (speculative.sampled) {
        int count = 0;
        while (count < drafts && acceptanceDraw(speculative.seed, static_cast<std::uint64_t>(request), static_cast<std::uint64_t>(state.generated) + static_cast<std::uint64_t>(count)) < speculative.acceptance) ++count;
        return count;
    }
    double chance = 1;
    for (int i = 0; i < drafts; ++i) {
        chance *= speculative.acceptance;
        state.credit += chance;
    }
    const int count = std::min(drafts, static_cast<int>(std::floor(state.credit)));
    state.credit -= count;
    return count;
}

void EngineInstance::giveTokens(double now, std::vector<int>& ended) {
    const std::size_t before = ended.size();
    for (const PlannedChunk& chunk : now_.plan.chunks) {
        if (!chunk.emits) continue;
        RequestState& state = states_[static_cast<std::size_t>(chunk.request)];
        if (state.phase == RequestState::Phase::away || state.generated >= state.target) continue; // it ended before this step, planned ahead, was over
        --state.pending;
        state.inFlight -= 1 + chunk.drafts;
        int tokens = 1;
        if (chunk.drafts > 0) {
            const int kept = accepted(chunk.request, state, chunk.drafts);
            if (state.preemptions == chunk.preemptions) state.computed -= chunk.drafts - kept;
            tokens = std::min(1 + kept, state.target - state.generated);
        }
        RequestRecord& record = log_.of(chunk.request);
        const bool staysHere = role == InstanceRole::prefill && firstTokenLeavesDecode && requests_.requests[static_cast<std::size_t>(chunk.request)].output > 1;
        const int known = state.generated + tokens;
        const bool leaves = record.firstToken < 0 || known >= state.target || (known - 1) % settings_.streamInterval < tokens; // with others, or at last
        if (record.firstToken >= 0 && leaves) log_.addGaps(now - state.lastToken, 1);
        const int leaving = staysHere ? 0 : role == InstanceRole::decode && record.firstToken < 0 ? tokens + 1
                                                                                                  : tokens;
        state.generated = known;
        if (leaves) state.lastToken = now;
        if (log_.keepsTokenTimes) log_.addTokens(chunk.request, leaving, now);
        if (leaving > 0 && record.firstToken < 0) {
            record.firstToken = now;
            if (caps) caps->note(Latency::ttft, now - record.arrival);
        }
        if (record.prefilled < 0) {
            record.prefilled = now;
            record.preemptedBeforeFirst = record.preempted + (state.phase == RequestState::Phase::waiting ? now - state.waitingSince : 0); // preempted while it was computed
        }
        if (state.generated >= state.target) ended.push_back(chunk.request);
    }
    if (ended.size() == before) return;
    for (std::size_t i = before; i < ended.size(); ++i) {
        RequestState& state = states_[static_cast<std::size_t>(ended[i])];
        RequestRecord& record = log_.of(ended[i]);
        if (state.phase == RequestState::Phase::waiting) record.preempted += now - state.waitingSince; // preempted while its last token was computed
        --load_;
        if (role == InstanceRole::prefill) {
            scheduler_.hold(ended[i]);
        } else {
            record.finish = now;
            if (caps) noteEnd(record, state.target);
            scheduler_.end(ended[i]);
        }
    }
    scheduler_.dropEnded();
}

void EngineInstance::noteEnd(const RequestRecord& record, int tokens) {
    caps->note(Latency::e2e, record.finish - record.arrival);
    if (tokens > 1) caps->note(Latency::tpot, (record.finish - record.firstToken) / (tokens - 1));
}

/// All that the steps of a run did, as if they had been planned one by one.
void EngineInstance::emitLikeSteps() {
    const std::size_t size = blockTurns_.size();
    const int run = static_cast<int>(ends_.size()), together = settings_.streamInterval;
    leaving_.assign(static_cast<std::size_t>(std::min(run, together)), 0);
    for (const PlannedChunk& chunk : now_.plan.chunks) {
        RequestState& state = states_[static_cast<std::size_t>(chunk.request)];
        --state.pending;
        --state.inFlight;
        // Tokens leave behind the step, from 0, that brings them to a multiple beyond the first, and then behind every n-th.
        if (const int first = (together - state.generated % together) % together; first < run) {
            const auto leaves = static_cast<std::size_t>(first);
            ++leaving_[leaves];
            log_.addGaps(ends_[leaves] - state.lastToken, 1);
            state.lastToken = ends_[static_cast<std::size_t>(run - 1 - (run - 1 - first) % together)];
        }
        state.generated += run;
        state.computed += run - 1;
        if (!log_.keepsTokenTimes) continue;
        for (const double end : ends_) log_.addTokens(chunk.request, 1, end);
    }
    for (std::size_t step = 1; step < ends_.size(); ++step) {
        for (const int request : blockTurns_[step % size]) scheduler_.goOn(request, states_[static_cast<std::size_t>(request)].computed - run + static_cast<int>(step));
        if (const std::size_t behind = static_cast<std::size_t>(together); step >= behind && leaving_[step % behind] > 0) log_.addGaps(ends_[step] - ends_[step - behind], leaving_[step % behind]);
        count(ends_[step - 1], ends_[step], scheduler_.pool.used(), scheduler_.pool.free());
    }
    for (const PlannedChunk& chunk : now_.plan.chunks) scheduler_.nameBlocks(chunk.request, states_[static_cast<std::size_t>(chunk.request)].computed);
    stepsUnread_ = (stepsUnread_ - 1 + run - 1) % settings_.receiveInterval + 1; // it looked in vain in between
    scheduler_.skippedLikeSteps(run - 1);
}

} // namespace orrery
