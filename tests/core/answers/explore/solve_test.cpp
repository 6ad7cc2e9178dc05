// SPDX-License-Identifier: GPL-3.0-or-later
// Inverse questions, held against closed forms and against the simulation at the answer and beside it.
#include "core/answers/explore/sensitivity.hpp"
#include "core/answers/explore/solve.hpp"
#include "core/base/json.hpp"
#include "tests/core/answers/explore/explored.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

using test::catalog;

double figureWith(const Trials& trials, const std::string& pointer, const Json& value, const Measure& measure) {
    const Trial trial = trials.run({{pointer, value}});
    EXPECT_TRUE(trial.result);
    return trial.result ? measured(*trial.result, measure).get<double>() : 0;
}

TEST(Solve, BandwidthThatReachesAnIterationTimeReachesIt) {
    const Trials trials(test::smallTraining(), catalog());
    const Measure duration{"/iteration_time_s", "/iteration_time_s"};
    const std::string key = "/cluster/scale_up/bandwidth_gb_s";
    const double target = figureWith(trials, key, 137.5, duration);
    const SolveRun run = solve(trials, {key, {10, 600, false}, duration, target});
    ASSERT_TRUE(run.solution);
    EXPECT_NEAR(run.solution->value, 137.5, 1e-3 * 137.5);
    EXPECT_NEAR(figureWith(trials, key, run.solution->value, duration), target, 1e-4 * target);
    EXPECT_LE(run.solution->low, run.solution->value);
    EXPECT_GE(run.solution->high, run.solution->value);
}

TEST(Solve, PriceIsLinearSoThatItsAnswerIsAQuotient) {
    Json document = test::smallTraining();
    document["economics"] = {{"tokens_total", 1e12}, {"price_per_accelerator_hour", 1.0}};
    const Trials trials(document, catalog());
    const Measure cost{"/run/cost", "/run/cost"};
    const double atOne = figureWith(trials, "/economics/price_per_accelerator_hour", 1.0, cost);
    ASSERT_GT(atOne, 0);
    const SolveRun run = solve(trials, {"/economics/price_per_accelerator_hour", {0.5, 9.5, false}, cost, 3 * atOne});
    ASSERT_TRUE(run.solution);
    EXPECT_NEAR(run.solution->value, 3, 1e-3);
}

TEST(Solve, WholeNumbersGiveTheFirstThatReachesTheTarget) {
    const Trials trials(test::smallInference(), catalog());
    const Measure rate{"/output_tokens_per_s", "/output_tokens_per_s"};
    const std::string key = "/workload/batch_size";
    const double target = figureWith(trials, key, 37, rate) * 0.999;
    const SolveRun run = solve(trials, {key, {1, 100, true}, rate, target});
    ASSERT_TRUE(run.solution);
    const auto value = static_cast<int>(run.solution->value);
    EXPECT_EQ(value, run.solution->value);
    EXPECT_GE(figureWith(trials, key, value, rate), target);
    EXPECT_LT(figureWith(trials, key, value - 1, rate), target);
}

TEST(Solve, WhatNothingReachesIsToldWithTheReachableRange) {
    const Trials trials(test::smallTraining(), catalog());
    const SolveRun run = solve(trials, {"/cluster/scale_up/bandwidth_gb_s", {100, 600, false}, {"/mfu", "/mfu"}, 2});
    EXPECT_FALSE(run.solution);
    ASSERT_EQ(run.problems.size(), 1U);
    EXPECT_EQ(run.problems.front().code, "out-of-reach");
    EXPECT_NE(run.problems.front().message.find("from 100 to 600"), std::string::npos) << run.problems.front().message;
}

/// A server without room for its weights: nothing of it ever runs.
TEST(Solve, WhatNeverRunsHasNoSolutionAndSaysWhy) {
    Json document = test::smallInference();
    document["model"] = {{"preset", "llama-3.1-405b"}};
    document["workload"] = Json::parse(R"({"kind": "serving", "precision": "bf16", "requests": {"count": 4, "arrival": {"process": "all_at_once"}, "input_tokens": 16, "output_tokens": 4}})");
    const Trials trials(document, catalog());
    for (const char* pointer : {"/ttft_s/mean", "/output_tokens_per_s", "/goodput_requests_per_s", "/preemptions"}) {
        const Measure measure{pointer, pointer};
        const SolveRun run = solve(trials, {"/workload/engine/max_num_seqs", {1, 64, false}, measure, 0});
        EXPECT_FALSE(run.solution) << pointer;
        ASSERT_FALSE(run.problems.empty()) << pointer;
        EXPECT_FALSE(run.problems.front().message.empty() || run.problems.front().mend.empty()) << pointer;
        const SensitivityRun swings = sensitivity(trials, measure, 10, {});
        EXPECT_FALSE(swings.sensitivity) << pointer;
        EXPECT_FALSE(swings.problems.empty()) << pointer;
    }
}

} // namespace
} // namespace orrery
