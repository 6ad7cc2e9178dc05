// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <optional>
#include <string>
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
};

/// What `vllm bench serve --save-result` and GenAI-Perf (profile_export_genai_perf.json; AIPerf's has the same shape) write; nothing when
/// the document is neither.
std::optional<ServerBenchmark> readServerBenchmark(const Json& document);

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
