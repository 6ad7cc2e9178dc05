// SPDX-License-Identifier: GPL-3.0-or-later
// CPU time of whole simulations. Run: build/release/tests/bench/orrery_bench
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/catalog.hpp"

#include <benchmark/benchmark.h>

#include <ostream>
#include <streambuf>

namespace orrery::simulation_bench {
namespace {

using test::catalog;

/// GPT-3 175B, t = 8, p = 8, d = 16 on 1,024 A100 with m micro-batches.
Json gpt3(int microBatches) {
    return {{"format", "orrery-scenario/1"},
            {"name", "GPT-3 175B"},
            {"model", {{"preset", "gpt3-175b"}}},
            {"cluster", {{"accelerator", "a100-sxm4-80gb"}, {"accelerators_per_node", 8}, {"nodes", 128}}},
            {"workload",
             {{"kind", "training"},
              {"sequence_length", 2048},
              {"global_batch_size", 16 * microBatches},
              {"micro_batch_size", 1},
              {"precision", "bf16"}}},
            {"parallelism", {{"tensor", 8}, {"pipeline", 8}, {"sequence", true}}},
            {"execution", {{"framework", "megatron-2022"}}}};
}

void simulateGpt3(benchmark::State& state) {
    const Scenario scenario = *readScenario(gpt3(static_cast<int>(state.range(0))), catalog()).scenario;
    std::size_t spans = 0;
    for (auto _ : state) {
        const Outcome outcome = simulate(scenario);
        benchmark::DoNotOptimize(outcome.result->training()->iterationTime);
        spans = 0;
        for (const StageTimeline& stage : outcome.result->timeline.stages)
            for (const Stream& stream : stage.streams) spans += stream.spans.size();
    }
    state.counters["spans"] = double(spans);
    state.counters["spans/s"] = benchmark::Counter(double(spans), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(simulateGpt3)->Arg(96)->Arg(192)->Arg(384)->Arg(512)->Unit(benchmark::kMillisecond);

/// Takes what is written and keeps nothing: where the trace goes is not what is timed.
struct CountingBuffer : std::streambuf {
    std::streamsize bytes = 0;
    std::streamsize xsputn(const char*, std::streamsize count) override {
        bytes += count;
        return count;
    }
    int_type overflow(int_type character) override {
        ++bytes;
        return traits_type::not_eof(character);
    }
};

/// What SimuMax needs 50 s for: GPT-3 175B on 64 accelerators, its timeline as a trace, with m micro-batches. Linear in m.
void traceOf64Gpus(benchmark::State& state) {
    Json document = gpt3(static_cast<int>(state.range(0)));
    document["cluster"]["nodes"] = 8;
    document["workload"]["global_batch_size"] = state.range(0);
    const Scenario scenario = *readScenario(document, catalog()).scenario;
    CountingBuffer counted;
    std::ostream trace(&counted);
    for (auto _ : state) writeChromeTrace(simulate(scenario).result->timeline, trace);
    state.counters["bytes"] = double(counted.bytes) / double(state.iterations());
}
BENCHMARK(traceOf64Gpus)->Arg(24)->Arg(48)->Arg(96)->Unit(benchmark::kMillisecond);

/// DeepSeek-V3 on 2,048 H800: 16 stages from both ends, 64 ranks of experts (arXiv 2412.19437, section 3).
void simulateDeepSeek(benchmark::State& state) {
    const Scenario scenario =
        *readScenario({{"format", "orrery-scenario/1"},
                       {"name", "DeepSeek-V3"},
                       {"model", {{"preset", "deepseek-v3"}}},
                       {"cluster", {{"accelerator", "h800-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 256}}},
                       {"workload",
                        {{"kind", "training"},
                         {"sequence_length", 4096},
                         {"global_batch_size", 15360},
                         {"micro_batch_size", 1},
                         {"precision", "fp8"},
                         {"fp8_recipe", "block"}}},
                       {"parallelism", {{"pipeline", 16}, {"expert", 64}, {"zero_stage", 1}, {"schedule", "dualpipe"}}}},
                      catalog())
             .scenario;
    for (auto _ : state) benchmark::DoNotOptimize(simulate(scenario).result);
}
BENCHMARK(simulateDeepSeek)->Unit(benchmark::kMillisecond);

void readAndSimulateGpt3(benchmark::State& state) {
    const Json document = gpt3(96);
    for (auto _ : state) benchmark::DoNotOptimize(simulate(*readScenario(document, catalog()).scenario).result);
}
BENCHMARK(readAndSimulateGpt3)->Unit(benchmark::kMillisecond);

void loadCatalog(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(shippedCatalog());
}
BENCHMARK(loadCatalog)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace orrery::simulation_bench
