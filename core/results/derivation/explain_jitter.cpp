// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_jitter.hpp"

#include "core/results/derivation/pointer_place.hpp"

#include <utility>

namespace orrery {
namespace {

constexpr const char* orderStatistics = "David, Nagaraja: Order Statistics, 2003";

Quantity jitterTime(std::string name, double value, std::string formula, std::string reference = {}) {
    return {std::move(name), value, "s", Source::derived, std::move(formula), std::move(reference), {}};
}

Quantity mean(const JitterReport& jitter) {
    Quantity sum = jitterTime("mean iteration with jitter", jitter.own.mean,
                              jitter.draws > 0 ? "mean over drawn iterations" : "sum of the iteration without jitter and the waits for the slowest", orderStatistics);
    sum.inputs = {
        jitterTime("without jitter", jitter.without, "discrete-event timeline"),
        jitterTime("within layers", jitter.parts.inLayers, "at each collective of a layer its ranks wait for the slowest: E[max of n] of a sum of kernels, log-normal",
                   "Fenton 1960, Wilkinson"),
        jitterTime("between stages", jitter.parts.betweenStages, "each micro-batch lasts as long as the slowest of the stages that wait for each other"),
        jitterTime("between pipelines", jitter.parts.betweenReplicas, "at the end of the iteration all wait for the slowest: the distribution function to the power of their number",
                   orderStatistics),
        jitterTime("hosts that differ", jitter.parts.hosts, "the same with hosts that differ, less the same with hosts alike"),
        jitterTime("transfers", jitter.parts.transfers, "exposed collectives and sends end with the slowest of their members"),
    };
    return sum;
}

Quantity jitterCount(std::string name, double value, std::string formula) { return {std::move(name), value, "1", Source::derived, std::move(formula), "", {}}; }

/// A point of the curve over the number of ranks: the job's own plan with as many pipelines as that takes.
std::optional<Quantity> explainPoint(const JitterReport& jitter, const std::vector<std::string>& tokens) {
    const auto place = placeIn(tokens[2], jitter.curve.size());
    if (!place) return std::nullopt;
    const JitterPoint& point = jitter.curve[*place];
    const std::string& name = tokens[3];
    const Quantity ranks = jitterCount("ranks", point.ranks, "accelerators of as many pipelines of this plan");
    if (name == "ranks") return ranks;
    const auto timed = [&](const char* what, double value, std::string formula) {
        Quantity time = jitterTime(what, value, std::move(formula), orderStatistics);
        time.inputs.push_back(ranks);
        return time;
    };
    if (name == "mean_s") return timed("mean iteration", point.mean, "as the mean with jitter, for so many accelerators");
    if (name == "hosts_s") return timed("hosts that differ", point.hosts, "mean with hosts that differ less the mean with hosts alike");
    if (name == "p5_s") return timed("5th percentile", point.p5, "time that this share of iterations stays below");
    if (name == "p50_s") return timed("median", point.p50, "time that this share of iterations stays below");
    if (name == "p95_s") return timed("95th percentile", point.p95, "time that this share of iterations stays below");
    return std::nullopt;
}

} // namespace

std::optional<Quantity> explainJitter(const JitterReport& jitter, const std::vector<std::string>& tokens) {
    if (tokens.size() == 2 && tokens[1] == "mean_s") return mean(jitter);
    if (tokens.size() == 2 && tokens[1] == "without_s") return jitterTime("without jitter", jitter.without, "discrete-event timeline");
    const std::string level = "time that this share of iterations stays below";
    if (tokens.size() == 2 && tokens[1] == "p5_s") return jitterTime("5th percentile", jitter.own.p5, level);
    if (tokens.size() == 2 && tokens[1] == "p50_s") return jitterTime("median", jitter.own.p50, level);
    if (tokens.size() == 2 && tokens[1] == "p95_s") return jitterTime("95th percentile", jitter.own.p95, level);
    if (tokens.size() == 3 && tokens[1] == "slowest_host" && tokens[2] == "cost_s") {
        Quantity cost = jitterTime("what the slowest host costs", jitter.own.hosts, "mean with hosts that differ less the mean with hosts alike");
        cost.inputs.push_back({"factor of the slowest of " + std::to_string(jitter.hostCount), jitter.slowestHost, "1", Source::derived, "E[max of n hosts] = ∫ (1 − Fⁿ)", orderStatistics, {}});
        return cost;
    }
    if (tokens.size() == 2 && tokens[1] == "draws") return jitterCount("draws", jitter.draws, "iterations drawn at random");
    if (tokens.size() == 2 && tokens[1] == "seed") return Quantity{"seed", double(jitter.seed), "1", Source::given, "", "/execution/jitter/seed", {}};
    if (tokens.size() == 3 && tokens[1] == "slowest_host") {
        if (tokens[2] == "hosts") return jitterCount("hosts", jitter.hostCount, "that the job runs on");
        if (tokens[2] == "factor") return Quantity{"factor of the slowest host", jitter.slowestHost, "1", Source::derived, "E[max of n hosts] = ∫ (1 − Fⁿ)", orderStatistics, {jitterCount("hosts", jitter.hostCount, "that the job runs on")}};
    }
    if (tokens.size() == 3 && tokens[1] == "parts_s") {
        static const std::vector<std::string> keys{"in_layers", "between_stages", "between_replicas", "hosts", "transfers"};
        const Quantity whole = mean(jitter);
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (tokens[2] == keys[i]) return whole.inputs[i + 1]; // the first is the iteration without jitter
    }
    return tokens.size() == 4 && tokens[1] == "by_ranks" ? explainPoint(jitter, tokens) : std::nullopt;
}

} // namespace orrery
