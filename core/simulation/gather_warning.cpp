#include "core/memory/static_memory.hpp"
#include "core/simulation/assemble.hpp"
#include "core/simulation/estimated_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace orrery {
namespace {

constexpr double gradientElement = 2, frozenElement = 2; ///< bytes: 16 bit

/// The most that a stage holds at once only because its weights are gathered and its gradients come and go.
double mostGathered(const std::vector<BufferLife>& lives) {
    std::vector<double> change;
    const auto add = [&](std::int32_t slot, double bytes) {
        if (change.size() <= static_cast<std::size_t>(slot)) change.resize(static_cast<std::size_t>(slot) + 1);
        change[static_cast<std::size_t>(slot)] += bytes;
    };
    for (const BufferLife& life : lives) {
        if (life.name != "gathered weights" && life.name != "gather buffer" && life.name != "accumulated gradients" && life.name != "whole gradients") continue;
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

/// Peak of what PyTorch allocates for the same plan with ZeRO-2; nothing where it can't be.
std::optional<double> peakWithZero2(Scenario scenario) {
    scenario.parallelism.zeroStage = 2;
    const auto estimate = PlanEstimates().estimate(scenario);
    return estimate ? std::optional(estimate->allocatedPeak) : std::nullopt;
}

std::string gib(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GiB", bytes / 1073741824.0);
    return text;
}

} // namespace

std::optional<Problem> gatherWarning(const Scenario& scenario, const Iteration& iteration, const MemoryReport& memory) {
    if (!gathersWeights(scenario) || memory.detail.buffers.empty()) return std::nullopt;
    const FrameworkProfile& profile = scenario.execution.profile;
    const double kept = 1 - scenario.execution.offload.weights;
    const auto saved = [&](std::size_t stage) {
        const double dense = 1 - 1 / shardRanks(scenario), expert = 1 - 1 / std::max(1.0, expertShardRanks(scenario));
        return kept * (profile.weightBytes * (dense * iteration.stageElements[stage] + expert * iteration.stageExpertElements[stage]) +
                       frozenElement * dense * iteration.stageFrozenElements[stage]);
    };
    std::size_t worst = 0;
    std::vector<double> gathered;
    for (std::size_t stage = 0; stage < memory.detail.buffers.size(); ++stage) {
        gathered.push_back(mostGathered(memory.detail.buffers[stage]));
        if (gathered[stage] - saved(stage) > gathered[worst] - saved(worst)) worst = stage;
    }
    if (gathered[worst] + largestGradients(iteration.work) <= saved(worst)) return std::nullopt;
    const std::optional<double> before = peakWithZero2(scenario);
    if (!before || memory.allocatedPeakBytes <= *before * (1 + 1e-9)) return std::nullopt;
    const std::string amounts = " holds up to " + gib(gathered[worst]) + " of gathered weights and whole gradients, and sharing the weights out saves " + gib(saved(worst));
    Problem problem;
    problem.severity = Severity::warning;
    problem.code = "gathered-weights";
    problem.pointer = "/parallelism/zero_stage";
    problem.message = keepsGatheredWeights(scenario)
                          ? "Profile " + profile.id + " gathers weights once an iteration under a pipeline and keeps them until the last backward: stage " +
                                std::to_string(worst) + amounts + "."
                          : "Stage " + std::to_string(worst) + amounts + ": profile " + profile.id + " gathers a layer ahead of the one that runs.";
    problem.message += " ZeRO-2 would need " + gib(memory.allocatedPeakBytes - *before) + " less.";
    problem.mend = keepsGatheredWeights(scenario) ? "Use zero_stage 2, or fewer stages." : "Use zero_stage 2, or more layers per stage.";
    return problem;
}

} // namespace orrery
