// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/plan_choice.hpp"

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

std::string keyOf(const PlanChoice& choice) {
    std::string key;
    const auto add = [&key](const auto& value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
    const auto addText = [&](const std::string& text) {
        add(text.size());
        key += text;
    };
    const Parallelism& plan = choice.parallelism;
    for (const int number : {plan.tensor, plan.pipeline, plan.virtualPipeline, plan.context, plan.expert, plan.expertTensor, plan.attentionData, plan.data, plan.shardGroup,
                             plan.zeroStage, choice.microBatch, choice.recomputeEvery})
        add(number);
    for (const bool flag : {plan.sequence, choice.overlap.data, choice.overlap.tensor, choice.overlap.pipeline, choice.overlap.expert}) add(flag);
    add(plan.contextMethod);
    add(plan.schedule);
    add(choice.recompute);
    for (const double share : {choice.offload.weights, choice.offload.activations, choice.offload.optimizer}) add(share);
    addText(plan.order);
    add(plan.layout.size());
    for (const int layers : plan.layout) add(layers);
    for (const std::string& module : choice.recomputeModules) addText(module);
    return key;
}

} // namespace orrery
