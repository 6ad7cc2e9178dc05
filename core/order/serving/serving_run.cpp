// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/serving_run.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace orrery {
namespace {
constexpr double never = std::numeric_limits<double>::infinity();
}

ServingRun::ServingRun(const RequestList& requests, const ServingSettings& settings, Transfers* transfers, StepTraffic* traffic)
    : requests_(requests), settings_(settings), transfers_(transfers), traffic_(traffic), log_(requests.requests.size(), settings.keepTokenTimes), states_(requests.requests.size()),
      isClosedLoop_(requests.concurrency > 0) {
    instances_.resize(settings.instances.size());
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        makeInstance(i);
        (settings.instances[i].role == InstanceRole::decode ? backs_ : fronts_).push_back(static_cast<int>(i));
    }
    if (fronts_.empty()) throw std::invalid_argument("no instance takes prompts");
    const bool isSplit = settings.instances[static_cast<std::size_t>(fronts_.front())].role == InstanceRole::prefill;
    for (const int front : fronts_)
        if ((settings.instances[static_cast<std::size_t>(front)].role == InstanceRole::prefill) != isSplit) throw std::invalid_argument("some instances prefill alone and others do both");
    if (isSplit != !backs_.empty()) throw std::invalid_argument("prefill and decode instances need each other");
    if (isSplit && transfers == nullptr) throw std::invalid_argument("prefill and decode instances need transfers between them");
    if (settings.fleet && (isSplit || traffic != nullptr)) throw std::invalid_argument("a fleet's replicas prefill and decode, and meet nobody's traffic");
    if (settings.fleet) fleet_ = std::make_unique<Fleet>(*settings.fleet, instances_.size());
    log_.keepsGaps = settings.keepGaps;
    attachTiers();
    joinFollows();
    router_ = makeRequestRouter(settings.router, fronts_.size());
    backRouter_ = makeRequestRouter(RouterKind::least_loaded, backs_.size());
}

ServingRun::~ServingRun() = default;

void ServingRun::makeInstance(std::size_t number) {
    const InstanceSettings& one = settings_.instances[number];
    auto instance = std::make_unique<EngineInstance>(static_cast<int>(number), one.engine, *one.clock, requests_, states_, log_, one.window);
    instance->stepByStep = settings_.stepByStep;
    instance->keepSteps = settings_.keepSteps;
    instance->role = one.role;
    instance->firstTokenLeavesDecode = settings_.firstToken == FirstToken::decode;
    if (traffic_ != nullptr && traffic_->meetsOthers(static_cast<int>(number))) instance->traffic = traffic_;
    instance->caps = settings_.caps;
    instances_[number] = std::move(instance);
}

/// Instances with the same settings share one store.
void ServingRun::attachTiers() {
    std::vector<std::pair<const EngineSettings*, std::shared_ptr<CacheTier>>> stores;
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        const EngineSettings& engine = settings_.instances[i].engine;
        if (engine.tiers.empty()) continue;
        std::shared_ptr<CacheTier> shared;
        if (const CacheTierSettings& last = engine.tiers.back(); last.kind == CacheTierKind::shared && last.capacity >= engine.blockBytes) {
            for (const auto& [other, store] : stores)
                if (other->tiers.back() == last && other->blockSize == engine.blockSize && other->blockBytes == engine.blockBytes) shared = store;
            if (!shared) stores.emplace_back(&engine, shared = std::make_shared<CacheTier>(last, engine.blockBytes));
        }
        stores_.resize(instances_.size());
        stores_[i] = shared;
        instances_[i]->attachTiers(std::move(shared));
    }
}

