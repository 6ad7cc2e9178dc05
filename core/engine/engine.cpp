#include "core/engine/engine.hpp"

#include "core/engine/interference.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace orrery {
namespace {

constexpr TaskId none = ~TaskId{0};
constexpr double rounding = 1e-12;                   ///< ends this close, relatively, are one moment
constexpr std::size_t eventsBetweenChecks = 1 << 15; ///< how often a run looks whether it was stopped

/// Who waits for whom, in compressed rows: the successors of task i are targets[offsets[i] .. offsets[i + 1]).
struct Successors {
    std::vector<std::uint32_t> offsets;
    std::vector<TaskId> targets;

    explicit Successors(const Program& program) : offsets(program.taskCount() + 1), targets(program.edges().size()) {
        for (const auto& [before, after] : program.edges()) ++offsets[before + 1];
        for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
        std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
        for (const auto& [before, after] : program.edges()) targets[next[before]++] = after;
    }
};

struct Completion {
    double time;
    TaskId task;
    bool operator>(const Completion& other) const {
        return time != other.time ? time > other.time : task > other.task;
    }
};

} // namespace

std::optional<TaskTimes> runProgram(const Program& program, const RunControl& control, TransferModel* transfers) {
    const std::size_t count = program.taskCount();
    for (TaskId task = 0; task < count; ++task)
        if (!(program.durations()[task] >= 0 && program.durations()[task] < std::numeric_limits<double>::infinity())) throw DurationError(task);
    const Successors successors(program);

    std::vector<std::uint32_t> waitingFor(count, 0);
    std::vector<TaskId> nextOnStream(count, none);
    std::vector<TaskId> lastOnStream(program.streamCount(), none);
    for (TaskId task = 0; task < count; ++task) {
        TaskId& last = lastOnStream[program.taskStreams()[task]];
        if (last != none) {
            nextOnStream[last] = task;
            ++waitingFor[task];
        }
        last = task;
    }
    for (const auto& [before, after] : program.edges()) ++waitingFor[after];

    TaskTimes times;
    times.start.assign(count, -1);
    times.end.assign(count, -1);
    std::priority_queue<Completion, std::vector<Completion>, std::greater<>> running;
    std::optional<Interference> beside;
    if (program.interferes()) beside.emplace(program);
    const auto startTask = [&](TaskId task, double now) {
        times.start[task] = now;
        if (beside) beside->start(task, now, program.transfers()[task] != noTransfer);
        if (program.transfers()[task] != noTransfer) {
            transfers->start(task, program.transfers()[task], now);
            return;
        }
        times.end[task] = now + program.durations()[task];
        running.push({times.end[task], task});
    };
    const auto release = [&](TaskId task, double now) {
        if (--waitingFor[task] == 0) startTask(task, now);
    };

    std::vector<std::pair<TaskId, double>> moved;
    const auto settle = [&](double now) {
        if (!beside) return;
        moved.clear();
        beside->settle(now, moved);
        for (const auto& [task, end] : moved) {
            times.end[task] = end;
            running.push({end, task});
        }
    };
    // Of a task whose end has moved only the last entry counts.
    const auto isVoid = [&](const Completion& event) { return beside && (event.time != times.end[event.task] || !beside->isRunning(event.task)); };

    for (TaskId task = 0; task < count; ++task)
        if (waitingFor[task] == 0) startTask(task, 0);
    settle(0);

    std::size_t done = 0;
    bool stopped = false;
    const auto finishTask = [&](TaskId task, double now) {
        if (++done % eventsBetweenChecks == 0) {
            stopped = control.stop.stop_requested();
            if (!stopped && control.progress) control.progress(double(done) / double(count));
        }
        times.duration = now;
        if (beside) beside->finish(task);
        if (nextOnStream[task] != none) release(nextOnStream[task], now);
        for (std::uint32_t i = successors.offsets[task]; i < successors.offsets[task + 1]; ++i) release(successors.targets[i], now);
    };
    constexpr double never = std::numeric_limits<double>::infinity();
    std::vector<TaskId> ended;
    while (!stopped) {
        while (beside && !running.empty() && isVoid(running.top())) running.pop();
        const double nextTask = running.empty() ? never : running.top().time;
        const double nextTransfer = transfers ? transfers->nextEvent() : never;
        if (nextTask == never && nextTransfer == never) break;
        if (nextTask <= nextTransfer) {
            // All tasks of one moment before the model is asked again: what they start shares the links from then on together.
            const double moment = nextTask + rounding * nextTask;
            double now = nextTask;
            while (!running.empty() && running.top().time <= moment && !stopped) {
                const Completion event = running.top();
                running.pop();
                if (isVoid(event)) continue;
                now = event.time;
                finishTask(event.task, now);
            }
            settle(now);
            continue;
        }
        ended.clear();
        transfers->advance(nextTransfer, ended);
        std::sort(ended.begin(), ended.end());
        for (const TaskId task : ended) {
            times.end[task] = nextTransfer;
            finishTask(task, nextTransfer);
        }
        settle(nextTransfer);
    }
    if (stopped) return std::nullopt;
    if (done != count) {
        const auto stuck = std::find_if(waitingFor.begin(), waitingFor.end(), [](std::uint32_t n) { return n > 0; });
        throw DeadlockError(static_cast<TaskId>(stuck - waitingFor.begin()));
    }
    return times;
}

} // namespace orrery
