// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A figure that a benchmark of a server wrote down, under the name that a result has for it.
struct BenchmarkFigure {
    std::string metric; ///< "ttft_s.p99"
    double value = 0;   ///< in the result's unit
    bool isRate = false;
};

struct ServerBenchmark {
    std::string program; ///< "vllm bench serve", "GenAI-Perf"
    std::vector<BenchmarkFigure> figures;
    BoxedJson requests{}; ///< the load, as `workload.requests` (measured_load.hpp); null where it is not said
};

/// What a benchmark of a server wrote: `vllm bench serve`, `throughput` and `latency`, SGLang's bench_serving, GenAI-Perf and AIPerf, one benchmark of GuideLLM,
/// trtllm-bench, inference-perf, genai-bench, LLMPerf, a row of InferenceMAX; nothing when the document is none of them. A figure that is no number, or 0, was not measured.
std::optional<ServerBenchmark> readServerBenchmark(const Json& document);

/// All runs that a file holds: one document after the other (lines that runs appended), a list of them, the benchmarks of a sweep. Text as Python writes it, with
/// NaN and Infinity; what is cut off at its end is left out. Empty where nothing is known.
std::vector<ServerBenchmark> readServerBenchmarks(std::string_view text);

/// A measured figure with the simulated one beside it.
struct BesideMeasured {
    std::string metric;
    double measured = 0;
    double predicted = 0;
    double errorPercent = 0; ///< as `validate` counts: + is always too slow
};

/// Figures that a result of served requests has too; in the benchmark's order.
std::vector<BesideMeasured> besideBenchmark(const Json& result, const ServerBenchmark& benchmark);

} // namespace orrery
