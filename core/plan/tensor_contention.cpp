// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/tensor_contention.hpp"

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

} // namespace

bool tensorMeetsOtherTraffic(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic) {
    if (scenario.parallelism.tensor * scenario.parallelism.context < 2 || scenario.execution.overlap.tensor) return false;
    std::vector<bool> used(traffic.capacities().size(), false);
    std::set<JobTraffic::Id> others;
    for (const TransferUse& use : iteration.transfers) others.insert(use.patterns);
    for (const JobTraffic::Id id : others)
        anyLink(traffic.at(id), [&](FlowLink link) {
            used[link] = true;
            return false;
        });
    for (const FlowDemand& demand : traffic.background())
        for (const FlowUse& use : demand.uses) used[use.link] = true;

    std::set<JobTraffic::Id> seen;
    for (const TimedOperator& timed : iteration.work.operators) {
        if (timed.op.kind != OperatorKind::collective || (timed.op.group != RankGroup::tensor && timed.op.group != RankGroup::context))
            continue;
        for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
            const TrafficKind kind{timed.op.group, timed.op.collective, stage, stage};
            const JobTraffic::Id id = traffic.patterns(kind, timed.op.messageBytes / timed.op.kernels);
            if (seen.insert(id).second && anyLink(traffic.at(id), [&](FlowLink link) { return used[link]; })) return true;
        }
    }
    return false;
}

} // namespace orrery