void ServingRun::joinFollows() {
    if (requests_.followers == 0) return;
    const std::size_t count = requests_.requests.size();
    follows_ = requests_.follows;
    std::stable_sort(follows_.begin(), follows_.end(), [](const Follow& a, const Follow& b) { return a.before < b.before; });
    firstFollow_.assign(count + 1, 0);
    missing_.assign(count, 0);
    session_.resize(count);
    sessionLeft_.assign(arriving(), 0);
    ready_.assign(count, 0);
    for (const Follow& follow : follows_) {
        ++firstFollow_[static_cast<std::size_t>(follow.before) + 1];
        ++missing_[static_cast<std::size_t>(follow.request)];
    }
    for (std::size_t i = 0; i < count; ++i) firstFollow_[i + 1] += firstFollow_[i];
    for (std::size_t i = 0; i < arriving(); ++i) session_[i] = static_cast<int>(i);
    for (const Follow& follow : follows_) session_[static_cast<std::size_t>(follow.request)] = session_[static_cast<std::size_t>(follow.before)];
    for (const int session : session_) ++sessionLeft_[static_cast<std::size_t>(session)];
}

double ServingRun::nextArrival() const {
    const double due = due_.empty() ? never : due_.top().first;
    return std::min(due, nextBeginning());
}

double ServingRun::nextBeginning() const {
    if (next_ == arriving()) return never;
    if (isClosedLoop_) return std::min(openPlaces_ > 0 ? closedLoopStart_ : never, users_ < requests_.concurrency ? users_ * requests_.ramp / requests_.concurrency : never);
    return requests_.requests[next_].arrival;
}

/// When the next request can reach an engine.
double ServingRun::nextAdmission() const {
    const double coming = nextArrival() + settings_.frontEnd;
    return onTheirWay_.empty() ? coming : std::min(coming, onTheirWay_.front().time);
}

double ServingRun::nextEvent() {
    while (!ends_.empty() && instances_[static_cast<std::size_t>(ends_.top().instance)]->endTime() != ends_.top().time) ends_.pop();
    double next = nextArrival();
    if (!onTheirWay_.empty()) next = std::min(next, onTheirWay_.front().time);
    if (!ends_.empty()) next = std::min(next, ends_.top().time);
    if (transfers_ != nullptr) next = std::min(next, transfers_->nextEvent());
    if (traffic_ != nullptr) next = std::min(next, traffic_->nextEvent());
    return std::min(next, nextOfFleet());
}

void ServingRun::touch(int instance) {
    if (std::find(touched_.begin(), touched_.end(), instance) == touched_.end()) touched_.push_back(instance);
}

void ServingRun::noteEnd(int instance) {
    const double end = instances_[static_cast<std::size_t>(instance)]->endTime();
    if (end < never) ends_.push({end, instance});
}

void ServingRun::endStep(int number, double now) {
    EngineInstance& instance = *instances_[static_cast<std::size_t>(number)];
    justEnded_.clear();
    instance.stepEnds(now, justEnded_);
    touch(number);
    for (const int request : justEnded_) {
        if (instance.role == InstanceRole::prefill) finishPrefill(request, now);
        else close(request, now);
    }
    if (fleet_ && instance.load() == 0) fleet_->idle(number, now);
}

void ServingRun::advance() {
    const double now = nextEvent();
    touched_.clear();
    while (!ends_.empty() && ends_.top().time <= now) {
        const StepEnd top = ends_.top();
        ends_.pop();
        EngineInstance& instance = *instances_[static_cast<std::size_t>(top.instance)];
        if (instance.endTime() != top.time || std::find(touched_.begin(), touched_.end(), top.instance) != touched_.end()) continue; // out of date
        if (instance.isToSend()) instance.send(now);
        else endStep(top.instance, now);
    }
    if (traffic_ != nullptr && traffic_->nextEvent() <= now) {
        sent_.clear();
        traffic_->takeEnded(now, sent_);
        for (const int number : sent_) {
            instances_[static_cast<std::size_t>(number)]->hasSent(now);
            endStep(number, now);
        }
    }
    if (transfers_ != nullptr && transfers_->nextEvent() <= now) {
        transferred_.clear();
        transfers_->takeEnded(now, transferred_);
        for (const int request : transferred_) takeTransferred(request, now);
    }
    if (nextOfFleet() <= now) runFleet(now);
    if (fleet_) dispatch(now); // places may have come free
    arrive(now);
    std::sort(touched_.begin(), touched_.end());
    const double until = nextAdmission();
    for (const int number : touched_) {
        instances_[static_cast<std::size_t>(number)]->start(now, until);
        noteEnd(number);
    }
}

