#include "core/simulation/assemble.hpp"

#include "core/model/transformer_graph.hpp"
#include "core/units.hpp"

namespace orrery {
namespace {

bool isMatrixProduct(const Operator& op) {
    return op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm || op.kind == OperatorKind::batched_gemm || op.kind == OperatorKind::attention;
}

struct ModelFlops {
    double all = 0;
    double attention = 0; ///< the s² part of `all`
};

/// Forward matrix products of the whole, unsharded model over the global batch: the contract's FLOP rule.
ModelFlops forwardFlops(const Scenario& scenario) {
    const TokenShape shape{double(scenario.workload.globalBatch), double(scenario.workload.sequenceLength)};
    const ModelPieces pieces = buildModelPieces(scenario.model, shape);
    ModelFlops flops;
    const auto addGraph = [&](const Graph& graph, double times) {
        for (const Operator& op : graph.forward) {
            if (!isMatrixProduct(op)) continue;
            flops.all += times * op.flops;
            if (op.kind == OperatorKind::attention || op.kind == OperatorKind::batched_gemm) flops.attention += times * op.flops;
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

/// Under which name the data sheet lists a precision's peak.
std::string peakName(const std::string& precision) {
    if (precision == "mxfp8") return "fp8";
    return precision == "nvfp4" ? "fp4" : precision;
}

} // namespace

double densePeak(const Scenario& scenario) {
    const auto peak = scenario.cluster.accelerator.peakDense.find(peakName(scenario.workload.precision));
    return peak != scenario.cluster.accelerator.peakDense.end() ? peak->second : 0;
}

RunEstimate estimateRun(const Scenario& scenario, const TrainingMetrics& metrics, double accelerators) {
    RunEstimate run;
    const double seconds = *scenario.economics.tokensTotal / metrics.tokensPerSecond;
    run.days = seconds / 86400;
    run.acceleratorHours = seconds / 3600 * accelerators;
    if (scenario.economics.pricePerAcceleratorHour)
        run.cost = run.acceleratorHours * *scenario.economics.pricePerAcceleratorHour;
    const double watts = scenario.economics.powerWatts.value_or(scenario.cluster.accelerator.tdpWatts);
    if (watts > 0) run.energyKwh = run.acceleratorHours * watts / 1000;
    return run;
}

void fillMetrics(const Scenario& scenario, const Iteration& iteration, TrainingMetrics& metrics) {
    const Parallelism& plan = scenario.parallelism;
    const double accelerators = plan.ranks();
    const double tokens = double(scenario.workload.globalBatch) * scenario.workload.sequenceLength;
    metrics.tokensPerSecond = tokens / metrics.iterationTime;
    metrics.tokensPerSecondPerAccelerator = metrics.tokensPerSecond / accelerators;

    const ModelFlops forward = forwardFlops(scenario);
    const double model = 3 * forward.all;
    const double hardware = model + recomputedFlops(scenario, iteration);
    const double seconds = metrics.iterationTime * accelerators;
    metrics.modelTflopsPerAccelerator = model / seconds / units::tera;
    metrics.flopRule = "3 × forward matrix products, logits included, attention with full s², no recomputation, no embedding look-up";
    if (const double peak = densePeak(scenario); peak > 0) {
        metrics.mfu = model / seconds / peak;
        metrics.hfu = hardware / seconds / peak;
        metrics.mfuCausal = (model - 1.5 * forward.attention) / seconds / peak;
    }
    const double microBatches = scenario.microBatches();
    metrics.bubbleOverIdeal = (plan.pipeline - 1) / (microBatches * plan.virtualPipeline);
    if (scenario.economics.tokensTotal) metrics.run = estimateRun(scenario, metrics, accelerators);
}

} // namespace orrery
