// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/task_reach.hpp"
#include "core/training/plan/lanes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace orrery {

TaskReach::TaskReach(const Program& program) {
    const std::size_t count = program.taskCount();
    std::vector<std::pair<TaskId, TaskId>> pairs = program.edges();
    std::vector<TaskId> last(program.streamCount(), noTask);
    beforeOnStream_.assign(count, noTask);
    for (TaskId task = 0; task < count; ++task) {
        TaskId& before = last[program.taskStreams()[task]];
        beforeOnStream_[task] = before;
        if (before != noTask) pairs.emplace_back(before, task);
        before = task;
    }
    for (Rows* rows : {&before_, &after_}) {
        const auto rowOf = [&](const std::pair<TaskId, TaskId>& pair) { return rows == &after_ ? pair.first : pair.second; };
        rows->offsets.assign(count + 1, 0);
        for (const auto& pair : pairs) ++rows->offsets[rowOf(pair) + std::size_t{1}];
        for (std::size_t i = 1; i < rows->offsets.size(); ++i) rows->offsets[i] += rows->offsets[i - 1];
        std::vector<std::uint32_t> next(rows->offsets.begin(), rows->offsets.end() - 1);
        rows->tasks.resize(pairs.size());
        for (const auto& pair : pairs) rows->tasks[next[rowOf(pair)]++] = rows == &after_ ? pair.second : pair.first;
    }
}

std::vector<bool> TaskReach::closure(const Rows& rows, const std::vector<TaskId>& tasks) {
    std::vector<bool> reached(rows.offsets.size() - 1, false);
    std::vector<TaskId> open;
    const auto reach = [&](TaskId task) {
        if (reached[task]) return;
        reached[task] = true;
        open.push_back(task);
    };
    for (const TaskId task : tasks) reach(task);
    while (!open.empty()) {
        const TaskId task = open.back();
        open.pop_back();
        for (std::uint32_t i = rows.offsets[task]; i < rows.offsets[task + 1]; ++i) reach(rows.tasks[i]);
    }
    return reached;
}

namespace {

/// Goes from task to task that has a part in it.
class NeededSearch {
public:
    NeededSearch(const Program& program, const TaskReach& reach, const std::vector<bool>& runs, const std::vector<std::vector<FlowLink>>& linksOf) : program_(program), reach_(reach), runs_(runs), linksOf_(linksOf), needed_(program.taskCount(), false) {
        std::vector<std::vector<DeviceId>> devicesOf(program.streamCount());
        for (const auto& [stream, device] : program.places()) devicesOf[stream].push_back(device);
        devicesOf_ = std::move(devicesOf);
        for (TaskId task = 0; task < program.taskCount(); ++task) {
            if (!runs[task]) continue;
            if (const TransferId transfer = program.transfers()[task]; transfer != noTransfer)
                for (const FlowLink link : linksOf[transfer]) onLink_[link].push_back(task);
            if (program.load(task).load == 0) continue;
            for (const DeviceId device : devicesOf_[program.taskStreams()[task]]) onDevice_[device].push_back(task);
        }
    }

    std::vector<bool> from(const std::vector<TaskId>& wanted) {
        for (const TaskId task : wanted) need(task);
        while (!open_.empty()) {
            const TaskId task = open_.back();
            open_.pop_back();
            reach_.eachBefore(task, [this](TaskId before) { need(before); });
            const TransferId transfer = program_.transfers()[task];
            if (transfer != noTransfer) {
                for (const FlowLink link : linksOf_[transfer]) needAll(onLink_, link);
                continue;
            }
            const Program::Load load = program_.load(task);
            if (load.load == 0 || load.weight <= 0) continue; // nothing slows it
            for (const DeviceId device : devicesOf_[program_.taskStreams()[task]]) needAll(onDevice_, device);
        }
        return std::move(needed_);
    }

private:
    void need(TaskId task) {
        if (needed_[task] || !runs_[task]) return;
        needed_[task] = true;
        open_.push_back(task);
    }
    void needAll(std::map<std::uint32_t, std::vector<TaskId>>& lists, std::uint32_t key) {
        const auto found = lists.find(key);
        if (found == lists.end()) return;
        for (const TaskId task : found->second) need(task);
        lists.erase(found);
    }

    const Program& program_;
    const TaskReach& reach_;
    const std::vector<bool>& runs_;
    const std::vector<std::vector<FlowLink>>& linksOf_;
    std::vector<std::vector<DeviceId>> devicesOf_; ///< by stream
    std::map<std::uint32_t, std::vector<TaskId>> onLink_, onDevice_;
    std::vector<bool> needed_;
    std::vector<TaskId> open_;
};

} // namespace

std::vector<bool> neededTasks(const Program& program, const TaskReach& reach, const std::vector<bool>& runs, const std::vector<TaskId>& wanted, const std::vector<std::vector<FlowLink>>& linksOf) {
    return NeededSearch(program, reach, runs, linksOf).from(wanted);
}

TaskTimes ProgramPart::whole(const TaskTimes& part, std::size_t count) const {
    TaskTimes times;
    times.start.assign(count, 0);
    times.end.assign(count, 0);
    times.duration = part.duration;
    for (std::size_t i = 0; i < tasks.size() && tasks[i] < count; ++i) {
        times.start[tasks[i]] = part.start[i];
        times.end[tasks[i]] = part.end[i];
    }
    return times;
}

ProgramPart partOf(const Program& program, const std::vector<bool>& kept) {
    ProgramPart part;
    std::vector<TaskId> number(program.taskCount(), noTask);
    part.program.reserve(static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true)));
    for (StreamId stream = 0; stream < program.streamCount(); ++stream) part.program.addStream();
    for (TaskId task = 0; task < program.taskCount(); ++task) {
        if (!kept[task]) continue;
        const TransferId transfer = program.transfers()[task];
        const StreamId stream = program.taskStreams()[task];
        number[task] = transfer != noTransfer ? part.program.addTransfer(stream, transfer) : part.program.addTask(stream, program.durations()[task]);
        if (const Program::Load load = program.load(task); load.load != 0) part.program.setLoad(number[task], load.load, load.weight);
        part.tasks.push_back(task);
    }
    for (const auto& [before, after] : program.edges())
        if (kept[after]) part.program.addDependency(number[after], number[before]);
    for (const auto& [stream, device] : program.places()) part.program.placeStream(stream, device);
    for (const Program::Slowdown& pair : program.slowdowns()) part.program.setSlowdown(pair.slowed, pair.by, pair.factor);
    return part;
}

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