/// When an engine has what the next free encoder makes of images that come at `arrival`. Whoever comes later has it later.
double ServingRun::encoded(double arrival) {
    encodersFree_.resize(static_cast<std::size_t>(settings_.encoders->instances), 0);
    double& free = *std::min_element(encodersFree_.begin(), encodersFree_.end());
    free = std::max(free, arrival) + settings_.encoders->seconds;
    return free + settings_.encoders->send;
}

void ServingRun::begin(int request, double arrival, double now) {
    RequestRecord& record = log_.of(request);
    record.arrival = arrival;
    record.frontEnd = settings_.frontEnd;
    double there = arrival + settings_.frontEnd;
    if (settings_.encoders) {
        const double encoder = there;
        there = encoded(encoder);
        record.encode = there - encoder;
    }
    if (there > arrival) onTheirWay_.push_back({there, request});
    else admit(request, now);
}

void ServingRun::arrive(double now) {
    while (next_ < arriving() && nextBeginning() <= now) {
        if (isClosedLoop_ && openPlaces_ > 0) --openPlaces_;
        else if (isClosedLoop_) ++users_;
        const auto request = static_cast<int>(next_++);
        begin(request, isClosedLoop_ ? now : requests_.requests[static_cast<std::size_t>(request)].arrival, now);
    }
    while (!due_.empty() && due_.top().first <= now) {
        const auto [arrival, request] = due_.top();
        due_.pop();
        begin(request, arrival, now);
    }
    for (; !onTheirWay_.empty() && onTheirWay_.front().time <= now; onTheirWay_.pop_front()) admit(onTheirWay_.front().request, now);
}

void ServingRun::admit(int request, double now) {
    if (fleet_) lineUp(request, now);
    else send(request, loadsOf(fronts_), now);
}

const std::vector<int>& ServingRun::loadsOf(const std::vector<int>& instances) {
    loads_.clear();
    for (const int instance : instances) loads_.push_back(instances_[static_cast<std::size_t>(instance)]->load());
    return loads_;
}

void ServingRun::send(int request, const std::vector<int>& loads, double now) {
    const Request& asked = requests_.requests[static_cast<std::size_t>(request)];
    RequestRecord& record = log_.of(request);
    const int chosen = fronts_[router_->choose(asked, session_.empty() ? -1 : session_[static_cast<std::size_t>(request)], loads)];
    EngineInstance& instance = *instances_[static_cast<std::size_t>(chosen)];
    const bool isSplit = instance.role == InstanceRole::prefill;
    record.rejection = instance.refusal(asked.input, isSplit ? 1 : asked.output);
    if (isSplit && asked.output > 1)
        for (const int back : backs_)
            if (record.rejection == Rejection::none) record.rejection = instances_[static_cast<std::size_t>(back)]->refusal(asked.input, asked.output);
    if (record.rejection != Rejection::none) return close(request, now);
    RequestState& state = states_[static_cast<std::size_t>(request)];
    const double since = fleet_ ? state.waitingSince : now;
    if (record.moves == 0) { // else it goes on
        state = {};
        state.input = asked.input;
        state.target = isSplit ? 1 : asked.output;
        state.priority = asked.priority;
        state.arrival = record.arrival;
    }
    instance.submit(request, now, since);
    if (instance.isIdle()) touch(chosen);
    else noteEnd(chosen); // a run of like steps may end sooner
}

