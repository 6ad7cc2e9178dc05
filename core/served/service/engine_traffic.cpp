// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/engine_traffic.hpp"
#include "core/network/transfers/group_layout.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

CacheTransfers::CacheTransfers(const Architecture& model, std::vector<CacheHolder> holders, Router& router, SharedLinks::Share& share)
    : model_(model), holders_(std::move(holders)), router_(router), share_(share) {}

const TransferPattern& CacheTransfers::pattern(int from, int fromGroup, int to, int toGroup) {
    const auto [at, added] = patterns_.try_emplace({from, fromGroup, to, toGroup});
    if (added)
        at->second = cachePattern(router_, cacheParts(model_, holders_[static_cast<std::size_t>(from)], fromGroup, holders_[static_cast<std::size_t>(to)], toGroup));
    return at->second;
}

const TransferPattern* CacheTransfers::cut(int senders, int receivers) {
    for (int sender = 0; sender < senders; ++sender)
        for (int receiver = senders; receiver < senders + receivers; ++receiver)
            if (const TransferPattern& way = pattern(sender, 0, receiver, 0); !way.connected) return &way;
    return nullptr;
}

void CacheTransfers::mark(int senders, int receivers, std::vector<bool>& links) {
    for (int sender = 0; sender < senders; ++sender)
        for (int receiver = senders; receiver < senders + receivers; ++receiver)
            for (int fromGroup = 0; fromGroup < groups(sender); ++fromGroup)
                for (int toGroup = 0; toGroup < groups(receiver); ++toGroup)
                    for (const PatternFlows& flows : pattern(sender, fromGroup, receiver, toGroup).phases.front().flows)
                        for (const FlowUse& use : flows.uses) links[use.link] = true;
}

void CacheTransfers::start(int request, double bytes, int from, int to, double now) {
    const Transfer transfer{&pattern(from, request % groups(from), to, request % groups(to)), bytes};
    TransferId id;
    if (free_.empty()) {
        id = share_.add(transfer);
    } else {
        id = free_.back();
        free_.pop_back();
        share_.replace(id, transfer);
    }
    underWay_.emplace(request, id);
    share_.start(static_cast<TaskId>(request), id, now);
}

void CacheTransfers::takeEnded(double now, std::vector<int>& requests) {
    ended_.clear();
    share_.advance(now, ended_);
    std::sort(ended_.begin(), ended_.end());
    for (const TaskId task : ended_) {
        const auto way = underWay_.find(static_cast<int>(task));
        free_.push_back(way->second);
        underWay_.erase(way);
        requests.push_back(static_cast<int>(task));
    }
}

namespace {

bool leavesItsDomain(const EnginePool& pool) { return pool.model().engine().network.outBandwidth > 0; }

const std::vector<FlowUse>& usesOf(const TransferPattern& ring) { return ring.phases.front().flows.front().uses; }

} // namespace

bool EngineTraffic::isNeeded(const std::vector<EnginePool>& pools) { return std::any_of(pools.begin(), pools.end(), leavesItsDomain); }

EngineTraffic::EngineTraffic(const std::vector<EnginePool>& pools, Router& router) {
    for (const EnginePool& pool : pools) {
        EngineModel half = pool.model().engine();
        half.network.outBandwidth /= 2;
        narrow_.push_back(leavesItsDomain(pool) ? std::make_unique<ModelClock>(std::make_shared<const KnownSteps>(half, false), pool.clock->mostTokens()) : nullptr);
        for (const std::vector<int>& ranks : pool.ranks) {
            Way& way = ways_.emplace_back();
            way.pool = &pool;
            const GroupLayout layout = layoutOf(router.fabric(), ranks);
            if (!narrow_.back() || layout.domainCount() < 2) continue;
            way.ring = domainRing(router, layout);
            if (!way.ring.connected || usesOf(way.ring).empty()) continue;
            way.narrow = narrow_.back().get();
            way.ring.phases.front().flows.front().cap = pool.model().engine().network.outBandwidth;
        }
    }
}

bool EngineTraffic::findMeetings(const CrossedLinks& others, const std::vector<double>& capacities) {
    constexpr double rounding = 1e-9;
    std::vector<double> wanted(capacities.size(), 0);
    for (const Way& way : ways_)
        if (way.narrow)
            for (const FlowUse& use : usesOf(way.ring)) wanted[use.link] += use.flows * way.ring.phases.front().flows.front().cap;
    bool any = false;
    for (Way& way : ways_) {
        if (!way.narrow) continue;
        const std::vector<FlowUse>& uses = usesOf(way.ring);
        way.meets = std::any_of(uses.begin(), uses.end(), [&](const FlowUse& use) { return others[use.link] || wanted[use.link] > capacities[use.link] * (1 + rounding); });
        any = any || way.meets;
    }
    return any;
}

void EngineTraffic::join(SharedLinks::Share& share) {
    share_ = &share;
    for (Way& way : ways_)
        if (way.meets) way.transfer = share.add({&way.ring, 0});
}

void EngineTraffic::mark(CrossedLinks& links) const {
    for (const Way& way : ways_)
        if (way.narrow)
            for (const FlowUse& use : usesOf(way.ring)) links[use.link] = true;
}

double EngineTraffic::alone(int instance, const StepBatch& batch) const {
    const Way& own = way(instance);
    return std::max(0.0, own.narrow->seconds(batch) - own.pool->clock->seconds(batch));
}

void EngineTraffic::start(int instance, double seconds, double now) {
    const Way& own = way(instance);
    share_->replace(own.transfer, {&own.ring, seconds * own.pool->model().engine().network.outBandwidth});
    share_->start(static_cast<TaskId>(instance), own.transfer, now);
}

void EngineTraffic::takeEnded(double now, std::vector<int>& instances) {
    ended_.clear();
    share_->advance(now, ended_);
    std::sort(ended_.begin(), ended_.end());
    for (const TaskId task : ended_) instances.push_back(static_cast<int>(task));
}

} // namespace orrery
