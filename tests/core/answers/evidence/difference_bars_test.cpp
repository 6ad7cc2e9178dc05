// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/bar_width.hpp"
#include "core/answers/evidence/difference_bars.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "resources/shipped_evidence.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace orrery {
namespace {

using test::catalog;

Json trained(int tensor, int microBatch, const char* framework = "nemo-2024") {
    return Json{{"format", "orrery-scenario/1"},
                {"model", {{"preset", "llama-3.1-8b"}}},
                {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 8}}},
                {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 256}, {"micro_batch_size", microBatch}, {"precision", "bf16"}}},
                {"parallelism", {{"tensor", tensor}}},
                {"execution", {{"framework", framework}}}};
}

Scenario scenarioOf(const Json& document) {
    const ScenarioReading reading = readScenario(document, catalog());
    EXPECT_TRUE(reading.scenario) << (reading.problems.empty() ? "" : reading.problems.front().message);
    return *reading.scenario;
}

/// Sources of six plans each on one machine: each source is off by a factor of its own, each run by a little more.
std::shared_ptr<const Evidence> sourcesWithBias(double bias, double scatter) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    const char* frameworks[] = {"nemo-2024", "torchtitan-2025", "nanotron-2024", "llm-foundry-2024"};
    Evidence evidence;
    for (int source = 0; source < 12; ++source) {
        const double common = bias * normal(random);
        for (int plan = 0; plan < 6; ++plan) {
            MeasuredRun one;
            one.id = std::to_string(source) + "-" + std::to_string(plan);
            one.group = "group " + std::to_string(source);
            one.source = "source " + std::to_string(source);
            one.accelerator = "h100-sxm5-80gb";
            one.accelerators = 64;
            one.model = "model " + std::to_string(source) + " " + std::to_string(plan / 2);
            one.kind = "dense";
            one.family = "llama";
            one.parameters = 8e9;
            one.framework = frameworks[source % 4];
            one.precision = "bf16";
            one.scenario = trained(1 << (plan % 3), 1 + plan / 3, one.framework.c_str());
            const double error = common + scatter * normal(random);
            one.figures.push_back({"iteration_time_s", 2 * std::exp(error), 2.0, 2.0});
            evidence.runs.push_back(std::move(one));
        }
    }
    return std::make_shared<const Evidence>(std::move(evidence));
}

TEST(DifferenceBars, LeaveOutWhatBothSidesHaveInCommon) {
    const Scenario a = scenarioOf(trained(1, 1)), b = scenarioOf(trained(2, 1));
    const ErrorBars biased(sourcesWithBias(0.2, 0.01), catalog());
    const DifferenceBars differences(biased, catalog());
    const double alone = biased.bar(ErrorOf::time, traitsOf(a))->factor, both = differences.of(biased, ErrorOf::time, a, b)->factor;
    EXPECT_GT(std::log(alone), 0.2);
    EXPECT_LT(std::log(both), 0.5 * std::log(alone));
    EXPECT_GT(both, 1);
    // Where runs of a source have nothing in common, nothing cancels: the difference is as unsure as two errors together, and never more.
    const ErrorBars scattered(sourcesWithBias(0, 0.1), catalog());
    const double one = scattered.bar(ErrorOf::time, traitsOf(a))->factor, two = DifferenceBars(scattered, catalog()).of(scattered, ErrorOf::time, a, b)->factor;
    EXPECT_GT(std::log(two), 0.8 * std::log(one));
    EXPECT_LE(std::log(two), std::sqrt(2) * std::log(one) * (1 + 1e-9));
}

TEST(DifferenceBars, AreTheSameFromBothSidesAndWidenWithWhatDiffers) {
    const auto bars = shippedErrorBars(catalog());
    const DifferenceBars differences(*bars, catalog());
    const Scenario a = scenarioOf(trained(1, 1)), b = scenarioOf(trained(2, 1)), c = scenarioOf(trained(2, 2));
    EXPECT_DOUBLE_EQ(differences.of(*bars, ErrorOf::time, a, b)->factor, differences.of(*bars, ErrorOf::time, b, a)->factor);
    EXPECT_GE(differences.of(*bars, ErrorOf::time, a, c)->factor, differences.of(*bars, ErrorOf::time, a, b)->factor);
    Json elsewhere = trained(2, 2);
    elsewhere["cluster"]["accelerator"] = "a100-sxm4-80gb";
    EXPECT_GT(differences.of(*bars, ErrorOf::time, a, scenarioOf(elsewhere))->factor, differences.of(*bars, ErrorOf::time, a, b)->factor);
    for (const Scenario* other : {&b, &c})
        EXPECT_LE(std::log(differences.of(*bars, ErrorOf::time, a, *other)->factor),
                  std::hypot(std::log(bars->bar(ErrorOf::time, traitsOf(a))->factor), std::log(bars->bar(ErrorOf::time, traitsOf(*other))->factor)) * (1 + 1e-12));
}

