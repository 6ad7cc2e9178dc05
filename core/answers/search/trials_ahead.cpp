// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/trials_ahead.hpp"

#include <utility>

namespace orrery {

TrialsAhead::TrialsAhead(TrialPool& pool, const std::map<std::size_t, SweptPoint>& known, OnSweptPoint onSimulated, std::stop_token stop)
    : pool_(pool), known_(known), onSimulated_(std::move(onSimulated)), stop_(std::move(stop)) {}

void TrialsAhead::begin(std::size_t index) {
    if (known_.contains(index) || ahead_.contains(index) || !onTheirWay_.insert(index).second) return;
    pool_.begin(index);
}

std::optional<SweptPoint> TrialsAhead::pointOf(std::size_t index, const std::function<void()>& beginOthers) {
    const auto known = known_.find(index);
    if (known != known_.end()) return known->second;
    begin(index);
    while (!stop_.stop_requested()) {
        if (const auto found = ahead_.extract(index)) return std::move(found.mapped());
        beginOthers();
        std::optional<TrialPool::Done> done = pool_.next();
        if (!done) return std::nullopt;
        onTheirWay_.erase(done->index);
        if (onSimulated_) onSimulated_(done->index, done->point);
        ahead_.insert_or_assign(done->index, std::move(done->point));
    }
    return std::nullopt;
}

} // namespace orrery
