// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulation/joint_run.hpp"

#include "core/simulation/job_program.hpp"
#include "core/transfers/flow_transfers.hpp"

#include <algorithm>

namespace orrery {

std::optional<JointRun> runTogether(const std::vector<PlacedJob>& jobs, std::shared_ptr<RoutedFabric> fabric, const RunControl& control) {
    JointRun result;
    Program together;
    std::vector<Transfer> transfers;
    std::vector<JobProgram> programs;
    std::vector<TaskId> firstTasks;
    for (const PlacedJob& job : jobs) {
        const JobProgram& own = programs.emplace_back(programOf(job, fabric));
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
