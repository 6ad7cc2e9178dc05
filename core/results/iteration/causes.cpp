// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/order/schedule/paired_orders.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/training/estimate/estimated_plan.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

constexpr std::size_t causesShown = 3;
constexpr double smallestShare = 0.002;       ///< of the iteration; less is not worth a line
constexpr double smallestInterference = 0.02; ///< it hides in forward and backward: a line only where it matters

/// A number of the scenario.
Quantity ofScenario(std::string name, double value, std::string unit = "1") { return given(std::move(name), value, std::move(unit), "scenario"); }

/// The smallest chunk count above the present one that every stage's layers divide into; 0 when there is none.
int moreChunks(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    // A split backward shortens the bubble in its own way.
    if (traitsOf(plan.schedule).splitsBackward || plan.pipeline < 2 || scenario.microBatches() % plan.pipeline != 0) return 0;
    for (int chunks = plan.virtualPipeline + 1; std::int64_t{chunks} * plan.pipeline <= scenario.model.layers; ++chunks)
        if (scenario.model.layers % (std::int64_t{chunks} * plan.pipeline) == 0) return chunks;
    return 0;
}

Cause bubbleCause(const Result& result) {
    const Parallelism& plan = result.scenario.parallelism;
    const double m = result.scenario.microBatches();
    Cause cause;
    cause.text = "bubble: " + std::to_string(plan.pipeline) + " stages, " + std::to_string(int(m)) + " micro-batches";
    const ScheduleTraits& traits = traitsOf(plan.schedule);
    // The headline's figure, not the closing stage's part of the iteration.
    if (const auto why = explain(result, "/bubble_fraction")) cause.why = *why;
    cause.why.reference = std::string(traits.bubble.formula) + ", " + std::string(traits.bubble.reference);
    if (const int chunks = moreChunks(result.scenario)) {
        cause.tryLabel = std::to_string(chunks) + " chunks";
        cause.tryEdits = {{"/parallelism/virtual_pipeline", chunks}, {"/parallelism/schedule", std::string(wordOf(usualOrder(chunks)))}, {"/parallelism/pipeline_layout", nullptr}};
    }
    return cause;
}

Cause tensorCause(const Result& result, double time) {
    Cause cause;
    cause.text = "tensor communication that no GEMM hides";
    cause.why = derived("tensor_exposed", time, "s", "waits of the compute stream for collectives of the tensor group", {ofScenario("t", result.scenario.parallelism.tensor)}, "Korthikanti et al. 2022, §4.2.2");
    if (!result.scenario.execution.overlap.tensor) {
        cause.tryLabel = "overlap: tensor";
        cause.tryEdits = {{"/execution/overlap/tensor", true}};
    }
    return cause;
}

Cause dataCause(const Result& result, double time) {
    Cause cause;
    cause.text = "gradient and parameter communication that no compute hides";
    cause.why = derived("data_exposed", time, "s", "waits of the compute stream for collectives of the data group", {ofScenario("d", result.scenario.parallelism.data), ofScenario("ZeRO stage", result.scenario.parallelism.zeroStage)});
    if (!result.scenario.execution.overlap.data) {
        cause.tryLabel = "overlap: data";
        cause.tryEdits = {{"/execution/overlap/data", true}};
    }
    return cause;
}

/// Pairs that run together hide expert traffic where the schedule has room for them: interleaved, and a single stage.
Cause expertCause(const Result& result, double time) {
    const Scenario& scenario = result.scenario;
    Cause cause;
    cause.text = "all-to-alls of the experts that nothing hides";
    cause.why = derived("expert_exposed", time, "s", "waits of the compute stream for dispatch and combine", {ofScenario("e", scenario.parallelism.expert), ofScenario("expert_tensor", scenario.parallelism.expertTensor)}, "Lepikhin et al. 2020 (GShard), §3.2");
    const PipelineShape shape{scenario.parallelism.pipeline, scenario.microBatches(), scenario.parallelism.virtualPipeline};
    if (!scenario.execution.overlap.expert && canRunPaired(scenario.parallelism.schedule, shape)) {
        cause.tryLabel = "overlap: expert";
        cause.tryEdits = {{"/execution/overlap/expert", true}};
    }
    return cause;
}

Cause contextCause(const Result& result, double time) {
    Cause cause;
    cause.text = "keys and values on their way between context ranks";
    cause.why = derived("context_exposed", time, "s", "waits of the compute stream for collectives of the context group", {ofScenario("c", result.scenario.parallelism.context)}, "Liu et al. 2023 (ring attention)");
    return cause;
}

