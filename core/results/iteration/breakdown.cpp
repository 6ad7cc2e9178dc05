// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/breakdown.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/training/plan/lanes.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace orrery {
namespace {

/// For every compute task the communication task that ended last among those it waited for.
std::vector<TaskId> lastAwaited(const Iteration& iteration, const TaskTimes& times) {
    std::vector<TaskId> awaited(iteration.tasks.size(), noTask);
    for (const auto& [before, after] : iteration.program.edges()) {
        if (iteration.tasks[before].stream == StreamKind::compute) continue;
        TaskId& best = awaited[after];
        if (best == noTask || times.end[before] > times.end[best]) best = before;
    }
    // An expanded segment waited before its first part; what its parts wait for stays with them.
    for (const ExpandedSegment& segment : iteration.expanded) awaited[segment.end] = awaited[segment.begin];
    return awaited;
}

/// For every communication task since when its stream has been busy without a break: who waits for it waits for what is ahead
/// of it in the stream too.
std::vector<double> busySince(const Iteration& iteration, const TaskTimes& times) {
    std::vector<double> since(times.start);
    std::map<std::pair<std::int32_t, StreamKind>, TaskId> last;
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.stream == StreamKind::compute || !iteration.isShown(info)) continue;
        const auto [before, first] = last.emplace(std::make_pair(info.lane, info.stream), task);
        if (!first && times.end[before->second] >= times.start[task]) since[task] = since[before->second];
        before->second = task;
    }
    return since;
}

using Spans = std::vector<std::pair<double, double>>; ///< s, start and end, one after the other

/// When each stage sends or takes weights that come over before every pass, or what is left of their gradients. With it the stage is not idle:
/// passes wait for each other's weights all the time. Empty where weights stay.
std::vector<Spans> trafficOfPasses(const Iteration& iteration, const TaskTimes& times) {
    std::vector<Spans> spans(iteration.stageElements.size());
    bool comesBeforePasses = false;
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.stream != TrainingStream::data || info.microBatch < 0 || !iteration.isShown(info)) continue;
        const auto stage = static_cast<std::size_t>(info.stage);
        comesBeforePasses = comesBeforePasses || (info.segment != noOperator && iteration.work.segments[info.segment].name.starts_with("data.gather"));
        // A collective of several lanes begins for one of them when that arrives.
        const double start = info.role == TaskRole::depart ? times.end[task - 1] : times.start[task];
        Spans& own = spans[stage];
        if (!own.empty() && own.back().second >= start) own.back().second = std::max(own.back().second, times.end[task]);
        else own.emplace_back(start, times.end[task]);
    }
    if (!comesBeforePasses) spans.assign(spans.size(), {});
    return spans;
}

TimePart causeOf(StreamKind awaited) {
    if (awaited == TrainingStream::data) return TimePart::data_exposed;
    return awaited == TrainingStream::pipeline ? TimePart::pipeline_exposed : TimePart::overhead; // copies to and from the host
}

/// A stretch of a stage's compute stream with one cause.
struct Gap {
    double start, end;
    TimePart cause;
};

