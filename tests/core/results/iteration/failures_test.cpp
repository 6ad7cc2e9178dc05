// SPDX-License-Identifier: GPL-3.0-or-later
// Runs with failures: Daly's renewal formula held against runs that are played failure by failure, and against its own optimum.
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/results/iteration/metrics.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

/// Plays `intervals` of a run: work and checkpoint must pass without a failure; after one, restart as well.
double playedTime(const JobFailureLaw& law, double interval, int intervals, test::RandomSource& random) {
    double time = 0;
    for (int i = 0; i < intervals; ++i) {
        double needed = interval + law.checkpoint;
        for (;;) {
            const double failure = -law.mtbf * std::log1p(-random.unit());
            if (failure >= needed) break;
            time += failure;
            needed = law.restart + interval + law.checkpoint;
        }
        time += needed;
    }
    return time;
}

TEST(Failures, AThousandPlayedRunsTakeWhatDalysFormulaSays) {
    // 10,000 accelerators of 50,000 hours each: 5 hours between failures; and harsher ones.
    for (const JobFailureLaw& law : {JobFailureLaw{18000, 60, 300}, JobFailureLaw{3600, 120, 600}, JobFailureLaw{900, 60, 300}}) {
        test::RandomSource random(17);
        const double interval = bestInterval(law);
        constexpr int runs = 1000, intervals = 60;
        double played = 0;
        for (int run = 0; run < runs; ++run) played += playedTime(law, interval, intervals, random);
        const double goodput = runs * intervals * interval / played;
        EXPECT_NEAR(goodputOf(law, interval), goodput, 0.01 * goodput) << law.mtbf;
    }
}

TEST(Failures, NoIntervalIsBetterThanTheBest) {
    test::RandomSource random(3);
    for (int round = 0; round < 200; ++round) {
        const JobFailureLaw law{random.logBetween(100, 1e7), random.logBetween(0.1, 1000), random.logBetween(1, 1000)};
        const double best = bestInterval(law), most = goodputOf(law, best);
        for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) EXPECT_LE(goodputOf(law, best * factor), most * (1 + 1e-12)) << law.mtbf << ' ' << law.checkpoint;
        // Young's rule leaves out terms of the order of δ/M: it nears the best as checkpoints get quick.
        if (law.checkpoint < 1e-4 * law.mtbf) {
            EXPECT_NEAR(youngInterval(law), best, 0.02 * best);
        }
    }
}

TEST(Failures, WithoutFailuresOnlyCheckpointsCost) {
    const JobFailureLaw law{1e15, 30, 600};
    EXPECT_NEAR(goodputOf(law, 970), 0.97, 1e-9);
    EXPECT_EQ(bestInterval({1000, 0, 100}), 0);
    EXPECT_NEAR(goodputOf({1000, 0, 100}, 0), std::exp(-0.1), 1e-12);
}

Json longRun() {
    return Json::parse(R"({
      "format": "orrery-scenario/1", "name": "long", "model": {"preset": "llama-3.1-8b"},
      "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 2},
      "workload": {"kind": "training", "sequence_length": 4096, "global_batch_size": 32, "micro_batch_size": 1, "precision": "bf16"},
      "parallelism": {"tensor": 2, "zero_stage": 1},
      "economics": {"tokens_total": 1e12, "price_per_accelerator_hour": 2},
      "reliability": {"mtbf_hours_per_accelerator": 400, "checkpoint_s": 60, "restart_s": 300, "checkpoint_interval_s": 1800, "spares": 4}
    })");
}

Json runOf(const Json& document) {
    const ScenarioReading reading = readScenario(document, test::catalog());
    for (const Problem& problem : reading.problems) EXPECT_NE(problem.severity, Severity::error) << toText(problem);
    return toJson(*simulate(*reading.scenario).result);
}

TEST(Failures, TheWholeRunPaysForThem) {
    Json without = longRun();
    without.erase("reliability");
    const Json run = runOf(longRun())["run"], quiet = runOf(without)["run"];
    const JobFailureLaw law{400.0 * 3600 / 16, 60, 300};
    EXPECT_NEAR(run["goodput"], 1800 / (law.mtbf * std::exp(300 / law.mtbf) * (std::exp(1860 / law.mtbf) - 1)), 1e-9);
    EXPECT_NEAR(run["days"].get<double>() * run["goodput"].get<double>(), quiet["days"].get<double>(), 1e-9 * quiet["days"].get<double>());
    EXPECT_NEAR(run["accelerator_hours"].get<double>(), run["days"].get<double>() * 24 * 20, 1e-6 * run["accelerator_hours"].get<double>()) << "spares are paid for";
    EXPECT_NEAR(run["failures"].get<double>(), run["days"].get<double>() * 86400 / law.mtbf, 1e-9 * run["failures"].get<double>());
    EXPECT_FALSE(quiet.contains("goodput"));
}

TEST(Failures, GoodputNeedsNoTokensAndEveryFigureSaysWhereItComesFrom) {
    Json document = longRun();
    document.erase("economics");
    const ScenarioReading reading = readScenario(document, test::catalog());
    const ResultPtr result = simulate(*reading.scenario).result;
    const Json run = toJson(*result)["run"];
    EXPECT_TRUE(run.contains("goodput"));
    EXPECT_FALSE(run.contains("days"));
    const ResultPtr whole = simulate(*readScenario(longRun(), test::catalog()).scenario).result;
    const Json figures = toJson(*whole)["run"];
    for (const auto& [name, value] : figures.items()) {
        const auto why = explain(*whole, "/run/" + name);
        ASSERT_TRUE(why) << name;
        EXPECT_DOUBLE_EQ(why->value, value.get<double>()) << name;
        EXPECT_FALSE(why->unit.empty()) << name;
        EXPECT_TRUE(!why->formula.empty() || !why->reference.empty()) << name;
    }
}

} // namespace
} // namespace orrery
