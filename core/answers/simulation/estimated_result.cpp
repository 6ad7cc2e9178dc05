// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/simulation/estimated_result.hpp"

#include "core/network/routing/bisection.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/training/estimate/estimated_plan.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace orrery {

ResultPtr estimatedResult(const Scenario& scenario) {
    if (!scenario.isTraining() || scenario.recorded()) return nullptr;
    auto result = std::make_shared<Result>();
    result->scenario = scenario;
    RoutedFabric fabric(result->scenario.cluster);
    if (!hasFullBisection(fabric)) return nullptr;
    const std::optional<Estimate> estimate = PlanEstimates().settle(result->scenario);
    if (!estimate) return nullptr;
    result->name = scenario.name;
    TrainingMetrics metrics;
    metrics.iterationTime = estimate->iterationTime;
    fillRates(result->scenario, metrics);
    result->metrics = std::move(metrics);
    result->fits = estimate->fits;
    result->memory.capacityBytes = scenario.cluster.accelerator.memoryBytes;
    result->memory.peakBytes = estimate->devicePeak;
    for (std::size_t stage = 0; stage < estimate->stages.size(); ++stage) {
        StageMemory memory;
        memory.stage = static_cast<int>(stage);
        memory.peakBytes = estimate->stages[stage].device;
        result->memory.stages.push_back(memory);
    }
    return result;
}

} // namespace orrery
