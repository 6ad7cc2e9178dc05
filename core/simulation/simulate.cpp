#include "core/simulation/simulate.hpp"

#include "core/simulation/assemble.hpp"

#include <array>
#include <utility>

namespace orrery {
namespace {

/// What of a result depends on the plan; everything up to the timeline, so that `recompute: auto` can look before it decides.
struct Run {
    Iteration iteration;
    TaskTimes times;
    Timeline timeline;
    MemoryReport memory;
};

std::optional<Run> runOnce(const Scenario& scenario, RecomputeKind recompute, const RunControl& control) {
    const CostModel cost = makeCostModel(scenario.cluster.accelerator, scenario.kernels, scenario.workload.precision);
    Run run;
    run.iteration = buildIteration(scenario, makeRankWork(scenario, recompute, cost));
    if (control.stop.stop_requested()) return std::nullopt;
    std::optional<TaskTimes> times = runProgram(run.iteration.program, control);
    if (!times) return std::nullopt;
    run.times = std::move(*times);
    run.timeline = assembleTimeline(scenario, run.iteration, run.times);
    run.memory = accountMemory(scenario, run.iteration, run.timeline);
    return run;
}

bool fits(const MemoryReport& memory) { return memory.peakBytes <= memory.capacityBytes; }

/// `auto` takes the least recomputation that fits; when none does, full.
std::optional<Run> runChosen(Scenario& scenario, const RunControl& control) {
    if (scenario.execution.recompute != RecomputeKind::automatic)
        return runOnce(scenario, scenario.execution.recompute, control);
    constexpr std::array<std::pair<RecomputeKind, const char*>, 3> choices{
        {{RecomputeKind::none, "none"}, {RecomputeKind::selective, "selective"}, {RecomputeKind::full, "full"}}};
    std::optional<Run> run;
    for (const auto& [kind, name] : choices) {
        run = runOnce(scenario, kind, control);
        if (!run) return run;
        if (!fits(run->memory) && kind != RecomputeKind::full) continue;
        scenario.execution.recompute = kind;
        scenario.assumed.push_back({"/execution/recompute", name, "the least recomputation that fits the memory"});
        break;
    }
    return run;
}

/// The overlap pass switched off by itself: communication and computation take turns whatever `execution.overlap` says.
void applyOverlapPass(Scenario& scenario) {
    const auto pass = scenario.execution.passes.find("overlap");
    if (pass != scenario.execution.passes.end() && !pass->second) scenario.execution.overlap = Overlap{};
}

std::size_t closingStage(const Run& run) {
    // The stage whose own work ends last; the others wait for it.
    std::size_t closing = 0;
    double latest = -1;
    for (TaskId task = 0; task < run.iteration.tasks.size(); ++task) {
        if (run.times.end[task] <= latest) continue;
        latest = run.times.end[task];
        closing = static_cast<std::size_t>(run.iteration.tasks[task].stage);
    }
    return closing;
}

std::optional<OutOfMemory> outOfMemory(const MemoryReport& memory) {
    if (fits(memory)) return std::nullopt;
    OutOfMemory out;
    out.capacityBytes = memory.capacityBytes;
    for (const StageMemory& stage : memory.stages) {
        if (stage.peakBytes <= out.neededBytes) continue;
        out.neededBytes = stage.peakBytes;
        out.stage = stage.stage;
    }
    return out;
}

} // namespace

Outcome simulate(const Scenario& given, const RunControl& control) {
    auto result = std::make_shared<Result>();
    result->scenario = given;
    Scenario& scenario = result->scenario;
    applyOverlapPass(scenario);
    std::optional<Run> run = runChosen(scenario, control);
    if (!run) return {nullptr, {}, true};

    result->kind = "training";
    result->name = scenario.name;
    result->assumed = scenario.assumed;
    result->warnings = scenario.warnings;
    result->parameters = result->activeParameters = scenario.model.parameters();
    result->memory = std::move(run->memory);
    result->fits = fits(result->memory);
    result->outOfMemory = outOfMemory(result->memory);
    result->operations = listOperations(scenario, run->iteration);

    TrainingMetrics metrics;
    metrics.iterationTime = run->times.duration;
    metrics.stages = breakdownByStage(run->iteration, run->times);
    metrics.breakdown = metrics.stages[closingStage(*run)];
    metrics.bubbleFraction = bubbleFraction(run->iteration, run->times);
    fillMetrics(scenario, run->iteration, metrics);
    result->training = std::move(metrics);
    result->timeline = std::move(run->timeline);
    result->causes = findCauses(*result);
    if (control.progress) control.progress(1);
    return {std::move(result), {}, false};
}

} // namespace orrery
