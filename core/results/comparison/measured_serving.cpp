// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/comparison/measured_serving.hpp"
#include "core/base/json.hpp"
#include "core/base/json_forward.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace orrery {
namespace {

constexpr double mostNumber = 1e8; ///< of requests, of tokens: beyond is a typing mistake

using Path = std::vector<const char*>;

const Json* valueAt(const Json& document, const Path& path) {
    const Json* value = &document;
    for (const char* key : path) {
        if (!value->is_object()) return nullptr;
        const auto found = value->find(key);
        if (found == value->end()) return nullptr;
        value = &*found;
    }
    return value;
}

/// The first of these that is a number above 0, as some programs write it in a list of one.
std::optional<double> firstOf(const Json& document, std::initializer_list<Path> paths) {
    for (const Path& path : paths) {
        const Json* value = valueAt(document, path);
        if (value != nullptr && value->is_array() && value->size() == 1) value = &value->front();
        if (value == nullptr || !value->is_number()) continue;
        if (const double number = value->get<double>(); std::isfinite(number) && number > 0) return number;
    }
    return std::nullopt;
}

std::optional<Json> wholeTokens(std::optional<double> mean) {
    if (!mean || !(*mean <= mostNumber)) return std::nullopt;
    return Json(std::max<std::int64_t>(1, std::llround(*mean)));
}

/// Lengths of requests that a program wrote down one by one.
std::optional<Json> listed(const Json& document, const char* key) {
    const Json* list = valueAt(document, {key});
    if (list == nullptr || !list->is_array() || list->empty()) return std::nullopt;
    double least = mostNumber, most = 0;
    for (const Json& one : *list) {
        if (!one.is_number()) return std::nullopt;
        const double tokens = one.get<double>();
        if (!(tokens >= 0 && tokens <= mostNumber)) return std::nullopt;
        if (tokens < 1) continue; // a request that failed
        least = std::min(least, tokens);
        most = std::max(most, tokens);
    }
    if (most < 1) return std::nullopt;
    if (least == most) return Json(std::llround(most));
    return Json{{"distribution", "uniform"}, {"min", std::llround(least)}, {"max", std::llround(most)}};
}

std::optional<double> meanOfTotal(const Json& document, const char* total) {
    const auto sum = firstOf(document, {{total}}), count = firstOf(document, {{"completed"}});
    return sum && count ? std::optional(*sum / *count) : std::nullopt;
}

struct Lengths {
    std::optional<Json> input, output;
};

Lengths lengthsOf(const Json& document) {
    Lengths lengths{listed(document, "input_lens"), listed(document, "output_lens")};
    if (!lengths.input) lengths.input = wholeTokens(meanOfTotal(document, "total_input_tokens"));
    if (!lengths.output) lengths.output = wholeTokens(meanOfTotal(document, "total_output_tokens"));
    if (!lengths.input)
        lengths.input = wholeTokens(firstOf(document, {{"input_sequence_length", "avg"}, {"records", "input_sequence_length", "avg"}, {"metrics", "prompt_token_count", "successful", "mean"}, {"request_info", "avg_input_length"}, {"random_input_len"}, {"isl"}, {"aggregated_metrics", "stats", "num_input_tokens", "mean"}, {"results_number_input_tokens_mean"}, {"mean_input_tokens"}}));
    if (!lengths.output)
        lengths.output = wholeTokens(firstOf(document, {{"output_sequence_length", "avg"}, {"records", "output_sequence_length", "avg"}, {"metrics", "output_token_count", "successful", "mean"}, {"request_info", "avg_output_length"}, {"random_output_len"}, {"osl"}, {"aggregated_metrics", "stats", "num_output_tokens", "mean"}, {"results_number_output_tokens_mean"}, {"mean_output_tokens"}}));
    return lengths;
}

std::optional<double> concurrencyOf(const Json& document) {
    if (const Json* type = valueAt(document, {"config", "strategy", "type_"}); type != nullptr && *type == Json("synchronous")) return 1;
    if (const Json* type = valueAt(document, {"args", "strategy", "type_"}); type != nullptr && *type == Json("synchronous")) return 1;
    return firstOf(document, {{"max_concurrency"}, {"config", "strategy", "streams"}, {"args", "strategy", "streams"}, {"input_config", "perf_analyzer", "stimulus", "concurrency"}, {"input_config", "loadgen", "concurrency"}, {"input_config", "concurrency"}, {"request_info", "avg_num_concurrent_requests"}, {"conc"}, {"aggregated_metrics", "num_concurrency"}, {"num_concurrent_requests"}});
}

Json arrivalOf(const Json& document) {
    if (const auto users = concurrencyOf(document)) return {{"process", "closed_loop"}, {"concurrency", std::max<std::int64_t>(1, std::llround(std::min(*users, mostNumber)))}};
    const auto rate = firstOf(document, {{"request_rate"}, {"config", "strategy", "rate"}, {"args", "strategy", "rate"}, {"input_config", "perf_analyzer", "stimulus", "request_rate"}, {"input_config", "loadgen", "request_rate"}, {"input_config", "request_rate"}});
    if (!rate) return {{"process", "all_at_once"}};
    if (const Json* type = valueAt(document, {"config", "strategy", "type_"}); type != nullptr && *type == Json("constant")) return {{"process", "uniform"}, {"rate_per_s", *rate}};
    const double burstiness = firstOf(document, {{"burstiness"}}).value_or(1);
    if (burstiness == 1) return {{"process", "poisson"}, {"rate_per_s", *rate}};
    return {{"process", "gamma"}, {"rate_per_s", *rate}, {"burstiness", burstiness}};
}

/// The load that a benchmark of a server put on it, as `workload.requests` of a scenario: how many requests, how they came, how long they were.
/// `document` is one run, as each program of measured_serving.hpp writes it. Null where it does not say these three.
///
/// How requests came: a limit of requests under way is a closed loop, whatever rate stands beside it is a ceiling that the loop stays below; a
/// rate without a limit is gamma arrivals of the burstiness that is said (1: poisson); neither is all at once. Of lengths that were listed one by
/// one the range is taken, with all lengths in it alike likely, else the mean.
Json loadOfBenchmark(const Json& document) {
    const Lengths lengths = lengthsOf(document);
    const auto count = firstOf(document, {{"completed"}, {"num_prompts"}, {"request_count", "avg"}, {"records", "request_count", "avg"}, {"metrics", "request_totals", "successful"}, {"input_config", "loadgen", "request_count"}, {"request_info", "num_requests"}, {"aggregated_metrics", "num_completed_requests"}, {"results_num_completed_requests"}});
    if (!lengths.input || !lengths.output || !count || !(*count <= mostNumber)) return nullptr;
    return {{"count", std::max<std::int64_t>(1, std::llround(*count))}, {"arrival", arrivalOf(document)}, {"input_tokens", *lengths.input}, {"output_tokens", *lengths.output}};
}

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

/// The object behind keys, one in the other; null where there is none.
const Json* partAt(const Json& document, std::initializer_list<const char*> keys) {
    const Json* part = &document;
    for (const char* key : keys) {
        if (!part->is_object()) return nullptr;
        const auto found = part->find(key);
        if (found == part->end()) return nullptr;
        part = &*found;
    }
    return part->is_object() ? part : nullptr;
}

/// The mean and the percentiles of one object, whatever it calls its mean and its median.
void addSummary(ServerBenchmark& benchmark, const std::string& ours, const Json* figure, double unit) {
    if (figure == nullptr) return;
    const auto first = [&](std::initializer_list<const char*> keys) {
        for (const char* key : keys)
            if (const auto value = figureAt(*figure, key)) return value;
        return std::optional<double>();
    };
    addFigure(benchmark, ours + ".mean", first({"mean", "avg", "average"}), unit);
    addFigure(benchmark, ours + ".p50", first({"p50", "median"}), unit);
    for (const char* percentile : {"p90", "p95", "p99"}) addFigure(benchmark, ours + "." + percentile, figureAt(*figure, percentile), unit);
}

/// vllm/benchmarks/serve.py and sglang/bench_serving.py: milliseconds, a mean, a median, and the percentiles that were asked for. SGLang writes the latency of a
/// request as e2e_latency, the sum of both throughputs as total_throughput.
ServerBenchmark fromVllm(const Json& document) {
    const bool isSglang = document.contains("mean_e2e_latency_ms") || document.contains("total_output_tokens_retokenized");
    ServerBenchmark benchmark{isSglang ? "SGLang's bench_serving" : "vllm bench serve", {}, {}};
    addFigure(benchmark, "output_tokens_per_s", figureAt(document, "output_throughput"), 1, true);
    const auto total = figureAt(document, "total_token_throughput");
    addFigure(benchmark, "total_tokens_per_s", total ? total : figureAt(document, "total_throughput"), 1, true);
    addFigure(benchmark, "duration_s", figureAt(document, "duration"), 1);
    const struct {
        std::string given;
        std::string ours;
    } times[] = {{"ttft", "ttft_s"}, {"tpot", "tpot_s"}, {"itl", "itl_s"}, {isSglang ? "e2e_latency" : "e2el", "e2e_s"}};
    for (const auto& time : times) {
        const std::string end = "_" + time.given + "_ms", ours = time.ours + ".";
        addFigure(benchmark, ours + "mean", figureAt(document, "mean" + end), millisecond);
        const bool asked = figureAt(document, "p50" + end).has_value();
        if (!asked) addFigure(benchmark, ours + "p50", figureAt(document, "median" + end), millisecond);
        for (const char* percentile : percentileNames) addFigure(benchmark, ours + percentile, figureAt(document, percentile + end), millisecond);
    }
    return benchmark;
}

/// `vllm bench throughput` and `vllm bench latency`: seconds; a batch at once.
ServerBenchmark fromVllmOffline(const Json& document) {
    ServerBenchmark benchmark{document.contains("avg_latency") ? "vllm bench latency" : "vllm bench throughput", {}, {}};
    addFigure(benchmark, "request_latency_s", figureAt(document, "avg_latency"), 1);
    addFigure(benchmark, "duration_s", figureAt(document, "elapsed_time"), 1);
    addFigure(benchmark, "total_tokens_per_s", figureAt(document, "tokens_per_second"), 1, true);
    return benchmark;
}

double secondsOf(const Json& figure) {
    const auto unit = figure.find("unit");
    const std::string word = unit != figure.end() && unit->is_string() ? unit->get<std::string>() : "ms";
    if (word == "ns") return 1e-9;
    if (word == "us") return 1e-6;
    return word == "s" || word == "sec" || word == "seconds" ? 1 : millisecond;
}

/// GenAI-Perf calls (latency − first token)/(tokens − 1) of a request its inter-token latency: a result's time per output token. AIPerf does the same.
ServerBenchmark fromGenaiPerf(const Json& document) {
    ServerBenchmark benchmark{"GenAI-Perf", {}, {}};
    if (const Json* rate = partAt(document, {"output_token_throughput"})) addFigure(benchmark, "output_tokens_per_s", figureAt(*rate, "avg"), 1, true);
    const std::pair<const char*, const char*> times[] = {{"time_to_first_token", "ttft_s"}, {"inter_token_latency", "tpot_s"}, {"request_latency", "e2e_s"}};
    for (const auto& [given, ours] : times)
        if (const Json* figure = partAt(document, {given})) addSummary(benchmark, ours, figure, secondsOf(*figure));
    return benchmark;
}

/// One of a report's `benchmarks`. Its inter-token latency is (last token − first)/(tokens − 1) of a request; its time per output token counts the first one too, which
/// no figure here does.
ServerBenchmark fromGuidellm(const Json& document) {
    ServerBenchmark benchmark{"GuideLLM", {}, {}};
    const auto part = [&document](const char* name) {
        const Json* successful = partAt(document, {"metrics", name, "successful"});
        return successful != nullptr ? successful : partAt(document, {"metrics", name, "total"});
    };
    if (const Json* rate = part("output_tokens_per_second")) addFigure(benchmark, "output_tokens_per_s", figureAt(*rate, "mean"), 1, true);
    if (const Json* rate = part("tokens_per_second")) addFigure(benchmark, "total_tokens_per_s", figureAt(*rate, "mean"), 1, true);
    const struct {
        const char* given;
        const char* ours;
        double unit;
    } times[] = {{"time_to_first_token_ms", "ttft_s", millisecond}, {"inter_token_latency_ms", "tpot_s", millisecond}, {"request_latency", "e2e_s", 1}};
    for (const auto& time : times) {
        const Json* figure = part(time.given);
        if (figure == nullptr) continue;
        const std::string ours = std::string(time.ours) + ".";
        const Json* percentiles = partAt(*figure, {"percentiles"});
        addFigure(benchmark, ours + "mean", figureAt(*figure, "mean"), time.unit);
        const auto middle = figureAt(*figure, "median");
        addFigure(benchmark, ours + "p50", middle || percentiles == nullptr ? middle : figureAt(*percentiles, "p50"), time.unit);
        for (const char* percentile : {"p90", "p95", "p99"})
            if (percentiles != nullptr) addFigure(benchmark, ours + percentile, figureAt(*percentiles, percentile), time.unit);
    }
    return benchmark;
}

/// tensorrt_llm/bench/dataclasses/reporting.py: milliseconds; times of tokens where the run streamed.
ServerBenchmark fromTrtllm(const Json& document) {
    ServerBenchmark benchmark{"trtllm-bench", {}, {}};
    const Json& performance = document["performance"];
    addFigure(benchmark, "output_tokens_per_s", figureAt(performance, "system_output_throughput_tok_s"), 1, true);
    addFigure(benchmark, "total_tokens_per_s", figureAt(performance, "system_total_throughput_tok_s"), 1, true);
    addFigure(benchmark, "output_tokens_per_s_per_accelerator", figureAt(performance, "output_throughput_per_gpu_tok_s"), 1, true);
    addFigure(benchmark, "duration_s", figureAt(performance, "total_latency_ms"), millisecond);
    addFigure(benchmark, "e2e_s.mean", figureAt(performance, "avg_request_latency_ms"), millisecond);
    const auto percentiles = [&benchmark](const std::string& ours, const Json* figure) {
        for (const char* percentile : percentileNames)
            if (figure != nullptr) addFigure(benchmark, ours + "." + percentile, figureAt(*figure, percentile), millisecond);
    };
    percentiles("e2e_s", partAt(performance, {"request_latency_percentiles_ms"}));
    if (const Json* streaming = partAt(document, {"streaming_metrics"})) {
        addFigure(benchmark, "ttft_s.mean", figureAt(*streaming, "avg_ttft_ms"), millisecond);
        percentiles("ttft_s", partAt(*streaming, {"ttft_percentiles"}));
        addFigure(benchmark, "tpot_s.mean", figureAt(*streaming, "avg_tpot_ms"), millisecond);
        percentiles("tpot_s", partAt(*streaming, {"tpot_percentiles"}));
    }
    return benchmark;
}

/// kubernetes-sigs/inference-perf, a stage's or the summary's lifecycle metrics: seconds.
ServerBenchmark fromInferencePerf(const Json& document) {
    ServerBenchmark benchmark{"inference-perf", {}, {}};
    if (const Json* rates = partAt(document, {"successes", "throughput"})) {
        addFigure(benchmark, "output_tokens_per_s", figureAt(*rates, "output_tokens_per_sec"), 1, true);
        addFigure(benchmark, "total_tokens_per_s", figureAt(*rates, "total_tokens_per_sec"), 1, true);
    }
    const std::pair<const char*, const char*> times[] = {{"time_to_first_token", "ttft_s"}, {"time_per_output_token", "tpot_s"}, {"inter_token_latency", "itl_s"}, {"request_latency", "e2e_s"}};
    for (const auto& [given, ours] : times) addSummary(benchmark, ours, partAt(document, {"successes", "latency", given}), 1);
    return benchmark;
}

/// A row of InferenceMAX (InferenceX), utils/process_result.py: what vLLM's benchmark wrote in seconds, rates by accelerator.
ServerBenchmark fromInferenceMax(const Json& document) {
    ServerBenchmark benchmark{"InferenceMAX", {}, {}};
    addFigure(benchmark, "output_tokens_per_s_per_accelerator", figureAt(document, "output_tput_per_gpu"), 1, true);
    const std::pair<const char*, const char*> times[] = {{"ttft", "ttft_s"}, {"tpot", "tpot_s"}, {"itl", "itl_s"}, {"e2el", "e2e_s"}};
    for (const auto& [given, ours] : times) {
        addFigure(benchmark, std::string(ours) + ".mean", figureAt(document, std::string("mean_") + given), 1);
        addFigure(benchmark, std::string(ours) + ".p50", figureAt(document, std::string("median_") + given), 1);
        for (const char* percentile : {"p90", "p95", "p99"}) addFigure(benchmark, std::string(ours) + "." + percentile, figureAt(document, percentile + std::string("_") + given), 1);
    }
    return benchmark;
}

/// sgl-project/genai-bench, one scenario at one concurrency: seconds.
ServerBenchmark fromGenaiBench(const Json& all) {
    ServerBenchmark benchmark{"genai-bench", {}, {}};
    addFigure(benchmark, "output_tokens_per_s", figureAt(all, "mean_output_throughput_tokens_per_s"), 1, true);
    addFigure(benchmark, "total_tokens_per_s", figureAt(all, "mean_total_tokens_throughput_tokens_per_s"), 1, true);
    addFigure(benchmark, "duration_s", figureAt(all, "run_duration"), 1);
    const std::pair<const char*, const char*> times[] = {{"ttft", "ttft_s"}, {"tpot", "tpot_s"}, {"e2e_latency", "e2e_s"}};
    for (const auto& [given, ours] : times) addSummary(benchmark, ours, partAt(all, {"stats", given}), 1);
    return benchmark;
}

/// ray-project/llmperf, the summary of token_benchmark_ray.py: seconds. Its inter-token latency counts the first token too, which no figure here does.
ServerBenchmark fromLlmperf(const Json& document) {
    ServerBenchmark benchmark{"LLMPerf", {}, {}};
    addFigure(benchmark, "output_tokens_per_s", figureAt(document, "results_mean_output_throughput_token_per_s"), 1, true);
    const std::pair<const char*, const char*> times[] = {{"results_ttft_s", "ttft_s"}, {"results_end_to_end_latency_s", "e2e_s"}};
    for (const auto& [given, ours] : times) {
        addFigure(benchmark, std::string(ours) + ".mean", figureAt(document, std::string(given) + "_mean"), 1);
        for (const char* percentile : percentileNames) addFigure(benchmark, std::string(ours) + "." + percentile, figureAt(document, std::string(given) + "_quantiles_" + percentile), 1);
    }
    return benchmark;
}

ServerBenchmark benchmarkIn(const Json& document) {
    const auto has = [&document](const char* key) { return document.contains(key); };
    if (partAt(document, {"performance"}) != nullptr && (document["performance"].contains("system_output_throughput_tok_s") || document["performance"].contains("total_latency_ms"))) return fromTrtllm(document);
    if (const Json* all = partAt(document, {"aggregated_metrics"})) return fromGenaiBench(*all);
    if (has("results_ttft_s_mean") || has("results_mean_output_throughput_token_per_s")) return fromLlmperf(document);
    if (partAt(document, {"successes"}) != nullptr) return fromInferencePerf(document);
    if (partAt(document, {"metrics"}) != nullptr) return fromGuidellm(document);
    if (has("tput_per_gpu") || has("output_tput_per_gpu")) return fromInferenceMax(document);
    if (has("mean_ttft_ms") || has("output_throughput")) return fromVllm(document);
    if (has("request_latency") || has("time_to_first_token")) return fromGenaiPerf(document);
    if (const Json* records = partAt(document, {"records"})) return fromGenaiPerf(*records); // AIPerf's first versions
    if (has("avg_latency") || (has("tokens_per_second") && has("elapsed_time"))) return fromVllmOffline(document);
    return {};
}

void addBenchmarks(const Json& document, std::vector<ServerBenchmark>& all) {
    if (document.is_array()) {
        for (const Json& entry : document)
            if (entry.is_object()) addBenchmarks(entry, all);
        return;
    }
    if (!document.is_object() || document.contains("format")) return;
    if (const auto list = document.find("benchmarks"); list != document.end() && list->is_array()) return addBenchmarks(*list, all);
    if (auto benchmark = readServerBenchmark(document)) all.push_back(std::move(*benchmark));
}

} // namespace

