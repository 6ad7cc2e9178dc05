// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/reasons.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/results/report/uncertainty.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

namespace orrery {
namespace {

std::string rounded(double value, double digits = 3) {
    if (value == 0) return "0";
    const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - digits + 1);
    return formatNumber(std::round(value / unit) * unit);
}

std::string percentOf(double share) { return formatNumber(std::round(1000 * share) / 10) + " %"; }
std::string seconds(double time) { return time >= 1 ? rounded(time, 4) + " s" : rounded(1000 * time) + " ms"; }
std::string gibibytes(double bytes) { return rounded(bytes / units::gibibyte) + " GiB"; }

double share(const TrainingMetrics& metrics, TimePart part) { return metrics.breakdown[static_cast<std::size_t>(part)] / metrics.iterationTime; }

std::string whyBestServes(const PlanAnswer& answer, const PlannedRun& best) {
    return "Best is " + planText(best.result->scenario) + ": " + answer.objective + " of " + formatNumber(answer.looked.combinations) + " combinations, of which " + formatNumber(static_cast<double>(answer.looked.estimated)) +
           " were simulated for their figures; the others lie between such that keep the limits, or such that break them.";
}

std::string whyBest(const PlanAnswer& answer, const PlannedRun& best) {
    if (best.result->serving()) return whyBestServes(answer, best);
    const std::string looked = formatNumber(answer.looked.combinations) + " combinations, of which " + formatNumber(static_cast<double>(answer.looked.legal)) + " are plans that may fit; " + formatNumber(static_cast<double>(answer.looked.estimated));
    const std::string plan = planText(best.result->scenario);
    return "Best is " + plan + ": " + answer.objective + " of " + looked + " were estimated and " + formatNumber(static_cast<double>(answer.looked.simulated)) + " simulated whole.";
}

/// What the closing stage waits for, largest first.
std::string whatItWaitsFor(const TrainingMetrics& metrics) {
    std::array parts{std::pair{TimePart::tensor_exposed, "tensor communication"}, std::pair{TimePart::context_exposed, "context communication"}, std::pair{TimePart::expert_exposed, "experts' exchange"},
                     std::pair{TimePart::pipeline_exposed, "sends between stages"}, std::pair{TimePart::data_exposed, "data-parallel communication"}, std::pair{TimePart::bubble, "the pipeline's bubble"},
                     std::pair{TimePart::recompute, "recomputation"}, std::pair{TimePart::optimizer, "the optimizer's step"}, std::pair{TimePart::overhead, "overhead of the host"}};
    std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) { return share(metrics, a.first) > share(metrics, b.first); });
    constexpr double least = 0.005;
    constexpr std::size_t most = 3;
    std::vector<std::string> words;
    double kernels = share(metrics, TimePart::forward) + share(metrics, TimePart::backward);
    for (const auto& [part, name] : parts)
        if (words.size() < most && share(metrics, part) >= least) words.push_back(percentOf(share(metrics, part)) + " " + name);
    std::string text = "Its bottleneck is arithmetic: forward and backward take " + percentOf(kernels) + " of the iteration";
    constexpr double half = 0.5;
    if (kernels < half && !words.empty()) text = "Its bottleneck lies outside the kernels, which take " + percentOf(kernels) + " of the iteration";
    if (words.empty()) return text + ".";
    return text + "; it leaves on the table " + joinWords(words, "and") + ". Without them an iteration would take " + seconds(kernels * metrics.iterationTime) + ".";
}

std::string memoryReason(const PlanAnswer& answer, const Result& result) {
    const double peak = result.memory.peakBytes, capacity = result.memory.capacityBytes;
    std::string text = "Its peak is " + gibibytes(peak) + " of " + gibibytes(capacity);
    if (const auto chance = fitsProbability(result)) text += ", which fits with a probability of " + percentOf(*chance);
    return text + ". Plans leave " + percentOf(answer.margin.share) + " of the memory free, " + answer.margin.why + ".";
}

std::string orderReason(const PlanAnswer& answer, std::size_t other) {
    const Result &best = *answer.plans.front().result, &result = *answer.plans[other].result;
    std::string text = "Plan " + std::to_string(other + 1) + " (" + planText(result.scenario) + ")";
    if (best.training() && result.training()) {
        const double longer = result.training()->iterationTime / best.training()->iterationTime - 1;
        text += " takes " + percentOf(std::abs(longer)) + (longer < 0 ? " less" : " more") + " time";
        const double memory = result.memory.peakBytes - best.memory.peakBytes;
        constexpr double little = 0.02;
        if (std::abs(memory) > little * best.memory.peakBytes) text += " and " + gibibytes(std::abs(memory)) + (memory < 0 ? " less" : " more") + " memory";
    }
    if (best.serving() && result.serving()) {
        const double fewer = 1 - result.serving()->outputTokensPerSecondPerAccelerator / best.serving()->outputTokensPerSecondPerAccelerator;
        const double slower = result.serving()->served.tpot.p90 / best.serving()->served.tpot.p90 - 1;
        text += " serves " + percentOf(std::abs(fewer)) + (fewer < 0 ? " more" : " fewer") + " tokens an accelerator, each " + percentOf(std::abs(slower)) + (slower < 0 ? " sooner" : " later");
    }
    const auto& chance = answer.probabilityBetter[other - 1];
    if (!chance) return text + "; nobody knows how sure that order is, for too few such pairs were measured.";
    constexpr double open = 0.6;
    return text + "; the best is the better one with a probability of " + percentOf(*chance) + (*chance < open ? ", so that both are worth a measurement." : ".");
}

