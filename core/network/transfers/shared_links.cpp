// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/shared_links.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

SharedLinks::SharedLinks(std::vector<double> capacities, std::vector<FlowDemand> background) : flows_(std::move(capacities), transfers_, std::move(background)) {}

SharedLinks::Share& SharedLinks::join() { return shares_.emplace_back(*this, static_cast<std::uint32_t>(shares_.size())); }

void SharedLinks::advance(double now) {
    endedNow_.clear();
    flows_.advance(now, endedNow_);
    for (const TaskId ended : endedNow_) {
        Share& share = shares_[underWay_[ended].share];
        share.ended_.push_back(underWay_[ended].task);
        share.endedAt_ = now;
        free_.push_back(ended);
    }
}

TransferId SharedLinks::Share::add(const Transfer& transfer) {
    own_.push_back(static_cast<TransferId>(links_.transfers_.size()));
    links_.transfers_.push_back(transfer);
    return static_cast<TransferId>(own_.size()) - 1;
}

void SharedLinks::Share::start(TaskId task, TransferId transfer, double now) {
    TaskId id;
    if (links_.free_.empty()) {
        id = static_cast<TaskId>(links_.underWay_.size());
        links_.underWay_.emplace_back();
    } else {
        id = links_.free_.back();
        links_.free_.pop_back();
    }
    links_.underWay_[id] = {number_, task};
    links_.flows_.start(id, own_[transfer], now);
}

double SharedLinks::Share::nextEvent() { return ended_.empty() ? links_.flows_.nextEvent() : endedAt_; }

void SharedLinks::Share::advance(double now, std::vector<TaskId>& ended) {
    // What another run's advance has brought comes first; the links may have more at the same moment.
    if (links_.flows_.nextEvent() <= now) links_.advance(now);
    ended.insert(ended.end(), ended_.begin(), ended_.end());
    ended_.clear();
}

} // namespace orrery