Cause pipelineCause(const Result& result, double time) {
    Cause cause;
    cause.text = "transfers between stages";
    cause.why = derived("pipeline_exposed", time, "s", "waits of the compute stream for send and receive", {ofScenario("p", result.scenario.parallelism.pipeline)});
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
    const RecomputeKind kind = result.scenario.execution.recompute;
    const bool full = kind == RecomputeKind::full;
    const char* what = full                             ? "layers recomputed"
                       : kind == RecomputeKind::every   ? "some layers recomputed"
                       : kind == RecomputeKind::modules ? "modules recomputed"
                                                        : "attention recomputed";
    cause.text = std::string(what) +
                 (free > 0 ? std::string("; ") + gib + " GiB are free" : "");
    cause.why = derived("recompute", time, "s", "forward work run again in backward", {derived("free memory", free, "bytes", "capacity − peak", {ofScenario("capacity", result.memory.capacityBytes, "bytes"), derived("peak", result.memory.peakBytes, "bytes", "most that an accelerator holds", {}, "/memory/peak_bytes")})}, "Korthikanti et al. 2022, §5");
    cause.tryLabel = full ? "recompute: selective" : "recompute: none";
    cause.tryEdits = {{"/execution/recompute", full ? "selective" : "none"}};
    return cause;
}

Cause plainCause(TimePart part, double time) {
    Cause cause;
    cause.text = part == TimePart::optimizer ? "optimizer step and gradient norm" : "host time that kernels wait for";
    cause.why = derived(std::string(toString(part)), time, "s", part == TimePart::optimizer ? "gradient norm and optimizer step: traffic of states and gradients" : "profile's launch and iteration overhead");
    return cause;
}

/// Kernels beside communication: part of forward and backward, so shown beside the parts, not among them.
Cause interferenceCause(const Result& result) {
    const TrainingMetrics& metrics = *result.training();
    Cause cause;
    cause.share = metrics.interference / metrics.iterationTime;
    cause.text = "kernels slowed by communication beside them";
    cause.why = derived("interference_s", metrics.interference, "s", "kernels' time beside their rank's communication, longer than alone by the overlap slow-down", {derived("overlap slow-down", result.scenario.kernels.overlapSlowdown, "1", "", {}, "calibration")});
    return cause;
}

/// Waits for the slowest lie in every part: shown beside the parts as well.
Cause jitterCause(const Result& result, double time) {
    Cause cause;
    cause.share = time / result.training()->iterationTime;
    cause.text = "kernels and hosts that vary: all wait for the slowest";
    if (const auto why = explain(result, "/jitter/mean_s")) cause.why = *why;
    return cause;
}

} // namespace

std::vector<Cause> findCauses(const Result& result) {
    const TrainingMetrics& metrics = *result.training();
    std::vector<Cause> causes;
    for (TimePart part : {TimePart::tensor_exposed, TimePart::expert_exposed, TimePart::context_exposed, TimePart::bubble, TimePart::recompute, TimePart::data_exposed,
                          TimePart::pipeline_exposed, TimePart::optimizer, TimePart::overhead}) {
        const double time = metrics.breakdown[static_cast<std::size_t>(part)];
        const double share = part == TimePart::bubble ? metrics.bubbleFraction : time / metrics.iterationTime;
        if (share < smallestShare) continue;
        Cause cause;
        switch (part) {
        case TimePart::tensor_exposed: cause = tensorCause(result, time); break;
        case TimePart::expert_exposed: cause = expertCause(result, time); break;
        case TimePart::context_exposed: cause = contextCause(result, time); break;
        case TimePart::bubble: cause = bubbleCause(result); break;
        case TimePart::recompute: cause = recomputeCause(result, time); break;
        case TimePart::data_exposed: cause = dataCause(result, time); break;
        case TimePart::pipeline_exposed: cause = pipelineCause(result, time); break;
        default: cause = plainCause(part, time); break;
        }
        cause.part = toString(part);
        cause.share = share;
        causes.push_back(std::move(cause));
    }
    if (metrics.interference > smallestInterference * metrics.iterationTime) causes.push_back(interferenceCause(result));
    if (const double waits = result.jitter ? metrics.iterationTime - result.jitter->without : 0; waits > smallestShare * metrics.iterationTime)
        causes.push_back(jitterCause(result, waits));
    std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.share > b.share; });
    if (causes.size() > causesShown) causes.resize(causesShown);
    return causes;
}

