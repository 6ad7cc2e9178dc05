// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/measured_serving.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

namespace {

constexpr double millisecond = 1e-3;
constexpr const char* percentileNames[] = {"p50", "p90", "p95", "p99"};

std::optional<double> figureAt(const Json& object, const std::string& key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return std::nullopt;
    const double value = found->get<double>();
    return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt; // 0: not measured
}

void addFigure(ServerBenchmark& benchmark, std::string metric, std::optional<double> value, double unit, bool isRate = false) {
    if (value) benchmark.figures.push_back({std::move(metric), *value * unit, isRate});
}

/// vllm/benchmarks/serve.py: milliseconds, a mean, a median, and the percentiles that were asked for.
ServerBenchmark fromVllm(const Json& document) {
    ServerBenchmark benchmark{"vllm bench serve", {}};
    addFigure(benchmark, "output_tokens_per_s", figureAt(document, "output_throughput"), 1, true);
    addFigure(benchmark, "total_tokens_per_s", figureAt(document, "total_token_throughput"), 1, true);
    addFigure(benchmark, "duration_s", figureAt(document, "duration"), 1);
    const struct {
        const char* given;
        const char* ours;
    } times[] = {{"ttft", "ttft_s"}, {"tpot", "tpot_s"}, {"itl", "itl_s"}, {"e2el", "e2e_s"}};
    for (const auto& time : times) {
        const std::string end = std::string("_") + time.given + "_ms", ours = std::string(time.ours) + ".";
        addFigure(benchmark, ours + "mean", figureAt(document, "mean" + end), millisecond);
        const bool asked = figureAt(document, "p50" + end).has_value();
        if (!asked) addFigure(benchmark, ours + "p50", figureAt(document, "median" + end), millisecond);
        for (const char* percentile : percentileNames) addFigure(benchmark, ours + percentile, figureAt(document, percentile + end), millisecond);
    }
    return benchmark;
}

double secondsOf(const Json& figure) {
    const auto unit = figure.find("unit");
    const std::string word = unit != figure.end() && unit->is_string() ? unit->get<std::string>() : "ms";
    if (word == "ns") return 1e-9;
    if (word == "us") return 1e-6;
    return word == "s" || word == "sec" || word == "seconds" ? 1 : millisecond;
}

/// GenAI-Perf calls (latency − first token)/(tokens − 1) of a request its inter-token latency: a result's time per output token.
ServerBenchmark fromGenaiPerf(const Json& document) {
    ServerBenchmark benchmark{"GenAI-Perf", {}};
    const auto part = [&document](const char* key) {
        const auto found = document.find(key);
        return found != document.end() && found->is_object() ? &*found : nullptr;
    };
    if (const Json* rate = part("output_token_throughput")) addFigure(benchmark, "output_tokens_per_s", figureAt(*rate, "avg"), 1, true);
    const struct {
        const char* given;
        const char* ours;
    } times[] = {{"time_to_first_token", "ttft_s"}, {"inter_token_latency", "tpot_s"}, {"request_latency", "e2e_s"}};
    for (const auto& time : times) {
        const Json* figure = part(time.given);
        if (!figure) continue;
        const double unit = secondsOf(*figure);
        const std::string ours = std::string(time.ours) + ".";
        addFigure(benchmark, ours + "mean", figureAt(*figure, "avg"), unit);
        for (const char* percentile : percentileNames) addFigure(benchmark, ours + percentile, figureAt(*figure, percentile), unit);
    }
    return benchmark;
}

} // namespace

std::optional<ServerBenchmark> readServerBenchmark(const Json& document) {
    if (!document.is_object() || document.contains("format")) return std::nullopt;
    ServerBenchmark benchmark;
    if (document.contains("mean_ttft_ms") || document.contains("output_throughput")) benchmark = fromVllm(document);
    else if (document.contains("request_latency") || document.contains("time_to_first_token")) benchmark = fromGenaiPerf(document);
    if (benchmark.figures.empty()) return std::nullopt;
    return benchmark;
}

std::vector<BesideMeasured> besideBenchmark(const Json& result, const ServerBenchmark& benchmark) {
    std::vector<BesideMeasured> rows;
    for (const BenchmarkFigure& figure : benchmark.figures) {
        std::string pointer = "/" + figure.metric;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        const Json::json_pointer at(pointer);
        if (!result.is_object() || !result.contains(at) || !result.at(at).is_number()) continue;
        const double predicted = result.at(at).get<double>();
        if (figure.isRate && predicted <= 0) continue;
        const double ratio = figure.isRate ? figure.value / predicted : predicted / figure.value;
        rows.push_back({figure.metric, figure.value, predicted, 100 * (ratio - 1)});
    }
    return rows;
}

} // namespace orrery
