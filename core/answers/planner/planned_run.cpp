// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/planned_run.hpp"

#include "core/answers/evidence/error_bars.hpp"
#include "core/answers/simulation/estimated_result.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <utility>
#include <variant>

namespace orrery {
namespace {

/// Bytes of a program that is simulated within a second or so.
constexpr double quickProgram = 0.25e9;

std::string recomputeText(const Execution& execution) {
    switch (execution.recompute) {
    case RecomputeKind::none: return "no recomputation";
    case RecomputeKind::selective: return "selective recomputation";
    case RecomputeKind::full: return "full recomputation";
    case RecomputeKind::every: return "every " + std::to_string(execution.recomputeEvery) + ". layer recomputed";
    case RecomputeKind::modules: return joinWords(execution.recomputeModules, "and") + " recomputed";
    case RecomputeKind::automatic: break;
    }
    return "recomputation as needed";
}

void addDegree(std::string& text, const char* name, int degree) {
    if (degree > 1) text += std::string(", ") + name + " " + std::to_string(degree);
}

} // namespace

std::optional<PlannedRun> plannedRun(const Json& scenario, const PlannerGround& ground, const RunControl& control) {
    const ScenarioReading reading = readScenario(scenario, ground.catalog, ground.readFile);
    if (!reading.scenario || hasErrors(reading.problems)) return std::nullopt;
    RunControl quick;
    quick.stop = control.stop;
    if (reading.scenario->isTraining()) quick.memoryCeiling = quickProgram;
    const auto addBars = [&](Result& result) { addErrorBars(result, ground.bars); };
    if (Outcome outcome = simulate(*reading.scenario, quick, Folding::exact, addBars); outcome.result) return PlannedRun{scenario, std::move(outcome.result), true};
    const ResultPtr estimated = estimatedResult(*reading.scenario);
    if (!estimated) return std::nullopt;
    auto result = std::make_shared<Result>(*estimated);
    addBars(*result);
    return PlannedRun{scenario, std::move(result), false};
}

int acceleratorsUsed(const Scenario& scenario) {
    const auto* const serving = std::get_if<ServingWorkload>(&scenario.workload);
    if (!serving || !serving->disaggregation) return scenario.parallelism.ranks();
    int used = 0;
    serving->disaggregation->eachPool([&](const char*, const ServingPool& pool) { used += pool.instances * pool.plan.accelerators(); });
    return used;
}

std::string planText(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    std::string text = "tensor " + std::to_string(plan.tensor);
    addDegree(text, "pipeline", plan.pipeline);
    if (plan.virtualPipeline > 1) text += " × " + std::to_string(plan.virtualPipeline) + " chunks";
    addDegree(text, "context", plan.context);
    addDegree(text, "expert", plan.expert);
    addDegree(text, "expert tensor", plan.expertTensor);
    if (scenario.isTraining()) {
        addDegree(text, "data", plan.data);
        if (plan.zeroStage > 0) text += ", ZeRO " + std::to_string(plan.zeroStage);
        text += ", micro-batch " + std::to_string(scenario.training().microBatch) + ", " + recomputeText(scenario.execution);
        if (scenario.execution.overlap.expert && plan.expert > 1) text += ", experts' exchange hidden";
        if (scenario.execution.offload.optimizer > 0) text += ", optimizer states on the host";
        return text;
    }
    const auto* const serving = std::get_if<ServingWorkload>(&scenario.workload);
    if (serving && serving->disaggregation) text += ", " + counted(serving->disaggregation->prefill.instances, "instance") + " for prompts and " + std::to_string(serving->disaggregation->decode.instances) + " for answers";
    else text += ", " + counted(plan.data, "instance");
    if (serving)
        text += ", " + std::to_string(serving->engine.settings.maxSeqs) + " sequences and " + std::to_string(serving->engine.settings.maxBatchedTokens) + " tokens a step at most";
    return text;
}

} // namespace orrery
