// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/order/serving/engine_instance.hpp"
#include "core/order/serving/fleet.hpp"
#include "core/order/serving/router.hpp"
#include "core/order/serving/step_batch.hpp"
#include "core/order/serving/transfers.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

namespace orrery {

struct InstanceSettings {
    EngineSettings engine;
    const StepClock* clock = nullptr; ///< lives as long as the run
    InstanceRole role = InstanceRole::both;
    CacheWindow window{};
};

/// Instances that encode a request's images before an engine gets its prompt, first come, first served. All requests have as many.
struct EncoderStage {
    int instances = 1;
    double seconds = 0; ///< of one request's images
    double send = 0;    ///< s that what comes of them is on its way to the engine
};

/// Engines that serve together. Either all have the role `both`, or some prefill and some decode: then a request's first token leaves a
/// prefill instance, its keys and values are transferred, and a decode instance makes the rest.
struct ServingSettings {
    std::vector<InstanceSettings> instances;
    RouterKind router = RouterKind::round_robin; ///< prompts to instances; keys and values go to the least loaded decode instance
    double kvBytesPerToken = 0;                  ///< of a transfer
    double frontEnd = 0;                         ///< s that a request is on its way from the client to an engine and its tokens back; all of it lies before the engine here
    FirstToken firstToken = FirstToken::prefill; ///< of split instances
    std::optional<EncoderStage> encoders;        ///< none: engines encode themselves
    std::optional<FleetSettings> fleet;          ///< none: all instances serve all the time. Not of split instances, nor where steps meet others' traffic
    bool stepByStep = false;                     ///< like steps are planned one by one all the same; no result differs
    bool keepSteps = false, keepTokenTimes = false, keepGaps = true;
    LatencyCaps* caps = nullptr; ///< once these are broken the run is not gone on with
    /// Gets by instance how many requests ran or waited at most, of a run that is not gone on with too; null: nobody asks.
    std::vector<int>* mostRequests = nullptr;
};

/// What a run was.
struct ServingOutcome {
    RunLog log{0, false};
    std::vector<InstanceTotals> totals;         ///< by instance
    std::vector<std::vector<StepRecord>> steps; ///< by instance, where kept
    std::vector<int> pools;                     ///< blocks, by instance
    std::optional<FleetLog> fleet;
};

/// Requests served, moment by moment: what ends, then transfers, then arrivals, then plans, each in the order of instances. Whoever has other
/// events beside (a WorkSource of core/engine) calls advance() when they reach nextEvent().
class ServingRun {
public:
    /// All that is given lives as long as the run; `transfers` is needed where instances prefill or decode alone, `traffic` where steps meet others.
    ServingRun(const RequestList& requests, const ServingSettings& settings, Transfers* transfers = nullptr, StepTraffic* traffic = nullptr);
    ~ServingRun();

    /// s; infinity: everything has ended.
    double nextEvent();
    /// Does what happens at nextEvent().
    void advance();
    std::size_t ended() const { return ended_; }
    EngineInstance& instance(std::size_t number) { return *instances_[number]; }
    const RunLog& log() const { return log_; }
    ServingOutcome outcome();
    /// Fills the settings' `mostRequests`.
    void tellMost() const;

private:
    struct StepEnd {
        double time = 0;
        int instance = 0;
        bool operator>(const StepEnd& other) const { return time != other.time ? time > other.time : instance > other.instance; }
    };
    double nextArrival() const;
    double nextBeginning() const; ///< of a request that follows no other
    double nextAdmission() const;
    void endStep(int number, double now);
    void arrive(double now);
    struct OnItsWay {
        double time = 0; ///< s, when the engine has it
        int request = 0;
    };
    void makeInstance(std::size_t number);
    void renew(int number);
    /// A request has come: to an instance at once, or where there is a fleet to the line in front of it.
    void admit(int request, double now);
    void send(int request, const std::vector<int>& loads, double now);
    void runFleet(double now);
    void failReplica(int number, double now);
    void lineUp(int request, double now);
    void dispatch(double now);
    void refuse(int request, Rejection rejection, double now);
    const std::vector<int>& loadsOf(const std::vector<int>& instances);
    double nextOfFleet() const;
    void finishPrefill(int request, double now);
    void takeTransferred(int request, double now);
    void close(int request, double now);
    void attachTiers();
    void joinFollows();
    std::size_t arriving() const { return requests_.requests.size() - static_cast<std::size_t>(requests_.followers); }
    void begin(int request, double arrival, double now);
    double encoded(double arrival);
    void noteEnd(int instance);
    void touch(int instance);

    const RequestList& requests_;
    const ServingSettings& settings_;
    Transfers* transfers_;
    StepTraffic* traffic_;
    RunLog log_;
    std::vector<RequestState> states_;
    std::vector<std::unique_ptr<EngineInstance>> instances_;
    std::vector<std::shared_ptr<CacheTier>> stores_; ///< by instance: the tier that it shares with others; null: none
    std::unique_ptr<Fleet> fleet_;                   ///< null: none
    std::vector<int> fronts_, backs_;                ///< instances that take prompts, and those that take over after prefill
    std::unique_ptr<RequestRouter> router_, backRouter_;
    std::vector<int> loads_;
    std::priority_queue<StepEnd, std::vector<StepEnd>, std::greater<>> ends_; ///< some are out of date
    std::vector<double> encodersFree_;                                        ///< s, by instance: from when on it has nothing to do
    std::deque<OnItsWay> onTheirWay_;                                         ///< from clients to engines
    std::size_t next_ = 0, ended_ = 0;
    double closedLoopStart_ = 0;
    int openPlaces_ = 0;                                                                                   ///< of a closed loop: requests that may arrive now
    int users_ = 0;                                                                                        ///< of it: that have begun
    std::vector<int> firstFollow_, missing_, session_, sessionLeft_;                                       ///< where sessions are: by request its first follow (of `follows_`), how many it waits for, its session; by session how many requests have not ended
    std::vector<Follow> follows_;                                                                          ///< by the request before
    std::vector<double> ready_;                                                                            ///< s, by request: not before
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> due_; ///< requests that follow and when they arrive
    bool isClosedLoop_ = false;
    std::vector<int> touched_, justEnded_, transferred_, sent_, begun_, lost_, openLoads_;
};

/// A whole run; nothing when it was stopped, or its caps are broken. Deterministic.
std::optional<ServingOutcome> serve(const RequestList& requests, const ServingSettings& settings, Transfers* transfers = nullptr, const RunControl& control = {}, StepTraffic* traffic = nullptr);

} // namespace orrery
