// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/flow_transfers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace orrery {
namespace {

constexpr double rounding = 1e-12; ///< as in the flow system: moments this close, relatively, are one

} // namespace

FlowTransfers::FlowTransfers(std::vector<double> capacities, const std::vector<Transfer>& transfers, std::vector<FlowDemand> background)
    : transfers_(transfers), background_(std::move(background)), flows_(std::move(capacities)) {
    for (const FlowDemand& demand : background_)
        flows_.start(0, demand.uses.data(), demand.uses.size(), std::numeric_limits<double>::infinity(), demand.cap);
}

void FlowTransfers::start(TaskId task, TransferId transfer, double now) {
    std::uint32_t id;
    if (free_.empty()) {
        id = static_cast<std::uint32_t>(running_.size());
        running_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    running_[id] = {task, transfer, 0, 0};
    const TransferPattern& pattern = *transfers_[transfer].pattern;
    const double latency = pattern.phases.empty() ? 0 : pattern.phases.front().latency, stretch = transfers_[transfer].stretch;
    // Even without a latency by way of the queue, so that all that start in this moment share from it on.
    waiting_.push({now + pattern.start * stretch + latency * stretch, id});
}

double FlowTransfers::nextEvent() {
    const double flowEnd = flows_.nextEnd();
    return waiting_.empty() ? flowEnd : std::min(flowEnd, waiting_.top().until);
}

void FlowTransfers::enterPhase(std::uint32_t running, double now, std::vector<TaskId>& ended) {
    const Transfer& transfer = transfers_[running_[running].transfer];
    if (running_[running].phase >= transfer.pattern->phases.size()) {
        ended.push_back(running_[running].task);
        free_.push_back(running);
        return;
    }
    const double latency = transfer.pattern->phases[running_[running].phase].latency * transfer.stretch;
    if (latency > 0) waiting_.push({now + latency, running});
    else startFlows(running, now, ended);
}

void FlowTransfers::startFlows(std::uint32_t running, double now, std::vector<TaskId>& ended) {
    const Transfer& transfer = transfers_[running_[running].transfer];
    if (running_[running].phase < transfer.pattern->phases.size()) {
        for (const PatternFlows& flows : transfer.pattern->phases[running_[running].phase].flows) {
            const ActivityId id = flows_.start(now, flows.uses.data(), flows.uses.size(), flows.bytesPerByte * transfer.bytes * transfer.stretch, flows.cap);
            if (id >= runningOf_.size()) runningOf_.resize(id + 1);
            runningOf_[id] = running;
            ++running_[running].flowsLeft;
        }
    }
    if (running_[running].flowsLeft > 0) return;
    ++running_[running].phase;
    enterPhase(running, now, ended);
}

void FlowTransfers::advance(double now, std::vector<TaskId>& ended) {
    endedFlows_.clear();
    flows_.advance(now, endedFlows_);
    // All that ended are told to their transfers before the next phase of any begins: its flows take the ids of ended ones again.
    throughPhase_.clear();
    for (const ActivityId id : endedFlows_)
        if (--running_[runningOf_[id]].flowsLeft == 0) throughPhase_.push_back(runningOf_[id]);
    for (const std::uint32_t running : throughPhase_) {
        ++running_[running].phase;
        enterPhase(running, now, ended);
    }
    const double moment = now + rounding * now;
    while (!waiting_.empty() && waiting_.top().until <= moment) {
        const std::uint32_t running = waiting_.top().running;
        waiting_.pop();
        startFlows(running, now, ended);
    }
}

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
