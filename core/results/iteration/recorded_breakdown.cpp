// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/recorded_run.hpp"
#include "core/results/iteration/time_parts.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// For every task the one it waited for last: that ended latest among those it depends on and the one before it on its stream.
std::vector<TaskId> lastAwaited(const Program& program, const TaskTimes& times) {
    std::vector<TaskId> awaited(program.taskCount(), noTask), lastOnStream(program.streamCount(), noTask);
    const auto consider = [&](TaskId before, TaskId task) {
        if (awaited[task] == noTask || times.end[before] > times.end[awaited[task]]) awaited[task] = before;
    };
    for (const auto& [before, after] : program.edges()) consider(before, after);
    for (TaskId task = 0; task < program.taskCount(); ++task) {
        TaskId& last = lastOnStream[program.taskStreams()[task]];
        if (last != noTask) consider(last, task);
        last = task;
    }
    return awaited;
}

} // namespace

TimeBreakdown recordedBreakdown(const RecordedProgram& recorded, const TaskTimes& times) {
    const std::vector<TaskId> awaited = lastAwaited(recorded.program, times);
    TimeBreakdown breakdown{};
    const auto cause = [&](TaskId task) {
        return recorded.tasks[task].stream == RecordedStream::communication ? TimePart::data_exposed : TimePart::overhead;
    };
    // Walks back from `to` along what was waited for.
    const auto fillGap = [&](double from, double to, TaskId blocker) {
        while (to > from) {
            if (blocker == noTask || times.end[blocker] <= from) {
                part(breakdown, TimePart::overhead) += to - from;
                return;
            }
            const double lower = std::clamp(times.start[blocker], from, to);
            part(breakdown, cause(blocker)) += to - lower;
            to = lower;
            blocker = awaited[blocker];
        }
    };
    double clock = 0;
    TaskId last = noTask;
    for (TaskId task = 0; task < recorded.tasks.size(); ++task) {
        if (last == noTask || times.end[task] > times.end[last]) last = task;
        if (recorded.tasks[task].stream != RecordedStream::compute) continue;
        fillGap(clock, times.start[task], awaited[task]);
        const Segment& segment = recorded.work.segments[recorded.tasks[task].segment];
        part(breakdown, partOf(segment.phase)) += times.end[task] - times.start[task];
        clock = times.end[task];
    }
    fillGap(clock, times.duration, last);
    return breakdown;
}

} // namespace orrery
