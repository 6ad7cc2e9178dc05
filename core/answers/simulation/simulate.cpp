// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/simulation/simulate.hpp"

#include "core/answers/simulation/rl_run.hpp"
#include "core/answers/simulation/run_ceiling.hpp"
#include "core/answers/simulation/simulated_figures.hpp"
#include "core/base/json.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/results/iteration/jitter_account.hpp"
#include "core/results/iteration/recorded_run.hpp"
#include "core/scenario/scenario_words.hpp"
#include "core/served/service/inference_run.hpp"
#include "core/served/service/served_run.hpp"
#include "core/training/estimate/estimated_plan.hpp"
#include "core/training/plan/tensor_contention.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace orrery {

Json memoryDocument(const Result& result) {
    const Json whole = toJson(result);
    Json document;
    for (const char* key : {"format", "kind", "name", "assumed", "warnings", "fits", "out_of_memory", "memory", "parameters",
                            "active_parameters"})
        if (whole.contains(key)) document[key] = whole[key];
    return document;
}

namespace {

/// What of a result depends on the plan; everything up to the timeline, so that `recompute: auto` can look before it decides.
struct Run {
    Iteration iteration;
    TaskTimes times;
    Timeline timeline;
    MemoryReport memory;
    Problems problems; ///< what makes it impossible
};

std::vector<JobTraffic::Id> usedPatterns(const Iteration& iteration) {
    std::vector<JobTraffic::Id> used;
    for (const TransferUse& use : iteration.transfers) used.push_back(use.patterns);
    return used;
}

/// A joint collective's bar begins when its lane was ready for it, an expanded segment's with its first part.
void stretchToBegin(const Iteration& iteration, TaskTimes& times) {
    for (const ExpandedSegment& segment : iteration.expanded) times.start[segment.end] = times.start[segment.begin];
    for (TaskId task = 1; task < iteration.tasks.size(); ++task)
        if (iteration.tasks[task].role == TaskRole::depart) times.start[task] = times.end[task - 1];
}

/// Shows the lane of each stage that has most work, among equals the one whose work ends last, so that results show what holds the job up.
void chooseShownLanes(Iteration& iteration, const TaskTimes& times) {
    // Rounding must not choose: the same lanes add up to different last digits folded and single.
    const double alike = 1e-9 * times.duration;
    std::vector<double> latest(iteration.lanes.lanes().size(), 0), busy(latest.size(), 0);
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.role != TaskRole::work || info.stream != StreamKind::compute || info.microBatch < 0) continue;
        latest[static_cast<std::size_t>(info.lane)] = std::max(latest[static_cast<std::size_t>(info.lane)], times.end[task]);
        busy[static_cast<std::size_t>(info.lane)] += times.end[task] - times.start[task];
    }
    for (int& shown : iteration.shown) {
        const int first = shown, count = iteration.lanes.count(iteration.lanes.lane(first).stage);
        const auto at = [](const std::vector<double>& list, int lane) { return list[static_cast<std::size_t>(lane)]; };
        for (int lane = first + 1; lane < first + count; ++lane) {
            const double busier = at(busy, lane) - at(busy, shown);
            if (busier > alike || (busier >= -alike && at(latest, lane) - at(latest, shown) > alike)) shown = lane;
        }
    }
}

std::optional<Run> runOnce(const Scenario& scenario, RecomputeKind recompute, JobTraffic& traffic, Folding folding, const RunControl& control,
                           const StepStretch* stretch = nullptr) {
    const CostModel cost = costModelOf(scenario);
    Run run;
    const RankWork work = makeRankWork(scenario, recompute, cost, traffic);
    const LaneMap plain(scenario.parallelism.pipeline, scenario.parallelism.data);
    const auto mayRun = [&](const RunSize& size) {
        if (const auto problem = beyondCeiling(scenario, size, control)) run.problems = {*problem};
        return run.problems.empty();
    };
    if (!mayRun(sizeOfRun(scenario, work))) return run;
    run.iteration = buildIteration(scenario, work, traffic, plain);
    const bool expandTensor = tensorMeetsOtherTraffic(scenario, run.iteration, traffic);
    if (expandTensor) {
        if (!mayRun(sizeOfRun(run.iteration, plain, true))) return run;
        run.iteration = buildIteration(scenario, work, traffic, plain, true);
    }
    run.problems = traffic.unreachable();
    if (!run.problems.empty()) return run;
    JobSymmetry symmetry(scenario, traffic, usedPatterns(run.iteration), folding);
    // Expanded segments were counted where they were expanded.
    if (!symmetry.isPlain() && !mayRun(sizeOfRun(run.iteration, symmetry.lanes(), false))) return run;
    if (!symmetry.isPlain() || stretch) run.iteration = buildIteration(scenario, work, traffic, symmetry.lanes(), expandTensor, stretch);
    if (control.stop.stop_requested()) return std::nullopt;
    const std::unique_ptr<TransferModel> transfers = symmetry.model(run.iteration.transfers, stretch);
    std::optional<TaskTimes> times = runProgram(run.iteration.program, control, transfers.get());
    if (!times) return std::nullopt;
    run.times = std::move(*times);
    stretchToBegin(run.iteration, run.times);
    chooseShownLanes(run.iteration, run.times);
    run.timeline = assembleTimeline(scenario, run.iteration, run.times);
    run.memory = accountMemory(scenario, run.iteration, run.timeline);
    return run;
}

