// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/results/derivation/explain.hpp"
#include "core/training/plan/lanes.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"
#include "tests/core/engine/work_done.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

// Kernels slowed beside their own rank's communication, in whole iterations.

namespace orrery::test {
namespace {

Scenario slowed(const Json& document, double factor) {
    Scenario scenario = sound(document);
    scenario.kernels.overlapSlowdown = factor;
    return scenario;
}

TrainingMetrics metricsOf(const Scenario& scenario) { return *simulate(scenario).result->training(); }

/// ZeRO-3 on one host: weights are gathered beside every forward and backward.
Json shardedJob() {
    Json document = smallScenario(1, 1, 8, 2);
    document["parallelism"]["zero_stage"] = 3;
    document["execution"]["framework"] = "torchtitan-2025";
    document["execution"]["cuda_graphs"] = true; // no waits for the host
    document["execution"]["overlap"] = {{"data", true}};
    return document;
}

/// What of a stage's spans lies beside those of another stream, in s.
double beside(const Span& span, const std::vector<Span>& others) {
    double time = 0;
    for (const Span& other : others) time += std::max(0.0, std::min(span.end, other.end) - std::max(span.start, other.start));
    return time;
}

/// Without tensor ranks nothing runs beside kernels within a segment: each is longer by (1 − 1/a) of what lies beside collectives.
/// The timeline itself must say so.
TEST(Interference, StretchesWhatLiesBesideCollectives) {
    constexpr double a = 1.4;
    const Outcome outcome = simulate(slowed(shardedJob(), a));
    const Timeline& timeline = outcome.result->timeline;
    const StageTimeline& stage = timeline.stages.front();
    const std::vector<Span>& data = stage.streams[static_cast<std::size_t>(TrainingStream::data)].spans;
    double slowedTime = 0;
    for (const Span& span : stage.streams[static_cast<std::size_t>(StreamKind::compute)].spans) {
        if (!timeline.segments[span.segment].entries.empty()) slowedTime += beside(span, data) * (1 - 1 / a);
    }
    EXPECT_GT(outcome.result->training()->interference, 0.02 * outcome.result->training()->iterationTime);
    EXPECT_NEAR(outcome.result->training()->interference, slowedTime, 1e-9 * outcome.result->training()->iterationTime);
}

TEST(Interference, PartsStillSumToTheIteration) {
    std::mt19937 random(77);
    int interfered = 0;
    for (int i = 0; i < 60; ++i) {
        const Json document = randomScenario(random);
        const TrainingMetrics plain = metricsOf(slowed(document, 1));
        const TrainingMetrics metrics = metricsOf(slowed(document, 1.3));
        ASSERT_EQ(metrics.stages.size(), metrics.stageInterference.size());
        for (std::size_t stage = 0; stage < metrics.stages.size(); ++stage) {
            const TimeBreakdown& parts = metrics.stages[stage];
            EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), metrics.iterationTime, 1e-9 * metrics.iterationTime);
            const auto work = [](const TimeBreakdown& of) { return of[0] + of[1] + of[2] + of[static_cast<std::size_t>(TimePart::optimizer)]; };
            // Work alone is what it was: all that kernels take longer is accounted for. `auto` may choose another recomputation.
            if (document["execution"]["recompute"] != "auto") {
                EXPECT_NEAR(work(parts) - metrics.stageInterference[stage], work(plain.stages[stage]), 1e-9 * metrics.iterationTime) << document.dump();
            }
            EXPECT_LE(metrics.stageInterference[stage], 0.3 / 1.3 * work(parts) * (1 + 1e-9));
        }
        EXPECT_TRUE(plain.stageInterference.empty());
        // A transfer that begins later may meet less on its links.
        EXPECT_GE(metrics.iterationTime, plain.iterationTime * (1 - 1e-3)) << document.dump();
        interfered += metrics.interference > 1e-4 * metrics.iterationTime;
    }
    EXPECT_GT(interfered, 20);
}

