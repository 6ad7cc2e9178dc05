#include "core/evidence/coverage.hpp"
#include "core/evidence/error_bars.hpp"
#include "core/evidence/error_tables.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace orrery {
namespace {

using test::catalog;

MeasuredRun run(const std::string& id, const std::string& accelerator, const std::string& framework, const std::string& model, double measuredOverPredicted) {
    MeasuredRun one;
    one.id = id;
    one.group = framework;
    one.source = "a paper";
    one.accelerator = accelerator;
    one.accelerators = 64;
    one.model = model;
    one.kind = "dense";
    one.parameters = 7e9;
    one.framework = framework;
    one.precision = "bf16";
    one.memoryKind = "device";
    one.figures.push_back({"iteration_time_s", 2 * measuredOverPredicted, 2.0, std::nullopt});
    return one;
}

RunTraits like(const MeasuredRun& one) { return traitsOf(one, catalog()); }

ErrorBars barsOf(std::vector<MeasuredRun> runs) { return {std::make_shared<const Evidence>(Evidence{std::move(runs)}), catalog()}; }

std::vector<MeasuredRun> many(const std::string& prefix, int pairs, const std::string& accelerator, const std::string& framework, double error) {
    std::vector<MeasuredRun> runs;
    for (int i = 0; i < pairs; ++i)
        runs.push_back(run(prefix + std::to_string(i), accelerator, framework, prefix + " model " + std::to_string(i), 1 + error));
    return runs;
}

void append(std::vector<MeasuredRun>& to, const std::vector<MeasuredRun>& more) { to.insert(to.end(), more.begin(), more.end()); }

TEST(Likeness, GoesByVendorPeakAndBandwidth) {
    const auto of = [](const char* id) { return like(run("x", id, "f", "m", 1)); };
    EXPECT_EQ(likeness(of("h100-sxm5-80gb"), of("h100-sxm5-80gb")), AcceleratorLikeness::same);
    EXPECT_EQ(likeness(of("h100-sxm5-80gb"), of("h200-sxm-141gb")), AcceleratorLikeness::like);
    EXPECT_EQ(likeness(of("b200-sxm-180gb"), of("gb300")), AcceleratorLikeness::like);
    EXPECT_EQ(likeness(of("a100-sxm4-40gb"), of("a100-sxm4-80gb")), AcceleratorLikeness::like);
    EXPECT_EQ(likeness(of("a100-sxm4-80gb"), of("h100-sxm5-80gb")), AcceleratorLikeness::other);
    EXPECT_EQ(likeness(of("h100-sxm5-80gb"), of("b200-sxm-180gb")), AcceleratorLikeness::other);
    EXPECT_EQ(likeness(of("h100-sxm5-80gb"), of("mi300x")), AcceleratorLikeness::other);
}

TEST(ErrorBars, ComeFromTheRunsMostAlike) {
    // 5 % off on this machine, 50 % off elsewhere: enough of the first kind, and the second does not count.
    std::vector<MeasuredRun> runs = many("near", 35, "h100-sxm5-80gb", "nemo-2024", 0.05);
    append(runs, many("far", 60, "tpu-v6e", "maxtext-2025", 0.5));
    const ErrorBars bars = barsOf(runs);
    const std::optional<ErrorBar> bar = bars.bar(ErrorOf::time, like(runs.front()));
    ASSERT_TRUE(bar);
    EXPECT_NEAR(bar->factor, 1.05, 1e-9);
    EXPECT_EQ(bar->runs, 35);
    EXPECT_EQ(bar->sameAccelerator, 35);
    EXPECT_EQ(bar->missing, "");
    EXPECT_NEAR(bar->low(2.1), 2, 1e-9);
    EXPECT_NEAR(bar->high(2), 2.1, 1e-9);
    ASSERT_EQ(bar->nearest.size(), 5u);
    EXPECT_NEAR(bar->nearest.front().errorPercent, 100 / 1.05 - 100, 1e-9);
}

TEST(ErrorBars, WidenToFurtherRunsWhereTooFewAreNear) {
    std::vector<MeasuredRun> runs = many("near", 5, "h100-sxm5-80gb", "nemo-2024", 0.05);
    append(runs, many("framework", 10, "h100-sxm5-80gb", "torchtitan-2025", 0.2));
    append(runs, many("machine", 60, "tpu-v6e", "maxtext-2025", 0.5));
    const ErrorBars bars = barsOf(runs);
    const std::optional<ErrorBar> bar = bars.bar(ErrorOf::time, like(runs.front()));
    ASSERT_TRUE(bar);
    EXPECT_EQ(bar->runs, 75); // all as far away as the last one
    EXPECT_EQ(bar->sameFramework, 5);
    EXPECT_EQ(bar->sameAccelerator, 15);
    EXPECT_NEAR(bar->factor, 1.5, 1e-9);
    EXPECT_EQ(bar->missing, "");
}

TEST(ErrorBars, SayWhatNothingWasMeasuredOn) {
    const ErrorBars bars = barsOf(many("a", 30, "h100-sxm5-80gb", "nemo-2024", 0.1));
    RunTraits traits = like(run("x", "gaudi3", "generic-2026", "m", 1));
    traits.kind = "moe";
    const std::optional<ErrorBar> bar = bars.bar(ErrorOf::time, traits);
    ASSERT_TRUE(bar);
    EXPECT_EQ(bar->missing, "No run was measured on this accelerator or one like it, with this framework or of a model with experts.");
    EXPECT_FALSE(bar->leftOut); // there are none
    EXPECT_FALSE(barsOf(many("a", 8, "h100-sxm5-80gb", "nemo-2024", 0.1)).bar(ErrorOf::time, traits));
    EXPECT_FALSE(bars.bar(ErrorOf::memory, traits));
    EXPECT_FALSE(barsOf({}).bar(ErrorOf::time, traits));
}

TEST(ErrorBars, TakeLeftOutErrorsWhereTheStackIsUnknown) {
    std::vector<MeasuredRun> runs = many("a", 30, "h100-sxm5-80gb", "nemo-2024", 0.1);
    for (MeasuredRun& one : runs) one.figures.front().predictedLeftOut = one.figures.front().measured / 1.3;
    const ErrorBars bars = barsOf(runs);
    EXPECT_NEAR(bars.bar(ErrorOf::time, like(runs.front()))->factor, 1.1, 1e-9);
    EXPECT_FALSE(bars.bar(ErrorOf::time, like(runs.front()))->leftOut);
    EXPECT_NEAR(bars.bar(ErrorOf::time, like(run("x", "h100-sxm5-80gb", "torchtitan-2025", "m", 1)))->factor, 1.3, 1e-9);
    EXPECT_TRUE(bars.bar(ErrorOf::time, like(run("x", "h100-sxm5-80gb", "torchtitan-2025", "m", 1)))->leftOut);
    EXPECT_NEAR(bars.bar(ErrorOf::time, like(run("x", "a100-sxm4-80gb", "nemo-2024", "m", 1)))->factor, 1.3, 1e-9);
}

TEST(ErrorBars, CountTimesAndRatesAlike) {
    MeasuredRun rate = run("r", "h100-sxm5-80gb", "nemo-2024", "m", 1);
    rate.figures = {{"tokens_per_s_per_accelerator", 800, 1000, std::nullopt}};
    MeasuredRun time = run("t", "h100-sxm5-80gb", "nemo-2024", "m", 1.25);
    const ErrorBars bars = barsOf({rate, time});
    EXPECT_NEAR(bars.runs(ErrorOf::time)[0].inSample, bars.runs(ErrorOf::time)[1].inSample, 1e-12);
    EXPECT_NEAR(bars.runs(ErrorOf::time)[0].inSample, std::log(1.25), 1e-12);
}

/// Errors of the measured kind: a bias for each pair of model and accelerator, and scatter around it.
std::vector<MeasuredRun> randomRuns(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const char* accelerators[] = {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb", "tpu-v6e"};
    const char* frameworks[] = {"nemo-2024", "torchtitan-2025", "megatron-2022"};
    std::vector<MeasuredRun> runs;
    for (int pair = 0; pair < 120; ++pair) {
        const double bias = 0.1 * normal(random);
        const char* accelerator = accelerators[random() % 4];
        const char* framework = frameworks[random() % 3];
        const int count = 1 + static_cast<int>(random() % 8);
        for (int i = 0; i < count; ++i)
            runs.push_back(run(std::to_string(pair) + "-" + std::to_string(i), accelerator, framework, "model " + std::to_string(pair), std::exp(bias + 0.03 * normal(random))));
    }
    return runs;
}

TEST(Coverage, OfExchangeableErrorsIsAsPromised) {
    double sum = 0;
    constexpr int repetitions = 12;
    for (int seed = 0; seed < repetitions; ++seed) {
        const Coverage coverage = evaluateCoverage(barsOf(randomRuns(static_cast<std::uint64_t>(seed))), ErrorOf::time);
        EXPECT_EQ(coverage.all.without, 0);
        int runs = 0, covered = 0;
        for (const CoverageRow& row : coverage.groups) {
            runs += row.runs;
            covered += row.covered;
        }
        EXPECT_EQ(runs, coverage.all.runs);
        EXPECT_EQ(covered, coverage.all.covered);
        EXPECT_LT(coverage.all.meanHalfWidth, 4 * coverage.all.medianError);
        sum += coverage.all.share();
    }
    EXPECT_GE(sum / repetitions, 0.89);
    EXPECT_LE(sum / repetitions, 0.95);
}

TEST(Coverage, HoldsOutTheWholePair) {
    // A pair far off all others: were its other runs in the calibration, its bar would reach it.
    std::vector<MeasuredRun> runs = many("a", 30, "h100-sxm5-80gb", "nemo-2024", 0.05);
    for (int i = 0; i < 30; ++i) runs.push_back(run("odd" + std::to_string(i), "h100-sxm5-80gb", "nemo-2024", "odd model", 3));
    const Coverage coverage = evaluateCoverage(barsOf(runs), ErrorOf::time);
    EXPECT_EQ(coverage.all.runs, 60);
    EXPECT_EQ(coverage.all.covered, 30);
}

TEST(ErrorBars, DoNotDependOnTheOrderOfTheEvidence) {
    std::vector<MeasuredRun> runs = randomRuns(99);
    const RunTraits traits = like(runs.front());
    const std::optional<ErrorBar> bar = barsOf(runs).bar(ErrorOf::time, traits);
    std::mt19937 random(3);
    for (int i = 0; i < 5; ++i) {
        std::shuffle(runs.begin(), runs.end(), random);
        const std::optional<ErrorBar> again = barsOf(runs).bar(ErrorOf::time, traits);
        EXPECT_EQ(again->factor, bar->factor);
        EXPECT_EQ(again->basis, bar->basis);
    }
}

/// However many runs a collection has, it counts once.
TEST(ErrorTable, WhatWasNeverSeenIsTheMeanOfCollections) {
    std::vector<MeasuredRun> runs;
    for (int i = 0; i < 9; ++i) runs.push_back(run("a" + std::to_string(i), "h100-sxm5-80gb", "nemo-2024", "m", 1));
    runs.push_back(run("b", "h100-sxm5-80gb", "megatron-2022", "m", 1));
    runs.push_back(run("c", "h100-sxm5-80gb", "maxtext-2025", "m", 1));
    EXPECT_EQ(neverSeenError(Evidence{runs}, ErrorOf::time), std::nullopt);
    for (int i = 0; i < 9; ++i) runs[static_cast<std::size_t>(i)].figures.front().predictedLeftOut = i % 2 == 0 ? 2.2 : 1.8;
    runs[9].figures.front().predictedLeftOut = 2.8;
    EXPECT_NEAR(neverSeenError(Evidence{runs}, ErrorOf::time).value(), (10 + 40) / 2.0, 1e-9);
}

TEST(ErrorTable, SumsUpAndPutsTheWorstFirst) {
    std::vector<MeasuredRun> runs{run("a", "h100-sxm5-80gb", "nemo-2024", "m", 1.25), run("b", "h100-sxm5-80gb", "nemo-2024", "n", 1 / 1.1),
                                  run("c", "a100-sxm4-80gb", "megatron-2022", "m", 2)};
    runs[0].figures.front().predictedLeftOut = 2.5;
    runs.push_back(run("d", "tpu-v6e", "maxtext-2025", "m", 1));
    runs.back().figures.front().predicted.reset(); // could not be simulated
    const Evidence evidence{runs};
    const std::vector<ErrorTableRow> rows = errorTable(evidence, ErrorGrouping::accelerator, ErrorOf::time);
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].key, "a100-sxm4-80gb");
    EXPECT_NEAR(*rows[0].inSample.mean, -50, 1e-9);
    EXPECT_EQ(rows[1].key, "h100-sxm5-80gb");
    EXPECT_NEAR(*rows[1].inSample.meanAbs, 15, 1e-9);  // −20 % and +10 %
    EXPECT_NEAR(*rows[1].inSample.mean, -5, 1e-9);
    EXPECT_EQ(rows[1].leftOut.scored, 1u);
    EXPECT_NEAR(*rows[1].leftOut.mean, 0, 1e-9);
    EXPECT_EQ(rows[2].key, "tpu-v6e");
    EXPECT_EQ(rows[2].runs, 1u);
    EXPECT_EQ(rows[2].inSample.scored, 0u);
    EXPECT_EQ(errorTotal(evidence, ErrorOf::time).runs, 4u);
    EXPECT_EQ(errorTotal(evidence, ErrorOf::memory).runs, 0u);

    const std::vector<std::string> missing = withoutEvidence(evidence, ErrorGrouping::accelerator, ErrorOf::time, catalog());
    EXPECT_EQ(missing.size(), catalog().accelerators().size() - 3);
    EXPECT_EQ(std::count(missing.begin(), missing.end(), "h100-sxm5-80gb"), 0);
    const std::vector<std::string> frameworks = withoutEvidence(evidence, ErrorGrouping::framework, ErrorOf::time, catalog());
    EXPECT_EQ(std::count(frameworks.begin(), frameworks.end(), "vllm-2025"), 0); // not for training
    EXPECT_EQ(std::count(frameworks.begin(), frameworks.end(), "generic-2026"), 1);
}

} // namespace
} // namespace orrery