void ServingRun::finishPrefill(int request, double now) {
    const Request& asked = requests_.requests[static_cast<std::size_t>(request)];
    RequestRecord& record = log_.of(request);
    if (asked.output == 1) {
        instances_[static_cast<std::size_t>(record.prefillInstance)]->freeHeld(request);
        record.finish = now;
        return close(request, now);
    }
    record.instance = backs_[backRouter_->choose(asked, -1, loadsOf(backs_))];
    record.transferred = -now; // until it is there
    instances_[static_cast<std::size_t>(record.instance)]->expect();
    // Layers with windows send what is seen from the prompt's end.
    const CacheWindow& window = settings_.instances[static_cast<std::size_t>(record.instance)].window;
    const double tokens = asked.input - window.share * static_cast<double>(window.tokensBehind(asked.input));
    transfers_->start(request, settings_.kvBytesPerToken * tokens, record.prefillInstance, record.instance, now);
}

void ServingRun::takeTransferred(int request, double now) {
    const Request& asked = requests_.requests[static_cast<std::size_t>(request)];
    RequestRecord& record = log_.of(request);
    EngineInstance& front = *instances_[static_cast<std::size_t>(record.prefillInstance)];
    front.freeHeld(request);
    if (front.isIdle()) touch(record.prefillInstance); // may have waited for these blocks
    record.transferred += now;
    RequestState& state = states_[static_cast<std::size_t>(request)];
    const double firstToken = state.lastToken;
    state = {};
    state.input = asked.input;
    state.target = asked.output;
    state.generated = 1;
    state.computed = asked.input;
    state.priority = asked.priority;
    state.arrival = record.arrival;
    state.lastToken = firstToken;
    EngineInstance& back = *instances_[static_cast<std::size_t>(record.instance)];
    back.submit(request, now);
    if (back.isIdle()) touch(record.instance);
    else noteEnd(record.instance);
}

void ServingRun::close(int request, double now) {
    ++ended_;
    if (!session_.empty()) {
        const auto place = static_cast<std::size_t>(request);
        for (int i = firstFollow_[place]; i < firstFollow_[place + 1]; ++i) {
            const Follow& follow = follows_[static_cast<std::size_t>(i)];
            const auto next = static_cast<std::size_t>(follow.request);
            ready_[next] = std::max(ready_[next], now + follow.wait);
            if (--missing_[next] == 0) due_.emplace(ready_[next], follow.request);
        }
        if (--sessionLeft_[static_cast<std::size_t>(session_[place])] > 0) return;
    }
    if (!isClosedLoop_) return;
    ++openPlaces_;
    closedLoopStart_ = now;
}

void ServingRun::tellMost() const {
    if (settings_.mostRequests == nullptr) return;
    for (const std::unique_ptr<EngineInstance>& instance : instances_) settings_.mostRequests->push_back(instance->totals.mostRequests);
}

ServingOutcome ServingRun::outcome() {
    ServingOutcome outcome;
    outcome.log = std::move(log_);
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        outcome.totals.push_back(instances_[i]->totals);
        outcome.steps.push_back(std::move(instances_[i]->steps));
        outcome.pools.push_back(settings_.instances[i].engine.blocks);
    }
    if (fleet_) outcome.fleet = std::move(fleet_->log());
    return outcome;
}

std::optional<ServingOutcome> serve(const RequestList& requests, const ServingSettings& settings, Transfers* transfers, const RunControl& control, StepTraffic* traffic) {
    constexpr std::int64_t eventsBetweenLooks = 1024;
    ServingRun run(requests, settings, transfers, traffic);
    const double count = static_cast<double>(std::max<std::size_t>(1, requests.requests.size()));
    for (std::int64_t event = 0; run.nextEvent() < never; ++event) {
        run.advance();
        if (settings.caps != nullptr && settings.caps->areBroken()) {
            run.tellMost();
            return std::nullopt;
        }
        if (event % eventsBetweenLooks != 0) continue;
        if (control.stop.stop_requested()) return std::nullopt;
        if (control.progress) control.progress(static_cast<double>(run.ended()) / count);
    }
    if (run.ended() != requests.requests.size()) throw std::logic_error("a scheduler left requests waiting for ever");
    run.tellMost();
    return run.outcome();
}

} // namespace orrery

// What a run does with replicas that come and go.