TEST(Interference, IsNoneWhereNothingOverlaps) {
    Json document = smallScenario(1, 4, 2, 8);
    document["execution"]["overlap"] = {{"data", false}, {"tensor", false}, {"pipeline", false}};
    const TrainingMetrics plain = metricsOf(slowed(document, 1)), metrics = metricsOf(slowed(document, 1.5));
    EXPECT_NEAR(metrics.iterationTime, plain.iterationTime, 1e-12 * plain.iterationTime);
    EXPECT_NEAR(metrics.interference, 0, 1e-12 * plain.iterationTime);
}

TEST(Interference, GrowsWithTheSlowdown) {
    double last = 0, lastInterference = -1;
    for (const double factor : {1.0, 1.1, 1.2, 1.35, 1.5}) {
        const TrainingMetrics metrics = metricsOf(slowed(shardedJob(), factor));
        EXPECT_GT(metrics.iterationTime, last);
        EXPECT_GT(metrics.interference, lastInterference);
        last = metrics.iterationTime;
        lastInterference = metrics.interference;
    }
}

/// Work of every task of whole programs, by the definition.
TEST(Interference, ConservesTheWorkOfWholeIterations) {
    for (const auto& [tensor, pipeline, zero] : {std::tuple{1, 1, 3}, {2, 2, 1}, {1, 4, 1}, {4, 1, 2}}) {
        Json document = smallScenario(tensor, pipeline, 8 / (tensor * pipeline) * 2, 4);
        document["model"]["config"]["n_layer"] = 4;
        document["parallelism"]["zero_stage"] = zero;
        document["execution"]["overlap"] = {{"data", true}, {"pipeline", true}};
        document["execution"]["cuda_graphs"] = true; // kernels that wait for the host's launches would hardly be slowed
        const Scenario scenario = slowed(document, 1.3);
        JobTraffic traffic(scenario);
        const RankWork work = makeRankWork(scenario, scenario.execution.recompute, costModelOf(scenario), traffic);
        const LaneMap plain(scenario.parallelism.pipeline, scenario.parallelism.data);
        Iteration iteration = buildIteration(scenario, work, traffic, plain, tensor > 1);
        std::vector<JobTraffic::Id> used;
        for (const TransferUse& use : iteration.transfers) used.push_back(use.patterns);
        JobSymmetry symmetry(scenario, traffic, used, Folding::exact);
        if (!symmetry.isPlain()) iteration = buildIteration(scenario, work, traffic, symmetry.lanes(), tensor > 1);
        const TaskTimes times = *runProgram(iteration.program, {}, symmetry.model(iteration.transfers).get());
        int slowedTasks = 0;
        for (TaskId task = 0; task < iteration.program.taskCount(); ++task) {
            if (iteration.program.transfers()[task] != noTransfer) continue;
            ASSERT_NEAR(workDone(iteration.program, times, task), iteration.program.durations()[task], 1e-9 * times.duration) << task;
            slowedTasks += times.end[task] - times.start[task] > 1.01 * iteration.program.durations()[task];
        }
        EXPECT_GT(slowedTasks, 4);
    }
}

TEST(Interference, IsExplainedAndNamedWhereItMatters) {
    const Outcome outcome = simulate(slowed(shardedJob(), 1.5));
    const Json document = toJson(*outcome.result);
    EXPECT_EQ(document.at("interference_s").get<double>(), outcome.result->training()->interference);
    const std::optional<Quantity> why = explain(*outcome.result, "/interference_s");
    ASSERT_TRUE(why);
    EXPECT_EQ(why->value, outcome.result->training()->interference);
    ASSERT_EQ(why->inputs.size(), 1u);
    EXPECT_EQ(why->inputs.front().value, 1.5);
    EXPECT_FALSE(toJson(*simulate(slowed(shardedJob(), 1)).result).contains("interference_s"));
}

} // namespace
} // namespace orrery::test
