// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"

#include <algorithm>
#include <vector>

// Tasks that slow each other, by the definition: knows nothing of events.

namespace orrery::test {

inline double slowdownOf(const Program& program, LoadClass slowed, LoadClass by) {
    double factor = 1;
    for (const Program::Slowdown& pair : program.slowdowns())
        if (pair.slowed == slowed && pair.by == by) factor = pair.factor;
    return factor;
}

inline bool shareADevice(const Program& program, TaskId one, TaskId other) {
    for (const auto& [stream, device] : program.places())
        for (const auto& [otherStream, otherDevice] : program.places())
            if (stream == program.taskStreams()[one] && otherStream == program.taskStreams()[other] && device == otherDevice) return true;
    return false;
}

/// What a task has done alone-seconds of between its start and its end, by the definition.
inline double workDone(const Program& program, const TaskTimes& times, TaskId task) {
    std::vector<double> moments{times.start[task], times.end[task]};
    std::vector<TaskId> beside;
    for (TaskId other = 0; other < program.taskCount(); ++other) {
        if (other == task || program.load(other).load == 0 || program.load(task).load == 0) continue;
        if (times.end[other] <= times.start[task] || times.start[other] >= times.end[task] || !shareADevice(program, task, other)) continue;
        beside.push_back(other);
        for (const double moment : {times.start[other], times.end[other]})
            if (moment > times.start[task] && moment < times.end[task]) moments.push_back(moment);
    }
    std::sort(moments.begin(), moments.end());
    double work = 0;
    for (std::size_t i = 0; i + 1 < moments.size(); ++i) {
        const double middle = (moments[i] + moments[i + 1]) / 2;
        double most = 1;
        for (const TaskId other : beside)
            if (times.start[other] < middle && middle < times.end[other])
                most = std::max(most, slowdownOf(program, program.load(task).load, program.load(other).load));
        work += (moments[i + 1] - moments[i]) / (1 + program.load(task).weight * (most - 1));
    }
    return work;
}

} // namespace orrery::test
