// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/served_parts.hpp"

// What benchmarks of servers are told of the requests they send.

namespace orrery {

namespace {

// Where to start from while nothing says how requests come: the form's own first serving workload.
constexpr std::int64_t usualCount = 1000, usualInput = 1024, usualOutput = 128;
constexpr double usualRate = 4;

const char* const arrivalAt = "/workload/requests/arrival";

/// "inf" is a benchmark's word for all at once.
bool isEndless(const GivenOption& option) { return !option.values.empty() && (option.values.front() == "inf" || option.values.front() == "Infinity"); }

void placeArrival(ScenarioDraft& draft, OptionList& options, bool sends) {
    bool endless = sends;
    std::optional<double> rate;
    for (const char* name : {"request-rate", "rate"}) {
        const GivenOption* given = options.take(name);
        if (!given) continue;
        endless = isEndless(*given) || given->value() == "-1";
        if (!endless) rate = draft.amount(options, name);
    }
    const auto under = firstNumberOf(draft, options, {"max-concurrency", "concurrency"});
    const auto burstiness = options.has("burstiness") ? draft.amount(options, "burstiness") : std::nullopt;
    if (rate && *rate > 0) {
        const bool bursts = burstiness && *burstiness > 0 && *burstiness != 1;
        draft.set(arrivalAt, Json{{"process", bursts ? "gamma" : "poisson"}, {"rate_per_s", *rate}});
        if (bursts) draft.set(std::string(arrivalAt) + "/burstiness", *burstiness);
        if (under) draft.warn(lineOf(options, "max-concurrency"), "option-not-understood", "A limit of requests under way beside a rate was not taken: a scenario has one or the other.", "Choose closed_loop if the limit is what holds requests back.");
    } else if (under) {
        draft.set(arrivalAt, Json{{"process", "closed_loop"}, {"concurrency", *under}});
    } else if (endless) {
        draft.set(arrivalAt, Json{{"process", "all_at_once"}});
    } else {
        draft.assume(arrivalAt, Json{{"process", "poisson"}, {"rate_per_s", usualRate}}, "the text does not say how requests arrive", "Set your arrivals.");
    }
}

} // namespace

bool looksLikeLoad(const Launch& launch) {
    const std::string program = baseName(launch.program);
    if (program == "vllm") {
        const auto& strays = launch.options.strays();
        return strays.size() >= 2 && strays[0].text() == "bench" && strays[1].text() == "serve";
    }
    return program == "benchmark_serving.py" || program == "bench_serving.py" || program == "sglang.bench_serving";
}

void placeRequests(ScenarioDraft& draft, OptionList& options) {
    const std::string at = "/workload/requests";
    const auto count = firstNumberOf(draft, options, {"num-prompts", "num-requests", "request-count"});
    const auto input = firstNumberOf(draft, options, {"random-input-len", "random-input", "input-len", "synthetic-input-tokens-mean", "sonnet-input-len"});
    const auto output = firstNumberOf(draft, options, {"random-output-len", "random-output", "output-len", "output-tokens-mean", "sonnet-output-len"});
    const auto prefix = firstNumberOf(draft, options, {"random-prefix-len"});
    const auto seed = options.has("seed") && (count || input) ? draft.number(options, "seed", 0) : std::nullopt;
    if (count) draft.set(at + "/count", *count);
    else draft.assume(at + "/count", usualCount, "the text does not say how many requests come", "Set your requests, or name a file of them.");
    placeArrival(draft, options, count || input);
    if (input) draft.set(at + "/input_tokens", *input + prefix.value_or(0));
    else draft.assume(at + "/input_tokens", usualInput, "the text does not say how long prompts are", "Set your lengths, or name a file of requests.");
    if (output) draft.set(at + "/output_tokens", *output);
    else draft.assume(at + "/output_tokens", usualOutput, "the text does not say how long answers are", "Set your lengths, or name a file of requests.");
    if (prefix) draft.set(at + "/shared_prefix_tokens", *prefix);
    if (seed) draft.set(at + "/seed", *seed);
}

} // namespace orrery
