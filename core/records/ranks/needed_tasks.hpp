// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/max_min.hpp"
#include "core/records/ranks/task_reach.hpp"

#include <vector>

namespace orrery {

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

} // namespace orrery
