// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/network_account.hpp"
#include "core/results/iteration/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {

NetworkAccount::NetworkAccount(std::size_t rows, std::size_t operators, JobTraffic& traffic) : traffic_(traffic) {
    report_.links = traffic.fabric().groups();
    bytesOn_.assign(traffic.fabric().links().size(), 0);
    flowsOn_.assign(bytesOn_.size(), 0);
    report_.patternOf.assign(rows, std::vector<std::int32_t>(operators, -1));
}

void NetworkAccount::add(int row, std::uint32_t op, JobTraffic::Id id, double bytes) {
    const std::vector<UnitUse>& units = unitsOf(id);
    TrafficPattern pattern;
    pattern.algorithm = traffic_.at(id).ofCells.front().algorithm;
    pattern.hops = traffic_.at(id).ofCells.front().hops;
    for (const UnitUse& unit : units)
        pattern.uses.push_back({unit.group, unit.bytes * bytes, unit.busiest * bytes, static_cast<int>(std::lround(unit.flows))});
    report_.patternOf[static_cast<std::size_t>(row)][op] = static_cast<std::int32_t>(report_.patterns.size());
    report_.patterns.push_back(std::move(pattern));
}

const std::vector<NetworkAccount::UnitUse>& NetworkAccount::unitsOf(JobTraffic::Id id) {
    const auto known = units_.find(id);
    if (known != units_.end()) return known->second;
    const Fabric& fabric = traffic_.fabric();
    std::vector<FlowLink> touched;
    for (const TransferPattern& pattern : traffic_.at(id).ofCells)
        for (const PatternPhase& phase : pattern.phases)
            for (const PatternFlows& flows : phase.flows)
                for (const FlowUse& use : flows.uses) {
                    const bool up = fabric.groups()[fabric.links()[use.link].group].kind == LinkKind::scale_up;
                    const double crossing = use.flows * (up ? pattern.upWire : pattern.outWire);
                    if (flowsOn_[use.link] == 0) touched.push_back(use.link);
                    bytesOn_[use.link] += crossing * flows.bytesPerByte;
                    flowsOn_[use.link] += crossing;
                }
    std::map<std::uint32_t, UnitUse> byGroup;
    for (const FlowLink link : touched) {
        UnitUse& unit = byGroup[fabric.links()[link].group];
        unit.group = fabric.links()[link].group;
        unit.bytes += bytesOn_[link];
        unit.busiest = std::max(unit.busiest, bytesOn_[link]);
        unit.flows = std::max(unit.flows, flowsOn_[link]);
        bytesOn_[link] = flowsOn_[link] = 0;
    }
    std::vector<UnitUse>& units = units_[id];
    for (const auto& [group, unit] : byGroup) units.push_back(unit);
    return units;
}

NetworkReport reportNetwork(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic) {
    NetworkAccount account(iteration.stageElements.size(), iteration.work.operators.size(), traffic);
    // What both ends see is counted once: the embedding's all-reduce is the last stage's too.
    for (const OperatorTraffic& one : iteration.traffic) account.add(one.row, one.op, one.patterns, one.bytes);
    // Collectives of the tensor groups ride inside the segments of computation, the same on all stages.
    for (std::uint32_t op = 0; op < iteration.work.operators.size(); ++op) {
        const Operator& timed = iteration.work.operators[op].op;
        if (timed.kind != OperatorKind::collective || !ridesInSegments(timed.group)) continue;
        for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
            const double bytes = timed.messageBytes / timed.kernels;
            const TrafficKind kind{timed.group, timed.collective, stage, stage};
            account.add(stage, op, traffic.patterns(kind, bytes), timed.messageBytes);
        }
    }
    return account.take();
}

} // namespace orrery
