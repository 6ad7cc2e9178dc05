// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_run.hpp"
#include "core/base/units.hpp"
#include "core/results/derivation/pointer_place.hpp"
#include "core/results/report/bottleneck.hpp"

#include <utility>

namespace orrery {
namespace {

constexpr const char* dalyPaper = "Daly 2006, FGCS 22, equation 20";

using Inputs = std::vector<Quantity>;

class RunExplainer {
public:
    RunExplainer(const Scenario& scenario, const TrainingMetrics& metrics) : scenario_(scenario), metrics_(metrics), run_(*metrics.run) {}

    std::optional<Quantity> explain(const std::string& name) const {
        if (run_.days) {
            if (name == "days") return days();
            if (name == "accelerator_hours") return hours();
            if (name == "cost" && run_.cost) return derived(name, *run_.cost, "money", "accelerator hours × price of an hour", {hours(), given("price of an hour", scenario_.economics.pricePerAcceleratorHour.value_or(0), "money/h", "/economics/price_per_accelerator_hour")});
            if (name == "energy_kwh" && run_.energyKwh) return derived(name, *run_.energyKwh, "kWh", "accelerator hours × power", {hours(), power()});
        }
        return run_.failures ? explainFailures(*run_.failures, name) : std::nullopt;
    }

private:
    std::optional<Quantity> explainFailures(const FailureReport& failures, const std::string& name) const {
        if (name == "goodput") return goodput();
        if (name == "mtbf_hours") return derived(name, failures.mtbf / units::hour, "h", "MTBF of an accelerator/accelerators", {ofAccelerator(), accelerators()});
        if (name == "checkpoint_interval_s") return interval();
        if (name == "best_checkpoint_interval_s") return best();
        if (name == "young_checkpoint_interval_s") return derived(name, failures.youngInterval, "s", "√(2 × δ × M)", {mtbf(), checkpoint()}, "Young 1974, CACM 17");
        if (name == "spares_last_hours") return derived(name, failures.sparesLast / units::hour, "h", "(spares + 1) × MTBF of the job", {mtbf(), given("spares", scenario_.reliability->spares, "1", "/reliability/spares")});
        if (name == "failures" && failures.failures) return derived(name, *failures.failures, "1", "days/MTBF of the job", {days(), mtbf()});
        return std::nullopt;
    }

    Quantity days() const {
        Inputs inputs{given("tokens", scenario_.economics.tokensTotal.value_or(0), "1", "/economics/tokens_total"), rate()};
        if (run_.failures) inputs.push_back(goodput());
        return derived("days", run_.days.value_or(0), "d", run_.failures ? "tokens/(tokens per s × goodput)" : "tokens/tokens per s", std::move(inputs));
    }
    Quantity rate() const {
        return derived("tokens_per_s", metrics_.tokensPerSecond, "1/s", "tokens of an iteration/iteration time",
                       {given("tokens of an iteration", metrics_.tokensPerSecond * metrics_.iterationTime, "1", "/workload"), derived("iteration_time_s", metrics_.iterationTime, "s", "what the simulation gives", {}, "/iteration_time_s")});
    }
    Quantity ofAccelerator() const { return given("MTBF of an accelerator", scenario_.reliability->meanTimeBetweenFailures / units::hour, "h", "/reliability/mtbf_hours_per_accelerator"); }
    Quantity hours() const {
        const bool spares = scenario_.reliability && scenario_.reliability->spares > 0;
        Inputs inputs{days(), accelerators()};
        if (spares) inputs.push_back(given("spares", scenario_.reliability->spares, "1", "/reliability/spares"));
        return derived("accelerator_hours", run_.acceleratorHours, "h", spares ? "days × (accelerators + spares)" : "days × accelerators", std::move(inputs));
    }
    Quantity power() const {
        if (scenario_.economics.powerWatts) return given("power", *scenario_.economics.powerWatts, "W", "/economics/power_w");
        return {"power", scenario_.cluster.accelerator.tdpWatts, "W", Source::given, "thermal design power", scenario_.cluster.accelerator.citation.source, {}};
    }
    Quantity goodput() const {
        Inputs inputs{interval(), mtbf(), checkpoint(), given("restart R", scenario_.reliability->restartTime, "s", "/reliability/restart_s")};
        return derived("goodput", run_.failures->goodput, "1", "τ/(M × e^(R/M) × (e^((τ + δ)/M) − 1))", std::move(inputs), dalyPaper);
    }
    Quantity interval() const {
        const double value = run_.failures->checkpointInterval;
        if (!scenario_.reliability->checkpointInterval) return best();
        return given("checkpoint interval τ", value, "s", "/reliability/checkpoint_interval_s");
    }
    Quantity best() const { return derived("best checkpoint interval τ", run_.failures->bestInterval, "s", "(1 − τ/M) × e^((τ + δ)/M) = 1", {mtbf(), checkpoint()}, dalyPaper); }
    Quantity mtbf() const { return derived("MTBF of the job M", run_.failures->mtbf, "s", "MTBF of an accelerator/accelerators", {ofAccelerator(), accelerators()}); }
    Quantity checkpoint() const { return given("checkpoint δ", scenario_.reliability->checkpointTime, "s", "/reliability/checkpoint_s"); }
    Quantity accelerators() const { return given("accelerators", scenario_.parallelism.ranks(), "1", "/cluster"); }

    const Scenario& scenario_;
    const TrainingMetrics& metrics_;
    const RunEstimate& run_;
};

} // namespace

std::optional<Quantity> explainRun(const Scenario& scenario, const TrainingMetrics& metrics, const std::vector<std::string>& tokens) {
    if (!metrics.run || tokens.size() != 2) return std::nullopt;
    return RunExplainer(scenario, metrics).explain(tokens[1]);
}

namespace {

constexpr const char* orderStatistics = "David, Nagaraja: Order Statistics, 2003";

Quantity jitterTime(std::string name, double value, std::string formula, std::string reference = {}) {
    return derived(std::move(name), value, "s", std::move(formula), {}, std::move(reference));
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

Quantity jitterCount(std::string name, double value, std::string formula) { return derived(std::move(name), value, "1", std::move(formula)); }

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

std::optional<Quantity> explainBottleneck(const Result& result, const std::vector<std::string>& tokens) {
    const auto bottleneck = bottleneckOf(result);
    if (!bottleneck || tokens.size() != 3 || tokens[1] != "time_s") return std::nullopt;
    for (const Bound bound : allBounds) {
        if (tokens[2] != toString(bound)) continue;
        Quantity total{tokens[2], bottleneck->time[static_cast<std::size_t>(bound)], "s", Source::derived, "", "", {}};
        if (const TrainingMetrics* metrics = result.training(); metrics && bound == Bound::network) {
            total.formula = "sum of the closing stage's waits for communication";
            for (std::size_t part = 0; part < timePartCount; ++part)
                if (isExposed(static_cast<TimePart>(part)))
                    total.inputs.push_back({std::string(toString(static_cast<TimePart>(part))), metrics->breakdown[part], "s", Source::derived, "", "discrete-event timeline of the closing stage", {}});
            return total;
        }
        total.formula = "sum of the operators that this bounds, before overlap";
        for (const OperationRow& row : result.operations)
            if (row.bound == bound) total.inputs.push_back({row.kind, row.time, "s", row.source, "", "all instances, mean per accelerator", {}});
        return total;
    }
    return std::nullopt;
}

} // namespace orrery