/// `awaited` as `lastAwaited` gives it. Calls `onTask(task)` for every compute task and `onGap(stage, gap)` for what lies between, before and after.
void walk(const Iteration& iteration, const TaskTimes& times, const std::vector<TaskId>& awaited, const std::function<void(TaskId)>& onTask,
          const std::function<void(int, const Gap&)>& onGap) {
    const std::vector<double> since = busySince(iteration, times);
    std::vector<double> clock(iteration.stageElements.size(), 0);
    std::vector<TaskId> lastData(iteration.stageElements.size(), noTask);
    const std::vector<Spans> traffic = trafficOfPasses(iteration, times);
    const auto idle = [&](int stage, double from, double to) {
        const Spans& own = traffic[static_cast<std::size_t>(stage)];
        for (auto span = std::lower_bound(own.begin(), own.end(), from, [](const auto&one, double time) { return one.second <= time; }); span != own.end() && span->first < to; ++span) {
            const double begin = std::max(from, span->first), end = std::min(to, span->second);
            if (begin > from) onGap(stage, {from, begin, TimePart::bubble});
            if (end > begin) onGap(stage, {begin, end, TimePart::data_exposed});
            from = end;
        }
        if (to > from) onGap(stage, {from, to, TimePart::bubble});
    };
    const auto fillGap = [&](int stage, double from, double to, TaskId blocker) {
        if (to <= from) return;
        double waitStart = to;
        TimePart cause = TimePart::bubble;
        if (blocker != noTask && times.end[blocker] > from) {
            // A copy from the host may itself have waited for one to it: all of that is the host's.
            const bool ofHost = iteration.tasks[blocker].stream == TrainingStream::to_host || iteration.tasks[blocker].stream == TrainingStream::from_host;
            waitStart = ofHost ? from : std::clamp(since[blocker], from, to);
            cause = causeOf(iteration.tasks[blocker].stream);
        }
        const double waitEnd = blocker == noTask ? to : std::clamp(times.end[blocker], waitStart, to);
        if (waitStart > from) idle(stage, from, waitStart);
        if (waitEnd > waitStart) onGap(stage, {waitStart, waitEnd, cause});
        if (to > waitEnd) idle(stage, waitEnd, to);
    };
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (!iteration.isShown(info)) continue;
        const auto stage = static_cast<std::size_t>(info.stage);
        if (info.stream == TrainingStream::data) lastData[stage] = task;
        if (info.stream != StreamKind::compute) continue;
        fillGap(info.stage, clock[stage], times.start[task], awaited[task]);
        onTask(task);
        clock[stage] = times.end[task];
    }
    for (std::size_t stage = 0; stage < clock.size(); ++stage)
        fillGap(static_cast<int>(stage), clock[stage], times.duration, lastData[stage]);
}

/// How much longer a kernel or segment took than alone because other tasks ran beside it, s.
double slowedBy(const Iteration& iteration, const TaskTimes& times, TaskId task) {
    return iteration.program.interferes() ? times.end[task] - times.start[task] - iteration.program.durations()[task] : 0;
}

/// The part of an iteration that waits for a collective of a group inside a segment belong to.
TimePart exposedPartOf(RankGroup group) {
    if (group == RankGroup::context) return TimePart::context_exposed;
    return group == RankGroup::expert || group == RankGroup::expert_tensor ? TimePart::expert_exposed : TimePart::tensor_exposed;
}

/// Adds a segment that ran operator by operator: its kernels by phase; what lies between them is, until the collective has ended whose
/// result the next kernel reads, a wait for whichever collective has their stream, and for the host that is yet to launch the next where none
/// has; for the host from there on.
void addExpanded(TimeBreakdown& stage, const Iteration& iteration, const TaskTimes& times, const ExpandedSegment& segment,
                 const std::vector<TaskId>& awaited) {
    const TaskId end = segment.end;
    const auto partOfWait = [&](TaskId collective) { return exposedPartOf(iteration.work.operators[iteration.tasks[collective].segment].op.group); };
    std::vector<TaskId> collectives; // in their stream's order
    const auto bookWait = [&](double from, double to) {
        double left = to; // the end of what is not booked yet
        for (auto ahead = collectives.rbegin(); ahead != collectives.rend() && times.end[*ahead] > from && left > from; ++ahead) {
            const double last = std::min(left, times.end[*ahead]), first = std::clamp(times.start[*ahead], from, last);
            part(stage, partOfWait(*ahead)) += last - first;
            part(stage, TimePart::overhead) += left - last;
            left = first;
        }
        part(stage, TimePart::overhead) += std::max(0.0, left - from);
    };
    double clock = times.start[segment.begin];
    for (TaskId task = segment.begin + 1; task < end; ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.segment == noOperator) continue; // a launch
        if (info.stream != StreamKind::compute) {
            collectives.push_back(task);
            continue;
        }
        const double gap = times.start[task] - clock;
        const TaskId collective = awaited[task];
        const double exposed = collective == noTask ? 0 : std::clamp(times.end[collective] - clock, 0.0, gap);
        if (exposed > 0) bookWait(clock, clock + exposed);
        part(stage, TimePart::overhead) += gap - exposed;
        part(stage, partOf(iteration.work.operators[info.segment].op.phase)) += times.end[task] - times.start[task];
        clock = times.end[task];
    }
    if (!collectives.empty()) bookWait(clock, times.end[end]);
}

} // namespace

