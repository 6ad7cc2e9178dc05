// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/jobs/joint_run.hpp"

#include "core/network/transfers/flow_transfers.hpp"
#include "core/training/jobs/job_program.hpp"

#include <algorithm>
#include <cstddef>

namespace orrery {
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
