// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/meeting_times.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
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
