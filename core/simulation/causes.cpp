#include "core/simulation/assemble.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t causesShown = 3;
constexpr double smallestShare = 0.002; ///< of the iteration; less is not worth a line

Quantity quantity(std::string name, double value, std::string unit, std::string formula, std::string reference,
                  std::vector<Quantity> inputs) {
    return {std::move(name), value, std::move(unit), Source::derived, std::move(formula), std::move(reference), std::move(inputs)};
}
Quantity given(std::string name, double value, std::string unit = "1") {
    return {std::move(name), value, std::move(unit), Source::given, "", "scenario", {}};
}

/// The smallest chunk count above the present one that every stage's layers divide into; 0 when there is none.
int moreChunks(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    if (plan.pipeline < 2 || scenario.microBatches() % plan.pipeline != 0) return 0;
    for (int chunks = plan.virtualPipeline + 1; chunks * plan.pipeline <= scenario.model.layers; ++chunks)
        if (scenario.model.layers % (chunks * plan.pipeline) == 0) return chunks;
    return 0;
}

Cause bubbleCause(const Result& result, double time) {
    const Parallelism& plan = result.scenario.parallelism;
    const double m = result.scenario.microBatches();
    Cause cause;
    cause.text = "bubble: " + std::to_string(plan.pipeline) + " stages, " + std::to_string(int(m)) + " micro-batches";
    cause.why = quantity("bubble", time, "s", "idle wall clock of the closing stage; (p − 1)/(v m + p − 1) of the span for equal stages",
                         "Narayanan et al. 2021, §2.2",
                         {given("p", plan.pipeline), given("m", m), given("v", plan.virtualPipeline),
                          quantity("equal stages", (plan.pipeline - 1) / (plan.virtualPipeline * m + plan.pipeline - 1), "1",
                                   "(p − 1)/(v m + p − 1)", "", {})});
    if (const int chunks = moreChunks(result.scenario)) {
        cause.tryLabel = std::to_string(chunks) + " chunks";
        cause.tryEdits = {{"/parallelism/virtual_pipeline", chunks}, {"/parallelism/schedule", "interleaved"},
                          {"/parallelism/pipeline_layout", nullptr}};
    }
    return cause;
}

Cause tensorCause(const Result& result, double time) {
    Cause cause;
    cause.text = "tensor communication that no GEMM hides";
    cause.why = quantity("tensor_exposed", time, "s", "waits of the compute stream for collectives of the tensor group",
                         "Korthikanti et al. 2022, §4.2.2", {given("t", result.scenario.parallelism.tensor)});
    if (!result.scenario.execution.overlap.tensor) {
        cause.tryLabel = "overlap: tensor";
        cause.tryEdits = {{"/execution/overlap/tensor", true}};
    }
    return cause;
}

Cause dataCause(const Result& result, double time) {
    Cause cause;
    cause.text = "gradient and parameter communication that no compute hides";
    cause.why = quantity("data_exposed", time, "s", "waits of the compute stream for collectives of the data group", "",
                         {given("d", result.scenario.parallelism.data), given("ZeRO stage", result.scenario.parallelism.zeroStage)});
    if (!result.scenario.execution.overlap.data) {
        cause.tryLabel = "overlap: data";
        cause.tryEdits = {{"/execution/overlap/data", true}};
    }
    return cause;
}

Cause pipelineCause(const Result& result, double time) {
    Cause cause;
    cause.text = "transfers between stages";
    cause.why = quantity("pipeline_exposed", time, "s", "waits of the compute stream for send and receive", "",
                         {given("p", result.scenario.parallelism.pipeline)});
    if (!result.scenario.execution.overlap.pipeline) {
        cause.tryLabel = "overlap: pipeline";
        cause.tryEdits = {{"/execution/overlap/pipeline", true}};
    }
    return cause;
}

Cause recomputeCause(const Result& result, double time) {
    Cause cause;
    const double free = result.memory.capacityBytes - result.memory.peakBytes;
    char gib[32];
    std::snprintf(gib, sizeof gib, "%.1f", free / 1073741824.0);
    const bool full = result.scenario.execution.recompute == RecomputeKind::full;
    cause.text = std::string(full ? "layers recomputed" : "attention recomputed") +
                 (free > 0 ? std::string("; ") + gib + " GiB are free" : "");
    cause.why = quantity("recompute", time, "s", "forward work run again in backward", "Korthikanti et al. 2022, §5",
                         {quantity("free memory", free, "bytes", "capacity − peak", "", {})});
    cause.tryLabel = full ? "recompute: selective" : "recompute: none";
    cause.tryEdits = {{"/execution/recompute", full ? "selective" : "none"}};
    return cause;
}

Cause plainCause(TimePart part, double time) {
    Cause cause;
    cause.text = part == TimePart::optimizer ? "optimizer step and gradient norm" : "host time that kernels wait for";
    cause.why = quantity(std::string(toString(part)), time, "s",
                         part == TimePart::optimizer ? "bytes of states and gradients/memory bandwidth" : "profile's launch and iteration overhead",
                         "", {});
    return cause;
}

} // namespace

std::vector<Cause> findCauses(const Result& result) {
    const TrainingMetrics& metrics = *result.training;
    std::vector<Cause> causes;
    for (TimePart part : {TimePart::tensor_exposed, TimePart::bubble, TimePart::recompute, TimePart::data_exposed,
                          TimePart::pipeline_exposed, TimePart::optimizer, TimePart::overhead}) {
        const double time = metrics.breakdown[static_cast<std::size_t>(part)];
        if (time < smallestShare * metrics.iterationTime) continue;
        Cause cause;
        switch (part) {
        case TimePart::tensor_exposed: cause = tensorCause(result, time); break;
        case TimePart::bubble: cause = bubbleCause(result, time); break;
        case TimePart::recompute: cause = recomputeCause(result, time); break;
        case TimePart::data_exposed: cause = dataCause(result, time); break;
        case TimePart::pipeline_exposed: cause = pipelineCause(result, time); break;
        default: cause = plainCause(part, time); break;
        }
        cause.part = part;
        cause.share = time / metrics.iterationTime;
        causes.push_back(std::move(cause));
    }
    std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.share > b.share; });
    if (causes.size() > causesShown) causes.resize(causesShown);
    return causes;
}

} // namespace orrery
