// SPDX-License-Identifier: GPL-3.0-or-later
// CPU time of static estimates and of served requests. Run: build/release/tests/bench/orrery_bench
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/served/inference/scenario_engine.hpp"
#include "core/served/inference/static_batch.hpp"
#include "core/served/inference/step_model.hpp"
#include "tests/support/catalog.hpp"

#include <benchmark/benchmark.h>

#include <ctime>
#include <iterator>

namespace orrery::serving_bench {
namespace {

Scenario servingScenario(const char* model, int accelerators, Json workload, int tensor) {
    const Json document{{"format", "orrery-scenario/1"},
                        {"name", "bench"},
                        {"model", {{"preset", model}}},
                        {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", (accelerators + 7) / 8}}},
                        {"workload", std::move(workload)},
                        {"parallelism", {{"tensor", tensor}}}};
    return *readScenario(document, test::catalog()).scenario;
}

struct Served {
    const char* model;
    const char* precision;
    int tensor;
};
constexpr Served staticModels[] = {{"llama-3.1-8b", "bf16", 1}, {"llama-3.1-70b", "fp8", 4}, {"mixtral-8x7b", "bf16", 4}, {"deepseek-v3", "fp8", 8}};

EngineModel engineFor(const Served& served) {
    const Scenario scenario =
        servingScenario(served.model, 8, {{"kind", "inference"}, {"batch_size", 16}, {"input_length", 1000}, {"output_length", 200}, {"precision", served.precision}}, served.tensor);
    return engineOf(scenario, scenario.parallelism, Precision::bf16, false);
}

/// Nothing is known but the predictor.
void freshEstimate(benchmark::State& state) {
    const Served& served = staticModels[state.range(0)];
    const EngineModel engine = engineFor(served);
    for (auto _ : state) {
        const StepModel model(engine);
        benchmark::DoNotOptimize(estimateStatic(model, {16, 1000, 200}).latency);
    }
    state.SetLabel(served.model);
}
BENCHMARK(freshEstimate)->DenseRange(0, 3)->Unit(benchmark::kMicrosecond);

/// A batch size that was not asked for before, of a plan whose other batch is known.
void anotherBatchSize(benchmark::State& state) {
    const Served& served = staticModels[state.range(0)];
    const StepModel known(engineFor(served));
    benchmark::DoNotOptimize(estimateStatic(known, {16, 1000, 200}).latency);
    constexpr int batches[] = {17, 24, 37, 64, 100, 128, 200, 256};
    double seconds = 0;
    for (auto _ : state) {
        seconds = 0;
        for (const int batch : batches) {
            const StepModel model = known;
            const std::clock_t begin = std::clock();
            benchmark::DoNotOptimize(estimateStatic(model, {batch, 1000, 200}).latency);
            seconds += double(std::clock() - begin) / CLOCKS_PER_SEC;
        }
        state.SetIterationTime(seconds / std::size(batches));
    }
    state.SetLabel(served.model);
}
BENCHMARK(anotherBatchSize)->DenseRange(0, 3)->UseManualTime()->Unit(benchmark::kMicrosecond);

/// 32 instances prefill and 32 decode on 64 accelerators whose transfers share interfaces and spine.
void servedOverANetwork(benchmark::State& state) {
    Json pool{{"instances", 32}};
    const Scenario scenario = servingScenario("llama-3.1-8b", 64,
                                              {{"kind", "serving"},
                                               {"precision", "bf16"},
                                               {"requests",
                                                {{"count", state.range(0)},
                                                 {"arrival", {{"process", "poisson"}, {"rate_per_s", 200}}},
                                                 {"input_tokens", {{"distribution", "lognormal"}, {"mean", 1000}, {"std", 1000}}},
                                                 {"output_tokens", {{"distribution", "exponential"}, {"mean", 200}}},
                                                 {"seed", 1}}},
                                               {"engine", {{"disaggregation", {{"prefill", pool}, {"decode", pool}}}, {"router", "least_loaded"}}}},
                                              1);
    for (auto _ : state) benchmark::DoNotOptimize(simulate(scenario).result->serving()->served.duration);
}
BENCHMARK(servedOverANetwork)->Arg(10000)->Arg(100000)->Iterations(1)->Unit(benchmark::kSecond);

/// A day of a fleet of 64: its load goes up and down tenfold, replicas start in two minutes, some fail; a minute of CPU time at most (issue of part 13).
void fleetOverADay(benchmark::State& state) {
    Json workload{{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", state.range(0)}, {"arrival", {{"process", "poisson"}, {"rate_per_s", double(state.range(0)) / 86400}, {"curve", {{"rates", {2, 1, 1, 1, 1, 2, 4, 6, 8, 10, 10, 9, 9, 10, 10, 9, 8, 8, 7, 7, 6, 5, 4, 3}}}}}}, {"input_tokens", {{"distribution", "lognormal"}, {"mean", 1000}, {"std", 800}}}, {"output_tokens", {{"distribution", "lognormal"}, {"mean", 250}, {"std", 200}}}, {"seed", 1}}}, {"engine", Json::object()}};
    workload["fleet"] = {{"router", "least_loaded"}, {"autoscale", {{"min", 4}, {"max", 64}, {"start_s", 120}, {"target", 4}}}, {"failures", {{"mtbf_hours", 200}, {"repair_s", 600}, {"seed", 3}}}};
    const Scenario scenario = servingScenario("llama-3.1-8b", 64, workload, 1);
    RunControl control;
    control.memoryCeiling = 4e9;
    for (auto _ : state) benchmark::DoNotOptimize(simulate(scenario, control).result->serving()->served.duration);
}
BENCHMARK(fleetOverADay)->Arg(1500000)->Iterations(1)->Unit(benchmark::kSecond);

} // namespace
} // namespace orrery::serving_bench
