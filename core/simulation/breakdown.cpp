#include "core/simulation/assemble.hpp"

#include <algorithm>
#include <functional>

namespace orrery {
namespace {

constexpr TaskId noTask = ~TaskId{0};

double& part(TimeBreakdown& breakdown, TimePart which) { return breakdown[static_cast<std::size_t>(which)]; }

/// For every compute task the communication task that ended last among those it waited for.
std::vector<TaskId> lastAwaited(const Iteration& iteration, const TaskTimes& times) {
    std::vector<TaskId> awaited(iteration.tasks.size(), noTask);
    for (const auto& [before, after] : iteration.program.edges()) {
        if (iteration.tasks[before].stream == StreamKind::compute) continue;
        TaskId& best = awaited[after];
        if (best == noTask || times.end[before] > times.end[best]) best = before;
    }
    return awaited;
}

/// A stretch of a stage's compute stream with one cause.
struct Gap {
    double start, end;
    TimePart cause;
};

/// Calls `onTask(task)` for every compute task and `onGap(stage, gap)` for what lies between, before and after.
void walk(const Iteration& iteration, const TaskTimes& times, const std::function<void(TaskId)>& onTask,
          const std::function<void(int, const Gap&)>& onGap) {
    const std::vector<TaskId> awaited = lastAwaited(iteration, times);
    std::vector<double> clock(iteration.stageElements.size(), 0);
    std::vector<TaskId> lastData(iteration.stageElements.size(), noTask);
    const auto fillGap = [&](int stage, double from, double to, TaskId blocker) {
        if (to <= from) return;
        double waitStart = to;
        TimePart cause = TimePart::bubble;
        if (blocker != noTask && times.end[blocker] > from) {
            waitStart = std::clamp(times.start[blocker], from, to);
            cause = iteration.tasks[blocker].stream == StreamKind::data ? TimePart::data_exposed : TimePart::pipeline_exposed;
        }
        const double waitEnd = blocker == noTask ? to : std::clamp(times.end[blocker], waitStart, to);
        if (waitStart > from) onGap(stage, {from, waitStart, TimePart::bubble});
        if (waitEnd > waitStart) onGap(stage, {waitStart, waitEnd, cause});
        if (to > waitEnd) onGap(stage, {waitEnd, to, TimePart::bubble});
    };
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (!iteration.isShown(info)) continue;
        const auto stage = static_cast<std::size_t>(info.stage);
        if (info.stream == StreamKind::data) lastData[stage] = task;
        if (info.stream != StreamKind::compute) continue;
        fillGap(info.stage, clock[stage], times.start[task], awaited[task]);
        onTask(task);
        clock[stage] = times.end[task];
    }
    for (std::size_t stage = 0; stage < clock.size(); ++stage)
        fillGap(static_cast<int>(stage), clock[stage], times.duration, lastData[stage]);
}

} // namespace

std::vector<TimeBreakdown> breakdownByStage(const Iteration& iteration, const TaskTimes& times) {
    std::vector<TimeBreakdown> stages(iteration.stageElements.size(), TimeBreakdown{});
    walk(
        iteration, times,
        [&](TaskId task) {
            const SegmentParts& parts = iteration.work.parts[iteration.tasks[task].segment];
            TimeBreakdown& stage = stages[static_cast<std::size_t>(iteration.tasks[task].stage)];
            // Stragglers and jitter stretch all parts alike.
            const double alone = iteration.work.segments[iteration.tasks[task].segment].duration;
            const double stretch = alone > 0 ? iteration.program.durations()[task] / alone : 1;
            part(stage, TimePart::forward) += stretch * parts.forward;
            part(stage, TimePart::backward) += stretch * parts.backward;
            part(stage, TimePart::recompute) += stretch * parts.recompute;
            part(stage, TimePart::tensor_exposed) += stretch * parts.tensorExposed;
            part(stage, TimePart::optimizer) += stretch * parts.optimizer;
            part(stage, TimePart::overhead) += stretch * parts.overhead;
        },
        [&](int stage, const Gap& gap) { part(stages[static_cast<std::size_t>(stage)], gap.cause) += gap.end - gap.start; });
    return stages;
}

double bubbleFraction(const Iteration& iteration, const TaskTimes& times) {
    double begin = times.duration;
    double end = 0;
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (!iteration.isShown(info) || info.stream != StreamKind::compute || info.microBatch < 0) continue;
        begin = std::min(begin, times.start[task]);
        end = std::max(end, times.end[task]);
    }
    if (end <= begin) return 0;
    double idle = 0;
    walk(
        iteration, times, [](TaskId) {},
        [&](int, const Gap& gap) {
            if (gap.cause != TimePart::bubble) return;
            idle += std::max(0.0, std::min(gap.end, end) - std::max(gap.start, begin));
        });
    return idle / static_cast<double>(iteration.stageElements.size()) / (end - begin);
}

} // namespace orrery
