// SPDX-License-Identifier: GPL-3.0-or-later
// CPU time of analytic estimates. Run: build/release/tests/bench/orrery_bench
#include "core/base/json.hpp"
#include "core/order/schedule/generators.hpp"
#include "core/scenario/pipeline_layout.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/training/estimate/estimator.hpp"
#include "resources/shipped_catalog.hpp"

#include <benchmark/benchmark.h>

#include <vector>

namespace orrery::estimate_bench {
namespace {

Json document(const char* model, const char* accelerator, int nodes, int globalBatch, const char* framework) {
    return {{"format", "orrery-scenario/1"},
            {"name", "search"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", accelerator}, {"accelerators_per_node", 8}, {"nodes", nodes}}},
            {"workload",
             {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", globalBatch}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"parallelism", {{"tensor", 8}, {"pipeline", 8}, {"sequence", true}}},
            {"execution", {{"framework", framework}}}};
}

Scenario scenarioOf(const Json& given) {
    static const Catalog shipped = shippedCatalog();
    return *readScenario(given, shipped).scenario;
}

/// What a search of a dense model on `ranks` accelerators looks at.
std::vector<PlanChoice> searchSpace(const Scenario& base, int ranks) {
    std::vector<PlanChoice> choices;
    const auto layers = static_cast<int>(base.model.layers);
    for (const int tensor : {1, 2, 4, 8})
        for (const int pipeline : {1, 2, 4, 8, 16, 32})
            for (const ScheduleKind schedule : {ScheduleKind::one_f_one_b, ScheduleKind::interleaved, ScheduleKind::zb_h1, ScheduleKind::dual_pipe})
                for (const int microBatch : {1, 2, 4})
                    for (const RecomputeKind recompute : {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full})
                        for (const int zero : {0, 1, 3})
                            for (const bool overlap : {false, true}) {
                                PlanChoice choice = choiceOf(base);
                                Parallelism& plan = choice.parallelism;
                                plan.tensor = tensor;
                                plan.pipeline = pipeline;
                                plan.data = ranks / (tensor * pipeline);
                                plan.schedule = schedule;
                                plan.virtualPipeline = schedule == ScheduleKind::interleaved ? 2 : 1;
                                plan.sequence = tensor > 1;
                                plan.zeroStage = zero;
                                if (plan.data < 1) continue;
                                const int microBatches = base.training().globalBatch / (microBatch * plan.data);
                                if (microBatches * microBatch * plan.data != base.training().globalBatch || microBatches < 1) continue;
                                if (schedule != ScheduleKind::one_f_one_b && pipeline == 1) continue;
                                if (pipeline * plan.virtualPipeline > layers) continue;
                                if (refusalOf(schedule, {pipeline, microBatches, plan.virtualPipeline})) continue;
                                plan.layout = defaultPipelineLayout(layers, pipeline * plan.virtualPipeline).layers;
                                choice.microBatch = microBatch;
                                choice.recompute = recompute;
                                choice.overlap = {overlap, false, overlap, false};
                                choices.push_back(choice);
                            }
    return choices;
}

/// One plan again and again: pieces, collectives, schedule and how long it took are known. With 8 micro-batches all of them are played each
/// time, since none only repeats the ones before.
void onePlan(benchmark::State& state) {
    const Scenario scenario = scenarioOf(document("gpt3-175b", "a100-sxm4-80gb", 128, 16 * static_cast<int>(state.range(0)), "megatron-2022"));
    Estimator estimator(scenario);
    const PlanChoice choice = choiceOf(scenario);
    for (auto _ : state) benchmark::DoNotOptimize(estimator.estimate(choice).iterationTime);
}
BENCHMARK(onePlan)->Arg(8)->Arg(24)->Arg(96)->Arg(512)->Unit(benchmark::kMicrosecond);

/// A whole search space, each plan once a round: the time of an estimate when everything it is made of is known.
void searchWarm(benchmark::State& state) {
    const Scenario scenario = scenarioOf(document("gpt3-175b", "h100-sxm5-80gb", static_cast<int>(state.range(0)), 1536, "megatron-bridge-2025"));
    const std::vector<PlanChoice> choices = searchSpace(scenario, 8 * static_cast<int>(state.range(0)));
    Estimator estimator(scenario);
    for (const PlanChoice& choice : choices) benchmark::DoNotOptimize(estimator.estimate(choice).iterationTime);
    for (auto _ : state)
        for (const PlanChoice& choice : choices) benchmark::DoNotOptimize(estimator.estimate(choice).iterationTime);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(choices.size()));
    state.counters["plans"] = double(choices.size());
    state.counters["s/plan"] = benchmark::Counter(double(choices.size()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(searchWarm)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond);

/// The same with nothing known before: what making pieces, collectives and schedules adds to each plan.
void searchCold(benchmark::State& state) {
    const Scenario scenario = scenarioOf(document("gpt3-175b", "h100-sxm5-80gb", static_cast<int>(state.range(0)), 1536, "megatron-bridge-2025"));
    const std::vector<PlanChoice> choices = searchSpace(scenario, 8 * static_cast<int>(state.range(0)));
    for (auto _ : state) {
        Estimator estimator(scenario);
        for (const PlanChoice& choice : choices) benchmark::DoNotOptimize(estimator.estimate(choice).iterationTime);
    }
    state.counters["plans"] = double(choices.size());
    state.counters["s/plan"] = benchmark::Counter(double(choices.size()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(searchCold)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond);

/// The same as a search does it: of plans whose floor is beyond the memory nothing more is asked.
void searchFitting(benchmark::State& state) {
    const Scenario scenario = scenarioOf(document("gpt3-175b", "h100-sxm5-80gb", static_cast<int>(state.range(0)), 1536, "megatron-bridge-2025"));
    const std::vector<PlanChoice> choices = searchSpace(scenario, 8 * static_cast<int>(state.range(0)));
    double estimated = 0, fit = 0;
    for (auto _ : state) {
        Estimator estimator(scenario);
        estimated = fit = 0;
        for (const PlanChoice& choice : choices) {
            if (estimator.floor(choice).devicePeak > scenario.cluster.accelerator.memoryBytes) continue;
            ++estimated;
            fit += estimator.estimate(choice).fits;
        }
    }
    state.counters["plans"] = double(choices.size());
    state.counters["estimated"] = estimated;
    state.counters["fit"] = fit;
}
BENCHMARK(searchFitting)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond);

/// The floors of all of them, with nothing known before: what a search looks at first.
void searchFloors(benchmark::State& state) {
    const Scenario scenario = scenarioOf(document("gpt3-175b", "h100-sxm5-80gb", static_cast<int>(state.range(0)), 1536, "megatron-bridge-2025"));
    const std::vector<PlanChoice> choices = searchSpace(scenario, 8 * static_cast<int>(state.range(0)));
    double unfit = 0;
    for (auto _ : state) {
        Estimator estimator(scenario);
        unfit = 0;
        for (const PlanChoice& choice : choices) unfit += estimator.floor(choice).devicePeak > scenario.cluster.accelerator.memoryBytes;
    }
    state.counters["plans"] = double(choices.size());
    state.counters["unfit"] = unfit;
    state.counters["s/plan"] = benchmark::Counter(double(choices.size()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(searchFloors)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond);

/// The first estimate of all.
void firstEstimate(benchmark::State& state) {
    const Scenario scenario = scenarioOf(document("gpt3-175b", "a100-sxm4-80gb", static_cast<int>(state.range(0)), 1536, "megatron-2022"));
    const PlanChoice choice = choiceOf(scenario);
    for (auto _ : state) benchmark::DoNotOptimize(Estimator(scenario).estimate(choice).iterationTime);
}
BENCHMARK(firstEstimate)->Arg(8)->Arg(128)->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace orrery::estimate_bench
