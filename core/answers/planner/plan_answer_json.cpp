// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/planner.hpp"
#include "core/base/json.hpp"
#include "core/results/report/figures_with_bars.hpp"

#include <utility>

namespace orrery {
namespace {

/// The figures that plans are chosen by; what an estimate does not tell is null.
Json figuresOf(const PlannedRun& run) {
    const Result& result = *run.result;
    Json figures = Json::object();
    if (const TrainingMetrics* metrics = result.training()) {
        const auto known = [&](double value) { return run.simulated ? Json(value) : Json(); };
        figures = {{"iteration_time_s", metrics->iterationTime},
                   {"tokens_per_s", metrics->tokensPerSecond},
                   {"tokens_per_s_per_accelerator", metrics->tokensPerSecondPerAccelerator},
                   {"mfu", known(metrics->mfu)},
                   {"bubble_fraction", known(metrics->bubbleFraction)}};
    }
    if (const ServingReport* report = result.serving()) {
        figures = {{"output_tokens_per_s", report->served.outputTokensPerSecond},
                   {"output_tokens_per_s_per_accelerator", report->outputTokensPerSecondPerAccelerator},
                   {"ttft_s", {{"p50", report->served.ttft.p50}, {"p90", report->served.ttft.p90}}},
                   {"tpot_s", {{"p50", report->served.tpot.p50}, {"p90", report->served.tpot.p90}}},
                   {"goodput_requests_per_s", report->served.goodput ? Json(*report->served.goodput) : Json()}};
    }
    figures["peak_memory_bytes"] = result.memory.peakBytes;
    figures["capacity_bytes"] = result.memory.capacityBytes;
    return figures;
}

Json planDocument(const PlannedRun& run, const std::optional<double>& bestIsBetter, bool isBest) {
    const auto fits = fitsProbability(*run.result);
    Json document{{"plan", planText(run.result->scenario)}, {"scenario", *run.scenario}, {"figures", figuresOf(run)}, {"source", run.simulated ? "simulation" : "estimate"}, {"fits_probability", fits ? Json(*fits) : Json()}};
    if (!isBest) document["probability_best_is_better"] = bestIsBetter ? Json(*bestIsBetter) : Json();
    return document;
}

} // namespace

Json toJson(const PlanAnswer& answer) {
    Json others = Json::array();
    for (std::size_t i = 1; i < answer.plans.size(); ++i) others.push_back(planDocument(answer.plans[i], answer.probabilityBetter[i - 1], false));
    Json launch{{"for", answer.launch.tool.empty() ? Json() : Json(answer.launch.tool)}, {"text", answer.launch.text.empty() ? Json() : Json(answer.launch.text)}};
    if (!answer.launch.whyNone.empty()) launch["why_none"] = answer.launch.whyNone;
    return {{"format", "orrery-plan/1"},
            {"best", planDocument(answer.plans.front(), std::nullopt, true)},
            {"others", std::move(others)},
            {"reasons", answer.reasons},
            {"launch", std::move(launch)},
            {"machine", {{"text", answer.machine.text()}, {"counts", answer.machine.countsHosts ? "hosts" : "accelerators"}, {"hosts", answer.machine.hosts}, {"accelerators", answer.machine.accelerators()}}},
            {"margin", answer.margin.share},
            {"combinations", answer.looked.combinations},
            {"estimated", answer.looked.estimated},
            {"simulated", answer.looked.simulated},
            {"space", *answer.space},
            {"split_space", *answer.splitSpace}};
}

} // namespace orrery
