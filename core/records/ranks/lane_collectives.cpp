// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/lane_collectives.hpp"

#include "core/training/plan/training_streams.hpp"

#include <algorithm>
#include <tuple>

namespace orrery {

double comesAt(const LaneCollective& collective, const TaskReach& reach, const TaskTimes& times) {
    if (!collective.receives) return times.start[collective.enters];
    const TaskId before = reach.beforeOnStream(collective.enters);
    return before == noTask ? 0 : times.end[before];
}

std::vector<LaneCollective> collectivesOf(const Iteration& iteration, const TaskReach& reach, const TaskTimes& times, int lane) {
    std::vector<LaneCollective> list;
    const auto isTransfer = [&](TaskId task) { return iteration.program.transfers()[task] != noTransfer; };
    for (TaskId task = 0; task < iteration.tasks.size(); ++task)
        if (const TaskInfo& info = iteration.tasks[task]; info.lane == lane && info.role == TaskRole::work && info.stream != StreamKind::compute && isTransfer(task)) list.push_back({task, task, false, 0});
    for (const auto& [before, after] : iteration.program.edges()) {
        const TaskInfo &source = iteration.tasks[before], &target = iteration.tasks[after];
        if (source.lane == lane && source.role == TaskRole::arrive && target.role == TaskRole::joint) list.push_back({after, before, false, 0});
        if (target.lane == lane && source.lane != lane && source.stream == TrainingStream::pipeline && source.role == TaskRole::work && isTransfer(before)) list.push_back({before, after, true, 0});
    }
    for (LaneCollective& one : list) one.comes = comesAt(one, reach, times);
    std::sort(list.begin(), list.end(), [](const LaneCollective& a, const LaneCollective& b) { return std::tie(a.comes, a.enters, a.transfer) < std::tie(b.comes, b.enters, b.transfer); });
    return list;
}

} // namespace orrery