bool fits(const MemoryReport& memory) { return memory.peakBytes <= memory.capacityBytes; }

/// The choice in a scenario's own words.
Json valueOf(const RecomputeChoice& choice) {
    switch (choice.kind) {
    case RecomputeKind::modules: return {{wordOf(choice.kind), choice.modules}};
    case RecomputeKind::every: return {{wordOf(choice.kind), choice.every}};
    case RecomputeKind::none:
    case RecomputeKind::selective:
    case RecomputeKind::full:
    case RecomputeKind::automatic: break;
    }
    return wordOf(choice.kind);
}

/// `auto` takes the least recomputation that fits; when none does, full. Nothing and the attention core come first, for most plans
/// need no more, and the core of unfused attention weighs more than many whole layers; whole layers keep less and less, so of them
/// halves are looked at.
std::optional<Run> runChosen(Scenario& scenario, JobTraffic& traffic, Folding folding, const RunControl& control) {
    if (scenario.execution.recompute != RecomputeKind::automatic)
        return runOnce(scenario, scenario.execution.recompute, traffic, folding, control);
    const std::vector<RecomputeChoice> ladder = recomputeLadder(scenario);
    const auto isOfLayers = [](const RecomputeChoice& choice) {
        return choice.kind == RecomputeKind::every || choice.kind == RecomputeKind::full || choice.parked > 0;
    };
    const auto firstOfLayers = static_cast<std::size_t>(std::find_if(ladder.begin(), ladder.end(), isOfLayers) - ladder.begin());
    const bool parks = parksActivations(scenario);
    std::optional<Run> best;
    std::size_t bestStep = ladder.size(), least = 0, most = ladder.size() - 1; // the answer lies from `least` to `most`
    for (std::size_t step = 0; bestStep != most || least < most; step = least < firstOfLayers ? least : (least + most) / 2) {
        scenario.execution.recomputeEvery = ladder[step].every;
        if (parks) scenario.execution.offload.activations = ladder[step].parked;
        scenario.execution.recomputeModules = ladder[step].modules;
        std::optional<Run> run = runOnce(scenario, ladder[step].kind, traffic, folding, control);
        if (!run || !run->problems.empty()) return run;
        if (!fits(run->memory) && step + 1 < ladder.size()) {
            least = step + 1;
            continue;
        }
        most = bestStep = step;
        best = std::move(run);
    }
    scenario.execution.recompute = ladder[bestStep].kind;
    scenario.execution.recomputeEvery = ladder[bestStep].every;
    if (parks) {
        scenario.execution.offload.activations = ladder[bestStep].parked;
        if (ladder[bestStep].parked > 0)
            scenario.assumed.push_back({"/execution/offload/activations", ladder[bestStep].parked, "the least that fits the memory"});
    }
    scenario.execution.recomputeModules = ladder[bestStep].modules;
    scenario.assumed.push_back({"/execution/recompute", valueOf(ladder[bestStep]), "the least recomputation that fits the memory"});
    return best;
}

std::size_t closingStage(const Run& run) {
    // The stage whose own work ends last; the others wait for it.
    std::size_t closing = 0;
    double latest = -1;
    for (TaskId task = 0; task < run.iteration.tasks.size(); ++task) {
        if (!run.iteration.isShown(run.iteration.tasks[task]) || run.times.end[task] <= latest) continue;
        latest = run.times.end[task];
        closing = static_cast<std::size_t>(run.iteration.tasks[task].stage);
    }
    return closing;
}

/// Runs it again as the slowest of all that wait for each other, where the scenario asks for jitter so. False when it was stopped.
bool addJitter(const Scenario& scenario, JobTraffic& traffic, Folding folding, const RunControl& control, Run& run, Result& result) {
    if (!scenario.jitter.any()) return true;
    const TimeBreakdown parts = breakdownByStage(run.iteration, run.times)[closingStage(run)];
    const auto exposed = [&](TimePart part) { return parts[static_cast<std::size_t>(part)]; };
    const JitterAccount account(scenario, run.iteration.work,
                                {run.times.duration, exposed(TimePart::data_exposed), exposed(TimePart::pipeline_exposed)},
                                slowCells(scenario, traffic));
    const auto runBy = [&](JitterMethod method) {
        const StepStretch stretch = account.stretch(method);
        return runOnce(scenario, scenario.execution.recompute, traffic, folding, control, &stretch);
    };
    std::optional<Run> slower = runBy(JitterMethod::analytic);
    if (!slower) return false;
    result.jitter = account.report(slower->times.duration);
    if (scenario.jitter.method == JitterMethod::sampled) slower = runBy(JitterMethod::sampled);
    if (!slower) return false;
    run = std::move(*slower);
    return true;
}

