// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/comparison/measured_load.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

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
        lengths.input = wholeTokens(firstOf(document, {{"input_sequence_length", "avg"}, {"records", "input_sequence_length", "avg"}, {"metrics", "prompt_token_count", "successful", "mean"}, {"request_info", "avg_input_length"}, {"random_input_len"}, {"isl"}}));
    if (!lengths.output)
        lengths.output = wholeTokens(firstOf(document, {{"output_sequence_length", "avg"}, {"records", "output_sequence_length", "avg"}, {"metrics", "output_token_count", "successful", "mean"}, {"request_info", "avg_output_length"}, {"random_output_len"}, {"osl"}}));
    return lengths;
}

std::optional<double> concurrencyOf(const Json& document) {
    if (const Json* type = valueAt(document, {"config", "strategy", "type_"}); type != nullptr && *type == Json("synchronous")) return 1;
    if (const Json* type = valueAt(document, {"args", "strategy", "type_"}); type != nullptr && *type == Json("synchronous")) return 1;
    return firstOf(document, {{"max_concurrency"}, {"config", "strategy", "streams"}, {"args", "strategy", "streams"}, {"input_config", "perf_analyzer", "stimulus", "concurrency"}, {"input_config", "loadgen", "concurrency"}, {"input_config", "concurrency"}, {"request_info", "avg_num_concurrent_requests"}, {"conc"}});
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

} // namespace

Json loadOfBenchmark(const Json& document) {
    const Lengths lengths = lengthsOf(document);
    const auto count = firstOf(document, {{"completed"}, {"num_prompts"}, {"request_count", "avg"}, {"records", "request_count", "avg"}, {"metrics", "request_totals", "successful"}, {"input_config", "loadgen", "request_count"}, {"request_info", "num_requests"}});
    if (!lengths.input || !lengths.output || !count || !(*count <= mostNumber)) return nullptr;
    return {{"count", std::max<std::int64_t>(1, std::llround(*count))}, {"arrival", arrivalOf(document)}, {"input_tokens", *lengths.input}, {"output_tokens", *lengths.output}};
}

} // namespace orrery
