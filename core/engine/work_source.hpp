// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"

#include <limits>

namespace orrery {

/// Gives a run more work while it goes on: requests that arrive, steps that follow from what has ended.
///
/// Streams, tasks and dependencies that a call adds to the program belong to the run when the call returns; tasks that wait for nothing
/// start at once. A task may depend on any task, on one that has ended as well. What a task that has started waits for can't change:
/// the run throws LateDependencyError. The durations of tasks that wait may change.
///
/// Transfers that appear on the way are added to the list that the transfer model was made with (FlowTransfers keeps a reference to it).
class WorkSource {
public:
    virtual ~WorkSource() = default;
    /// `task` has ended at `now`, s. Tasks that end at one moment are told in the order of their numbers.
    virtual void ended(TaskId task, double now, Program& program) = 0;
    /// When `wake` is to be called next, s, not before the last call's `now`; infinity: only ends matter.
    virtual double nextWake() { return std::numeric_limits<double>::infinity(); }
    /// Called at the time that `nextWake` gave, after what ends at that moment.
    virtual void wake(double now, Program& program) {
        (void)now;
        (void)program;
    }
};

/// Thrown when a task that has started is told to wait: a fault of whoever made the program.
struct LateDependencyError : std::logic_error {
    explicit LateDependencyError(TaskId late) : std::logic_error("task " + std::to_string(late) + " has started and can't wait any more"), task(late) {}
    TaskId task;
};

/// Runs the program, and all that `source` adds to it, event by event; ends when nothing runs and nothing is to come. Deterministic, stops
/// and throws like the run without a source (core/engine/engine.hpp). The times are by task of the program as it is in the end.
std::optional<TaskTimes> runProgram(Program& program, WorkSource& source, const RunControl& control = {}, TransferModel* transfers = nullptr);

} // namespace orrery
