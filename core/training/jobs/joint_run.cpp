// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/jobs/joint_run.hpp"
#include "core/training/cost/operator_cost.hpp"
#include "core/training/job_traffic/slow_cells.hpp"
#include "core/training/jobs/recorded_program.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <algorithm>
#include <cstddef>
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

namespace {

/// Whether collectives in a job's segments meet its own transfers, the drawing's, or anything that another job sends.
bool segmentsMeetTraffic(const std::vector<JobProgram>& programs, std::size_t job) {
    const LinkSet& own = programs[job].segmentLinks;
    for (std::size_t other = 0; other < programs.size(); ++other)
        if (meet(own, programs[other].transferLinks) || (other != job && meet(own, programs[other].segmentLinks))) return true;
    return false;
}

/// The jobs' programs; segments are opened where what they send meets anything, for a segment by itself is a task of known length.
std::vector<JobProgram> programsThatMeet(const std::vector<PlacedJob>& jobs, const std::shared_ptr<RoutedFabric>& fabric) {
    std::vector<JobProgram> programs;
    for (const PlacedJob& job : jobs) programs.push_back(programOf(job, fabric));
    std::vector<std::size_t> opened;
    for (std::size_t job = 0; job < jobs.size(); ++job)
        if (programs[job].problems.empty() && segmentsMeetTraffic(programs, job)) opened.push_back(job);
    for (const std::size_t job : opened) programs[job] = programOf(jobs[job], fabric, SegmentCollectives::shared);
    return programs;
}

} // namespace

std::optional<JointRun> runTogether(const std::vector<PlacedJob>& jobs, std::shared_ptr<RoutedFabric> fabric, const RunControl& control) {
    JointRun result;
    Program together;
    std::vector<Transfer> transfers;
    const std::vector<JobProgram> programs = programsThatMeet(jobs, fabric);
    std::vector<TaskId> firstTasks;
    for (const JobProgram& own : programs) {
        result.problems.insert(result.problems.end(), own.problems.begin(), own.problems.end());
        firstTasks.push_back(together.append(own.program, static_cast<TransferId>(transfers.size())));
        transfers.insert(transfers.end(), own.transfers.begin(), own.transfers.end());
    }
    if (!result.problems.empty()) return result;
    FlowTransfers model(fabric->capacities(), transfers, programs.empty() ? std::vector<FlowDemand>{} : programs.front().traffic->background());
    const std::optional<TaskTimes> times = runProgram(together, control, &model);
    if (!times) return std::nullopt;
    firstTasks.push_back(static_cast<TaskId>(together.taskCount()));
    for (std::size_t job = 0; job < jobs.size(); ++job)
        result.iterationTimes.push_back(*std::max_element(times->end.begin() + firstTasks[job], times->end.begin() + firstTasks[job + 1]));
    return result;
}

} // namespace orrery
