// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/task_reach.hpp"

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

} // namespace orrery
