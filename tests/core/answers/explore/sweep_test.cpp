// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep is nothing but single simulations, whatever the number of threads and whatever was known before.
#include "core/answers/explore/sweep.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/results/report/result_pointer.hpp"
#include "tests/core/answers/explore/explored.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

using test::catalog;

SweepQuestion question() {
    return {{{"/parallelism/tensor", {1, 2, 3, 4}}, {"/workload/micro_batch_size", {1, 2, 4}}}, {{"/iteration_time_s", "/iteration_time_s"}, {"peak", "/memory/peak_bytes"}}};
}

TEST(Sweep, EachPointIsTheSimulationOfItsChanges) {
    const Trials trials(test::smallTraining(), catalog());
    const SweepQuestion asked = question();
    const SweepRun run = runSweep(trials, asked);
    ASSERT_EQ(run.points.size(), 12U);
    for (std::size_t i = 0; i < run.points.size(); ++i) {
        Json document = test::smallTraining();
        const int tensors[] = {1, 2, 3, 4}, microBatches[] = {1, 2, 4};
        document["parallelism"]["tensor"] = tensors[i / 3];
        document["workload"]["micro_batch_size"] = microBatches[i % 3];
        const ScenarioReading reading = readScenario(document, catalog());
        const SweptPoint& point = run.points[i];
        if (!reading.scenario) {
            EXPECT_FALSE(point.fits) << i;
            EXPECT_FALSE(point.problem.empty()) << i;
            continue;
        }
        const Json result = toJson(*simulate(*reading.scenario).result);
        EXPECT_EQ(point.fits, result["fits"].get<bool>());
        EXPECT_EQ(*point.metrics[0], result["iteration_time_s"]);
        EXPECT_EQ(*point.metrics[1], result["memory"]["peak_bytes"]);
    }
    EXPECT_FALSE(run.points[6].fits) << "three does not divide twelve heads over eight accelerators";
}

/// A latency of 0 s would be the best there is.
TEST(Sweep, APlanThatServesNobodyHasNoFiguresButItsMemory) {
    const Json document{{"format", "orrery-scenario/1"},
                        {"name", "served"},
                        {"model", {{"preset", "llama-3.1-70b"}}},
                        {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}}},
                        {"workload", {{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", 10}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", 100}, {"output_tokens", 10}}}}},
                        {"parallelism", {{"tensor", 4}}}};
    const Trials trials(document, catalog());
    const SweepQuestion asked{{{"/parallelism/tensor", {1, 4}}}, {{"/ttft_s/p50", "/ttft_s/p50"}, {"peak", "/memory/peak_bytes"}}};
    const SweepRun run = runSweep(trials, asked);
    ASSERT_EQ(run.points.size(), 2U);
    EXPECT_EQ(run.points[0].fits, false);
    EXPECT_TRUE(run.points[0].metrics[0]->is_null());
    EXPECT_GT(run.points[0].metrics[1]->get<double>(), 80e9);
    EXPECT_EQ(run.points[1].fits, true);
    EXPECT_GT(run.points[1].metrics[0]->get<double>(), 0);
}

TEST(Sweep, NeitherThreadsNorWhatWasKnownChangeAByte) {
    const Trials trials(test::smallTraining(), catalog());
    const SweepQuestion asked = question();
    const SweepRun alone = runSweep(trials, asked);
    RunControl three;
    three.threads = 3;
    std::size_t simulated = 0;
    const SweepRun together = runSweep(trials, asked, {}, three, [&](std::size_t, const SweptPoint&) { ++simulated; });
    EXPECT_EQ(simulated, 12U);
    EXPECT_EQ(sweepDocument(asked, alone.points).dump(), sweepDocument(asked, together.points).dump());

    std::map<std::size_t, SweptPoint> known;
    for (const std::size_t index : {0U, 4U, 6U, 11U}) {
        const auto point = pointFrom(asked, pointDocument(asked, index, alone.points[index]));
        ASSERT_TRUE(point) << index;
        known.emplace(index, *point);
    }
    simulated = 0;
    const SweepRun resumed = runSweep(trials, asked, known, {}, [&](std::size_t index, const SweptPoint&) {
        ++simulated;
        EXPECT_FALSE(known.contains(index));
    });
    EXPECT_EQ(simulated, 8U);
    EXPECT_EQ(sweepDocument(asked, alone.points).dump(), sweepDocument(asked, resumed.points).dump());
}

TEST(Sweep, AFigureThatNoResultHasIsNamed) {
    const Trials trials(test::smallTraining(), catalog());
    const SweepRun run = runSweep(trials, {{{"/parallelism/tensor", {1}}}, {{"/iteration_time", "/iteration_time"}}});
    ASSERT_EQ(run.problems.size(), 1U);
    EXPECT_NE(run.problems.front().mend.find("/iteration_time_s"), std::string::npos);
}

TEST(Sweep, AKeyThatNoScenarioHasIsToldBeforeTheFirstPoint) {
    const Trials trials(test::smallTraining(), catalog());
    const Problems problems = problemsOfPlace(trials, "/parallelism/tensr", 2);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems.front().code, "unknown-key");
    EXPECT_NE((problems.front().message + problems.front().mend).find("tensor"), std::string::npos);
    EXPECT_TRUE(problemsOfPlace(trials, "/parallelism/tensor", 3).empty()) << "what is wrong with a value is a point's affair";
}

TEST(Sweep, StoppedItKeepsWhatItFound) {
    const Trials trials(test::smallTraining(), catalog());
    std::stop_source source;
    RunControl control;
    control.stop = source.get_token();
    std::size_t kept = 0;
    const SweepRun run = runSweep(trials, question(), {}, control, [&](std::size_t, const SweptPoint&) {
        if (++kept == 3) source.request_stop();
    });
    EXPECT_TRUE(run.cancelled);
    EXPECT_EQ(kept, 3U);
    EXPECT_EQ(std::count_if(run.points.begin(), run.points.end(), [](const SweptPoint& point) { return point.fits || !point.problem.empty(); }), 3);
}

} // namespace
} // namespace orrery