std::string estimateReason(const PlanAnswer& answer) {
    std::vector<std::string> estimated;
    for (std::size_t i = 0; i < answer.plans.size(); ++i)
        if (!answer.plans[i].simulated) estimated.push_back(std::to_string(i + 1));
    if (estimated.empty()) return {};
    return "Time and memory of plan " + joinWords(estimated, "and") + " are estimates: an event simulation would take longer than a moment. Other figures are unknown (null) until \"orrery-cli simulate\" runs it.";
}

/// The chance that a latency keeps its limit, by its error bar.
std::string limitText(const Result& result, ErrorOf what, const char* name, double value, const std::optional<double>& limit) {
    if (!limit) return std::string(name) + " " + seconds(value);
    std::string text = std::string(name) + " " + seconds(value) + " of " + seconds(*limit);
    const auto bar = result.uncertainty ? result.uncertainty->of(what) : std::nullopt;
    if (bar && value > 0) text += " (kept with a probability of " + percentOf(chanceBelow(*limit / value, bar->factor, bar->level)) + ")";
    return text;
}

/// What it serves, and how near it is to its limits.
void addServed(std::vector<std::string>& reasons, const PlanAnswer& answer, const PlanRequest& request) {
    const Result& result = *answer.plans.front().result;
    const ServingReport& report = *result.serving();
    const auto& work = std::get<ServingWorkload>(result.scenario.workload);
    reasons.push_back("It serves " + rounded(report.served.outputTokensPerSecond) + " output tokens a second; 9 of 10 requests have " + limitText(result, ErrorOf::first_token, "a first token within", report.served.ttft.p90, work.slo.ttft) + " and " +
                      limitText(result, ErrorOf::per_token, "each further one within", report.served.tpot.p90, work.slo.tpot) + ".");
    const int used = acceleratorsUsed(result.scenario), all = answer.machine.accelerators();
    const double cache = report.served.kvCacheUtilisation;
    const std::string leaves = "It leaves on the table " + percentOf(1 - cache) + " of the cache of keys and values";
    if (request.serve->rate > 0) {
        reasons.push_back(leaves + (used < all ? ", and " + counted(all - used, "accelerator") + " of the machine that this rate does not need." : "."));
    } else {
        const int engines = all / used;
        reasons.push_back(leaves + ". The machine has room for " + counted(engines, "such engine") + ", which serve " + rounded(report.outputTokensPerSecondPerAccelerator * used * engines) + " output tokens a second together.");
    }
    for (const Cause& cause : result.causes)
        if (!cause.text.empty()) return reasons.push_back("Its bottleneck: " + cause.text + ".");
}

void addAssumed(std::vector<std::string>& reasons, const PlanAnswer& answer, const PlanRequest& request) {
    const Scenario& scenario = answer.plans.front().result->scenario;
    std::vector<std::string> assumed;
    if (scenario.isTraining()) {
        const TrainingWorkload& work = scenario.training();
        if (request.train.sequence == 0) assumed.push_back("sequences of " + counted(work.sequenceLength, "token"));
        if (request.train.batch == 0) assumed.push_back("batches of " + counted(work.globalBatch, "sequence"));
    } else if (request.serve->rate > 0 && !request.serve->ttft) {
        assumed.push_back("a first token within " + seconds(*std::get<ServingWorkload>(scenario.workload).slo.ttft) + " for 9 of 10 requests");
    }
    if (request.framework.empty()) assumed.push_back("the framework " + scenario.execution.profile.id);
    if (!assumed.empty()) reasons.push_back("Assumed, for nobody said: " + joinWords(assumed, "and") + ".");
}

} // namespace

std::vector<std::string> reasonsOf(const PlanAnswer& answer, const PlanRequest& request) {
    std::vector<std::string> reasons;
    const PlannedRun& best = answer.plans.front();
    reasons.push_back(whyBest(answer, best));
    if (const TrainingMetrics* metrics = best.result->training(); metrics && best.simulated) reasons.push_back(whatItWaitsFor(*metrics));
    if (best.result->serving()) addServed(reasons, answer, request);
    reasons.push_back(memoryReason(answer, *best.result));
    for (std::size_t i = 1; i < answer.plans.size(); ++i) reasons.push_back(orderReason(answer, i));
    if (std::string text = estimateReason(answer); !text.empty()) reasons.push_back(std::move(text));
    addAssumed(reasons, answer, request);
    reasons.push_back("The machine is " + answer.machine.text() + ".");
    return reasons;
}

} // namespace orrery