/// The overlap pass switched off by itself: communication and computation take turns whatever `execution.overlap` says.
void applyOverlapPass(Scenario& scenario) {
    const auto pass = scenario.execution.passes.find("overlap");
    if (pass != scenario.execution.passes.end() && !pass->second) scenario.execution.overlap = Overlap{};
}

/// A planned iteration of training.
Outcome simulateTraining(const Scenario& given, const RunControl& control, Folding folding, const std::function<void(Result&)>& finish, bool figuresAlone) {
    auto result = std::make_shared<Result>();
    result->scenario = given;
    Scenario& scenario = result->scenario;
    applyOverlapPass(scenario);
    JobTraffic traffic(scenario);
    std::optional<Run> run = runChosen(scenario, traffic, folding, control);
    if (!run) return {nullptr, {}, true};
    if (!run->problems.empty()) return {nullptr, std::move(run->problems), false};
    if (!addJitter(scenario, traffic, folding, control, *run, *result)) return {nullptr, {}, true};

    result->name = scenario.name;
    result->assumed = scenario.assumed;
    result->warnings = scenario.warnings;
    result->parameters = scenario.model.parameters() + scenario.towerParameters();
    result->activeParameters = scenario.model.activeParameters() + scenario.towerParameters();
    if (auto warning = sharingWarning(scenario, run->iteration, run->memory)) result->warnings.push_back(std::move(*warning));
    result->memory = std::move(run->memory);
    result->fits = fits(result->memory);
    result->outOfMemory = outOfMemoryOf(result->memory);
    result->stored = storedActivations(run->iteration);
    result->operations = listOperations(scenario, run->iteration, run->times);

    TrainingMetrics metrics;
    metrics.iterationTime = run->times.duration;
    metrics.stages = breakdownByStage(run->iteration, run->times);
    metrics.stageInterference = interferenceByStage(run->iteration, run->times);
    const std::size_t closing = closingStage(*run);
    metrics.breakdown = metrics.stages[closing];
    if (!metrics.stageInterference.empty()) metrics.interference = metrics.stageInterference[closing];
    const PipelineBubble bubble = pipelineBubble(run->iteration, run->times);
    metrics.bubbleFraction = bubble.fraction;
    metrics.bubbleTime = bubble.time;
    fillMetrics(scenario, run->iteration, metrics);
    result->metrics = std::move(metrics);
    result->timeline = std::move(run->timeline);
    if (!figuresAlone) {
        result->network = reportNetwork(scenario, run->iteration, traffic);
        result->causes = findCauses(*result);
    }
    if (finish) finish(*result);
    if (control.progress) control.progress(1);
    return {std::move(result), {}, false};
}

/// One a kind of workload: a kind that has none does not compile.
struct Simulator {
    const Scenario& scenario;
    const RunControl& control;
    Folding folding;
    const std::function<void(Result&)>& finish;
    bool figuresAlone = false;

    Outcome operator()(const TrainingWorkload&) const { return simulateTraining(scenario, control, folding, finish, figuresAlone); }
    Outcome operator()(const RecordedIteration&) const { return simulateRecorded(scenario, control); }
    Outcome operator()(const InferenceWorkload& workload) const { return simulateInference(scenario, workload, control, finish); }
    Outcome operator()(const ServingWorkload& workload) const { return simulateServing(scenario, workload, control, finish); }
    Outcome operator()(const RlWorkload& workload) const {
        return simulateRl(scenario, workload, control, [this](const Scenario& half, const RunControl& own) {
            return std::visit(Simulator{half, own, folding, finish, figuresAlone}, half.workload);
        });
    }
};

} // namespace

Outcome simulate(const Scenario& scenario, const RunControl& control, Folding folding, const std::function<void(Result&)>& finish) {
    if (auto problem = clusterBeyondCeiling(scenario, control)) return {nullptr, {std::move(*problem)}, false};
    return std::visit(Simulator{scenario, control, folding, finish}, scenario.workload);
}

Outcome simulateFigures(const Scenario& scenario, const RunControl& control) {
    if (auto problem = clusterBeyondCeiling(scenario, control)) return {nullptr, {std::move(*problem)}, false};
    const std::function<void(Result&)> nothing;
    return std::visit(Simulator{scenario, control, Folding::exact, nothing, true}, scenario.workload);
}

} // namespace orrery
