// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/explain_jitter.hpp"

#include <utility>

namespace orrery {
namespace {

constexpr const char* orderStatistics = "David, Nagaraja: Order Statistics, 2003";

Quantity jitterTime(std::string name, double value, std::string formula, std::string reference = {}) {
    return {std::move(name), value, "s", Source::derived, std::move(formula), std::move(reference), {}};
}

Quantity mean(const JitterReport& jitter) {
    Quantity sum = jitterTime("mean iteration with jitter", jitter.own.mean,
                              jitter.draws > 0 ? "mean over drawn iterations" : "without jitter + waits for the slowest", orderStatistics);
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
    return std::nullopt;
}

} // namespace orrery