std::optional<ServerBenchmark> readServerBenchmark(const Json& document) {
    if (!document.is_object() || document.contains("format")) return std::nullopt;
    ServerBenchmark benchmark = benchmarkIn(document);
    if (benchmark.figures.empty()) return std::nullopt;
    benchmark.requests = loadOfBenchmark(document);
    return benchmark;
}

std::vector<ServerBenchmark> readServerBenchmarks(std::string_view text) {
    std::vector<ServerBenchmark> all;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::string one; // a document, with null where Python wrote what is no number
    int depth = 0;
    bool inText = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inText) {
            one += c;
            if (c == '\\' && i + 1 < text.size()) one += text[++i];
            else if (c == '"') inText = false;
            continue;
        }
        if (depth > 0 && (c == 'N' || c == 'I' || c == '-')) {
            const auto length = [rest = text.substr(i)]() -> std::size_t {
                for (const std::string_view word : {"NaN", "-NaN", "Infinity", "-Infinity"})
                    if (rest.starts_with(word)) return word.size();
                return 0;
            }();
            if (length > 0) {
                one += "null";
                i += length - 1;
                continue;
            }
        }
        if (c == '{' || c == '[') ++depth;
        if (depth > 0) one += c;
        if (c == '"' && depth > 0) inText = true;
        if ((c == '}' || c == ']') && depth > 0 && --depth == 0) {
            addBenchmarks(Json::parse(one, nullptr, false), all);
            one.clear();
        }
    }
    return all;
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
