// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/estimate/plan_choice.hpp"

namespace orrery {

PlanChoice choiceOf(const Scenario& scenario) {
    const Execution& execution = scenario.execution;
    return {scenario.parallelism, scenario.training().microBatch, execution.recompute, execution.recomputeModules,
            execution.recomputeEvery, execution.overlap, execution.offload};
}

void apply(const PlanChoice& choice, Scenario& scenario) {
    scenario.parallelism = choice.parallelism;
    scenario.training().microBatch = choice.microBatch;
    scenario.execution.recompute = choice.recompute;
    scenario.execution.recomputeModules = choice.recomputeModules;
    scenario.execution.recomputeEvery = choice.recomputeEvery;
    scenario.execution.overlap = choice.overlap;
    scenario.execution.offload = choice.offload;
    const auto pass = scenario.execution.passes.find("overlap");
    if (pass != scenario.execution.passes.end() && !pass->second) scenario.execution.overlap = Overlap{};
}

} // namespace orrery
