// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transfers/transfer_pattern.hpp"

#include "core/flows/flow_system.hpp"

#include <algorithm>

namespace orrery {
namespace {

double phaseTime(const PatternPhase& phase, double bytes, const std::vector<double>& capacities) {
    if (phase.flows.empty()) return 0;
    if (phase.flows.size() == 1) {
        const PatternFlows& flows = phase.flows.front();
        // Kept apart from the rate so that a closed form's own order of operations gives its own last digit.
        double slowest = flows.bytesPerByte * bytes / flows.cap;
        double flowsBefore = -1, capacityBefore = -1; // mostly the same as of the link before
        for (const FlowUse& use : flows.uses) {
            const double capacity = capacities[use.link];
            if (use.flows == flowsBefore && capacity == capacityBefore) continue;
            flowsBefore = use.flows;
            capacityBefore = capacity;
            slowest = std::max(slowest, flows.bytesPerByte * bytes * use.flows / capacity);
        }
        return slowest;
    }
    FlowSystem system(capacities);
    for (const PatternFlows& flows : phase.flows)
        system.start(0, flows.uses.data(), flows.uses.size(), flows.bytesPerByte * bytes, flows.cap);
    double end = 0;
    std::vector<ActivityId> ended;
    for (std::size_t left = phase.flows.size(); left > 0; left = phase.flows.size() - ended.size()) {
        end = system.nextEnd();
        system.advance(end, ended);
    }
    return end;
}

} // namespace

AloneTime aloneTime(const TransferPattern& pattern, double bytes, const std::vector<double>& capacities) {
    AloneTime alone;
    alone.latency = pattern.start;
    for (const PatternPhase& phase : pattern.phases) {
        alone.latency += phase.latency;
        alone.transfer += phaseTime(phase, bytes, capacities);
    }
    alone.time = alone.latency + alone.transfer;
    return alone;
}

} // namespace orrery
