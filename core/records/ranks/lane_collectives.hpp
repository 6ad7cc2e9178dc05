// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/task_reach.hpp"
#include "core/training/plan/iteration.hpp"

#include <vector>

namespace orrery {

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
