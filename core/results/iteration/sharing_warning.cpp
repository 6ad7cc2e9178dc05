// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/assemble.hpp"
#include "core/training/estimate/estimated_plan.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace orrery {
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
