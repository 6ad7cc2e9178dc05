// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/derivation/explain_engine.hpp"

#include <map>
#include <utility>
#include <variant>

namespace orrery {
namespace {

using Parts = std::vector<Quantity>;

constexpr const char* stepModel = "operators of a step by the predictor, the accelerator's rates and the framework's profile";
constexpr const char* played = "requests played through the engine's scheduler, step by step";

Quantity figure(std::string name, double value, std::string unit, std::string formula, Parts inputs = {}, std::string reference = {}) {
    return {std::move(name), value, std::move(unit), Source::derived, std::move(formula), std::move(reference), std::move(inputs)};
}

Quantity stated(std::string name, double value, std::string unit, std::string pointer) {
    return {std::move(name), value, std::move(unit), Source::given, "", std::move(pointer), {}};
}

/// What the time of a figure went into.
Parts causesOf(const Result& result, const char* name) {
    Parts parts;
    for (const Cause& cause : result.causes) {
        if (cause.figure != name) continue;
        Quantity part = cause.why;
        part.inputs.clear();
        parts.push_back(std::move(part));
    }
    return parts;
}

Quantity firstToken(const Result& result, double seconds) {
    return figure("ttft_s", seconds, "s", "from the prompts to the first token of each: one step over all prompts, the sum of its parts", causesOf(result, "Time to first token"), stepModel);
}

Quantity eachToken(const Result& result, double seconds) {
    return figure("tpot_s", seconds, "s", "(latency − time to first token)/(answer − 1): the mean step after the first, the sum of its parts", causesOf(result, "Time per output token"), stepModel);
}

/// The spread of a figure over the requests.
std::optional<Quantity> explainSpread(const std::string& name, const std::string& part, const Distribution& values, const char* meaning, Parts causes) {
    const std::map<std::string, std::pair<double, const char*>> known{
        {"mean", {values.mean, "mean"}}, {"p50", {values.p50, "half of the values are at most this"}}, {"p90", {values.p90, "90 % of the values are at most this"}}, {"p95", {values.p95, "95 % of the values are at most this"}}, {"p99", {values.p99, "99 % of the values are at most this"}}};
    const auto found = known.find(part);
    if (found == known.end()) return std::nullopt;
    return figure(name + ", " + part, found->second.first, "s", std::string(found->second.second) + "; " + meaning, part == "mean" ? std::move(causes) : Parts{}, played);
}

Quantity price(const Result& result) {
    return stated("price of an accelerator hour", result.scenario.economics.pricePerAcceleratorHour.value_or(0), "$/h", "/economics/price_per_accelerator_hour");
}

Quantity outputRate(const ServingMetrics& served) {
    return figure("output_tokens_per_s", served.outputTokensPerSecond, "1/s", "generated tokens of completed requests/duration", {figure("duration_s", served.duration, "s", "first arrival to last token", {}, played)}, played);
}

/// Cache blocks: what memory leaves.
Quantity cacheFigure(const CacheReport& cache, const std::string& part, const Result& result) {
    Quantity perToken = figure("kv_cache, bytes_per_token", cache.bytesPerToken, "bytes", "layers × keys and values × heads × width × bytes of the cache's format (MLA: its latent), over the instance", {}, "Hugging Face config");
    if (part == "bytes_per_token") return perToken;
    if (part == "block_size") return stated("kv_cache, block_size", cache.blockSize, "tokens", "/workload/engine/block_size");
    return figure("kv_cache, blocks", double(cache.blocks), "1", "(share of the memory that the engine takes − weights − a full step − software)/(bytes of a token on a rank × block size)",
                  {stated("memory", result.memory.capacityBytes, "bytes", result.scenario.cluster.accelerator.citation.source), perToken, stated("block size", cache.blockSize, "tokens", "/workload/engine/block_size")});
}

std::optional<Quantity> explainServedTime(const ServingBreakdown& parts, const std::string& part) {
    const std::map<std::string, std::pair<double, const char*>> known{
        {"queue", {parts.queue, "mean wait for a place"}}, {"prefill", {parts.prefill, "mean time from the place to the first token, without preemptions"}}, {"decode", {parts.decode, "mean time from the first to the last token, without what stands beside"}}, {"preempted", {parts.preempted, "mean wait for another place after a preemption"}}, {"kv_transfer", {parts.kvTransfer, "mean time of keys and values on their way to the instance that decodes"}}};
    const auto found = known.find(part);
    if (found == known.end()) return std::nullopt;
    return figure("time_breakdown_s, " + part, found->second.first, "s", found->second.second, {}, played);
}

std::optional<Quantity> explainLatencyPart(LatencyFigure which, const LatencyParts& parts, const std::string& key, double mean) {
    const bool first = which == LatencyFigure::ttft;
    for (std::size_t i = 0; i < latencyPartCount; ++i) {
        const auto part = static_cast<LatencyPart>(i);
        if (!isPartOf(which, part) || keyOf(which, part) != key) continue;
        return figure((first ? "ttft_breakdown_s, " : "tpot_breakdown_s, ") + key, parts.seconds[i], "s", formulaOf(part),
                      {figure(first ? "ttft_s, mean" : "tpot_s, mean", mean, "s", "sum of its parts", {}, first ? "/ttft_s/mean" : "/tpot_s/mean")}, played);
    }
    return std::nullopt;
}

} // namespace

const char* engineMemoryFormula(const Scenario& scenario, MemoryKind kind) {
    const bool served = std::holds_alternative<ServingWorkload>(scenario.workload);
    switch (kind) {
    case MemoryKind::weights: return "weights of a rank of the fullest stage × bytes of their format";
    case MemoryKind::kv_cache: return served ? "blocks × block size × bytes of a token on a rank" : "sequences × (prompt + answer) × bytes of a token on a rank";
    case MemoryKind::temporary: return served ? "hidden state, widest products and logits of a step with all its tokens" : "hidden state, widest products and logits of the step over all prompts";
    case MemoryKind::framework: return "context, libraries and workspaces, from the framework profile";
    case MemoryKind::gradients:
    case MemoryKind::optimizer_states:
    case MemoryKind::activations:
    case MemoryKind::communication_buffers:
    case MemoryKind::fragmentation: break; // an engine has none
    }
    return "";
}

std::optional<Quantity> explainBatch(const Result& result, const InferenceMetrics& metrics, const std::vector<std::string>& tokens) {
    if (tokens.size() != 1) return std::nullopt;
    const auto& workload = std::get<InferenceWorkload>(result.scenario.workload);
    const std::string& name = tokens.front();
    const Quantity answer = stated("answer", workload.outputLength, "tokens", "/workload/output_length"), batch = stated("batch", workload.batchSize, "sequences", "/workload/batch_size");
    const Quantity latency = figure("request_latency_s", metrics.requestLatency, "s", "time to first token + (answer − 1) × time per output token", {firstToken(result, metrics.ttft), eachToken(result, metrics.tpot), answer});
    const Quantity rate = figure("output_tokens_per_s", metrics.outputTokensPerSecond, "1/s", "batch × answer/latency", {batch, answer, latency});
    if (name == "ttft_s") return firstToken(result, metrics.ttft);
    if (name == "tpot_s") return eachToken(result, metrics.tpot);
    if (name == "request_latency_s") return latency;
    if (name == "output_tokens_per_s") return rate;
    if (name == "output_tokens_per_s_per_accelerator")
        return figure(name, metrics.outputTokensPerSecondPerAccelerator, "1/s", "output rate/accelerators of an instance", {rate});
    return std::nullopt;
}

std::optional<Quantity> explainServing(const Result& result, const ServingReport& report, const std::vector<std::string>& tokens) {
    if (tokens.empty()) return std::nullopt;
    const ServingMetrics& served = report.served;
    const std::string &name = tokens.front(), part = tokens.size() > 1 ? tokens[1] : std::string();
    if (tokens.size() == 2) {
        if (name == "ttft_s") return explainSpread(name, part, served.ttft, "from arrival to the first token, completed requests", causesOf(result, "Time to first token"));
        if (name == "tpot_s") return explainSpread(name, part, served.tpot, "from the first to the last token by the tokens after the first, completed requests of several", causesOf(result, "Time per output token"));
        if (name == "itl_s") return explainSpread(name, part, served.itl, "between moments at which tokens of a request come out", {});
        if (name == "e2e_s") return explainSpread(name, part, served.e2e, "from arrival to the last token, completed requests", {});
        if (name == "queue_s") return explainSpread(name, part, served.queue, "waiting for a place, not after preemptions", {});
        if (name == "kv_cache") return cacheFigure(report.cache, part, result);
        if (name == "time_breakdown_s") return explainServedTime(served.breakdown, part);
        if (name == "ttft_breakdown_s") return explainLatencyPart(LatencyFigure::ttft, report.ttftParts, part, served.ttft.mean);
        if (name == "tpot_breakdown_s") return explainLatencyPart(LatencyFigure::tpot, report.tpotParts, part, served.tpot.mean);
        if (name == "requests") {
            const double value = double(part == "completed" ? served.completed : part == "rejected" ? served.rejected
                                                                                                    : served.count);
            return figure("requests, " + part, value, "1", part == "count" ? "requests that came" : part == "completed" ? "requests that got all their tokens"
                                                                                                                        : "requests too long for the model's or the cache's limit",
                          {}, played);
        }
        return std::nullopt;
    }
    if (tokens.size() != 1) return std::nullopt;
    if (name == "duration_s") return figure(name, served.duration, "s", "first arrival to last token", {}, played);
    if (name == "output_tokens_per_s") return outputRate(served);
    if (name == "total_tokens_per_s") return figure(name, served.totalTokensPerSecond, "1/s", "tokens of prompts and answers of completed requests/duration", {}, played);
    const Quantity perAccelerator = figure("output_tokens_per_s_per_accelerator", report.outputTokensPerSecondPerAccelerator, "1/s", "output rate/accelerators in use", {outputRate(served)});
    if (name == "output_tokens_per_s_per_accelerator") return perAccelerator;
    if (name == "preemptions") return figure(name, double(served.preemptions), "1", "requests that lost their blocks to others, counted each time", {}, played);
    if (name == "kv_cache_utilisation") return figure(name, served.kvCacheUtilisation, "1", "blocks in use/blocks, mean over the time of steps", {}, played);
    if (name == "prefix_hit_rate") return figure(name, served.prefixHitRate, "1", "prompt tokens found in the cache when the request got its place/prompt tokens", {}, played);
    if (name == "output_tokens_per_s_per_user") return figure(name, served.tpot.mean > 0 ? 1 / served.tpot.mean : 0, "1/s", "1/mean time per output token", {figure("tpot_s, mean", served.tpot.mean, "s", "mean", causesOf(result, "Time per output token"), played)});
    if (name == "cost_per_million_output_tokens" && report.costPerMillionOutputTokens)
        return figure(name, *report.costPerMillionOutputTokens, "$", "10⁶ × price/3600/output rate of an accelerator", {price(result), perAccelerator});
    if (name == "energy_j_per_output_token" && report.energyPerOutputToken) {
        Quantity energy = figure(name, *report.energyPerOutputToken, "J", "power of an accelerator by its data sheet × time in steps × accelerators/generated tokens", {outputRate(served)}, "data sheet power, as if drawn whole while a step runs");
        energy.source = Source::assumed;
        return energy;
    }
    if (name == "goodput_requests_per_s" && served.goodput) return figure(name, *served.goodput, "1/s", "requests within all limits/duration", {}, played);
    return std::nullopt;
}

} // namespace orrery
