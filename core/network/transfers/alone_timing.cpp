// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/alone_timing.hpp"

#include "core/base/expect.hpp"
#include "core/engine/flow_system.hpp"

#include <algorithm>

namespace orrery {
namespace {

std::vector<FlowLink> linksOf(const std::vector<PatternFlows>& groups) {
    std::vector<FlowLink> links;
    for (const PatternFlows& flows : groups)
        for (const FlowUse& use : flows.uses) links.push_back(use.link);
    std::sort(links.begin(), links.end());
    return links;
}

bool shareLinks(const std::vector<PatternFlows>& groups) {
    const std::vector<FlowLink> links = linksOf(groups);
    return std::adjacent_find(links.begin(), links.end()) != links.end();
}

} // namespace

AloneTiming::AloneTiming(const TransferPattern& pattern, const std::vector<double>& capacities) : latency_(pattern.start) {
    for (const PatternPhase& phase : pattern.phases) {
        latency_ += phase.latency;
        if (phase.flows.empty()) continue;
        if (phase.flows.size() == 1) phases_.push_back(ofOne(phase.flows.front(), capacities));
        else phases_.push_back(shareLinks(phase.flows) ? ofSharing(phase.flows, capacities) : ofApart(phase.flows, capacities));
    }
}

AloneTiming::Phase AloneTiming::ofOne(const PatternFlows& flows, const std::vector<double>& capacities) {
    const auto isHarder = [](const Load& a, const Load& b) { return a.flows >= b.flows && a.capacity <= b.capacity; };
    Phase phase;
    phase.bytesPerByte = flows.bytesPerByte;
    phase.cap = flows.cap;
    std::vector<Load>& loads = phase.loads;
    for (const FlowUse& use : flows.uses) {
        const Load load{use.flows, capacities[use.link]};
        if (std::any_of(loads.begin(), loads.end(), [&](const Load& known) { return isHarder(known, load); })) continue;
        std::erase_if(loads, [&](const Load& known) { return isHarder(load, known); });
        loads.push_back(load);
    }
    return phase;
}

AloneTiming::Phase AloneTiming::ofApart(const std::vector<PatternFlows>& groups, const std::vector<double>& capacities) {
    Phase phase;
    for (const PatternFlows& flows : groups) {
        FlowsApart own{flows.bytesPerByte, flows.cap};
        for (const FlowUse& use : flows.uses) own.rate = std::min(own.rate, capacities[use.link] / use.flows);
        if (std::find(phase.apart.begin(), phase.apart.end(), own) == phase.apart.end()) phase.apart.push_back(own);
    }
    return phase;
}

AloneTiming::Phase AloneTiming::ofSharing(const std::vector<PatternFlows>& groups, const std::vector<double>& capacities) {
    std::vector<FlowLink> links = linksOf(groups);
    links.erase(std::unique(links.begin(), links.end()), links.end());
    Phase phase;
    phase.sharing = groups;
    for (PatternFlows& flows : phase.sharing)
        for (FlowUse& use : flows.uses) use.link = static_cast<FlowLink>(std::lower_bound(links.begin(), links.end(), use.link) - links.begin());
    for (const FlowLink link : links) phase.capacities.push_back(capacities[link]);
    return phase;
}

AloneTime AloneTiming::of(double bytes) const {
    ORRERY_EXPECT(bytes >= 0, bytes);
    AloneTime alone;
    alone.latency = latency_;
    for (const Phase& phase : phases_) alone.transfer += seconds(phase, bytes);
    alone.time = alone.latency + alone.transfer;
    return alone;
}

double AloneTiming::seconds(const Phase& phase, double bytes) {
    if (!phase.sharing.empty()) return secondsSharing(phase, bytes);
    if (!phase.apart.empty()) return secondsApart(phase, bytes);
    // Kept apart from the rate so that a closed form's own order of operations gives its own last digit.
    double slowest = phase.bytesPerByte * bytes / phase.cap;
    for (const Load& load : phase.loads) slowest = std::max(slowest, phase.bytesPerByte * bytes * load.flows / load.capacity);
    return slowest;
}

/// What FlowSystem makes of them: those that end within a moment end with its first.
double AloneTiming::secondsApart(const Phase& phase, double bytes) {
    std::vector<double> ends;
    ends.reserve(phase.apart.size());
    for (const FlowsApart& flows : phase.apart) ends.push_back(flows.rate == unlimitedRate ? 0 : flows.bytesPerByte * bytes / flows.rate);
    std::sort(ends.begin(), ends.end());
    double end = ends.front();
    for (const double later : ends)
        if (later > FlowSystem::endOfMoment(end)) end = later;
    return end;
}

double AloneTiming::secondsSharing(const Phase& phase, double bytes) {
    FlowSystem system(phase.capacities);
    for (const PatternFlows& flows : phase.sharing) system.start(0, flows.uses.data(), flows.uses.size(), flows.bytesPerByte * bytes, flows.cap);
    double end = 0;
    std::vector<ActivityId> ended;
    while (ended.size() < phase.sharing.size()) {
        end = system.nextEnd();
        system.advance(end, ended);
    }
    return end;
}

} // namespace orrery
