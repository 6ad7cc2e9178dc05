// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/engine_causes.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/results/derivation/explain_beside.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

namespace orrery {
namespace {

constexpr double smallestPart = 0.005; ///< of the figure; less is not worth a line

/// What may shorten a part: one change of one engine. Pools of a disaggregated engine have settings of their own, which nothing here knows.
void offerChange(Cause& cause, LatencyPart part, const Scenario& scenario) {
    const auto* served = std::get_if<ServingWorkload>(&scenario.workload);
    const bool oneEngine = served != nullptr && !served->disaggregation;
    const auto offer = [&](std::string label, const char* pointer, Json value) {
        cause.tryLabel = std::move(label);
        cause.tryEdits = {{pointer, std::move(value)}};
    };
    switch (part) {
    case LatencyPart::queue_cache:
    case LatencyPart::preempted:
        if (oneEngine && served->engine.cachePrecision == Precision::bf16) offer("keys and values in fp8", "/workload/engine/kv_cache_dtype", "fp8");
        break;
    case LatencyPart::queue_sequences:
        if (oneEngine) {
            const int twice = 2 * served->engine.settings.maxSeqs;
            offer(std::to_string(twice) + " requests at a time", "/workload/engine/max_num_seqs", twice);
        }
        break;
    case LatencyPart::queue_tokens:
        if (oneEngine) {
            const int twice = 2 * served->engine.settings.maxBatchedTokens;
            offer(std::to_string(twice) + " tokens a step", "/workload/engine/max_num_batched_tokens", twice);
        }
        break;
    case LatencyPart::launch:
        if (!scenario.execution.cudaGraphs) offer("CUDA graphs", "/execution/cuda_graphs", true);
        break;
    case LatencyPart::host:
        if (oneEngine && !served->engine.settings.asyncScheduling) offer("scheduling beside the step", "/workload/engine/async_scheduling", true);
        break;
    case LatencyPart::transfer:
    case LatencyPart::shared_links:
        if (!scenario.beside.empty()) offer(scenario.beside.size() == 1 ? "without the job beside" : "without the jobs beside", "/beside", nullptr);
        break;
    case LatencyPart::front_end:
    case LatencyPart::encode:
    case LatencyPart::cache_load:
    case LatencyPart::queue_step:
    case LatencyPart::weights:
    case LatencyPart::products:
    case LatencyPart::attention:
    case LatencyPart::elementwise:
    case LatencyPart::collectives:
    case LatencyPart::pipeline:
    case LatencyPart::others: break;
    }
}

std::string timeText(double seconds) {
    std::array<char, 32> text{};
    const bool isShort = seconds < 1;
    const int length = std::snprintf(text.data(), text.size(), isShort ? "%.4g ms" : "%.4g s", isShort ? seconds * 1000 : seconds);
    return {text.data(), static_cast<std::size_t>(std::max(0, length))};
}

Quantity ofCache(const char* name, double value, const char* unit, const char* formula, Source source = Source::derived) { return {name, value, unit, source, formula, "", {}}; }

/// What is full, in figures: in the sentence, and as inputs of the number.
void sayWhatIsFull(Cause& cause, const FullCache& cache) {
    const auto count = [](double value) { return std::to_string(std::llround(value)); };
    cause.text += "; it holds " + count(cache.requestsHeld) + " requests of " + count(cache.requestTokens) + " tokens";
    if (cache.waiting > 0) cause.text += ", and while it is full " + count(cache.running) + " run and " + count(std::ceil(cache.waiting)) + " wait";
    std::vector<Quantity>& inputs = cause.why.inputs;
    inputs.push_back(ofCache("memory for keys and values, of an accelerator", cache.bytesPerAccelerator, "bytes", "what weights, a full step and software leave of the memory that the engine takes"));
    inputs.push_back(ofCache("blocks of an instance", cache.blocks, "1", "as many as that memory holds"));
    inputs.push_back(ofCache("block size", cache.blockSize, "tokens", "/workload/engine/block_size", Source::given));
    inputs.push_back(ofCache("tokens of a mean request", cache.requestTokens, "tokens", "prompt and answer; where answers are made elsewhere, the prompt"));
    Quantity fit = ofCache("such requests that fit", cache.requestsHeld, "1", "⌊blocks of an instance/⌈tokens of a mean request/block size⌉⌋");
    fit.inputs.assign(inputs.end() - 3, inputs.end());
    inputs.push_back(std::move(fit));
    if (cache.waiting <= 0) return;
    inputs.push_back(ofCache("requests that run while it is full", cache.running, "1", "mean over the time in which blocks are the limit"));
    inputs.push_back(ofCache("requests that wait while it is full", cache.waiting, "1", "mean over the time in which blocks are the limit"));
}

void addCauses(std::vector<Cause>& causes, const Scenario& scenario, const char* figure, const char* pointer, const LatencyParts& parts, const FullCache& cache) {
    const double total = parts.total();
    if (!(total > 0)) return;
    std::vector<Cause> own;
    for (std::size_t i = 0; i < latencyPartCount; ++i) {
        const double share = parts.seconds[i] / total;
        if (share < smallestPart) continue;
        Cause cause;
        const auto part = static_cast<LatencyPart>(i);
        cause.part = toString(part);
        cause.share = share;
        cause.figure = figure;
        cause.text = sentenceOf(part);
        cause.why = quantityOf(parts, part, cause.text);
        cause.why.inputs.push_back({figure, total, "s", Source::derived, "", pointer, {}});
        if ((part == LatencyPart::queue_cache || part == LatencyPart::preempted) && cache.blocks > 0) sayWhatIsFull(cause, cache);
        offerChange(cause, part, scenario);
        own.push_back(std::move(cause));
    }
    std::stable_sort(own.begin(), own.end(), [](const Cause& a, const Cause& b) { return a.share > b.share; });
    std::move(own.begin(), own.end(), std::back_inserter(causes));
}

} // namespace

std::vector<Cause> engineCauses(const Scenario& scenario, const ExplainedLatency& ttft, const ExplainedLatency& tpot) {
    const bool served = std::holds_alternative<ServingWorkload>(scenario.workload);
    std::vector<Cause> causes;
    addCauses(causes, scenario, "Time to first token", served ? "/ttft_s/mean" : "/ttft_s", ttft.parts, ttft.cache);
    addCauses(causes, scenario, "Time per output token", served ? "/tpot_s/mean" : "/tpot_s", tpot.parts, tpot.cache);
    return causes;
}

std::vector<Cause> besideCauses(const std::vector<BesideReport>& jobs) {
    std::vector<Cause> causes;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const BesideReport& job = jobs[i];
        Cause cause;
        cause.figure = "Beside: " + job.name;
        cause.share = job.iterationTime > 0 ? std::max(0.0, job.iterationTime - job.aloneIterationTime) / job.iterationTime : 0;
        cause.text = "of its iteration: " + timeText(job.iterationTime) + ", alone " + timeText(job.aloneIterationTime);
        if (job.shared.empty()) {
            cause.text += "; it meets nothing of this scenario on any link";
        } else {
            const SharedLink& first = job.shared.front();
            cause.text += "; it shares " + first.from + " → " + first.to;
            if (job.shared.size() > 1) cause.text += " and " + counted(static_cast<std::int64_t>(job.shared.size()) - 1, "other link");
        }
        cause.why = *explainBeside(jobs, {std::to_string(i), "iteration_time_s"});
        causes.push_back(std::move(cause));
    }
    return causes;
}

} // namespace orrery
