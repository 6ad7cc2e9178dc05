// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/flow_system.hpp"

#include "core/base/expect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace orrery {

bool FlowSystem::sameRate(double a, double b) { return a == b || std::abs(a - b) <= rounding * std::min(a, b); }

FlowSystem::FlowSystem(std::vector<double> capacities)
    : capacities_(std::move(capacities)), filling_(capacities_), users_(capacities_.size()), isTouched_(capacities_.size(), false) {}

ActivityId FlowSystem::start(double now, const FlowUse* uses, std::size_t count, double bytes, double cap) {
    ORRERY_EXPECT(bytes >= 0 && cap > 0, bytes, cap);
    now_ = std::max(now_, now);
    ActivityId id;
    if (free_.empty()) {
        id = static_cast<ActivityId>(activities_.size());
        activities_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    Activity& activity = activities_[id];
    activity.uses = uses;
    activity.count = count;
    activity.cap = cap;
    activity.left = std::max(0.0, bytes);
    activity.since = now_;
    activity.rate = 0;
    activity.running = true;
    enlist(id);
    if (count == 0 || activity.left == 0) fresh_.push_back(id);
    return id;
}

void FlowSystem::touch(FlowLink link) {
    if (isTouched_[link]) return;
    isTouched_[link] = true;
    touched_.push_back(link);
}

void FlowSystem::enlist(ActivityId id) {
    Activity& activity = activities_[id];
    activity.places.resize(activity.count);
    for (std::uint32_t use = 0; use < activity.count; ++use) {
        const FlowLink link = activity.uses[use].link;
        activity.places[use] = static_cast<std::uint32_t>(users_[link].size());
        users_[link].push_back({id, use});
        touch(link);
    }
}

void FlowSystem::delist(ActivityId id) {
    Activity& activity = activities_[id];
    for (std::uint32_t use = 0; use < activity.count; ++use) {
        const FlowLink link = activity.uses[use].link;
        std::vector<Listed>& list = users_[link];
        const std::uint32_t place = activity.places[use];
        list[place] = list.back();
        activities_[list[place].activity].places[list[place].use] = place;
        list.pop_back();
        touch(link);
    }
}

void FlowSystem::setRate(ActivityId id, double rate) {
    Activity& activity = activities_[id];
    if (activity.left > 0 && sameRate(rate, activity.rate)) return;
    if (activity.rate > 0) activity.left = std::max(0.0, activity.left - activity.rate * (now_ - activity.since));
    activity.since = now_;
    activity.rate = rate;
    ++activity.stamp;
    if (activity.left == 0 || rate == unlimitedRate) {
        activity.end = now_;
    } else if (rate > 0) {
        activity.end = now_ + activity.left / rate;
    } else {
        activity.end = std::numeric_limits<double>::infinity();
        return;
    }
    ends_.push({activity.end, id, activity.stamp});
}

void FlowSystem::share() {
    if (touched_.empty() && fresh_.empty()) return;
    reached_.clear();
    for (const ActivityId id : fresh_) {
        if (!activities_[id].running || activities_[id].collected) continue;
        activities_[id].collected = true;
        reached_.push_back(id);
    }
    fresh_.clear();
    for (std::size_t next = 0; next < touched_.size(); ++next) {
        for (const Listed& listed : users_[touched_[next]]) {
            Activity& activity = activities_[listed.activity];
            if (activity.collected) continue;
            activity.collected = true;
            reached_.push_back(listed.activity);
            for (std::size_t use = 0; use < activity.count; ++use) touch(activity.uses[use].link);
        }
    }
    for (const FlowLink link : touched_) isTouched_[link] = false;
    touched_.clear();
    // The lists' order depends on what ended before; rates must not.
    std::sort(reached_.begin(), reached_.end());
    demands_.clear();
    for (const ActivityId id : reached_) demands_.push_back({activities_[id].uses, activities_[id].count, activities_[id].cap});
    rates_.resize(reached_.size());
    if (!reached_.empty()) filling_.solve(demands_, rates_);
    for (std::size_t i = 0; i < reached_.size(); ++i) {
        setRate(reached_[i], rates_[i]);
        activities_[reached_[i]].collected = false;
    }
}

double FlowSystem::nextEnd() {
    share();
    while (!ends_.empty() && (!activities_[ends_.top().activity].running || ends_.top().stamp != activities_[ends_.top().activity].stamp))
        ends_.pop();
    return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.top().time;
}

void FlowSystem::advance(double now, std::vector<ActivityId>& ended) {
    const std::size_t first = ended.size();
    // Several passes: what ends at this very moment may have been sharing with another that then ends at it too.
    while (nextEnd() <= now) {
        const ActivityId id = ends_.top().activity;
        now_ = std::max(now_, ends_.top().time);
        ends_.pop();
        activities_[id].running = false;
        delist(id);
        ended.push_back(id);
        // All that end at the same moment leave together, so rates are shared out once.
        while (!ends_.empty() && ends_.top().time <= endOfMoment(now_)) {
            const End next = ends_.top();
            ends_.pop();
            if (!activities_[next.activity].running || next.stamp != activities_[next.activity].stamp) continue;
            activities_[next.activity].running = false;
            delist(next.activity);
            ended.push_back(next.activity);
        }
    }
    now_ = std::max(now_, now);
    std::sort(ended.begin() + static_cast<std::ptrdiff_t>(first), ended.end());
    for (std::size_t i = first; i < ended.size(); ++i) free_.push_back(ended[i]);
}

double FlowSystem::rate(ActivityId id) {
    share();
    return activities_[id].rate;
}

std::vector<double> finishTimes(const std::vector<double>& capacities, const std::vector<PointFlow>& flows) {
    std::vector<std::vector<FlowUse>> uses(flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
        std::map<FlowLink, double> crossings;
        for (const FlowLink link : flows[i].path) ++crossings[link];
        for (const auto& [link, count] : crossings) uses[i].push_back({link, count});
    }
    std::vector<std::size_t> arrivals(flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i) arrivals[i] = i;
    std::stable_sort(arrivals.begin(), arrivals.end(), [&](std::size_t a, std::size_t b) { return flows[a].start < flows[b].start; });

    std::vector<double> finish(flows.size(), std::numeric_limits<double>::infinity());
    FlowSystem system(capacities);
    std::vector<std::size_t> flowOf;
    std::vector<ActivityId> ended;
    std::size_t next = 0;
    while (true) {
        const double arrival = next < arrivals.size() ? flows[arrivals[next]].start : std::numeric_limits<double>::infinity();
        const double end = system.nextEnd();
        const double now = std::min(arrival, end);
        if (now == std::numeric_limits<double>::infinity()) return finish;
        ended.clear();
        system.advance(now, ended);
        for (const ActivityId id : ended) finish[flowOf[id]] = now;
        for (; next < arrivals.size() && flows[arrivals[next]].start <= now; ++next) {
            const std::size_t i = arrivals[next];
            const ActivityId id = system.start(now, uses[i].data(), uses[i].size(), flows[i].bytes, flows[i].cap);
            if (id >= flowOf.size()) flowOf.resize(id + 1);
            flowOf[id] = i;
        }
    }
}

} // namespace orrery
