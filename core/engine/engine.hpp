#pragma once

#include "core/base/run_control.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

using TaskId = std::uint32_t;
using StreamId = std::uint32_t;
using TransferId = std::uint32_t;

inline constexpr TransferId noTransfer = ~TransferId{0};

/// Work for the engine: tasks on in-order streams, with dependencies between them. Nothing here knows what a transformer is.
///
/// A stream runs its tasks one after another in the order they were added, as a CUDA stream does. A task starts when the task
/// before it on its stream and all tasks it depends on have ended. Dependencies may point forward to tasks added later.
class Program {
public:
    StreamId addStream() { return streams_++; }
    TaskId addTask(StreamId stream, double duration) {
        durations_.push_back(duration);
        taskStreams_.push_back(stream);
        transfers_.push_back(noTransfer);
        return static_cast<TaskId>(durations_.size()) - 1;
    }
    /// A task that lasts as long as the transfer model takes for `transfer`, under whatever else is on its way.
    TaskId addTransfer(StreamId stream, TransferId transfer) {
        const TaskId task = addTask(stream, 0);
        transfers_[task] = transfer;
        return task;
    }
    /// `task` starts after `before` has ended.
    void addDependency(TaskId task, TaskId before) { edges_.emplace_back(before, task); }
    void setDuration(TaskId task, double duration) { durations_[task] = duration; }
    void reserve(std::size_t tasks) {
        durations_.reserve(tasks);
        taskStreams_.reserve(tasks);
        transfers_.reserve(tasks);
        edges_.reserve(2 * tasks);
    }

    std::size_t taskCount() const { return durations_.size(); }
    StreamId streamCount() const { return streams_; }
    const std::vector<double>& durations() const { return durations_; }
    const std::vector<StreamId>& taskStreams() const { return taskStreams_; }
    const std::vector<TransferId>& transfers() const { return transfers_; } ///< by task; noTransfer: its duration is known
    const std::vector<std::pair<TaskId, TaskId>>& edges() const { return edges_; }

private:
    StreamId streams_ = 0;
    std::vector<double> durations_;
    std::vector<StreamId> taskStreams_;
    std::vector<TransferId> transfers_;
    std::vector<std::pair<TaskId, TaskId>> edges_; ///< (before, after)
};

/// When every task ran, by task, in seconds from the start.
struct TaskTimes {
    std::vector<double> start;
    std::vector<double> end;
    double duration = 0;
};

/// Thrown when tasks wait for each other in a circle: a fault of whoever made the program, not of the user.
struct DeadlockError : std::logic_error {
    explicit DeadlockError(TaskId stuck)
        : std::logic_error("task " + std::to_string(stuck) + " waits in a circle"), task(stuck) {}
    TaskId task; ///< one of those that never started
};

/// What knows how long transfers take that run beside each other. The engine tells it of starts and asks when to look again.
class TransferModel {
public:
    virtual ~TransferModel() = default;
    /// Begins `transfer` for `task` at `now`, s; never earlier than the last call's time.
    virtual void start(TaskId task, TransferId transfer, double now) = 0;
    /// When something happens next, s; infinity when nothing is on its way.
    virtual double nextEvent() = 0;
    /// Lets time pass to `now`, not beyond the next event, and adds the tasks whose transfers ended to `ended`.
    virtual void advance(double now, std::vector<TaskId>& ended) = 0;
};

/// Runs the program event by event. Deterministic: events at one time are handled in task order.
/// Gives nothing when stopped. `transfers` may be null when the program has none.
std::optional<TaskTimes> runProgram(const Program& program, const RunControl& control = {}, TransferModel* transfers = nullptr);

} // namespace orrery
