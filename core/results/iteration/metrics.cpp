// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/metrics.hpp"
#include "core/base/units.hpp"
#include "core/model/attention_rules.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/order/schedule/ideal_bubble.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/training/passes/passes.hpp"
#include "core/training/rank_work/stage_order.hpp"

#include <cmath>
#include <utility>

namespace orrery {

double timeOfInterval(const JobFailureLaw& law, double interval) { return law.mtbf * std::exp(law.restart / law.mtbf) * std::expm1((interval + law.checkpoint) / law.mtbf); }

double goodputOf(const JobFailureLaw& law, double interval) {
    const double time = timeOfInterval(law, interval);
    return time > 0 ? interval / time : std::exp(-law.restart / law.mtbf);
}

double bestInterval(const JobFailureLaw& law) {
    const double checkpoint = law.checkpoint / law.mtbf;
    if (!(checkpoint > 0)) return 0;
    // (1 − x) e^(x + d) falls from e^d to 0: halving always ends, at the last digit after some fifty steps.
    double low = 0, high = 1;
    for (int step = 0; step < 200 && low < high; ++step) {
        const double middle = (low + high) / 2;
        if (middle == low || middle == high) break;
        (std::log1p(-middle) + middle + checkpoint > 0 ? low : high) = middle;
    }
    return law.mtbf * high;
}

double youngInterval(const JobFailureLaw& law) { return std::sqrt(2 * law.checkpoint * law.mtbf); }

namespace {

bool isMatrixProduct(const Operator& op) {
    return op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm || op.kind == OperatorKind::batched_gemm || op.kind == OperatorKind::attention;
}

struct ModelFlops {
    double all = 0;
    double attention = 0; ///< the s² part of one forward
};

/// FLOP of matrix products of the whole, unsharded model over the global batch, forward and backward: the contract's FLOP rule. A backward
/// is twice a forward: the gradients of both factors. LoRA's frozen matrices have none; its adapters have.
ModelFlops modelFlops(const Scenario& scenario) {
    const TokenShape shape{double(scenario.training().globalBatch), double(scenario.training().sequenceLength), 0, scenario.training().images};
    const ModelPieces pieces = buildModelPieces(scenario.model, shape);
    const bool adapted = scenario.training().task == TaskKind::lora;
    ModelFlops flops;
    const auto addGraph = [&](Graph graph, double times) {
        if (adapted) graph = loraPass(std::move(graph), scenario.training().loraRank, scenario.execution.profile.adaptedProducts);
        for (const Operator& op : graph.forward) {
            if (!isMatrixProduct(op)) continue;
            const bool ofAttention = op.kind == OperatorKind::attention || op.kind == OperatorKind::batched_gemm;
            const bool frozen = adapted && !ofAttention && op.weights <= 0;
            flops.all += times * (frozen ? 2 : 3) * op.flops;
            if (ofAttention) flops.attention += times * op.flops;
        }
    };
    addGraph(pieces.embedding, 1);
    for (std::size_t kind = 0; kind < pieces.layers.size(); ++kind) addGraph(pieces.layers[kind], double(scenario.model.layersOf(kind)));
    if (pieces.nextToken) addGraph(*pieces.nextToken, double(scenario.model.nextTokenModules));
    addGraph(pieces.head, 1);
    return flops;
}

/// Matrix products run again in backward, over all ranks. Sharded products add up to the whole; copies a tensor group makes of
/// one product (key-value heads fewer than ranks) count as often as they run.
double recomputedFlops(const Scenario& scenario, const Iteration& iteration) {
    double perRank = 0;
    for (const TaskInfo& task : iteration.tasks) {
        if (!iteration.isShown(task) || task.stream != StreamKind::compute) continue;
        for (const SegmentEntry& entry : iteration.work.segments[task.segment].entries) {
            const Operator& op = iteration.work.operators[entry.op].op;
            if (op.phase == Phase::recompute && isMatrixProduct(op)) perRank += op.flops;
        }
    }
    return perRank * scenario.parallelism.tensor * scenario.parallelism.replicas();
}

/// Share of the layers' forward that is run again in backward; nothing where only parts of layers are.
std::optional<double> recomputedShare(const Execution& execution) {
    switch (execution.recompute) {
    case RecomputeKind::none:
    case RecomputeKind::selective: return 0; // the attention core alone
    case RecomputeKind::full: return 1;
    case RecomputeKind::every: return 1.0 / execution.recomputeEvery;
    case RecomputeKind::automatic:
    case RecomputeKind::modules: break;
    }
    return std::nullopt;
}

/// The schedule's own, with a backward's input and weight parts each a forward's work long. What is run again lengthens the input part;
/// weights that are frozen have no weight part.
std::optional<double> idealBubbleOf(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const PipelineShape shape{plan.pipeline, scenario.microBatches(), plan.virtualPipeline};
    const bool split = traitsOf(plan.schedule).splitsBackward;
    const std::optional<double> again = recomputedShare(scenario.execution);
    if (split && plan.pipeline > 1 && !again) return std::nullopt;
    if (const auto& toy = scenario.model.toy) // whose times are stated, and in any ratio
        return idealBubble(plan.schedule, shape, {toy->forward, toy->backwardInput + again.value_or(0) * toy->forward, toy->backwardWeight, std::nullopt});
    const double weightPart = scenario.training().task == TaskKind::lora ? 0 : 1;
    return idealBubble(plan.schedule, shape, {1, 1 + again.value_or(0), weightPart, std::nullopt});
}

} // namespace

double densePeak(const Scenario& scenario) {
    const auto peak = scenario.cluster.accelerator.peakDense.find(std::string(traitsOf(scenario.precision()).peak));
    return peak != scenario.cluster.accelerator.peakDense.end() ? peak->second : 0;
}

namespace {

FailureReport failuresOf(const Reliability& reliability, double accelerators) {
    const JobFailureLaw law{reliability.meanTimeBetweenFailures / accelerators, reliability.checkpointTime, reliability.restartTime};
    FailureReport report;
    report.mtbf = law.mtbf;
    report.bestInterval = bestInterval(law);
    report.youngInterval = youngInterval(law);
    report.checkpointInterval = reliability.checkpointInterval.value_or(report.bestInterval);
    report.goodput = goodputOf(law, report.checkpointInterval);
    report.sparesLast = (reliability.spares + 1) * law.mtbf;
    return report;
}

} // namespace

std::optional<RunEstimate> estimateRun(const Scenario& scenario, const TrainingMetrics& metrics, double accelerators) {
    if (!scenario.economics.tokensTotal && !scenario.reliability) return std::nullopt;
    RunEstimate run;
    if (scenario.reliability) run.failures = failuresOf(*scenario.reliability, accelerators);
    if (!scenario.economics.tokensTotal) return run;
    const double goodput = run.failures ? run.failures->goodput : 1;
    const double seconds = *scenario.economics.tokensTotal / metrics.tokensPerSecond / goodput;
    if (run.failures) run.failures->failures = seconds / run.failures->mtbf;
    const double spares = scenario.reliability ? scenario.reliability->spares : 0;
    run.days = seconds / units::day;
    run.acceleratorHours = seconds / units::hour * (accelerators + spares);
    if (scenario.economics.pricePerAcceleratorHour)
        run.cost = run.acceleratorHours * *scenario.economics.pricePerAcceleratorHour;
    const double watts = scenario.economics.powerWatts.value_or(scenario.cluster.accelerator.tdpWatts);
    if (watts > 0) run.energyKwh = run.acceleratorHours * watts / 1000;
    return run;
}

namespace {

constexpr double pricedTokens = 1e9;

ModelFlops fillRatesAndCount(const Scenario& scenario, TrainingMetrics& metrics) {
    const double accelerators = scenario.parallelism.ranks();
    const double tokens = double(scenario.training().globalBatch) * scenario.training().sequenceLength;
    metrics.tokensPerSecond = tokens / metrics.iterationTime;
    metrics.tokensPerSecondPerAccelerator = metrics.tokensPerSecond / accelerators;
    if (const auto& price = scenario.economics.pricePerAcceleratorHour) metrics.costPerBillionTokens = pricedTokens * *price / (units::hour * metrics.tokensPerSecondPerAccelerator);

    const ModelFlops model = modelFlops(scenario);
    const double seconds = metrics.iterationTime * accelerators;
    metrics.modelFlops = model.all;
    metrics.maskedFlops = 3 * (1 - causalShare) * model.attention;
    metrics.modelTflopsPerAccelerator = model.all / seconds / units::tera;
    metrics.flopRule = scenario.training().task == TaskKind::lora
                           ? "2 × forward products with frozen weights, logits included, 3 × those of adapters and attention with full s², no recomputation, "
                             "no embedding look-up"
                           : "3 × forward matrix products, logits included, attention with full s², no recomputation, no embedding look-up";
    if (const double peak = densePeak(scenario); peak > 0) {
        metrics.mfu = model.all / seconds / peak;
        metrics.mfuCausal = (model.all - metrics.maskedFlops) / seconds / peak;
    }
    return model;
}

} // namespace

void fillRates(const Scenario& scenario, TrainingMetrics& metrics) { fillRatesAndCount(scenario, metrics); }

void fillMetrics(const Scenario& scenario, const Iteration& iteration, TrainingMetrics& metrics) {
    const ModelFlops model = fillRatesAndCount(scenario, metrics);
    const double accelerators = scenario.parallelism.ranks();
    metrics.recomputedFlops = recomputedFlops(scenario, iteration);
    if (const double peak = densePeak(scenario); peak > 0)
        metrics.hfu = (model.all + metrics.recomputedFlops) / (metrics.iterationTime * accelerators) / peak;
    metrics.bubbleOverIdeal = idealBubbleOf(scenario);
    metrics.run = estimateRun(scenario, metrics, accelerators);
}

} // namespace orrery
