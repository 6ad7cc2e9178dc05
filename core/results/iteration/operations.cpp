// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/operations.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/training/rank_work/slow_kernels.hpp"

namespace orrery {

void OperationRows::add(const TimedOperator& timed, double count, double time) {
    const Phase phase = timed.op.kind == OperatorKind::collective ? Phase::communication : timed.op.phase;
    const auto [at, fresh] = index_.try_emplace({timed.op.name, phase}, rows_.size());
    if (fresh) {
        OperationRow row;
        row.kind = timed.op.name;
        row.phase = toString(phase);
        row.bound = timed.bound;
        row.source = timed.source;
        row.work = timed.op.kind;
        row.group = timed.op.group;
        rows_.push_back(std::move(row));
    }
    OperationRow& row = rows_[at->second];
    row.count += count;
    row.time += time;
    row.flops += count * timed.op.flops;
    row.bytes += count * (timed.op.messageBytes > 0 ? timed.op.messageBytes : timed.op.bytesRead + timed.op.bytesWritten);
}

namespace {

/// Without what communication beside a kernel adds; transfers with what they share links with.
double timeAlone(const Iteration& iteration, const TaskTimes& times, TaskId task) {
    const bool slowed = iteration.program.interferes() && iteration.program.transfers()[task] == noTransfer && iteration.tasks[task].stream == StreamKind::compute &&
                        !iteration.expandedEndingAt(task);
    return slowed ? iteration.program.durations()[task] : times.end[task] - times.start[task];
}

/// Time of the operators that ran as tasks by themselves on the shown lanes, by operator.
std::vector<double> timeOfParts(const Iteration& iteration, const TaskTimes& times) {
    std::vector<double> spent(iteration.work.operators.size(), 0);
    for (TaskId task = 0; task < iteration.tasks.size() && !iteration.expanded.empty(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.role != TaskRole::part || info.segment == noOperator || iteration.shown[static_cast<std::size_t>(info.stage)] != info.lane) continue;
        spent[info.segment] += timeAlone(iteration, times, task);
    }
    return spent;
}

/// How often a segment ran on the shown lanes, and how long in all.
struct Runs {
    double count = 0;
    double time = 0;
};

/// Waiting for the last lane is not transit: a joint collective took what its own task took.
std::vector<Runs> runsBySegment(const Iteration& iteration, const TaskTimes& times) {
    std::vector<Runs> runs(iteration.work.segments.size());
    std::map<std::uint32_t, Runs> joint;
    for (std::size_t task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        const bool isShown = iteration.isShown(info);
        if (!isShown && info.role != TaskRole::joint) continue;
        const double spent = timeAlone(iteration, times, static_cast<TaskId>(task));
        if (info.role == TaskRole::joint) {
            Runs& one = joint[info.segment];
            one.count += 1;
            one.time += spent;
        }
        if (!isShown) continue;
        runs[info.segment].count += 1;
        runs[info.segment].time += spent;
    }
    for (const auto& [segment, one] : joint) runs[segment].time = runs[segment].count * one.time / one.count;
    return runs;
}

} // namespace

std::vector<OperationRow> listOperations(const Scenario& scenario, const Iteration& iteration, const TaskTimes& times) {
    const std::vector<Runs> runs = runsBySegment(iteration, times);
    const std::vector<double> parts = timeOfParts(iteration, times);
    // Operators of a segment that ran part by part may run in a pair besides, which ran as a whole.
    std::vector<bool> ranInParts(runs.size(), false);
    for (const ExpandedSegment& expanded : iteration.expanded) ranInParts[iteration.tasks[expanded.end].segment] = true;
    // One lane a stage is shown: the mean over accelerators is the mean over stages.
    const double stages = scenario.parallelism.pipeline;
    OperationRows rows;
    for (std::size_t segment = 0; segment < runs.size(); ++segment) {
        if (runs[segment].count == 0) continue;
        const double alone = iteration.work.segments[segment].duration * runs[segment].count;
        const double stretch = alone > 0 ? runs[segment].time / alone : 1;
        const double slowdown = iteration.slowdownOf(static_cast<std::uint32_t>(segment)), count = runs[segment].count / stages;
        for (const SegmentEntry& entry : iteration.work.segments[segment].entries) {
            const TimedOperator& timed = iteration.work.operators[entry.op];
            rows.add(timed, count, ranInParts[segment] ? parts[entry.op] / stages : count * timed.time * slowdownOf(timed.op, slowdown) * stretch);
        }
    }
    return rows.take();
}

} // namespace orrery
