// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/recorded_run.hpp"
#include "core/base/units.hpp"
#include "core/model/attention_rules.hpp"
#include "core/model/recorded/recorded_workload.hpp"
#include "core/network/transfers/flow_transfers.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/results/iteration/breakdown.hpp"
#include "core/results/iteration/network_account.hpp"
#include "core/results/iteration/operations.hpp"
#include "core/results/iteration/timeline_segments.hpp"
#include "core/scenario/rank_groups.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace orrery {
namespace {

std::optional<TaskTimes> runRecorded(const RecordedProgram& recorded, JobTraffic& traffic, const RunControl& control) {
    if (recorded.transfers.empty()) return runProgram(recorded.program, control);
    std::vector<Transfer> transfers;
    for (const TransferUse& use : recorded.transfers) transfers.push_back({&traffic.pattern(use.patterns, use.cell), use.bytes});
    FlowTransfers model(traffic.capacities(), transfers, traffic.background());
    return runProgram(recorded.program, control, &model);
}

NetworkReport recordedNetwork(const RecordedProgram& recorded, JobTraffic& traffic) {
    NetworkAccount account(1, recorded.work.operators.size(), traffic);
    for (const OperatorTraffic& one : recorded.traffic) account.add(one.row, one.op, one.patterns, one.bytes);
    return account.take();
}

struct GraphFlops {
    double all = 0, attention = 0;
};

Problem nothingRuns() {
    Problem problem;
    problem.code = "bad-graph";
    problem.pointer = "/model";
    problem.message = "Nothing in the recorded graph takes any time: no node could be mapped to an operator.";
    problem.mend = "Record operators with the shapes of their tensors, or nodes with their durations.";
    return problem;
}

GraphFlops productFlops(const RecordedWorkload& workload) {
    GraphFlops flops;
    for (const Operator& op : workload.graph.forward) {
        const bool attention = op.kind == OperatorKind::attention;
        if (!attention && op.kind != OperatorKind::gemm && op.kind != OperatorKind::batched_gemm &&
            op.kind != OperatorKind::grouped_gemm)
            continue;
        flops.all += op.flops;
        if (attention) flops.attention += op.flops;
    }
    return flops;
}

TrainingMetrics recordedMetrics(const Scenario& scenario, const RecordedWorkload& workload, double duration,
                                const TimeBreakdown& breakdown) {
    TrainingMetrics metrics;
    metrics.iterationTime = duration;
    metrics.breakdown = breakdown;
    metrics.stages = {breakdown};
    metrics.flopRule = "matrix products of the recorded graph, forward and backward as recorded, attention with full s²";
    const double ranks = scenario.parallelism.ranks();
    metrics.tokensPerSecond = double(scenario.training().globalBatch) * scenario.training().sequenceLength / duration;
    metrics.tokensPerSecondPerAccelerator = metrics.tokensPerSecond / ranks;
    const GraphFlops flops = productFlops(workload);
    const double masked = (1 - causalShare) * flops.attention;
    metrics.modelFlops = flops.all * ranks;
    metrics.maskedFlops = masked * ranks;
    metrics.modelTflopsPerAccelerator = flops.all / duration / units::tera;
    if (const double peak = densePeak(scenario); peak > 0) {
        metrics.mfu = metrics.hfu = flops.all / duration / peak;
        metrics.mfuCausal = (flops.all - masked) / duration / peak;
    }
    metrics.run = estimateRun(scenario, metrics, ranks);
    return metrics;
}

} // namespace

Outcome simulateRecorded(const Scenario& scenario, const RunControl& control) {
    const RecordedWorkload& workload = *scenario.recorded();
    auto result = std::make_shared<Result>();
    result->scenario = scenario;
    JobTraffic traffic(result->scenario);
    const RecordedProgram program = buildRecordedProgram(scenario, workload, traffic);
    if (Problems problems = traffic.unreachable(); !problems.empty()) return {nullptr, std::move(problems), false};
    const std::optional<TaskTimes> times = runRecorded(program, traffic, control);
    if (!times) return {nullptr, {}, true};
    if (times->duration <= 0) return {nullptr, {nothingRuns()}, false};

    result->name = scenario.name;
    result->assumed = scenario.assumed;
    result->warnings = scenario.warnings;
    result->parameters = result->activeParameters = workload.parameters;
    result->timeline = recordedTimeline(scenario, program, *times);
    result->memory = recordedMemory(scenario, workload, program, *times, result->timeline);
    result->fits = result->memory.peakBytes <= result->memory.capacityBytes;
    if (!result->fits) result->outOfMemory = OutOfMemory{0, result->memory.peakBytes, result->memory.capacityBytes, {}};
    result->operations = recordedOperations(program, *times);
    result->metrics = recordedMetrics(scenario, workload, times->duration, recordedBreakdown(program, *times));
    result->network = recordedNetwork(program, traffic);
    result->causes = findCauses(*result);
    // The graph is as it was recorded: there is nothing to try.
    for (Cause& cause : result->causes) {
        cause.tryLabel.clear();
        cause.tryEdits.clear();
    }
    if (control.progress) control.progress(1);
    return {std::move(result), {}, false};
}

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

