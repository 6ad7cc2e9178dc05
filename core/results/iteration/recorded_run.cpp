// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/recorded_run.hpp"

#include "core/base/units.hpp"
#include "core/model/attention_rules.hpp"
#include "core/network/transfers/flow_transfers.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/results/iteration/network_account.hpp"

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

} // namespace orrery
