// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/recipe.hpp"

#include "core/base/json.hpp"

#include <sstream>

namespace orrery {

namespace {

Json sectionOf(const Json& document, const char* name) {
    return document.is_object() && document.contains(name) && document[name].is_object() ? document[name] : Json::object();
}

double numberOf(const Json& section, const char* key, double otherwise) {
    return section.contains(key) && section[key].is_number() ? section[key].get<double>() : otherwise;
}

std::string textOf(const Json& section, const char* key) { return section.contains(key) ? section[key].dump() : std::string(); }

} // namespace

RunRecipe recipeOf(const Json& document) {
    const Json plan = sectionOf(document, "parallelism"), work = sectionOf(document, "workload"), execution = sectionOf(document, "execution");
    RunRecipe recipe;
    recipe.tensor = numberOf(plan, "tensor", 1);
    recipe.pipeline = numberOf(plan, "pipeline", 1);
    recipe.chunks = numberOf(plan, "virtual_pipeline", 1);
    recipe.context = numberOf(plan, "context", 1);
    recipe.expert = numberOf(plan, "expert", 1) * numberOf(plan, "expert_tensor", 1);
    recipe.batch = numberOf(work, "micro_batch_size", numberOf(work, "batch_size", numberOf(sectionOf(work, "engine"), "max_num_seqs", 1)));
    recipe.allBatches = numberOf(work, "global_batch_size", 1);
    recipe.length = numberOf(work, "sequence_length", numberOf(work, "input_length", 1));
    for (const char* key : {"zero_stage", "sequence", "schedule"}) recipe.policy += textOf(plan, key) + ' ';
    for (const char* key : {"recompute", "attention", "compile", "cuda_graphs", "overlap", "moe_dispatch", "offload"}) recipe.policy += textOf(execution, key) + ' ';
    recipe.policy += textOf(work, "task");
    return recipe;
}

RunRecipe recipeOf(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const Execution& execution = scenario.execution;
    RunRecipe recipe;
    recipe.tensor = plan.tensor;
    recipe.pipeline = plan.pipeline;
    recipe.chunks = plan.virtualPipeline;
    recipe.context = plan.context;
    recipe.expert = double(plan.expert) * plan.expertTensor;
    std::ostringstream policy;
    if (scenario.isTraining()) {
        const TrainingWorkload& work = trainingOf(scenario.workload);
        recipe.batch = work.microBatch;
        recipe.allBatches = work.globalBatch;
        recipe.length = work.sequenceLength;
        policy << int(work.task) << ' ';
    } else if (const auto* batch = std::get_if<InferenceWorkload>(&scenario.workload)) {
        recipe.batch = batch->batchSize;
        recipe.length = batch->inputLength;
    }
    policy << plan.zeroStage << ' ' << plan.sequence << ' ' << int(plan.schedule) << ' ' << int(execution.recompute) << ' ' << execution.recomputeEvery << ' ' << int(execution.attention) << ' '
           << execution.compile << execution.cudaGraphs << execution.overlap.data << execution.overlap.tensor << execution.overlap.pipeline << execution.overlap.expert << ' '
           << execution.expertCapacity << ' ' << execution.offload.weights << ' ' << execution.offload.activations << ' ' << execution.offload.optimizer;
    for (const std::string& module : execution.recomputeModules) policy << ' ' << module;
    recipe.policy = policy.str();
    return recipe;
}

} // namespace orrery
