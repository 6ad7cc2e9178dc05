// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_engine.hpp"
#include "core/base/json.hpp"
#include "core/base/provenance.hpp"
#include "core/results/report/serving_report.hpp"
#include "core/scenario/serving_words.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

namespace orrery {
namespace {

struct FleetFigure {
    const char* name;
    const char* unit;
    const char* formula;
};

constexpr FleetFigure fleetFigures[] = {
    {"replica_hours", "h", "replicas that start, serve, drain or are in repair, over the time from the first arrival to the last token"},
    {"mean_replicas", "1", "replica hours over the time from the first arrival to the last token"},
    {"most_replicas", "1", "the most that were paid for at a moment"},
    {"started", "1", "starts that the autoscaler ordered, or that followed a repair, counted"},
    {"stopped", "1", "replicas that it gave back, starts called off among them, counted"},
    {"failures", "1", "failures of replicas that were not off, counted"},
    {"moved", "1", "requests that went on at another replica, each time counted"},
    {"fleet_full", "1", "requests refused because as many waited as may, counted"},
    {"waited_too_long", "1", "requests refused after their time of waiting, counted"},
    {"cost", "$", "what the accelerators of these replica hours cost at the price of an accelerator hour"},
    {"energy_kwh", "kWh", "what accelerators draw while steps run, as if all of their power"},
    {"start_s", "s", "when this part of the run begins"},
    {"duration_s", "s", "the time from the first arrival to the last token, in equal parts"},
    {"replicas", "1", "replicas that were paid for, mean of this part"},
    {"arrived", "1", "requests that arrived in this part, counted"},
    {"completed", "1", "of those, requests that got all their tokens"},
    {"refused", "1", "of those, requests that got none"},
    {"output_tokens_per_s", "1/s", "tokens of those completed, a second of this part"},
    {"goodput_requests_per_s", "1/s", "those completed within all limits, a second of this part"},
};

/// Where a figure of a fleet comes from; `tokens`: of its pointer, the first is "fleet".
std::optional<Quantity> explainFleet(const ServingReport& report, const std::vector<std::string>& tokens) {
    Json::json_pointer pointer;
    for (const std::string& token : tokens) pointer /= token;
    const Json document = toJson(report);
    const auto known = std::find_if(std::begin(fleetFigures), std::end(fleetFigures), [&](const FleetFigure& one) { return one.name == tokens.back(); });
    if (known == std::end(fleetFigures) || !document.contains(pointer) || !document.at(pointer).is_number()) return std::nullopt;
    return Quantity{tokens.back(), document.at(pointer).get<double>(), known->unit, Source::derived, known->formula, "requests played through the fleet's router, replicas and autoscaler, event by event", {}};
}

using Parts = std::vector<Quantity>;

constexpr const char* stepModel = "operators of a step by the predictor, the accelerator's rates and the framework's profile";
constexpr const char* played = "requests played through the engine's scheduler, step by step";

/// What the time of a figure went into; what is too short to be a cause is one part.
Parts causesOf(const Result& result, const char* name, double seconds) {
    Parts parts;
    double told = 0;
    for (const Cause& cause : result.causes) {
        if (cause.figure != name) continue;
        Quantity part = cause.why;
        part.inputs.resize(std::min<std::size_t>(part.inputs.size(), 2)); // what it is a share of, and the share
        told += part.value;
        parts.push_back(std::move(part));
    }
    constexpr double rounding = 1e-9;
    if (!parts.empty() && std::abs(seconds - told) > rounding * seconds) parts.push_back(derived("what is less than half a percent each", seconds - told, "s", "the parts that are no cause"));
    return parts;
}

std::string sumOf(const Parts& parts, const char* meaning) { return parts.empty() ? meaning : "sum of its parts: " + std::string(meaning); }

Quantity firstToken(const Result& result, double seconds) {
    Parts parts = causesOf(result, "Time to first token", seconds);
    std::string formula = sumOf(parts, "from the prompts to the first token of each, one step over all prompts");
    return derived("ttft_s", seconds, "s", std::move(formula), std::move(parts), stepModel);
}

Quantity eachToken(const Result& result, double seconds) {
    Parts parts = causesOf(result, "Time per output token", seconds);
    std::string formula = sumOf(parts, "the mean step after the first token");
    return derived("tpot_s", seconds, "s", std::move(formula), std::move(parts), stepModel);
}

/// How many came in the time of the run, of a rate that was counted.
Quantity countedIn(std::string name, double rate, const ServingMetrics& served) { return derived(std::move(name), std::round(rate * served.duration), "1", "as counted", {}, played); }

Quantity durationOf(const ServingMetrics& served) { return derived("duration_s", served.duration, "s", "first arrival to last token", {}, played); }

constexpr const char* nothingServed = "none: nothing was served";

/// So many of the counted in the time of the run.
Quantity rateOf(std::string name, double rate, const std::string& counted, const ServingMetrics& served) {
    if (served.duration <= 0) return derived(std::move(name), rate, "1/s", nothingServed, {}, played);
    return derived(std::move(name), rate, "1/s", counted + "/duration", {countedIn(counted, rate, served), durationOf(served)}, played);
}

/// The spread of a figure over the requests.
std::optional<Quantity> explainSpread(const std::string& name, const std::string& part, const Distribution& values, const char* meaning, Parts causes) {
    const std::map<std::string, std::pair<double, const char*>> known{
        {"mean", {values.mean, "mean"}}, {"p50", {values.p50, "half of the values are at most this"}}, {"p90", {values.p90, "90 % of the values are at most this"}}, {"p95", {values.p95, "95 % of the values are at most this"}}, {"p99", {values.p99, "99 % of the values are at most this"}}};
    const auto found = known.find(part);
    if (found == known.end()) return std::nullopt;
    if (part == "mean" && !causes.empty()) {
        std::string formula = sumOf(causes, "the mean ") + meaning;
        return derived(name + ", mean", values.mean, "s", std::move(formula), std::move(causes), played);
    }
    return derived(name + ", " + part, found->second.first, "s", std::string(found->second.second) + "; " + meaning, {}, played);
}

Quantity price(const Result& result) {
    return given("price of an accelerator hour", result.scenario.economics.pricePerAcceleratorHour.value_or(0), "$/h", "/economics/price_per_accelerator_hour");
}

Quantity outputRate(const ServingMetrics& served) {
    return rateOf("output_tokens_per_s", served.outputTokensPerSecond, "generated tokens", served);
}

/// Cache blocks: what memory leaves.
Quantity cacheFigure(const CacheReport& cache, const std::string& part, const Result& result) {
    const double layers = double(result.scenario.model.layers);
    Quantity perToken = derived("kv_cache, bytes_per_token", cache.bytesPerToken, "bytes", "layers × bytes of a layer",
                                {given("layers", layers, "1", "/model"), derived("bytes of a layer", cache.bytesPerToken / layers, "bytes", "keys and values of all heads in the cache's format, or the latent of MLA, on all accelerators of the instance", {}, "Hugging Face config")}, "Hugging Face config");
    if (part == "bytes_per_token") return perToken;
    if (part == "block_size") return given("kv_cache, block_size", cache.blockSize, "tokens", "/workload/engine/block_size");
    return derived("kv_cache, blocks", double(cache.blocks), "1", "as many as fit into what weights, a full step and software leave of the memory that the engine takes",
                   {given("memory", result.memory.capacityBytes, "bytes", result.scenario.cluster.accelerator.citation.source), perToken, given("block size", cache.blockSize, "tokens", "/workload/engine/block_size")});
}

std::optional<Quantity> explainServedTime(const ServingBreakdown& parts, const std::string& part) {
    const std::map<std::string, std::pair<double, const char*>> known{
        {"front_end", {parts.frontEnd, "the way from the client to the engine and back, of the profile"}}, {"encode", {parts.encode, "mean time from the front end until an engine has what an encoder made of the images"}}, {"queue", {parts.queue, "mean wait for a place"}}, {"prefill", {parts.prefill, "mean time from the place to the end of the prompt, without preemptions"}}, {"decode", {parts.decode, "mean time from the end of the prompt to the last token, without what stands beside"}}, {"preempted", {parts.preempted, "mean wait for another place after a preemption"}}, {"kv_transfer", {parts.kvTransfer, "mean time of keys and values on their way to the instance that decodes"}}};
    const auto found = known.find(part);
    if (found == known.end()) return std::nullopt;
    return derived("time_breakdown_s, " + part, found->second.first, "s", found->second.second, {}, played);
}

/// `part`: empty for the whole.
std::optional<Quantity> explainRate(const ServingReport& report, const std::string& part) {
    const RateParts& rate = *report.rate;
    const Quantity whole = derived("seconds_per_output_token", rate.total(), "s", "1/output tokens per s", {outputRate(report.served)});
    if (part.empty()) return whole;
    const auto one = [&](double seconds, const char* meaning) { return derived("output_token_breakdown_s, " + part, seconds, "s", meaning, {}, played); };
    if (part == "idle") return one(rate.idle, "time in which an instance runs no step, in the mean of instances, for each token generated");
    if (part == "prompts") return one(rate.prompts, "time of steps that work on prompts, in the mean of instances, for each token generated");
    for (std::size_t i = 0; i < latencyPartCount; ++i)
        if (keyOf(LatencyFigure::tpot, static_cast<LatencyPart>(i)) == part) return one(rate.decode.seconds[i], "time of steps of decodes alone, as a mean one spends it, for each token generated");
    return std::nullopt;
}

std::optional<Quantity> explainLatencyPart(LatencyFigure which, const LatencyParts& parts, const std::string& key, double mean) {
    const bool first = which == LatencyFigure::ttft;
    for (std::size_t i = 0; i < latencyPartCount; ++i) {
        const auto part = static_cast<LatencyPart>(i);
        if (!isPartOf(which, part) || keyOf(which, part) != key) continue;
        Quantity one = quantityOf(parts, part, (first ? "ttft_breakdown_s, " : "tpot_breakdown_s, ") + key);
        one.reference = played;
        one.inputs.push_back(derived(first ? "ttft_s, mean" : "tpot_s, mean", mean, "s", "", {}, first ? "/ttft_s/mean" : "/tpot_s/mean"));
        return one;
    }
    return std::nullopt;
}

bool hasWindows(const Architecture& model) {
    return std::any_of(model.kinds.begin(), model.kinds.end(), [](const LayerKind& kind) { return kind.attends() && (kind.reach == AttentionReach::window || kind.reach == AttentionReach::chunk); });
}

} // namespace

const char* engineMemoryFormula(const Scenario& scenario, MemoryKind kind) {
    const bool served = std::holds_alternative<ServingWorkload>(scenario.workload);
    switch (kind) {
    case MemoryKind::weights: return "weights of a rank of the fullest stage, in their format";
    case MemoryKind::kv_cache:
        if (served) return "all blocks of the cache, on a rank";
        return hasWindows(scenario.model) ? "keys and values of all sequences, prompt and answer, on a rank; layers with windows keep what the next token sees"
                                          : "keys and values of all sequences, prompt and answer, on a rank";
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
    const Quantity answer = given("answer", workload.outputLength, "tokens", "/workload/output_length"), batch = given("batch", workload.batchSize, "sequences", "/workload/batch_size");
    const Quantity latency = derived("request_latency_s", metrics.requestLatency, "s", "ttft + (answer − 1) × tpot", {firstToken(result, metrics.ttft), eachToken(result, metrics.tpot), answer});
    const Quantity rate = derived("output_tokens_per_s", metrics.outputTokensPerSecond, "1/s", "batch × answer/request latency", {batch, answer, latency});
    if (name == "ttft_s") return firstToken(result, metrics.ttft);
    if (name == "tpot_s") return eachToken(result, metrics.tpot);
    if (name == "request_latency_s") return latency;
    if (name == "output_tokens_per_s") return rate;
    if (name == "output_tokens_per_s_per_accelerator")
        return derived(name, metrics.outputTokensPerSecondPerAccelerator, "1/s", "output tokens per s/accelerators of an instance", {rate, given("accelerators of an instance", std::round(metrics.outputTokensPerSecond / metrics.outputTokensPerSecondPerAccelerator), "1", "/parallelism")});
    return std::nullopt;
}

std::optional<Quantity> explainServing(const Result& result, const ServingReport& report, const std::vector<std::string>& tokens) {
    if (tokens.empty()) return std::nullopt;
    const ServingMetrics& served = report.served;
    const std::string &name = tokens.front(), part = tokens.size() > 1 ? tokens[1] : std::string();
    if (name == "fleet" && report.fleet) return explainFleet(report, tokens);
    if (tokens.size() == 2) {
        if (name == "ttft_s") return explainSpread(name, part, served.ttft, "from arrival to the first token, completed requests", causesOf(result, "Time to first token", served.ttft.mean));
        if (name == "tpot_s") return explainSpread(name, part, served.tpot, "from the first to the last token by the tokens after the first, completed requests of several", causesOf(result, "Time per output token", served.tpot.mean));
        if (name == "itl_s") return explainSpread(name, part, served.itl, "between moments at which tokens of a request come out", {});
        if (name == "e2e_s") return explainSpread(name, part, served.e2e, "from arrival to the last token, completed requests", {});
        if (name == "queue_s") return explainSpread(name, part, served.queue, "waiting for a place, not after preemptions", {});
        if (name == "tier_hit_rate") {
            for (const CacheTierKind tier : report.tiers)
                if (part == wordOf(tier)) return derived(name + ", " + part, served.tierHitRate[static_cast<std::size_t>(tier)], "1", "share of the prompts' tokens found in this tier when the request got its place", {}, played);
        }
        if (name == "kv_cache") return cacheFigure(report.cache, part, result);
        if (name == "time_breakdown_s") return explainServedTime(served.breakdown, part);
        if (name == "ttft_breakdown_s") return explainLatencyPart(LatencyFigure::ttft, report.ttftParts, part, served.ttft.mean);
        if (name == "output_token_breakdown_s" && report.rate) return explainRate(report, part);
        if (name == "tpot_breakdown_s") return explainLatencyPart(LatencyFigure::tpot, report.tpotParts, part, served.tpot.mean);
        if (name == "requests") {
            const double value = double(part == "completed" ? served.completed : part == "rejected" ? served.rejected
                                                                                                    : served.count);
            return derived("requests, " + part, value, "1", part == "count" ? "requests that came" : part == "completed" ? "requests that got all their tokens"
                                                                                                 : report.fleet          ? "requests too long for a limit, and those that the fleet refused"
                                                                                                                         : "requests too long for the model's or the cache's limit",
                           {}, played);
        }
        return std::nullopt;
    }
    if (tokens.size() != 1) return std::nullopt;
    if (name == "duration_s") return durationOf(served);
    if (name == "output_tokens_per_s") return outputRate(served);
    if (name == "total_tokens_per_s") return rateOf(name, served.totalTokensPerSecond, "tokens of prompts and answers", served);
    const double ofOne = report.outputTokensPerSecondPerAccelerator;
    const Quantity perAccelerator = ofOne > 0 ? derived("output_tokens_per_s_per_accelerator", ofOne, "1/s", "output tokens per s/accelerators in use",
                                                        {outputRate(served), derived("accelerators in use", report.fleet ? served.outputTokensPerSecond / ofOne : std::round(served.outputTokensPerSecond / ofOne), "1", report.fleet ? "of the replicas that were paid for, mean" : "of all instances")})
                                              : derived("output_tokens_per_s_per_accelerator", ofOne, "1/s", nothingServed, {}, played);
    if (name == "output_tokens_per_s_per_accelerator") return perAccelerator;
    if (name == "preemptions") return derived(name, double(served.preemptions), "1", "requests that lost their blocks to others, counted each time", {}, played);
    if (name == "kv_cache_utilisation") return derived(name, served.kvCacheUtilisation, "1", "share of the blocks in use, mean over the time of steps", {}, played);
    if (name == "prefix_hit_rate") return derived(name, served.prefixHitRate, "1", "share of the prompts' tokens found in the cache when the request got its place", {}, played);
    if (name == "output_tokens_per_s_per_user") {
        if (served.tpot.mean <= 0) return derived(name, 0, "1/s", nothingServed, {}, played);
        return derived(name, 1 / served.tpot.mean, "1/s", "1/mean time per output token", {derived("mean time per output token", served.tpot.mean, "s", "", {}, "/tpot_s/mean")});
    }
    if (name == "seconds_per_output_token" && report.rate) return explainRate(report, {});
    if (name == "cost_per_million_output_tokens" && report.costPerMillionOutputTokens)
        return derived(name, *report.costPerMillionOutputTokens, "$", "10⁶ × price of an accelerator hour/output tokens per s per accelerator", {price(result), perAccelerator});
    if (name == "energy_j_per_output_token" && report.energyPerOutputToken) {
        Quantity energy = derived(name, *report.energyPerOutputToken, "J", "power × time of accelerators in steps/generated tokens", {}, "power as if drawn whole while a step runs");
        const Economics& economics = result.scenario.economics;
        const Accelerator& accelerator = result.scenario.cluster.accelerator;
        const Quantity power = given("power", economics.powerWatts.value_or(accelerator.tdpWatts), "W", economics.powerWatts ? "/economics/power_w" : accelerator.citation.source);
        const Quantity tokensMade = countedIn("generated tokens", served.outputTokensPerSecond, served);
        energy.inputs = {power, derived("time of accelerators in steps", power.value > 0 ? *report.energyPerOutputToken * tokensMade.value / power.value : 0, "s", "sum over accelerators, at this power", {}, played), tokensMade};
        energy.source = Source::assumed;
        return energy;
    }
    if (name == "goodput_requests_per_s" && served.goodput) return rateOf(name, *served.goodput, "requests within all limits", served);
    return std::nullopt;
}

} // namespace orrery
