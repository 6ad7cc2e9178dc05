// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/job_symmetry.hpp"

#include "core/base/index.hpp"
#include "core/training/job_traffic/slow_cells.hpp"
#include "core/training/plan/jitter_shape.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace orrery {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdULL; }

} // namespace

JobSymmetry::JobSymmetry(const Scenario& scenario, JobTraffic& traffic, const std::vector<JobTraffic::Id>& used, Folding folding)
    : scenario_(scenario), traffic_(traffic), symmetry_(traffic.capacities()), background_(traffic.background()) {
    const Parallelism& plan = scenario.parallelism;
    const std::vector<std::vector<double>> slowdown = cellSlowdowns(scenario, traffic);
    folded_ = folding == Folding::exact && scenario.execution.jitter.sigma <= 0 && plan.data > 1;
    if (folded_) {
        refine(used, slowdown);
    } else {
        std::vector<std::vector<std::uint32_t>> own(at(plan.pipeline), std::vector<std::uint32_t>(at(plan.data)));
        for (std::vector<std::uint32_t>& cells : own)
            for (std::uint32_t cell = 0; cell < cells.size(); ++cell) cells[cell] = cell;
        lanes_ = LaneMap(own, slowdown);
    }
    plain_ = lanes_.lanes().size() == at(plan.pipeline) && scenario.execution.jitter.sigma <= 0 &&
             std::all_of(lanes_.lanes().begin(), lanes_.lanes().end(), [](const Lane& lane) { return lane.slowdown == 1; });
}

void JobSymmetry::refine(const std::vector<JobTraffic::Id>& used, const std::vector<std::vector<double>>& slowdown) {
    const Parallelism& plan = scenario_.parallelism;
    std::vector<std::vector<std::uint32_t>> number(at(plan.pipeline), std::vector<std::uint32_t>(at(plan.data)));
    for (int stage = 0; stage < plan.pipeline; ++stage)
        for (int cell = 0; cell < plan.data; ++cell)
            number[at(stage)][at(cell)] =
                symmetry_.addLane(mixed(static_cast<std::uint64_t>(stage), std::bit_cast<std::uint64_t>(slowdown[at(stage)][at(cell)])));
    std::uint32_t role = 0;
    for (const JobTraffic::Id id : std::set<JobTraffic::Id>(used.begin(), used.end())) {
        const TrafficPatterns& set = traffic_.at(id);
        ++role;
        for (std::size_t cell = 0; cell < set.ofCells.size(); ++cell) {
            const TransferPattern& pattern = set.ofCells[cell];
            bool first = true;
            for (std::size_t phase = 0; phase < pattern.phases.size(); ++phase)
                for (const PatternFlows& flows : pattern.phases[phase].flows) {
                    std::uint64_t colour = mixed(mixed(id, phase), std::bit_cast<std::uint64_t>(flows.cap));
                    colour = mixed(colour, std::bit_cast<std::uint64_t>(flows.bytesPerByte));
                    colour = mixed(colour, std::bit_cast<std::uint64_t>(pattern.phases[phase].latency));
                    const std::uint32_t added = symmetry_.addFlows(colour, flows.uses);
                    if (first) firstFlows_[{id, static_cast<int>(cell)}] = added;
                    first = false;
                    if (set.shared) continue;
                    symmetry_.join(number[at(set.kind.stage)][cell], added, 2 * role);
                    symmetry_.join(number[at(set.kind.toStage)][cell], added, 2 * role + 1);
                }
        }
    }
    for (const FlowDemand& demand : background_)
        symmetry_.addFlows(mixed(~std::uint64_t{0}, std::bit_cast<std::uint64_t>(demand.cap)), demand.uses);
    symmetry_.refine();

    std::vector<std::vector<std::uint32_t>> classOf(at(plan.pipeline), std::vector<std::uint32_t>(at(plan.data)));
    for (int stage = 0; stage < plan.pipeline; ++stage) {
        std::map<Symmetry::Colour, std::uint32_t> local;
        for (int cell = 0; cell < plan.data; ++cell)
            classOf[at(stage)][at(cell)] = local.emplace(symmetry_.laneClass(number[at(stage)][at(cell)]), static_cast<std::uint32_t>(local.size())).first->second;
    }
    lanes_ = LaneMap(classOf, slowdown);
}

/// A pattern with one group of flows for each class of them, on classes of links.
const TransferPattern& JobSymmetry::quotient(JobTraffic::Id set, int cell) {
    const TrafficPatterns& patterns = traffic_.at(set);
    const int own = patterns.shared ? 0 : cell;
    const auto known = quotients_.find({set, own});
    if (known != quotients_.end()) return known->second;
    const TransferPattern& pattern = patterns.ofCells[at(own)];
    TransferPattern small;
    small.algorithm = pattern.algorithm;
    small.start = pattern.start;
    std::uint32_t number = firstFlows_.count({set, own}) ? firstFlows_.at({set, own}) : 0;
    for (const PatternPhase& phase : pattern.phases) {
        PatternPhase folded;
        folded.latency = phase.latency;
        std::set<Symmetry::Colour> seen;
        for (const PatternFlows& flows : phase.flows) {
            const Symmetry::Colour colour = symmetry_.flowClass(number++);
            if (!seen.insert(colour).second) continue;
            folded.flows.push_back({symmetry_.classUses(colour), flows.bytesPerByte, flows.cap});
        }
        small.phases.push_back(std::move(folded));
    }
    return quotients_.emplace(std::make_pair(set, own), std::move(small)).first->second;
}

std::unique_ptr<TransferModel> JobSymmetry::model(const std::vector<TransferUse>& uses, const StepStretch* stretch) {
    transfers_.clear();
    for (const TransferUse& use : uses) {
        const double slower = stretch ? stretch->ofTransfers[static_cast<std::size_t>(traffic_.at(use.patterns).kind.group)] : 1;
        transfers_.push_back({folded_ ? &quotient(use.patterns, use.cell) : &traffic_.pattern(use.patterns, use.cell), use.bytes, slower});
    }
    if (!folded_) return std::make_unique<FlowTransfers>(traffic_.capacities(), transfers_, background_);
    std::vector<FlowDemand> background;
    std::set<Symmetry::Colour> seen;
    const std::uint32_t first = static_cast<std::uint32_t>(symmetry_.flowCount() - background_.size());
    for (std::uint32_t i = 0; i < background_.size(); ++i) {
        const Symmetry::Colour colour = symmetry_.flowClass(first + i);
        if (seen.insert(colour).second) background.push_back({symmetry_.classUses(colour), background_[i].cap});
    }
    return std::make_unique<FlowTransfers>(symmetry_.classCapacities(), transfers_, background);
}

} // namespace orrery
