// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/estimated_plan.hpp"

#include "core/training/estimate/recompute_ladder.hpp"

#include <utility>

namespace orrery {

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
