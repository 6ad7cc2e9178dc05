// SPDX-License-Identifier: GPL-3.0-or-later
// CPU time and memory of jobs and collectives on large drawn networks. Run: build/release/tests/bench/orrery_bench
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/network/generators/clos_fabrics.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/training/job_traffic/lone_collective.hpp"
#include "tests/support/catalog.hpp"

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <map>
#include <numeric>
#include <stdexcept>

namespace orrery::network_bench {
namespace {

using test::catalog;

/// Bytes the process ever held at once.
double peakMemory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// GPT-3 175B, t = 8, p = 8, m = 6, data over all the rest of the DGX H100 in a three-level fat tree.
Json gpt3OnFatTree(int hosts) {
    SizedFatTree tree;
    tree.host.accelerator = "h100-sxm5-80gb";
    tree.hosts = hosts;
    const int data = hosts / 8;
    return {{"format", "orrery-scenario/1"},
            {"name", "GPT-3 175B on a fat tree"},
            {"model", {{"preset", "gpt3-175b"}}},
            {"cluster", {{"topology", generateSizedFatTree(tree).topology}}},
            {"workload",
             {{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", 6 * data}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"parallelism", {{"tensor", 8}, {"pipeline", 8}, {"sequence", true}}},
            {"execution", {{"framework", "megatron-core-2024"}}}};
}

const Scenario& scenarioOf(int hosts) {
    static std::map<int, Scenario> known;
    const auto found = known.find(hosts);
    if (found != known.end()) return found->second;
    ScenarioReading reading = readScenario(gpt3OnFatTree(hosts), catalog());
    if (!reading.scenario) throw std::runtime_error(reading.problems.front().message);
    return known.emplace(hosts, std::move(*reading.scenario)).first->second;
}

void readFatTree(benchmark::State& state) {
    const Json document = gpt3OnFatTree(static_cast<int>(state.range(0)) / 8);
    for (auto _ : state) benchmark::DoNotOptimize(readScenario(document, catalog()).scenario);
}
BENCHMARK(readFatTree)->Arg(16384)->Arg(131072)->Unit(benchmark::kMillisecond);

void simulateOnFatTree(benchmark::State& state, Folding folding) {
    const Scenario& scenario = scenarioOf(static_cast<int>(state.range(0)) / 8);
    double seconds = 0;
    for (auto _ : state) seconds = simulate(scenario, {}, folding).result->training()->iterationTime;
    state.counters["iteration_s"] = seconds;
    state.counters["peak_bytes"] = peakMemory();
}
BENCHMARK_CAPTURE(simulateOnFatTree, folded, Folding::exact)->Arg(1024)->Arg(16384)->Arg(131072)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateOnFatTree, single, Folding::none)->Arg(1024)->Arg(16384)->Iterations(1)->Unit(benchmark::kMillisecond);

/// One all-reduce of 64 MB over 8,192 accelerators in two levels: NVLink in hosts, a fabric between them, and a second job's
/// traffic on it.
void allReduce8192(benchmark::State& state) {
    const Json document = {{"format", "orrery-scenario/1"},
                           {"name", "one all-reduce"},
                           {"model", {{"preset", "gpt3-175b"}}},
                           {"cluster",
                            {{"topology",
                              {{"nodes",
                                {{{"id", "dgx"}, {"kind", "host"}, {"accelerator", "h100-sxm5-80gb"}, {"count", 8}, {"replicas", 1024}},
                                 {{"id", "leaf"}, {"kind", "switch"}}}},
                               {"links", {{{"from", "dgx"}, {"to", "leaf"}, {"bandwidth_gb_s", 50}, {"count", 8}}}},
                               {"traffic", {{{"from", "dgx"}, {"to", "dgx"}, {"bandwidth_gb_s", 20}}}}}}}},
                           {"workload",
                            {{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", 8192}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
                           {"parallelism", {{"tensor", 8}}}};
    const Scenario scenario = *readScenario(document, catalog()).scenario;
    std::vector<int> ranks(8192);
    std::iota(ranks.begin(), ranks.end(), 0);
    double seconds = 0;
    for (auto _ : state) seconds = runLoneCollective(scenario, ranks, CollectiveKind::all_reduce, 64e6).time;
    state.counters["time_s"] = seconds;
    state.counters["peak_bytes"] = peakMemory();
}
BENCHMARK(allReduce8192)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace orrery::network_bench
