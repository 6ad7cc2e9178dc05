// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr std::uint64_t firstFailureStream = 1000; ///< of random numbers: requests and routers have those below
} // namespace

Fleet::Fleet(const FleetSettings& settings, std::size_t replicas) : settings_(settings), states_(replicas, State::serving), ready_(replicas, 0), wanted_(static_cast<int>(replicas)) {
    if (settings.autoscale) {
        wanted_ = settings.autoscale->least;
        std::fill(states_.begin() + std::min<std::ptrdiff_t>(wanted_, static_cast<std::ptrdiff_t>(replicas)), states_.end(), State::off);
        if (settings.autoscale->least < settings.autoscale->most) events_.push({settings.autoscale->interval, Event::look, 0});
    }
    for (const ReplicaFailure& failure : settings.failures)
        if (failure.replica >= 0 && failure.replica < static_cast<int>(replicas)) events_.push({failure.at, Event::failure, failure.replica});
    if (settings.failureLaw.meanTimeBetween > 0)
        for (std::size_t replica = 0; replica < replicas; ++replica) {
            chances_.emplace_back(settings.failureLaw.seed, firstFailureStream + replica);
            drawFailure(replica, 0);
        }
    note(0);
}

double Fleet::nextEvent() const { return events_.empty() ? endless : events_.top().time; }

Fleet::Happening Fleet::take() {
    const Happening next = events_.top();
    events_.pop();
    if (next.event == Event::look) { // a product, no sum: no drift
        ++looks_;
        events_.push({(looks_ + 1) * settings_.autoscale->interval, Event::look, 0});
    }
    return next;
}

void Fleet::drawFailure(std::size_t replica, double after) { events_.push({after + chances_[replica].exponential() * settings_.failureLaw.meanTimeBetween, Event::failure, static_cast<int>(replica)}); }

int Fleet::count(State state) const { return static_cast<int>(std::count(states_.begin(), states_.end(), state)); }

void Fleet::note(double now) {
    const int serving = count(State::serving), paid = static_cast<int>(states_.size()) - count(State::off);
    if (!log_.moments.empty() && log_.moments.back().time == now) log_.moments.pop_back();
    if (!log_.moments.empty() && log_.moments.back().paid == paid && log_.moments.back().serving == serving) return;
    log_.moments.push_back({now, paid, serving});
}

bool Fleet::fail(int replica, double now) {
    const auto place = static_cast<std::size_t>(replica);
    double repair = settings_.failureLaw.repair;
    for (const ReplicaFailure& failure : settings_.failures)
        if (failure.replica == replica && failure.at == now) repair = failure.repair;
    const bool fails = states_[place] != State::off && states_[place] != State::failed;
    if (!chances_.empty()) drawFailure(place, fails ? now + repair : now);
    if (!fails) return false;
    states_[place] = State::failed;
    ++log_.failures;
    events_.push({now + repair, Event::repaired, replica});
    note(now);
    return true;
}

bool Fleet::start(int replica, double now) {
    const auto place = static_cast<std::size_t>(replica);
    if (states_[place] != State::starting || ready_[place] != now) return false;
    states_[place] = State::serving;
    note(now);
    return true;
}

void Fleet::order(std::size_t replica, double now, std::vector<int>& begun) {
    const double start = settings_.autoscale ? settings_.autoscale->start : 0;
    ++log_.started;
    if (start > 0) {
        states_[replica] = State::starting;
        ready_[replica] = now + start;
        events_.push({ready_[replica], Event::started, static_cast<int>(replica)});
    } else {
        states_[replica] = State::serving;
        begun.push_back(static_cast<int>(replica));
    }
}

void Fleet::scale(int underWay, const std::vector<int>& loads, double now, std::vector<int>& begun) {
    const AutoscaleSettings& scale = *settings_.autoscale;
    wanted_ = static_cast<int>(std::clamp(std::ceil(underWay / scale.target), double(scale.least), double(scale.most)));
    settle(loads, now, begun);
}

/// More: those that drain serve on, then those that are off start. Fewer: starts are called off, then the last replicas take no more requests.
void Fleet::settle(const std::vector<int>& loads, double now, std::vector<int>& begun) {
    int have = count(State::serving) + count(State::starting);
    for (std::size_t i = 0; i < states_.size() && have < wanted_; ++i)
        if (states_[i] == State::draining) {
            states_[i] = State::serving;
            ++have;
        }
    for (std::size_t i = 0; i < states_.size() && have < wanted_; ++i)
        if (states_[i] == State::off) {
            order(i, now, begun);
            ++have;
        }
    for (std::size_t i = states_.size(); i-- > 0 && have > wanted_;)
        if (states_[i] == State::starting) {
            states_[i] = State::off;
            ++log_.stopped;
            --have;
        }
    for (std::size_t i = states_.size(); i-- > 0 && have > wanted_;)
        if (states_[i] == State::serving) {
            states_[i] = loads[i] > 0 ? State::draining : State::off;
            if (loads[i] == 0) ++log_.stopped;
            --have;
        }
    note(now);
}

void Fleet::idle(int replica, double now) {
    State& state = states_[static_cast<std::size_t>(replica)];
    if (state != State::draining) return;
    state = State::off;
    ++log_.stopped;
    note(now);
}

int Fleet::overflow(const std::function<bool(int request)>& mayLeave) {
    if (lineLength() <= settings_.admission.waiting) return -1;
    for (auto last = line_.rbegin(); last != line_.rend(); ++last) {
        const int request = std::get<2>(*last);
        if (!mayLeave(request)) continue;
        line_.erase(std::next(last).base());
        return request;
    }
    return -1;
}

void Fleet::beginPatience(int request, double now) {
    if (settings_.admission.patience < endless) events_.push({now + settings_.admission.patience, Event::patience, request});
}

} // namespace orrery