namespace {

constexpr double gradientElement = 2, frozenElement = 2; ///< bytes: 16 bit

/// The most that a stage holds at once only because weights are gathered, or gradients are whole before they are reduced.
double mostWhole(const std::vector<BufferLife>& lives) {
    std::vector<double> change;
    const auto add = [&](std::int32_t slot, double bytes) {
        if (change.size() <= static_cast<std::size_t>(slot)) change.resize(static_cast<std::size_t>(slot) + 1);
        change[static_cast<std::size_t>(slot)] += bytes;
    };
    for (const BufferLife& life : lives) {
        const bool whole = life.name == "gathered weights" || life.name == "gather buffer" || life.name == "accumulated gradients" ||
                           life.name == "whole gradients" || life.name == "reduce-scatter input";
        if (!whole) continue;
        add(life.first, life.bytes);
        add(life.last + 1, -life.bytes);
    }
    double now = 0, most = 0;
    for (const double bytes : change) most = std::max(most, now += bytes);
    return most;
}

/// A layer's gradients are all there before they are reduced.
double largestGradients(const RankWork& work) {
    double most = std::max(work.embedding.elements, work.head.elements);
    for (const PieceWork& layer : work.layers) most = std::max(most, layer.elements + layer.expertElements);
    return gradientElement * most;
}

/// What a stage saves by one more stage of ZeRO: gradients with 2, weights with 3.
double savedAt(const Scenario& scenario, const Iteration& iteration, std::size_t stage) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const ReplicaPolicy policy(scenario);
    const double dense = 1 - 1 / policy.sharders(), expert = 1 - 1 / policy.ranksIn(RankGroup::expert_data);
    const double elements = dense * iteration.stageElements[stage] + expert * iteration.stageExpertElements[stage];
    if (policy.scattersUnits()) return profile.gradientBytes * elements;
    const double kept = 1 - scenario.execution.offload.weights;
    return kept * (profile.weightBytes * elements + frozenElement * dense * iteration.stageFrozenElements[stage]);
}

/// Peak of what PyTorch allocates for the same plan with one stage of ZeRO less; nothing where it can't be.
std::optional<double> peakWithLess(Scenario scenario) {
    --scenario.parallelism.zeroStage;
    const auto estimate = PlanEstimates().estimate(scenario);
    return estimate ? std::optional(estimate->allocatedPeak) : std::nullopt;
}

std::string gib(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GiB", bytes / 1073741824.0);
    return text;
}

} // namespace

std::optional<Problem> sharingWarning(const Scenario& scenario, const Iteration& iteration, const MemoryReport& memory) {
    const ReplicaPolicy policy(scenario);
    const bool weights = policy.unshardsWeights();
    if (!(weights || policy.scattersUnits()) || memory.detail.buffers.empty()) return std::nullopt;
    std::size_t worst = 0;
    std::vector<double> whole, saved;
    for (std::size_t stage = 0; stage < memory.detail.buffers.size(); ++stage) {
        whole.push_back(mostWhole(memory.detail.buffers[stage]));
        saved.push_back(savedAt(scenario, iteration, stage));
        if (whole[stage] - saved[stage] > whole[worst] - saved[worst]) worst = stage;
    }
    if (whole[worst] + largestGradients(iteration.work) <= saved[worst]) return std::nullopt;
    const std::optional<double> before = peakWithLess(scenario);
    if (!before || memory.allocatedPeakBytes <= *before * (1 + 1e-9)) return std::nullopt;

    const FrameworkProfile& profile = scenario.execution.profile;
    const std::string holder = std::to_string(worst) + " holds up to " + gib(whole[worst]) + (weights ? " of gathered weights and whole gradients" : " of whole gradients") +
                               ", and sharing the " + (weights ? "weights" : "gradients") + " out saves " + gib(saved[worst]);
    Problem problem;
    problem.severity = Severity::warning;
    problem.code = weights ? "gathered-weights" : "whole-gradients";
    problem.pointer = "/parallelism/zero_stage";
    if (!weights) problem.message = "Stage " + holder + ": profile " + profile.id + " reduces a layer's gradients in one piece.";
    else if (policy.keepsGathered())
        problem.message = "Profile " + profile.id + " gathers weights once an iteration under a pipeline and keeps them until the last backward: stage " + holder + ".";
    else problem.message = "Stage " + holder + ": profile " + profile.id + " gathers a layer ahead of the one that runs.";
    const std::string less = std::to_string(scenario.parallelism.zeroStage - 1);
    problem.message += " ZeRO-" + less + " would need " + gib(memory.allocatedPeakBytes - *before) + " less.";
    problem.mend = "Use zero_stage " + less + (weights && policy.keepsGathered() ? ", or fewer stages." : ", or more layers per stage.");
    return problem;
}

} // namespace orrery