namespace {

/// When a tensor is needed, and whether backward needs what forward made.
struct Need {
    double from = std::numeric_limits<double>::infinity(), to = -1;
    Phase made = Phase::forward;
    bool outlivesForward = false;
};

std::vector<Need> needs(const RecordedWorkload& workload, const RecordedProgram& program, const TaskTimes& times) {
    std::vector<Need> all(workload.graph.tensors.size());
    for (std::size_t step = 0; step < workload.steps.size(); ++step) {
        const Operator& op = workload.graph.forward[step];
        const TaskId task = program.taskOf[step];
        const auto use = [&](TensorId id) {
            Need& need = all[static_cast<std::size_t>(id)];
            if (need.to < 0) need.made = op.phase;
            need.from = std::min(need.from, times.start[task]);
            need.to = std::max(need.to, times.end[task]);
            need.outlivesForward = need.outlivesForward || (need.made == Phase::forward && op.phase != Phase::forward);
        };
        for (const TensorId id : op.inputs) use(id);
        for (const TensorId id : op.outputs) use(id);
    }
    return all;
}

struct Change {
    double activations = 0, temporary = 0;
};

} // namespace

MemoryReport recordedMemory(const Scenario& scenario, const RecordedWorkload& workload, const RecordedProgram& program, const TaskTimes& times,
                            Timeline& timeline) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const std::vector<Need> all = needs(workload, program, times);
    StageMemory account;
    // What one event frees, the next may take: changes of one moment count together.
    std::map<double, Change> changes;
    for (std::size_t id = 0; id < all.size(); ++id) {
        const double bytes = workload.graph.tensors[id].bytes;
        switch (workload.roles[id]) {
        case RecordedTensorRole::weights: account.of(MemoryKind::weights) += bytes; continue;
        case RecordedTensorRole::gradients: account.of(MemoryKind::gradients) += bytes; continue;
        case RecordedTensorRole::optimizer_states: account.of(MemoryKind::optimizer_states) += bytes; continue;
        case RecordedTensorRole::inside: break;
        }
        if (all[id].to <= all[id].from) continue;
        double Change::*which = all[id].outlivesForward ? &Change::activations : &Change::temporary;
        changes[all[id].from].*which += bytes;
        changes[all[id].to].*which -= bytes;
    }
    StageTimeline& stage = timeline.stages.front();
    MemorySample now, peak;
    for (const auto& [time, change] : changes) {
        now.time = time;
        now.activations += change.activations;
        now.temporary += change.temporary;
        stage.memory.push_back(now);
        if (now.activations + now.temporary > peak.activations + peak.temporary) peak = now;
    }
    account.peakTime = peak.time;
    account.of(MemoryKind::activations) = peak.activations;
    account.of(MemoryKind::temporary) = peak.temporary;
    double allocated = 0;
    for (const double bytes : account.bytes) allocated += bytes;
    account.of(MemoryKind::fragmentation) = profile.fragmentationFraction * allocated;
    account.of(MemoryKind::communication_buffers) = scenario.parallelism.data > 1 ? profile.communicatorBytes : 0;
    account.of(MemoryKind::framework) = profile.frameworkBytes;
    for (const double bytes : account.bytes) account.peakBytes += bytes;
    stage.staticBytes = account.peakBytes - peak.activations - peak.temporary;

    MemoryReport report;
    report.capacityBytes = scenario.cluster.accelerator.memoryBytes;
    report.peakBytes = account.peakBytes;
    report.allocatedPeakBytes = allocated;
    report.reservedPeakBytes = allocated + account.of(MemoryKind::fragmentation);
    report.stages.push_back(account);
    return report;
}

namespace {

/// A recording is shown as one micro-batch, which is all there is of it.
constexpr std::int32_t onlyMicroBatch = 0;

StreamKind shownOn(RecordedStream stream) { return stream == RecordedStream::communication ? recordedCommunication : StreamKind::compute; }

} // namespace

Timeline recordedTimeline(const Scenario& scenario, const RecordedProgram& program, const TaskTimes& times) {
    Timeline timeline;
    timeline.duration = times.duration;
    timeline.operators = program.work.operators;
    timeline.segments = program.work.segments;
    timeline.streamNames = {"compute", "collectives", "communication"};
    StageTimeline row = emptyRow(0, describeRanks(RankGrid(scenario.parallelism).stageRanks(0)), timeline.streamNames.size());
    TimelineSegments segments(times.duration, timeline.segments);
    for (TaskId task = 0; task < program.tasks.size(); ++task) {
        const RecordedTask& recorded = program.tasks[task];
        if (recorded.stream == RecordedStream::host) continue;
        Span span;
        span.start = times.start[task];
        span.end = times.end[task];
        span.segment = segments.stretched(recorded.segment, span.end - span.start);
        span.microBatch = onlyMicroBatch;
        row.streams[static_cast<std::size_t>(shownOn(recorded.stream))].spans.push_back(span);
    }
    timeline.stages.push_back(std::move(row));
    return timeline;
}

std::vector<OperationRow> recordedOperations(const RecordedProgram& program, const TaskTimes& times) {
    OperationRows rows;
    for (TaskId task = 0; task < program.tasks.size(); ++task) {
        if (program.tasks[task].stream == RecordedStream::host) continue;
        const Segment& segment = program.work.segments[program.tasks[task].segment];
        const double spent = times.end[task] - times.start[task], stretch = segment.duration > 0 ? spent / segment.duration : 1;
        for (const SegmentEntry& entry : segment.entries) {
            const TimedOperator& timed = program.work.operators[entry.op];
            rows.add(timed, 1, timed.time * stretch);
        }
    }
    return rows.take();
}

} // namespace orrery
