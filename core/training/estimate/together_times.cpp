// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/together_times.hpp"

#include "core/engine/flow_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

/// Shapes that are kept: a few MiB.
constexpr std::size_t mostShapes = 100000;

/// Whether nothing but bytes on links takes time.
bool isTransferAlone(const std::vector<Transfer>& transfers) {
    return !transfers.empty() && transfers.front().bytes > 0 && std::all_of(transfers.begin(), transfers.end(), [](const Transfer& transfer) {
        const std::vector<PatternPhase>& phases = transfer.pattern->phases;
        return transfer.pattern->start == 0 && std::all_of(phases.begin(), phases.end(), [](const PatternPhase& phase) { return phase.latency == 0; });
    });
}

double powerOfTwoBelow(double bytes) { return std::ldexp(1.0, std::ilogb(bytes)); }

} // namespace

double TogetherTimes::seconds(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside) {
    // Without latencies times grow with the bytes, by a power of two to the last bit.
    const double scale = isTransferAlone(transfers) ? powerOfTwoBelow(transfers.front().bytes) : 1;
    asked_ = transfers;
    for (Transfer& transfer : asked_) transfer.bytes /= scale;
    numbers_.begin(capacities.size());
    for (const Transfer& transfer : asked_) numbers_.add(*transfer.pattern);
    for (const FlowDemand& demand : beside) numbers_.add(demand.uses);
    numbers_.finish();
    const TrafficShape shape = shapeOf(asked_, capacities, beside);
    const auto known = known_.find(shape);
    if (known != known_.end()) return known->second * scale;
    if (known_.size() >= mostShapes) known_.clear();
    return (known_[shape] = played(asked_, capacities, beside)) * scale;
}

TrafficShape TogetherTimes::shapeOf(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside) const {
    ShapeBuilder builder(numbers_);
    builder.addWidths(capacities);
    builder.add(std::uint64_t{transfers.size()});
    for (const Transfer& transfer : transfers) builder.add(transfer);
    builder.add(std::uint64_t{beside.size()});
    for (const FlowDemand& demand : beside) {
        builder.add(demand.cap);
        builder.add(demand.uses);
    }
    return builder.shape();
}

/// The time where all begin to send at once and end in one moment, as those do that are alike: rates are shared out once, as FlowSystem does
/// it. Nothing: they don't.
std::optional<double> TogetherTimes::oneMoment(const std::vector<Transfer>& transfers, const std::vector<double>& widths, const std::vector<FlowDemand>& beside) {
    const auto onlySends = [](const TransferPattern& pattern) { return pattern.start == 0 && pattern.phases.size() == 1 && pattern.phases.front().latency == 0; };
    if (!std::all_of(transfers.begin(), transfers.end(), [&](const Transfer& transfer) { return onlySends(*transfer.pattern); })) return std::nullopt;
    uses_.clear();
    demands_.clear();
    const auto add = [&](const std::vector<FlowUse>& uses, double cap) {
        for (const FlowUse& use : uses) uses_.push_back({numbers_.of(use.link), use.flows});
        demands_.push_back({nullptr, uses.size(), cap});
    };
    for (const FlowDemand& demand : beside) add(demand.uses, demand.cap);
    for (const Transfer& transfer : transfers)
        for (const PatternFlows& flows : transfer.pattern->phases.front().flows) add(flows.uses, flows.cap);
    const FlowUse* next = uses_.data();
    for (DemandView& demand : demands_) {
        demand.uses = next;
        next += demand.count;
    }
    if (demands_.size() == beside.size()) return std::nullopt;
    rates_.assign(demands_.size(), 0);
    ProgressiveFilling(widths).solve(demands_, rates_);
    double first = std::numeric_limits<double>::infinity(), last = 0;
    std::size_t demand = beside.size();
    for (const Transfer& transfer : transfers)
        for (const PatternFlows& flows : transfer.pattern->phases.front().flows) {
            const double end = flows.bytesPerByte * transfer.bytes * transfer.stretch / rates_[demand++];
            first = std::min(first, end);
            last = std::max(last, end);
        }
    const bool isMoment = first > 0 && last < std::numeric_limits<double>::infinity() && last <= FlowSystem::endOfMoment(first);
    return isMoment ? std::optional(first) : std::nullopt;
}

/// A flow system of the links in use alone: a cluster has many more.
double TogetherTimes::played(const std::vector<Transfer>& transfers, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside) {
    std::vector<double> widths;
    widths.reserve(numbers_.links().size());
    for (const FlowLink link : numbers_.links()) widths.push_back(capacities[link]);
    if (const std::optional<double> moment = oneMoment(transfers, widths, beside)) return *moment;
    const auto renumber = [&](std::vector<FlowUse>& uses) {
        for (FlowUse& use : uses) use.link = numbers_.of(use.link);
    };
    std::vector<TransferPattern> patterns(transfers.size());
    std::vector<Transfer> own;
    own.reserve(transfers.size());
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        patterns[i].start = transfers[i].pattern->start;
        patterns[i].phases = transfers[i].pattern->phases;
        for (PatternPhase& phase : patterns[i].phases)
            for (PatternFlows& flows : phase.flows) renumber(flows.uses);
        own.push_back({&patterns[i], transfers[i].bytes, transfers[i].stretch});
    }
    std::vector<FlowDemand> background = beside;
    for (FlowDemand& demand : background) renumber(demand.uses);
    FlowTransfers model(std::move(widths), own, std::move(background));
    for (TransferId i = 0; i < own.size(); ++i) model.start(i, i, 0);
    std::vector<TaskId> ended;
    double now = 0;
    while (ended.size() < own.size()) {
        now = model.nextEvent();
        if (now == std::numeric_limits<double>::infinity()) break; // a link of no capacity: the network checks name it
        model.advance(now, ended);
    }
    return now;
}

} // namespace orrery
