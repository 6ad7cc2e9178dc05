// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/cache_transfers.hpp"

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

} // namespace orrery
