// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/estimated_plan.hpp"

#include <utility>

namespace orrery {

bool parksActivations(const Scenario& scenario) {
    return scenario.execution.profile.offloadsActivations && scenario.parallelism.zeroStage >= 3 && scenario.execution.offload.activations == 0 &&
           scenario.cluster.accelerator.hostLinkBandwidth >= scenario.kernels.physics.swiftHostLink;
}

std::vector<RecomputeChoice> recomputeLadder(const Scenario& scenario) {
    std::vector<RecomputeChoice> ladder{{RecomputeKind::none}};
    if (scenario.model.experts)
        for (const std::vector<std::string>& modules : scenario.execution.profile.experts.recomputeLadder)
            ladder.push_back({RecomputeKind::modules, 1, 0, modules});
    if (parksActivations(scenario)) {
        for (const double share : {0.125, 0.25, 0.5, 0.75, 1.0}) ladder.push_back({RecomputeKind::none, 1, share});
    } else if (!scenario.execution.profile.recomputesAllOrNothing) {
        ladder.push_back({RecomputeKind::selective});
        for (const int every : {8, 4, 3, 2})
            if (every < scenario.model.layers) ladder.push_back({RecomputeKind::every, every});
    }
    ladder.push_back({RecomputeKind::full});
    return ladder;
}

void takeChoice(const RecomputeChoice& choice, Scenario& scenario) {
    const bool parks = parksActivations(scenario);
    scenario.execution.recompute = choice.kind;
    scenario.execution.recomputeEvery = choice.every;
    scenario.execution.recomputeModules = choice.modules;
    if (parks) scenario.execution.offload.activations = choice.parked;
}

Estimator& PlanEstimates::estimatorOf(const Scenario& scenario) {
    Known& known = estimators_[{scenario.execution.attention, scenario.execution.eightBitAttention, scenario.execution.expertLoad}];
    if (!known.estimator) known.estimator = std::make_unique<Estimator>(scenario);
    else if (known.wiring != wiring_) known.estimator->rewire(scenario);
    known.wiring = wiring_;
    const int globalBatch = scenario.training().globalBatch;
    if (known.estimator->globalBatch() != globalBatch) known.estimator->rebatch(globalBatch);
    return *known.estimator;
}

std::optional<Estimate> PlanEstimates::ofSettled(const Scenario& scenario) {
    Estimate estimate = estimatorOf(scenario).estimate(choiceOf(scenario));
    if (!estimate.problems.empty()) return std::nullopt;
    return estimate;
}

std::optional<PlanFloor> PlanEstimates::floor(const Scenario& scenario) {
    if (scenario.recorded() || scenario.execution.recompute == RecomputeKind::automatic) return std::nullopt;
    return estimatorOf(scenario).floor(choiceOf(scenario));
}

std::optional<Estimate> PlanEstimates::estimate(const Scenario& scenario) {
    if (!scenario.recorded() && scenario.execution.recompute != RecomputeKind::automatic) return ofSettled(scenario);
    Scenario settled = scenario;
    return settle(settled);
}

std::optional<Estimate> PlanEstimates::settle(Scenario& scenario) {
    if (scenario.recorded()) return std::nullopt;
    if (scenario.execution.recompute != RecomputeKind::automatic) return ofSettled(scenario);
    std::optional<Estimate> last;
    Scenario settled = scenario;
    for (const RecomputeChoice& choice : recomputeLadder(scenario)) {
        settled = scenario;
        takeChoice(choice, settled);
        last = ofSettled(settled);
        if (!last || last->fits) break;
    }
    scenario = std::move(settled);
    return last;
}

} // namespace orrery