/// Nine of ten pairs of measured runs lie inside, by laws that know nothing of the pair's source.
TEST(DifferenceBars, HoldForWholeSourcesLeftOut) {
    const auto bars = shippedErrorBars(catalog());
    const DifferenceBars differences(*bars, catalog());
    for (const bool known : {false, true}) {
        const std::vector<DifferenceBars::Pair>& pairs = differences.pairs(ErrorOf::time, known);
        ASSERT_GT(pairs.size(), 1000u);
        std::size_t inside = 0;
        std::map<std::size_t, DifferenceBars::Law> without;
        for (const DifferenceBars::Pair& pair : pairs) {
            if (!without.contains(pair.source)) {
                std::vector<DifferenceBars::Pair> rest;
                for (const DifferenceBars::Pair& one : pairs)
                    if (one.source != pair.source) rest.push_back(one);
                without.emplace(pair.source, DifferenceBars::Law(std::move(rest)));
            }
            if (pair.error <= *without.at(pair.source).halfWidth(pair.terms, pair.around)) ++inside;
        }
        EXPECT_GE(double(inside) / double(pairs.size()), 0.86) << known;
    }
}

TEST(ErrorBar, EndsWhereNothingFasterIsPossible) {
    const Scenario scenario = scenarioOf(trained(1, 1));
    const Outcome outcome = simulate(scenario);
    ASSERT_TRUE(outcome.result);
    const Result& result = *outcome.result;
    EXPECT_DOUBLE_EQ(fastestPossible(result, ErrorOf::time), 1 / std::max(result.training()->mfu, result.training()->hfu));
    ErrorBar bar;
    bar.factor = 4;
    bar.fastest = fastestPossible(result, ErrorOf::time);
    ASSERT_FALSE(bar.symmetric());
    const double time = result.training()->iterationTime;
    // At the peak rate, and as slow as the factor says.
    EXPECT_NEAR(result.training()->mfu * time / bar.low(time), result.training()->mfu / std::max(result.training()->mfu, result.training()->hfu), 1e-12);
    EXPECT_DOUBLE_EQ(bar.high(time), 4 * time);
    EXPECT_NEAR(bar.high(1 / time, true), 1 / bar.low(time), 1e-12);
    EXPECT_NEAR(bar.low(1 / time, true), 1 / bar.high(time), 1e-12);
    EXPECT_LT(fastestPossible(result, ErrorOf::memory), 100);
    EXPECT_GE(fastestPossible(result, ErrorOf::memory), 1);
}

TEST(ErrorBar, AServerAnswersNoFasterThanItIsAsked) {
    Json served = trained(1, 1, "vllm-2025");
    served["cluster"]["nodes"] = 1;
    served["cluster"]["accelerators_per_node"] = 1;
    served["workload"] = {{"kind", "serving"}, {"requests", {{"count", 60}, {"arrival", {{"process", "uniform"}, {"rate_per_s", 2}}}, {"input_tokens", 128}, {"output_tokens", 16}}}, {"precision", "bf16"}};
    const auto bars = shippedErrorBars(catalog());
    const Outcome outcome = simulate(scenarioOf(served), {}, Folding::exact, [&](Result& result) { addErrorBars(result, *bars); });
    ASSERT_TRUE(outcome.result);
    const Json document = toJson(*outcome.result);
    const RequestList& requests = *outcome.result->serving()->requests;
    const double offered = 60 * 16 / (requests.requests.back().arrival - requests.requests.front().arrival);
    EXPECT_LE(document["uncertainty"]["output_tokens_per_s"]["interval_90"]["high"].get<double>(), offered * (1 + 1e-12));
    EXPECT_LT(document["uncertainty"]["output_tokens_per_s"]["interval_90"]["low"].get<double>(), document["output_tokens_per_s"].get<double>());
}

TEST(Chance, FollowsTheBar) {
    EXPECT_DOUBLE_EQ(chanceBelow(1, 1.2, 0.9), 0.5);
    EXPECT_NEAR(chanceBelow(1.2, 1.2, 0.9), 0.95, 1e-12);
    EXPECT_NEAR(chanceBelow(1 / 1.2, 1.2, 0.9), 0.05, 1e-12);
    EXPECT_NEAR(chanceBelow(1.44, 1.2, 0.9), 0.995, 1e-12);
    EXPECT_EQ(chanceBelow(1.01, 1, 0.9), 1);
    EXPECT_EQ(chanceBelow(0.99, 1, 0.9), 0);
}

} // namespace
} // namespace orrery
