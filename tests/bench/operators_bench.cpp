// SPDX-License-Identifier: GPL-3.0-or-later
// A prediction from the cache: 100 ns; one computed: 2 µs. CPU time.

#include "core/operators/kernel_times.hpp"
#include "resources/shipped_catalog.hpp"
#include "resources/shipped_predictor.hpp"

#include <benchmark/benchmark.h>

namespace orrery::operators_bench {
namespace {

constexpr const char* accelerator = "h100-sxm5-80gb";

KernelCall callOf(KernelKind kind, int i) {
    const double odd = 1 + i % 4001; // never the same call soon again
    switch (kind) {
    case KernelKind::gemm: return {kind, KernelFormat::bf16, KernelFormat::none, 0, {odd, 4096, 7168}};
    case KernelKind::moe: return {kind, KernelFormat::bf16, KernelFormat::none, 0, {odd, 4096, 2048, 8, 256, 1, 8, 1, 1.2}};
    case KernelKind::context_mla:
    case KernelKind::generation_mla: return {kind, KernelFormat::bf16, KernelFormat::bf16, 0, {4, odd, 16}};
    default: return {kind, KernelFormat::bf16, KernelFormat::bf16, 0, {4, odd, 32, 8, 128, 0}};
    }
}

void predictCold(benchmark::State& state) {
    const Catalog catalog = shippedCatalog();
    const auto predictor = shippedPredictor();
    const PredictorMachine machine = predictor->machine(*catalog.accelerator(accelerator), catalog);
    const auto kind = static_cast<KernelKind>(state.range(0));
    state.SetLabel(std::string(toString(kind)));
    int i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(predictor->predict(machine, callOf(kind, ++i)));
}
BENCHMARK(predictCold)->DenseRange(static_cast<int>(KernelKind::gemm), static_cast<int>(KernelKind::moe));

void predictWarm(benchmark::State& state) {
    const Catalog catalog = shippedCatalog();
    const KernelTimes times(*catalog.accelerator(accelerator), catalog, shippedPredictor(), nullptr);
    int i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(times.time(callOf(KernelKind::gemm, ++i % 64)));
}
BENCHMARK(predictWarm);

void readShipped(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(shippedPredictor());
}
BENCHMARK(readShipped)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace orrery::operators_bench
