// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/inference_run.hpp"

#include "core/served/inference/scenario_engine.hpp"
#include "core/served/inference/static_batch.hpp"
#include "core/served/service/engine_account.hpp"
#include "core/served/service/engine_causes.hpp"
#include "core/served/service/engine_timeline.hpp"
#include "core/served/service/run_bounds.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace orrery {
namespace {

StepBatch promptsOf(const InferenceWorkload& workload) {
    StepBatch batch;
    batch.prefills.assign(static_cast<std::size_t>(workload.batchSize), {workload.inputLength, 0});
    return batch;
}

/// Steps after the first token have ever longer contexts; attention is linear in them, so that the mean step stands for all.
StepBatch meanDecode(const InferenceWorkload& workload) {
    StepBatch batch;
    batch.decodes = workload.batchSize;
    batch.decodeContext = workload.inputLength + (workload.outputLength - 2) / 2.0;
    return batch;
}

InferenceMetrics metricsOf(const StaticEstimate& estimate, const InferenceWorkload& workload, const StepModel& model) {
    const EngineModel& engine = model.engine();
    InferenceMetrics metrics;
    metrics.ttft = estimate.ttft;
    metrics.tpot = estimate.tpot;
    metrics.requestLatency = estimate.latency;
    metrics.outputTokensPerSecond = estimate.outputRate;
    metrics.outputTokensPerSecondPerAccelerator = estimate.outputRate / engine.parallelism.ranks();
    metrics.least = {decodeFloor(model, workload.batchSize, workload.batchSize), decodeFloor(model, workload.batchSize, workload.batchSize * (workload.inputLength + workload.outputLength / 2.0))};
    return metrics;
}

} // namespace

Outcome simulateInference(const Scenario& scenario, const InferenceWorkload& workload, const RunControl& control, const std::function<void(Result&)>& finish) {
    if (auto problem = batchBeyondCeiling(workload, control)) return {nullptr, {std::move(*problem)}, false};
    const StepModel model(engineOf(scenario, scenario.parallelism, workload.cachePrecision, scenario.execution.profile.serving.overlapsHost));
    const StaticEstimate estimate = estimateStatic(model, {workload.batchSize, workload.inputLength, workload.outputLength});
    auto result = std::make_shared<Result>();
    describeRun(*result, scenario);
    std::vector<EngineMemory> stages;
    for (const StaticMemory& memory : estimate.stages) stages.push_back({memory.weights, memory.cache, memory.activations, memory.framework, model.engine().memoryBytes});
    fillMemory(*result, stages);
    addOperations(*result, model, promptsOf(workload), 1);
    if (workload.outputLength > 1) addOperations(*result, model, meanDecode(workload), workload.outputLength - 1);
    result->timeline = staticTimeline(model, workload, estimate);
    result->metrics = metricsOf(estimate, workload, model);
    LatencyParts tpot;
    if (workload.outputLength > 1) tpot = partsOfStep(model.parts(meanDecode(workload)), weightTrafficShare(model, meanDecode(workload)), estimate.tpot);
    result->causes = engineCauses(scenario, {partsOfStep(estimate.prefill, weightTrafficShare(model, promptsOf(workload)), estimate.ttft)}, {tpot});
    if (finish) finish(*result);
    return {std::move(result), {}, false};
}

} // namespace orrery
