// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/serving_run.hpp"

#include <limits>

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
