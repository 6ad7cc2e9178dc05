// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/error_bars.hpp"
#include "core/answers/evidence/error_tables.hpp"
#include "core/answers/evidence/evidence.hpp"
#include "core/answers/evidence/novelty.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace orrery {
namespace {

using test::catalog;

MeasuredRun run(const std::string& id, const std::string& accelerator, const std::string& framework, const std::string& model, double measuredOverPredicted) {
    MeasuredRun one;
    one.id = id;
    one.group = framework;
    one.source = "a paper about " + framework;
    one.accelerator = accelerator;
    one.accelerators = 64;
    one.model = model;
    one.kind = "dense";
    one.family = "llama";
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
    RunTraits faster = of("h100-sxm5-80gb"); // its name, but not its rate: nobody measured it
    faster.peak16 *= 1.2;
    EXPECT_EQ(likeness(faster, of("h100-sxm5-80gb")), AcceleratorLikeness::like);
    faster.peak16 *= 4;
    EXPECT_EQ(likeness(faster, of("h100-sxm5-80gb")), AcceleratorLikeness::other);
    EXPECT_EQ(likeness(of("b200-sxm-180gb"), of("gb300")), AcceleratorLikeness::like);
    EXPECT_EQ(likeness(of("a100-sxm4-40gb"), of("a100-sxm4-80gb")), AcceleratorLikeness::like);
    EXPECT_EQ(likeness(of("a100-sxm4-80gb"), of("h100-sxm5-80gb")), AcceleratorLikeness::other);
    EXPECT_EQ(likeness(of("h100-sxm5-80gb"), of("b200-sxm-180gb")), AcceleratorLikeness::other);
    EXPECT_EQ(likeness(of("h100-sxm5-80gb"), of("mi300x")), AcceleratorLikeness::other);
}

/// Ten frameworks, each a source of its own with `pairs` pairs on the same machine: `known` off where the constants knew the kind,
/// `unknown` where they were fitted without it.
std::vector<MeasuredRun> tenSources(int pairs, double known, double unknown, const std::string& accelerator = "h100-sxm5-80gb") {
    std::vector<MeasuredRun> runs;
    for (int source = 0; source < 10; ++source)
        for (MeasuredRun one : many(accelerator + std::to_string(source) + " ", pairs, accelerator, "framework " + std::to_string(source) + " on " + accelerator, known)) {
            one.figures.front().predictedLeftOut = one.figures.front().measured / (1 + unknown);
            runs.push_back(std::move(one));
        }
    return runs;
}

TEST(ErrorBars, AreAsWideAsTheErrorsWhereAllAreTheSame) {
    const std::vector<MeasuredRun> runs = many("near", 35, "h100-sxm5-80gb", "nemo-2024", 0.05);
    const ErrorBars bars = barsOf(runs);
    const std::optional<ErrorBar> bar = bars.bar(ErrorOf::time, like(runs.front()));
    ASSERT_TRUE(bar);
    EXPECT_NEAR(bar->factor, 1.05, 1e-9);
    EXPECT_EQ(bar->runs, 35); // all as far away as the last one
    EXPECT_EQ(bar->sameAccelerator, 35);
    EXPECT_EQ(bar->missing, "");
    EXPECT_NEAR(bar->low(2.1), 2, 1e-9);
    EXPECT_NEAR(bar->high(2), 2.1, 1e-9);
    ASSERT_EQ(bar->nearest.size(), 5u);
    EXPECT_NEAR(bar->nearest.front().errorPercent, 100 / 1.05 - 100, 1e-9);
}

TEST(ErrorBars, AreNarrowWhereAlikeRunsWereRight) {
    std::vector<MeasuredRun> runs = tenSources(4, 0.02, 0.02);
    append(runs, tenSources(4, 0.4, 0.4, "tpu-v6e"));
    const ErrorBars bars = barsOf(runs);
    const double here = bars.bar(ErrorOf::time, like(runs.front()))->factor, there = bars.bar(ErrorOf::time, like(runs.back()))->factor;
    EXPECT_GE(there, 1.4 - 1e-9);
    EXPECT_LT(std::log(here), 0.7 * std::log(there));
}

TEST(ErrorBars, WidenWithEveryThingThatIsExtrapolated) {
    std::vector<MeasuredRun> runs = tenSources(4, 0.03, 0.25);
    const ErrorBars bars = barsOf(runs);
    const RunTraits known = like(runs.front());
    const double narrow = bars.bar(ErrorOf::time, known)->factor;
    EXPECT_GE(narrow, 1.03 - 1e-9);
    EXPECT_LT(narrow, 1.1);
    RunTraits other = known;
    other.framework = "generic-2026";
    const std::optional<ErrorBar> wide = bars.bar(ErrorOf::time, other);
    EXPECT_GE(wide->factor, 1.25 - 1e-9);
    EXPECT_NE(wide->basis.find("wider for another framework"), std::string::npos) << wide->basis;
    // What no source says more of is never narrower.
    for (const auto& change : std::vector<std::function<void(RunTraits&)>>{
             [](RunTraits& t) { t.family = "mixtral"; }, [](RunTraits& t) { t.accelerators *= 64; }, [](RunTraits& t) { t.parameters /= 100; },
             [](RunTraits& t) { t.accelerator = "h200-sxm-141gb"; }, [](RunTraits& t) { t.accelerator.clear(), t.vendor = "another"; }}) {
        RunTraits changed = other;
        change(changed);
        EXPECT_GE(bars.bar(ErrorOf::time, changed)->factor, wide->factor - 1e-12);
    }
}

TEST(Novelty, SaysWhatTheKnownRunsLack) {
    const RunTraits h100 = like(run("x", "h100-sxm5-80gb", "nemo-2024", "m", 1)), tpu = like(run("y", "tpu-v6e", "maxtext-2025", "m", 1));
    const std::vector<const RunTraits*> known{&h100, &tpu};
    EXPECT_EQ(noveltyText(noveltyOf(h100, known)), "");
    RunTraits other = h100;
    other.accelerators = 256; // 64 are known
    other.parameters = 7e9 / 2;
    const Novelty scale = noveltyOf(other, known);
    EXPECT_EQ(scale.framework, 0);
    EXPECT_EQ(scale.accelerator, 0);
    EXPECT_DOUBLE_EQ(scale.accelerators, 2);
    EXPECT_DOUBLE_EQ(scale.parameters, 1);
    EXPECT_EQ(noveltyText(scale), "2.0 octaves in the number of accelerators and 1.0 octaves in the size of the model");
    other.accelerators = 1e6;
    EXPECT_EQ(noveltyOf(other, known).accelerators, 4);
    // Known by itself, and not with the framework: the accelerator is another one for it.
    RunTraits crossed = tpu;
    crossed.framework = h100.framework;
    crossed.line = h100.line;
    crossed.year = h100.year;
    EXPECT_EQ(noveltyOf(crossed, known).framework, 0);
    EXPECT_EQ(noveltyOf(crossed, known).accelerator, 1);
    RunTraits unknown = like(run("z", "h200-sxm-141gb", "torchtitan-2025", "m", 1));
    unknown.family = "mixtral";
    EXPECT_EQ(noveltyOf(unknown, known).framework, 1);
    EXPECT_EQ(noveltyOf(unknown, known).accelerator, 0.5);
    EXPECT_EQ(noveltyOf(unknown, known).family, 1);
    // The release before knows its model and accelerator, its own runs know neither: the neighbour says more.
    const RunTraits mixture = like(run("w", "b300-sxm", "vllm-2026", "m", 1)), before = like(run("v", "h100-sxm5-80gb", "vllm-2025", "m", 1));
    RunTraits dense = before;
    dense.framework = mixture.framework;
    dense.year = mixture.year;
    EXPECT_EQ(noveltyOf(dense, {&mixture, &before}).accelerator, 0);
    EXPECT_EQ(noveltyOf(dense, {&mixture, &before}).framework, frameworkDistance(before, dense));
    EXPECT_EQ(noveltyOf(dense, {&mixture}).accelerator, 1);
}

/// Rows that err by what is around them, 0.2 for another framework and 0.05 for an octave of parameters, times up to two.
std::vector<WidthRow> drawnRows(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    std::vector<WidthRow> rows;
    for (std::size_t i = 0; i < 600; ++i) {
        WidthRow row;
        Novelty novelty;
        novelty.framework = uniform(random) < 0.4 ? 1 : 0;
        novelty.parameters = 3 * uniform(random);
        row.terms = widthTerms(0.02 + 0.1 * uniform(random), novelty);
        row.error = (row.terms[0] + 0.2 * novelty.framework + 0.05 * novelty.parameters) * 2 * uniform(random);
        row.pair = i % 100;
        row.sourceIsOut = i / 20 % 2 == 0;
        rows.push_back(row);
    }
    return rows;
}

TEST(WidthModel, FollowsTheErrorsItIsMadeOf) {
    const std::vector<WidthRow> rows = drawnRows(11);
    const WidthModel model(rows, 0.9);
    ASSERT_TRUE(model.stretch());
    for (const double factor : model.factors()) EXPECT_GE(factor, 0);
    EXPECT_NEAR(model.factors()[0], 1, 1e-12); // what the runs around erred by, once
    EXPECT_NEAR(model.factors()[1], 0.2, 0.04);
    EXPECT_NEAR(model.factors()[6], 0.05, 0.015);
    double inside = 0;
    for (const WidthRow& row : rows) inside += row.error <= *model.halfWidth(row.terms) ? 1.0 / double(rows.size()) : 0;
    EXPECT_GE(inside, 0.9);
    EXPECT_LE(inside, 0.99);
    EXPECT_FALSE(WidthModel({}, 0.9).halfWidth(widthTerms(0.05, {})));
}

/// A scenario that extrapolates what no run did is no surer than one that does not.
TEST(WidthModel, WidensForWhatTheEvidenceNeverExtrapolated) {
    const WidthModel model(drawnRows(12), 0.9);
    const double known = *model.halfWidth(widthTerms(0.05, {}));
    Novelty accelerator, bits, kind;
    accelerator.accelerator = 1;
    bits.bits = 1;
    kind.kind = 1;
    for (const Novelty& novelty : {accelerator, bits, kind}) EXPECT_GT(*model.halfWidth(widthTerms(0.05, novelty)), 1.2 * known);
}

/// Stacks that constants were fitted to are no less sure because others, which none were, are far off.
TEST(WidthModels, KeepStacksWithAndWithoutRunsApart) {
    std::vector<WidthRow> rows;
    for (std::size_t i = 0; i < 80; ++i) {
        WidthRow row;
        row.known = i % 2 == 0;
        row.terms = widthTerms(0.05, {});
        row.error = (row.known ? 0.08 : 0.4) * (0.5 + double(i % 10) / 20);
        row.pair = i;
        rows.push_back(row);
    }
    const WidthModels models(rows, 0.9, {0, 0});
    EXPECT_NEAR(*models.of(true, false).halfWidth(widthTerms(0.05, {})), 0.08, 0.01);
    EXPECT_NEAR(*models.of(false, false).halfWidth(widthTerms(0.05, {})), 0.4, 0.05);
    // Too few pairs of the one kind for 90 %: all of them together.
    for (WidthRow& row : rows) row.known = row.pair == 0;
    EXPECT_EQ(*WidthModels(rows, 0.9, {0, 0}).of(true, false).halfWidth(widthTerms(0.05, {})), *WidthModels(rows, 0.9, {0, 0}).of(false, false).halfWidth(widthTerms(0.05, {})));
}

TEST(NearError, IsThatOfTheNearestPairsAndNeverOfOneLuckyRun) {
    const std::vector<Neighbour> exact{{0, 0, 1, 0}, {3, 1, 1, 0.2}, {3, 2, 1, 0.2}, {3, 3, 1, 0.2}};
    EXPECT_GT(nearError(exact), 0.02);
    EXPECT_LT(nearError(exact), 0.1);
    std::vector<Neighbour> many = exact;
    for (std::size_t pair = 4; pair < 24; ++pair) many.push_back({0, pair, 1, 0.01});
    EXPECT_LT(nearError(many), nearError(exact));
    EXPECT_NEAR(nearError({{1, 0, 3, 0.07}, {2, 1, 1, 0.07}}), 0.07, 1e-12);
    // However many runs a pair has, it counts once.
    EXPECT_NEAR(nearError({{0, 0, 100, 0.1}, {0, 1, 1, 0.3}}), 0.2, 1e-12);
    // An outlier says that something is missing, and not how much.
    EXPECT_EQ(nearError({{0, 0, 1, 2}, {0, 1, 1, 0.1}}), nearError({{0, 0, 1, 5}, {0, 1, 1, 0.1}}));
}

TEST(Distance, FrameworksOfOneLineAreNearerTheFewerYearsLieBetween) {
    const auto of = [](const char* framework) { return like(run("x", "h100-sxm5-80gb", framework, "m", 1)); };
    EXPECT_EQ(frameworkDistance(of("nemo-2024"), of("nemo-2024")), 0);
    const double near = frameworkDistance(of("megatron-core-2025"), of("megatron-bridge-2025")), further = frameworkDistance(of("megatron-core-2025"), of("nemo-2024"));
    EXPECT_GT(near, 0);
    EXPECT_LT(near, further);
    EXPECT_LT(further, 1);
    EXPECT_EQ(frameworkDistance(of("megatron-2021"), of("megatron-bridge-2026")), 1);
    EXPECT_EQ(frameworkDistance(of("nemo-2024"), of("torchtitan-2025")), 1);
    EXPECT_EQ(frameworkDistance(of("torchtitan-2025"), of("nemo-2024")), 1);
}

TEST(Novelty, AStackIsKnownByARunOfItsSize) {
    const RunTraits known = like(run("x", "h100-sxm5-80gb", "nemo-2024", "m", 1));
    const std::vector<const RunTraits*> all{&known};
    EXPECT_TRUE(knowsStack(known, all));
    EXPECT_TRUE(knowsStack(like(run("y", "h200-sxm-141gb", "nemo-2024", "m", 1)), all));
    EXPECT_FALSE(knowsStack(like(run("y", "b200-sxm-180gb", "nemo-2024", "m", 1)), all));
    EXPECT_FALSE(knowsStack(like(run("y", "h100-sxm5-80gb", "nemo-2025", "m", 1)), all));
    for (const auto& change : std::vector<std::function<void(RunTraits&)>>{[](RunTraits& t) { t.kind = "moe"; }, [](RunTraits& t) { t.queued = true; }, [](RunTraits& t) { t.accelerators *= 5; },
                                                                           [](RunTraits& t) { t.parameters /= 5; }}) {
        RunTraits changed = known;
        change(changed);
        EXPECT_FALSE(knowsStack(changed, all));
    }
    RunTraits narrow = known;
    narrow.bits = 4;
    EXPECT_DOUBLE_EQ(noveltyOf(narrow, all).bits, 2); // 16 is known
    EXPECT_NE(noveltyText(noveltyOf(narrow, all)).find("narrower products"), std::string::npos);
}

TEST(Sources, AreCollectionsThatShareNoPublication) {
    std::vector<MeasuredRun> runs(5);
    const std::vector<std::pair<std::string, std::string>> of{{"dense", "page 1"}, {"dense", "page 2"}, {"moe", "page 2"}, {"other", "page 3"}, {"moe", "page 4"}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].group = of[i].first;
        runs[i].source = of[i].second;
    }
    EXPECT_EQ(sourcesOf(Evidence{runs}), (std::vector<std::size_t>{0, 0, 0, 1, 0}));
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

TEST(ErrorBars, ListLeftOutErrorsWhereTheStackIsUnknown) {
    const std::vector<MeasuredRun> runs = tenSources(4, 0.1, 0.3);
    const ErrorBars bars = barsOf(runs);
    const std::optional<ErrorBar> known = bars.bar(ErrorOf::time, like(runs.front()));
    const std::optional<ErrorBar> unknown = bars.bar(ErrorOf::time, like(run("x", "h100-sxm5-80gb", "torchtitan-2025", "m", 1)));
    EXPECT_FALSE(known->leftOut);
    EXPECT_NEAR(known->nearest.front().errorPercent, 100 / 1.1 - 100, 1e-9);
    EXPECT_TRUE(unknown->leftOut);
    // predicted/measured - 1 of a prediction that is 1.3 times too small
    EXPECT_NEAR(unknown->nearest.front().errorPercent, 100 / 1.3 - 100, 1e-9);
}

TEST(ErrorBars, CountTimesAndRatesAlike) {
    MeasuredRun rate = run("r", "h100-sxm5-80gb", "nemo-2024", "m", 1);
    rate.figures = {{"tokens_per_s_per_accelerator", 800, 1000, std::nullopt}};
    MeasuredRun time = run("t", "h100-sxm5-80gb", "nemo-2024", "m", 1.25);
    const ErrorBars bars = barsOf({rate, time});
    EXPECT_NEAR(bars.runs(ErrorOf::time)[0].inSample, bars.runs(ErrorOf::time)[1].inSample, 1e-12);
    EXPECT_NEAR(bars.runs(ErrorOf::time)[0].inSample, std::log(1.25), 1e-12);
}

/// Errors of the measured kind: a bias for each source, which constants fitted to it take away, one for each pair, and scatter.
std::vector<MeasuredRun> randomRuns(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const char* accelerators[] = {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb", "tpu-v6e"};
    std::vector<MeasuredRun> runs;
    for (int source = 0; source < 24; ++source) {
        const double bias = 0.15 * normal(random);
        const std::string framework = "framework " + std::to_string(source);
        const int pairs = 2 + static_cast<int>(random() % 5);
        for (int pair = 0; pair < pairs; ++pair) {
            const double ofPair = 0.05 * normal(random);
            const char* accelerator = accelerators[random() % 4];
            const std::string model = framework + " model " + std::to_string(pair);
            for (int i = 0, count = 1 + static_cast<int>(random() % 8); i < count; ++i) {
                const double error = ofPair + 0.03 * normal(random);
                MeasuredRun one = run(model + "-" + std::to_string(i), accelerator, framework, model, std::exp(error));
                one.figures.front().predictedLeftOut = one.figures.front().measured / std::exp(error + bias);
                runs.push_back(std::move(one));
            }
        }
    }
    return runs;
}

TEST(Coverage, OfSourcesNeverSeenIsAsPromised) {
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
        EXPECT_LT(coverage.all.meanHalfWidth, 6 * coverage.all.medianError);
        sum += coverage.all.share();
    }
    EXPECT_GE(sum / repetitions, 0.88);
    EXPECT_LE(sum / repetitions, 0.98);
}

TEST(Coverage, HoldsOutTheWholeSource) {
    // A source far off all others: were its other runs in the evidence, its bars would reach it.
    std::vector<MeasuredRun> runs = tenSources(3, 0.05, 0.05);
    append(runs, many("odd", 30, "h100-sxm5-80gb", "odd framework", 3));
    const Coverage coverage = evaluateCoverage(barsOf(runs), ErrorOf::time);
    EXPECT_EQ(coverage.all.runs, 60);
    EXPECT_EQ(coverage.groups.back().covered, 0);
    EXPECT_EQ(coverage.all.covered, 30);
    // With all of it in view they do.
    EXPECT_GE(barsOf(runs).bar(ErrorOf::time, like(runs.back()))->factor, 4 - 1e-9);
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
    EXPECT_NEAR(*rows[1].inSample.meanAbs, 15, 1e-9); // −20 % and +10 %
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
