// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/together_times.hpp"
#include "core/base/mixed_bits.hpp"
#include "core/engine/flow_system.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace orrery {

void LinkNumbers::begin(std::size_t links) {
    links_.clear();
    if (number_.size() >= links) return;
    number_.resize(links);
    isAdded_.resize(links, 0);
}

void LinkNumbers::add(const std::vector<FlowUse>& uses) {
    for (const FlowUse& use : uses) {
        if (isAdded_[use.link]) continue;
        isAdded_[use.link] = 1;
        links_.push_back(use.link);
    }
}

void LinkNumbers::add(const TransferPattern& pattern) {
    for (const PatternPhase& phase : pattern.phases)
        for (const PatternFlows& flows : phase.flows) add(flows.uses);
}

void LinkNumbers::finish() {
    std::sort(links_.begin(), links_.end());
    for (std::size_t i = 0; i < links_.size(); ++i) {
        number_[links_[i]] = static_cast<FlowLink>(i);
        isAdded_[links_[i]] = 0;
    }
}

void ShapeBuilder::add(std::uint64_t word) {
    a_ = mixedBits(a_ ^ word) + 0x9e3779b97f4a7c15ULL;
    b_ = mixedBits(b_ + word * 0xd1342543de82ef95ULL) ^ 0x632be59bd9b4e019ULL;
}

void ShapeBuilder::add(double number) { add(std::bit_cast<std::uint64_t>(number)); }

void ShapeBuilder::add(const std::vector<FlowUse>& uses) {
    add(std::uint64_t{uses.size()});
    for (const FlowUse& use : uses) {
        add(std::uint64_t{numbers_.of(use.link)});
        add(use.flows);
    }
}

void ShapeBuilder::add(const Transfer& transfer) {
    add(transfer.bytes);
    add(transfer.stretch);
    add(transfer.pattern->start);
    add(std::uint64_t{transfer.pattern->phases.size()});
    for (const PatternPhase& phase : transfer.pattern->phases) {
        add(phase.latency);
        add(std::uint64_t{phase.flows.size()});
        for (const PatternFlows& flows : phase.flows) {
            add(flows.bytesPerByte);
            add(flows.cap);
            add(flows.uses);
        }
    }
}

void ShapeBuilder::addWidths(const std::vector<double>& capacities) {
    add(std::uint64_t{numbers_.links().size()});
    for (const FlowLink link : numbers_.links()) add(capacities[link]);
}

namespace {

/// Shapes that are kept: a few MiB.
constexpr std::size_t mostLinkShapes = 100000;

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
    if (known_.size() >= mostLinkShapes) known_.clear();
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

namespace {

/// Shapes that are kept: a few MiB.
constexpr std::size_t mostShapes = 20000;

/// Sets of patterns that run together, phase by phase.
struct Joint {
    double latency = 0; ///< s without any flow
    struct Phase {
        std::vector<TransferPattern> patterns; ///< one phase each, no latency
        std::vector<double> bytes;
    };
    std::vector<Phase> phases;
};

double secondsOf(TogetherTimes& times, const Joint::Phase& phase, const std::vector<double>& capacities, const std::vector<FlowDemand>& beside) {
    std::vector<Transfer> transfers;
    for (std::size_t i = 0; i < phase.patterns.size(); ++i) transfers.push_back({&phase.patterns[i], phase.bytes[i]});
    return times.seconds(transfers, capacities, beside);
}

std::vector<FlowDemand> demandsOf(const Joint::Phase& phase) {
    std::vector<FlowDemand> demands;
    for (const TransferPattern& pattern : phase.patterns)
        for (const PatternFlows& flows : pattern.phases.front().flows) demands.push_back({flows.uses, flows.cap});
    return demands;
}

Joint jointOf(const std::vector<Transfer>& transfers) {
    Joint joint;
    for (const Transfer& transfer : transfers) {
        const std::vector<PatternPhase>& phases = transfer.pattern->phases;
        double latency = transfer.pattern->start;
        if (joint.phases.size() < phases.size()) joint.phases.resize(phases.size());
        for (std::size_t i = 0; i < phases.size(); ++i) {
            latency += phases[i].latency;
            TransferPattern part;
            part.phases.push_back({0, phases[i].flows});
            joint.phases[i].patterns.push_back(std::move(part));
            joint.phases[i].bytes.push_back(transfer.bytes);
        }
        joint.latency = std::max(joint.latency, latency);
    }
    return joint;
}

template <typename Visit> void eachLink(const std::vector<Transfer>& transfers, Visit visit) {
    for (const Transfer& transfer : transfers)
        for (const PatternPhase& phase : transfer.pattern->phases)
            for (const PatternFlows& flows : phase.flows)
                for (const FlowUse& use : flows.uses) visit(use.link);
}

} // namespace

const Meeting& MeetingTimes::between(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities) {
    static const Meeting apart;
    if (!meet(own, other, capacities.size())) return apart;
    const TrafficShape shape = shapeOf(own, other, capacities);
    const auto known = known_.find(shape);
    if (known != known_.end()) return known->second;
    if (known_.size() >= mostShapes) known_.clear();
    return known_[shape] = played(own, other, capacities);
}

bool MeetingTimes::meet(const std::vector<Transfer>& own, const std::vector<Transfer>& other, std::size_t links) {
    used_.resize(std::max(used_.size(), links), 0);
    eachLink(own, [this](FlowLink link) { used_[link] = 1; });
    bool meet = false;
    eachLink(other, [&](FlowLink link) { meet = meet || used_[link]; });
    eachLink(own, [this](FlowLink link) { used_[link] = 0; });
    return meet;
}

TrafficShape MeetingTimes::shapeOf(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities) {
    numbers_.begin(capacities.size());
    for (const auto* side : {&own, &other})
        for (const Transfer& transfer : *side) numbers_.add(*transfer.pattern);
    numbers_.finish();
    ShapeBuilder builder(numbers_);
    builder.addWidths(capacities);
    for (const auto* side : {&own, &other}) {
        builder.add(std::uint64_t{side->size()});
        for (const Transfer& transfer : *side) builder.add(transfer);
    }
    return builder.shape();
}

Meeting MeetingTimes::played(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities) {
    const Joint first = jointOf(own), second = jointOf(other);
    const auto timesOf = [&](const Joint& joint, const Joint& besides) {
        PhaseTimes times{joint.latency, {}, {}};
        for (const Joint::Phase& phase : joint.phases) times.seconds.push_back(secondsOf(together_, phase, capacities, {}));
        for (const Joint::Phase& beside : besides.phases) {
            const std::vector<FlowDemand> demands = demandsOf(beside);
            for (const Joint::Phase& phase : joint.phases) times.beside.push_back(secondsOf(together_, phase, capacities, demands));
        }
        return times;
    };
    return {true, timesOf(first, second), timesOf(second, first)};
}

} // namespace orrery
