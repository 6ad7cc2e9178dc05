// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/jobs/job_program.hpp"

#include "core/training/cost/operator_cost.hpp"
#include "core/training/job_traffic/slow_cells.hpp"
#include "core/training/jobs/recorded_program.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <cstdint>
#include <utility>

namespace orrery {
namespace {

LaneMap singleLanes(const Scenario& scenario, const JobTraffic& traffic) {
    const auto stages = static_cast<std::size_t>(scenario.parallelism.pipeline), cells = static_cast<std::size_t>(scenario.parallelism.data);
    std::vector<std::vector<std::uint32_t>> own(stages, std::vector<std::uint32_t>(cells));
    for (std::vector<std::uint32_t>& stage : own)
        for (std::uint32_t cell = 0; cell < cells; ++cell) stage[cell] = cell;
    return LaneMap(own, cellSlowdowns(scenario, traffic));
}

void addTransfers(const TrafficProgram& program, JobProgram& made) {
    for (const TransferUse& use : program.transfers) made.transfers.push_back({&made.traffic->pattern(use.patterns, use.cell), use.bytes});
    made.transferLinks = linksOfTransfers(program, *made.traffic);
}

} // namespace

JobProgram programOf(const PlacedJob& job, const std::shared_ptr<RoutedFabric>& fabric, SegmentCollectives collectives) {
    JobProgram made;
    const Scenario& scenario = *job.scenario;
    made.traffic = std::make_unique<JobTraffic>(scenario, fabric, job.placement);
    JobTraffic& traffic = *made.traffic;
    if (const RecordedWorkload* recorded = scenario.recorded()) {
        RecordedProgram program = buildRecordedProgram(scenario, *recorded, traffic);
        made.problems = traffic.unreachable();
        addTransfers(program, made);
        made.program = std::move(program.program);
        return made;
    }
    const CostModel cost = costModelOf(scenario);
    Iteration iteration = buildIteration(scenario, makeRankWork(scenario, scenario.execution.recompute, cost, traffic), traffic, singleLanes(scenario, traffic),
                                         collectives == SegmentCollectives::shared);
    made.problems = traffic.unreachable();
    addTransfers(iteration, made);
    made.segmentLinks = linksOfSegments(scenario, iteration, traffic);
    made.program = std::move(iteration.program);
    return made;
}

} // namespace orrery
