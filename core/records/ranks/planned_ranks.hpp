// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/engine/engine.hpp"
#include "core/engine/max_min.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/job_traffic/job_traffic.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/plan/job_symmetry.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// A kernel of a planned rank, or a collective inside a pass: an entry of the segment of one of its tasks.
struct PlannedKernel {
    std::uint32_t op = 0; ///< index into the iteration's operators
    double seconds = 0;   ///< as planned
    double before = 0;    ///< s from the end of the kernel before in its pass, or from the pass's start; below 0 where they overlap
    bool collective = false;
};

/// A planned training iteration in which no rank stands for another: every cell (the tensor and context ranks with one data and one pipeline coordinate) runs by itself.
class PlannedRanks {
public:
    /// Where `problems` gets errors the rest means nothing: no training, recomputation left to choose, or an impossible plan.
    PlannedRanks(const Scenario& scenario, Problems& problems);

    const Scenario& scenario() const { return scenario_; }
    const Iteration& iteration() const { return iteration_; }
    std::size_t lanes() const { return passes_.size(); }
    const std::vector<int>& ranksOf(int lane) const { return ranksOfLane_[static_cast<std::size_t>(lane)]; }
    int laneOf(int rank) const { return laneOfRank_[static_cast<std::size_t>(rank)]; }
    /// What the lane computes, pass by pass in its order: tasks of the iteration.
    const std::vector<TaskId>& passes(int lane) const { return passes_[static_cast<std::size_t>(lane)]; }
    std::vector<PlannedKernel> kernels(TaskId pass) const;
    /// What a pass takes as planned with nothing beside it, s.
    double plannedTime(TaskId pass) const;

    /// The ranks that a collective or send holds together, among them `rank`: its group, or a sender and its receiver.
    std::vector<int> groupOf(TransferId transfer, int rank) const;
    /// The same of a collective inside the lane's passes; `rank` alone where it has no group.
    std::vector<int> groupOf(const Operator& op, int lane, int rank) const;
    /// Sends of other lanes whose content the lane takes: tasks of the iteration, rising.
    const std::vector<TaskId>& receives(int lane) const { return receives_[static_cast<std::size_t>(lane)]; }
    /// What a task of the pipeline's or the data group's stream waits for on its way: itself where it is a transfer, else the joint task that it departs from.
    TaskId transferOf(TaskId task) const;
    /// The links that each transfer of the program uses at some time.
    std::vector<std::vector<FlowLink>> linksOfTransfers() const;

    /// The iteration; `times` are seconds of each pass alone, by task, and those below 0 are as planned. Communication slows the kernels beside it, but for
    /// those of `asRecorded`, tasks whose times have that in them.
    Program program(const std::vector<double>& times, const std::vector<TaskId>& asRecorded = {}) const;
    /// Runs a program with the iteration's transfers: collectives and sends meet on the links of the cluster. Nothing when stopped.
    std::optional<TaskTimes> run(const Program& program, const RunControl& control = {});
    std::optional<TaskTimes> run(const std::vector<double>& times, const std::vector<TaskId>& asRecorded = {}, const RunControl& control = {}) { return run(program(times, asRecorded), control); }

private:
    Scenario scenario_;
    std::unique_ptr<JobTraffic> traffic_;
    std::unique_ptr<JobSymmetry> symmetry_;
    Iteration iteration_;
    std::vector<std::vector<TaskId>> passes_;
    std::vector<std::vector<TaskId>> receives_;
    std::vector<TaskId> jointOf_; ///< by task that departs; noTask for others
    std::vector<int> laneOfRank_;
    std::vector<std::vector<int>> ranksOfLane_; ///< rising
};

} // namespace orrery