std::vector<TimeBreakdown> breakdownByStage(const Iteration& iteration, const TaskTimes& times) {
    std::vector<TimeBreakdown> stages(iteration.stageElements.size(), TimeBreakdown{});
    const std::vector<TaskId> awaited = lastAwaited(iteration, times);
    walk(
        iteration, times, awaited,
        [&](TaskId task) {
            const SegmentParts& parts = iteration.work.parts[iteration.tasks[task].segment];
            TimeBreakdown& stage = stages[static_cast<std::size_t>(iteration.tasks[task].stage)];
            const double alone = iteration.work.segments[iteration.tasks[task].segment].duration;
            if (const ExpandedSegment* expanded = iteration.expandedEndingAt(task)) {
                addExpanded(stage, iteration, times, *expanded, awaited);
                return;
            }
            // Jitter stretches all parts alike, communication beside it the kernels.
            const double stretch = alone > 0 ? iteration.program.durations()[task] / alone : 1;
            const double work = parts.work() > 0 ? stretch + slowedBy(iteration, times, task) / parts.work() : stretch;
            part(stage, TimePart::forward) += work * parts.forward;
            part(stage, TimePart::backward) += work * parts.backward;
            part(stage, TimePart::recompute) += work * parts.recompute;
            part(stage, TimePart::tensor_exposed) += stretch * parts.tensorExposed;
            part(stage, TimePart::context_exposed) += stretch * parts.contextExposed;
            part(stage, TimePart::expert_exposed) += stretch * parts.expertExposed;
            part(stage, TimePart::optimizer) += work * parts.optimizer;
            part(stage, TimePart::overhead) += stretch * parts.overhead;
        },
        [&](int stage, const Gap& gap) { part(stages[static_cast<std::size_t>(stage)], gap.cause) += gap.end - gap.start; });
    return stages;
}

std::vector<double> interferenceByStage(const Iteration& iteration, const TaskTimes& times) {
    if (!iteration.program.interferes()) return {};
    std::vector<double> stages(iteration.stageElements.size(), 0);
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.stream != StreamKind::compute || info.lane != iteration.shown[static_cast<std::size_t>(info.stage)]) continue;
        double& stage = stages[static_cast<std::size_t>(info.stage)];
        if (iteration.expandedEndingAt(task)) continue; // its parts are tasks of their own
        stage += slowedBy(iteration, times, task);
        if (info.role != TaskRole::work) continue;
        const double alone = iteration.work.segments[info.segment].duration;
        if (alone > 0) stage += iteration.work.parts[info.segment].interference * iteration.program.durations()[task] / alone;
    }
    return stages;
}

PipelineBubble pipelineBubble(const Iteration& iteration, const TaskTimes& times) {
    double begin = times.duration;
    double end = 0;
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (!iteration.isShown(info) || info.stream != StreamKind::compute || info.microBatch < 0) continue;
        begin = std::min(begin, times.start[task]);
        end = std::max(end, times.end[task]);
    }
    if (end <= begin) return {};
    double idle = 0;
    walk(
        iteration, times, lastAwaited(iteration, times), [](TaskId) {},
        [&](int, const Gap& gap) {
            if (gap.cause != TimePart::bubble) return;
            idle += std::max(0.0, std::min(gap.end, end) - std::max(gap.start, begin));
        });
    const double mean = idle / static_cast<double>(iteration.stageElements.size());
    return {mean, mean / (end - begin)};
}

} // namespace orrery