namespace orrery {

/// Nothing happens to a fleet that nobody will ask again.
double ServingRun::nextOfFleet() const { return fleet_ && ended_ < requests_.requests.size() ? fleet_->nextEvent() : std::numeric_limits<double>::infinity(); }

/// Begins anew: an empty cache; what it did stays counted.
void ServingRun::renew(int number) {
    const auto place = static_cast<std::size_t>(number);
    const std::unique_ptr<EngineInstance> old = std::move(instances_[place]);
    makeInstance(place);
    EngineInstance& instance = *instances_[place];
    instance.totals = old->totals;
    instance.steps = std::move(old->steps);
    if (!settings_.instances[place].engine.tiers.empty()) instance.attachTiers(stores_[place]);
    router_->forget(place);
}

void ServingRun::lineUp(int request, double now) {
    RequestState& state = states_[static_cast<std::size_t>(request)];
    state.waitingSince = now;
    fleet_->wait(request, requests_.requests[static_cast<std::size_t>(request)].priority, log_.of(request).arrival);
    dispatch(now);
    if (state.phase != RequestState::Phase::away || fleet_->isLineEmpty()) return;
    fleet_->beginPatience(request, now);
    const int last = fleet_->overflow([this](int other) { return log_.of(other).moves == 0; });
    if (last >= 0) refuse(last, Rejection::fleet_full, now);
}

void ServingRun::refuse(int request, Rejection rejection, double now) {
    log_.of(request).rejection = rejection;
    close(request, now);
}

/// Sends whom replicas have a place for.
void ServingRun::dispatch(double now) {
    while (!fleet_->isLineEmpty()) {
        openLoads_.clear();
        bool isAnyOpen = false;
        for (const int front : fronts_) {
            const int load = instances_[static_cast<std::size_t>(front)]->load();
            const bool isOpen = fleet_->isOpen(front) && load < fleet_->settings().admission.perReplica;
            isAnyOpen = isAnyOpen || isOpen;
            openLoads_.push_back(isOpen ? load : RequestRouter::closed);
        }
        if (!isAnyOpen) return;
        const int request = fleet_->first();
        fleet_->popFirst();
        send(request, openLoads_, now);
    }
}

/// All that was there lines up again, by its priority and arrival.
void ServingRun::failReplica(int number, double now) {
    lost_.clear();
    instances_[static_cast<std::size_t>(number)]->fail(now, lost_);
    renew(number);
    for (const int request : lost_) fleet_->wait(request, requests_.requests[static_cast<std::size_t>(request)].priority, log_.of(request).arrival);
    fleet_->log().moved += static_cast<std::int64_t>(lost_.size());
}

void ServingRun::runFleet(double now) {
    while (fleet_->nextEvent() <= now) {
        const Fleet::Happening happening = fleet_->take();
        begun_.clear();
        switch (happening.event) {
        case Fleet::Event::failure:
            if (!fleet_->fail(happening.which, now)) break;
            failReplica(happening.which, now);
            fleet_->settle(loadsOf(fronts_), now, begun_); // another takes its place
            break;
        case Fleet::Event::repaired:
            fleet_->repair(happening.which);
            fleet_->settle(loadsOf(fronts_), now, begun_);
            break;
        case Fleet::Event::started:
            if (fleet_->start(happening.which, now)) begun_.push_back(happening.which);
            break;
        case Fleet::Event::look: {
            int underWay = fleet_->lineLength();
            for (const int load : loadsOf(fronts_)) underWay += load;
            fleet_->scale(underWay, loads_, now, begun_);
            break;
        }
        case Fleet::Event::patience:
            if (const RequestRecord& record = log_.of(happening.which); record.moves == 0 && fleet_->remove(happening.which, requests_.requests[static_cast<std::size_t>(happening.which)].priority, record.arrival))
                refuse(happening.which, Rejection::waited_too_long, now);
            break;
        }
        for (const int replica : begun_) renew(replica);
    }
}

} // namespace orrery
