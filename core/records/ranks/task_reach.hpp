// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/engine/max_min.hpp"
#include "core/training/plan/iteration.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

/// Which tasks of a program wait for which, by its dependencies and by the order of its streams.
class TaskReach {
public:
    explicit TaskReach(const Program& program);

    /// These tasks and all that wait for any of them, by task.
    std::vector<bool> behind(const std::vector<TaskId>& tasks) const { return closure(after_, tasks); }
    /// These tasks and all that any of them waits for.
    std::vector<bool> upTo(const std::vector<TaskId>& tasks) const { return closure(before_, tasks); }
    /// The task before it on its stream; noTask: it is the first.
    TaskId beforeOnStream(TaskId task) const { return beforeOnStream_[task]; }

    /// Calls `visit` with each task that `task` waits for.
    template <typename Visit> void eachBefore(TaskId task, Visit&& visit) const {
        for (std::uint32_t i = before_.offsets[task]; i < before_.offsets[task + 1]; ++i) visit(before_.tasks[i]);
    }

private:
    /// Lists in compressed rows, by task.
    struct Rows {
        std::vector<std::uint32_t> offsets;
        std::vector<TaskId> tasks;
    };
    static std::vector<bool> closure(const Rows& rows, const std::vector<TaskId>& tasks);

    std::vector<TaskId> beforeOnStream_;
    Rows before_, after_;
};

/// What of a program has a part in when the `wanted` tasks run: what they wait for; what loads a device on which one of these can be slowed; transfers that use a link
/// that one of these uses. When such things run isn't looked at: they could meet. Of the rest nothing reaches the wanted tasks. `runs`: the tasks that run at all, among
/// them the wanted ones and what they wait for; `linksOf`: by transfer.
std::vector<bool> neededTasks(const Program& program, const TaskReach& reach, const std::vector<bool>& runs, const std::vector<TaskId>& wanted, const std::vector<std::vector<FlowLink>>& linksOf);

/// The program's tasks that are `kept`, in their order; what they depend on is kept too.
struct ProgramPart {
    Program program;
    std::vector<TaskId> tasks; ///< which task of the whole each is
    /// The times by task of the whole; 0 of those left out.
    TaskTimes whole(const TaskTimes& part, std::size_t count) const;
};
ProgramPart partOf(const Program& program, const std::vector<bool>& kept);

/// A collective, send or receive in which a lane takes part. Collectives inside of passes (of tensor and context groups, of experts) are none of these: a lane's ranks
/// are in step.
struct LaneCollective {
    TaskId transfer = noTask; ///< what is on its way: the joint task, or the send
    TaskId enters = noTask;   ///< the lane's task that is there: a joint one's `arrive`, the send, or the pass that takes what was received
    bool receives = false;
    double comes = 0; ///< s: when the lane is there; to a receive, when its pass before has ended
};

double comesAt(const LaneCollective& collective, const TaskReach& reach, const TaskTimes& times);

/// The lane's collectives in the order in which it comes to them; at one moment in the program's order.
std::vector<LaneCollective> collectivesOf(const Iteration& iteration, const TaskReach& reach, const TaskTimes& times, int lane);

} // namespace orrery
