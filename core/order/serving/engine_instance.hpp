// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/scheduler.hpp"
#include "core/order/serving/step_batch.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

enum class Latency : std::uint8_t { ttft,
                                    tpot,
                                    e2e };

/// A limit of a percentile.
struct LatencyCap {
    Latency latency = Latency::ttft;
    double share = 1;      ///< of the percentile
    double seconds = 0;    ///< s
    bool includes = false; ///< whether just so many seconds keep it
};

/// Caps of one run, and whether it can still keep all of them: once so many requests are beyond one that the percentile must be, it can't.
class LatencyCaps {
public:
    LatencyCaps(const std::vector<LatencyCap>& caps, std::size_t requests) {
        // The percentile lies at or above the value at this place in order; fewer values, where some are rejected, need no more of them.
        for (const LatencyCap& cap : caps) left_.push_back({cap, static_cast<std::int64_t>(requests) - static_cast<std::int64_t>(std::floor(cap.share * (static_cast<double>(requests) - 1)))});
    }

    void note(Latency latency, double seconds) {
        for (Left& one : left_) {
            if (one.cap.latency != latency || (one.cap.includes ? seconds <= one.cap.seconds : seconds < one.cap.seconds)) continue;
            broken_ = broken_ || --one.requests <= 0;
        }
    }
    bool areBroken() const { return broken_; }

private:
    struct Left {
        LatencyCap cap;
        std::int64_t requests = 0; ///< that may not be beyond it
    };
    std::vector<Left> left_;
    bool broken_ = false;
};

/// Whether an engine runs requests from prompt to end, or half of the way (disaggregation).
enum class InstanceRole { both,
                          prefill,
                          decode };

/// What an instance did in all.
struct InstanceTotals {
    std::int64_t steps = 0;
    double busySeconds = 0;      ///< of its steps
    double usedBlockSeconds = 0; ///< blocks in use, times that
    int mostRequests = 0;        ///< that ran or waited when a step was planned
};

/// One engine in time: a step ends, its tokens come out, the next is planned. Whoever drives it calls, at each moment at which something
/// happens, first stepEnds() where endTime() is now, then submit() for what arrives, then start().
///
/// Runs of like steps (everybody decodes, nobody ends or comes, blocks suffice) are one event: their times are computed step by step, the
/// queues are gone through once. Everything that comes out is bit for bit what it is step by step.
class EngineInstance {
public:
    /// Settings, clock, requests, states and log live as long as this.
    EngineInstance(int number, const EngineSettings& settings, const StepClock& clock, const RequestList& requests, std::vector<RequestState>& states, RunLog& log, const CacheWindow& window = {});

    bool stepByStep = false; ///< no runs of like steps
    bool keepSteps = false;
    StepTraffic* traffic = nullptr; ///< null: steps take what the clock says; then all steps are planned one by one
    InstanceRole role = InstanceRole::both;
    bool firstTokenLeavesDecode = false; ///< of one that prefills: a request's first token comes out with the next, where that is made
    LatencyCaps* caps = nullptr;         ///< told of latencies as they are known; null: nobody asks
    std::vector<StepRecord> steps;       ///< where kept
    /// Told every plan when it is made; of a run of like steps the first.
    std::function<void(double now, const StepPlan& plan)> watch;
    InstanceTotals totals;

    /// Keeps blocks in the settings' tiers too.
    void attachTiers(std::shared_ptr<CacheTier> shared);

    Rejection refusal(int input, int target) const { return scheduler_.refusal(input, target); }
    /// A request joins those waiting. Its state says what of it is computed elsewhere. One of a decode instance was expected.
    void submit(int request, double now) { submit(request, now, now); }
    /// One that has waited for a place elsewhere since.
    void submit(int request, double now, double since);
    /// Stops for good: steps that are over count, the one that runs is lost. `lost` gets all requests here, to be submitted elsewhere: prompts
    /// and tokens that came out are to be computed anew. Not where steps send what others meet.
    void fail(double now, std::vector<int>& lost);
    /// The step (or run of steps) that runs ends here, or what it computes before it sends; infinity: none runs, or it sends.
    double endTime() const { return running_ && !sends_ ? ends_.back() : std::numeric_limits<double>::infinity(); }
    /// Whether the step that runs has yet to send what others may meet.
    bool isToSend() const { return running_ && !sends_ && sending_ > 0; }
    void send(double now);
    /// All is sent: the step ends now, by stepEnds().
    void hasSent(double now);
    bool isIdle() const { return !running_; }
    /// Ends what ends now; `ended` gets the requests that have all their tokens, in order.
    void stepEnds(double now, std::vector<int>& ended);
    /// Plans and starts what can start now. No run of like steps goes on past the first step that ends at `until` or later.
    void start(double now, double until);
    /// Requests here, and on their way here, that have not ended.
    int load() const { return load_; }
    /// A request is on its way here; submit() follows.
    void expect() { ++load_; }
    /// Blocks of an ended prefill stay until then.
    void freeHeld(int request) { scheduler_.freeHeld(request); }
    const Scheduler& scheduler() const { return scheduler_; }

private:
    struct Launched {
        StepPlan plan;
        double ready = 0; ///< s, when the host has planned it
        int usedBlocks = 0, freeBlocks = 0;
        int running = 0, waiting = 0;
    };
    struct Received {
        int request = 0;
        double since = 0; ///< s
    };
    void receive();
    bool launch(double now, Launched& launched);
    void run(double now);
    void extend(double until);
    void giveTokens(double now, std::vector<int>& ended);
    void emitLikeSteps();
    void noteEnd(const RequestRecord& record, int tokens);
    void count(double start, double end, int usedBlocks, int freeBlocks);
    int accepted(int request, RequestState& state, int drafts) const;
    double seconds(const StepBatch& batch) const;

    int number_;
    const EngineSettings& settings_;
    const StepClock& clock_;
    const RequestList& requests_;
    std::vector<RequestState>& states_;
    RunLog& log_;
    Scheduler scheduler_;
    int load_ = 0;
    std::vector<Received> unread_; ///< who came since requests were taken in
    int stepsUnread_ = 0;          ///< of decodes alone, since then

    bool running_ = false, hasNext_ = false;
    Launched now_, next_; ///< the step that runs, and with async scheduling the one planned behind it
    double started_ = 0;
    double alone_ = 0, sending_ = 0; ///< s of the step that runs, with its links to itself: all of it, and what it sends
    bool sends_ = false;
    std::vector<double> ends_;                 ///< of the step that runs, and of like steps behind it, s
    std::vector<std::vector<int>> blockTurns_; ///< of a run: who needs a block at a step or leaves one behind, by the step's number modulo the block size
    std::vector<int> blockNeeds_;              ///< and how many need one
    std::vector<int> leaving_;                 ///< of a run: whose tokens leave first behind a step, from 0; with stream_interval they leave behind every n-th from there
};

} // namespace orrery
