// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

using TaskId = std::uint32_t;
inline constexpr TaskId noTask = ~TaskId{0};
using StreamId = std::uint32_t;
using TransferId = std::uint32_t;
using DeviceId = std::uint32_t;
/// What a task is to those that run beside it on a device. 0: it neither slows nor is slowed.
using LoadClass = std::uint8_t;

inline constexpr TransferId noTransfer = ~TransferId{0};

/// Work for the engine: tasks on in-order streams, with dependencies between them. Nothing here knows what a transformer is.
///
/// A stream runs its tasks one after another in the order they were added, as a CUDA stream does. A task starts when the task
/// before it on its stream and all tasks it depends on have ended. Dependencies may point forward to tasks added later.
///
/// Streams of one device compete for it: as long as tasks of classes c and k run there at once, c's progresses at
/// 1/(1 + w (s − 1)) of its rate alone, s the slowdown of c by k and w the task's weight. The k that slows most
/// counts. Transfers slow others and are never slowed so: their model knows how long they take.
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
    /// A stream may be on several devices: one of a task that they join.
    void placeStream(StreamId stream, DeviceId device) { places_.emplace_back(stream, device); }
    void setLoad(TaskId task, LoadClass load, double weight = 1) {
        if (task >= loads_.size()) loads_.resize(durations_.capacity(), Load{});
        loads_[task] = {weight, load};
    }
    /// Adds tasks like those from `first` to `last` once more, and the edges between them, which are those from `edgeBegin` to before
    /// `edgeEnd`. Gives the first.
    TaskId repeat(TaskId first, TaskId last, std::size_t edgeBegin, std::size_t edgeEnd) {
        const auto begin = static_cast<TaskId>(durations_.size()), further = begin - first;
        for (TaskId task = first; task <= last; ++task) {
            const TaskId again = addTask(taskStreams_[task], durations_[task]);
            transfers_[again] = transfers_[task];
            if (const Load own = load(task); own.load != 0) setLoad(again, own.load, own.weight);
        }
        for (std::size_t edge = edgeBegin; edge < edgeEnd; ++edge) edges_.emplace_back(edges_[edge].first + further, edges_[edge].second + further);
        return begin;
    }
    /// Adds another program's work beside this one's. Its streams, devices and classes stay its own; its transfers are numbered from
    /// `firstTransfer` on. Gives its first task; the others follow in its order.
    TaskId append(const Program& other, TransferId firstTransfer);
    /// How many times as long a task of class `slowed` takes while one of `by` runs beside it, at least 1.
    void setSlowdown(LoadClass slowed, LoadClass by, double factor) { slowdowns_.push_back({slowed, by, factor}); }
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

    struct Load {
        double weight = 0;
        LoadClass load = 0;
    };
    struct Slowdown {
        LoadClass slowed = 0, by = 0;
        double factor = 1;
    };
    /// Whether any task can slow another.
    bool interferes() const { return !slowdowns_.empty() && !places_.empty() && !loads_.empty(); }
    Load load(TaskId task) const { return task < loads_.size() ? loads_[task] : Load{}; }
    const std::vector<Slowdown>& slowdowns() const { return slowdowns_; }
    const std::vector<std::pair<StreamId, DeviceId>>& places() const { return places_; }

private:
    std::size_t classes() const;

    StreamId streams_ = 0;
    std::vector<double> durations_;
    std::vector<StreamId> taskStreams_;
    std::vector<TransferId> transfers_;
    std::vector<std::pair<TaskId, TaskId>> edges_; ///< (before, after)
    std::vector<std::pair<StreamId, DeviceId>> places_;
    std::vector<Load> loads_; ///< by task, as far as any were set; room for more
    std::vector<Slowdown> slowdowns_;
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

/// Thrown when a task's duration is no number of seconds: a fault of whoever made the program, as above.
struct DurationError : std::logic_error {
    explicit DurationError(TaskId faulty) : std::logic_error("task " + std::to_string(faulty) + " has no duration"), task(faulty) {}
    TaskId task;
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

/// Runs the program event by event. Deterministic: events at one time are handled in task order. Gives nothing when stopped. Throws
/// DeadlockError, and DurationError for a duration that is negative, infinite or no number. `transfers` may be null when the program
/// has none. A run that gets more work while it goes on takes a `WorkSource`.
std::optional<TaskTimes> runProgram(const Program& program, const RunControl& control = {}, TransferModel* transfers = nullptr);

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
/// and throws like the run without a source. The times are by task of the program as it is in the end.
std::optional<TaskTimes> runProgram(Program& program, WorkSource& source, const RunControl& control = {}, TransferModel* transfers = nullptr);

class EngineRun; // engine.cpp

/// A program's run, moment by moment, for whoever has other runs beside it: several share a transfer model, each is told to advance when the
/// earliest of all moments is its own. runProgram() does the same in one call.
class ProgramRun {
public:
    /// Starts what waits for nothing at `begin`, s. Program and model live as long as the run; throws as runProgram() does.
    ProgramRun(const Program& program, double begin, TransferModel* transfers = nullptr);
    ~ProgramRun();
    ProgramRun(ProgramRun&&) noexcept;
    ProgramRun& operator=(ProgramRun&&) noexcept;

    /// s; infinity: nothing runs any more.
    double nextEvent();
    /// Does what happens at nextEvent().
    void advance();
    /// When every task ran, s on the clock that `begin` is on. Throws DeadlockError while some have not.
    const TaskTimes& times() const;

private:
    std::unique_ptr<EngineRun> run_;
};

} // namespace orrery
