// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulation/joint_run.hpp"

#include "core/cost/operator_cost.hpp"
#include "core/job_traffic/job_traffic.hpp"
#include "core/job_traffic/slow_cells.hpp"
#include "core/plan/iteration.hpp"
#include "core/rank_work/rank_work.hpp"
#include "core/transfers/flow_transfers.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace orrery {
namespace {

/// Every cell by itself: what tells two of them apart is where the other jobs sit.
LaneMap singleLanes(const Scenario& scenario, const JobTraffic& traffic) {
    const auto stages = static_cast<std::size_t>(scenario.parallelism.pipeline), cells = static_cast<std::size_t>(scenario.parallelism.data);
    std::vector<std::vector<std::uint32_t>> own(stages, std::vector<std::uint32_t>(cells));
    for (std::vector<std::uint32_t>& stage : own)
        for (std::uint32_t cell = 0; cell < cells; ++cell) stage[cell] = cell;
    return LaneMap(own, cellSlowdowns(scenario, traffic));
}

} // namespace

std::optional<JointRun> runTogether(const std::vector<PlacedJob>& jobs, std::shared_ptr<RoutedFabric> fabric, const RunControl& control) {
    JointRun result;
    Program together;
    std::vector<Transfer> transfers;
    std::vector<std::unique_ptr<JobTraffic>> traffic;
    std::vector<TaskId> firstTasks;
    for (const PlacedJob& job : jobs) {
        const Scenario& scenario = *job.scenario;
        JobTraffic& own = *traffic.emplace_back(std::make_unique<JobTraffic>(scenario, fabric, job.placement));
        const CostModel cost = costModelOf(scenario);
        const Iteration iteration = buildIteration(scenario, makeRankWork(scenario, scenario.execution.recompute, cost, own), own, singleLanes(scenario, own));
        if (Problems problems = own.unreachable(); !problems.empty()) result.problems.insert(result.problems.end(), problems.begin(), problems.end());
        firstTasks.push_back(together.append(iteration.program, static_cast<TransferId>(transfers.size())));
        for (const TransferUse& use : iteration.transfers) transfers.push_back({&own.pattern(use.patterns, use.cell), use.bytes});
    }
    if (!result.problems.empty()) return result;
    FlowTransfers model(fabric->capacities(), transfers, traffic.empty() ? std::vector<FlowDemand>{} : traffic.front()->background());
    const std::optional<TaskTimes> times = runProgram(together, control, &model);
    if (!times) return std::nullopt;
    firstTasks.push_back(static_cast<TaskId>(together.taskCount()));
    for (std::size_t job = 0; job < jobs.size(); ++job)
        result.iterationTimes.push_back(*std::max_element(times->end.begin() + firstTasks[job], times->end.begin() + firstTasks[job + 1]));
    return result;
}

} // namespace orrery
