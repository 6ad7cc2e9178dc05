// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/tensor_contention.hpp"

#include <algorithm>
#include <set>

namespace orrery {
namespace {

template <typename Visit>
bool anyLink(const TrafficPatterns& set, Visit&& isWanted) {
    for (const TransferPattern& pattern : set.ofCells)
        for (const PatternPhase& phase : pattern.phases)
            for (const PatternFlows& flows : phase.flows)
                for (const FlowUse& use : flows.uses)
                    if (isWanted(use.link)) return true;
    return false;
}

void addLinks(const TrafficPatterns& set, LinkSet& links) {
    anyLink(set, [&](FlowLink link) {
        links[link] = true;
        return false;
    });
}

/// Whether `isWanted` holds for the patterns of any collective that could run as a transfer of its own inside a segment.
template <typename Visit>
bool anySegmentPatterns(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic, Visit&& isWanted) {
    if (scenario.parallelism.tensor * scenario.parallelism.context < 2 || scenario.execution.overlap.tensor) return false;
    std::set<JobTraffic::Id> seen;
    for (const TimedOperator& timed : iteration.work.operators) {
        if (timed.op.kind != OperatorKind::collective || (timed.op.group != RankGroup::tensor && timed.op.group != RankGroup::context))
            continue;
        for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
            const TrafficKind kind{timed.op.group, timed.op.collective, stage, stage};
            const JobTraffic::Id id = traffic.patterns(kind, timed.op.messageBytes / timed.op.kernels);
            if (seen.insert(id).second && isWanted(traffic.at(id))) return true;
        }
    }
    return false;
}

} // namespace

LinkSet linksOfTransfers(const TrafficProgram& program, JobTraffic& traffic) {
    LinkSet links(traffic.capacities().size(), false);
    std::set<JobTraffic::Id> used;
    for (const TransferUse& use : program.transfers) used.insert(use.patterns);
    for (const JobTraffic::Id id : used) addLinks(traffic.at(id), links);
    for (const FlowDemand& demand : traffic.background())
        for (const FlowUse& use : demand.uses) links[use.link] = true;
    return links;
}

LinkSet linksOfSegments(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic) {
    LinkSet links(traffic.capacities().size(), false);
    anySegmentPatterns(scenario, iteration, traffic, [&](const TrafficPatterns& set) {
        addLinks(set, links);
        return false;
    });
    return links;
}

bool meet(const LinkSet& one, const LinkSet& other) {
    const std::size_t links = std::min(one.size(), other.size());
    for (std::size_t link = 0; link < links; ++link)
        if (one[link] && other[link]) return true;
    return false;
}

bool tensorMeetsOtherTraffic(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic) {
    if (scenario.parallelism.tensor * scenario.parallelism.context < 2 || scenario.execution.overlap.tensor) return false;
    const LinkSet used = linksOfTransfers(iteration, traffic);
    return anySegmentPatterns(scenario, iteration, traffic,
                              [&](const TrafficPatterns& set) { return anyLink(set, [&](FlowLink link) { return used[link]; }); });
}

} // namespace orrery
