// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/job_symmetry.hpp"
#include "core/training/plan/run_size.hpp"
#include "tests/core/training/plan/random_plans.hpp"

#include <gtest/gtest.h>

// How large a run will be, known before it is built: never less than it is, and not far more.

namespace orrery::test {
namespace {

/// How many tasks were built for so many that were foretold.
void expectBounds(const RunSize& known, const Iteration& built, const char* what) {
    EXPECT_GE(known.tasks, double(built.program.taskCount())) << what;
    EXPECT_LE(known.tasks, 2.5 * double(built.program.taskCount())) << what;
}

TEST(RunSize, BoundsWhatIsBuilt) {
    RandomSource random(91);
    for (int i = 0; i < 60; ++i) {
        const std::string kind = smallModelKinds()[static_cast<std::size_t>(i) % smallModelKinds().size()];
        Json document = randomPlan(random, kind);
        const int batch = document["workload"]["global_batch_size"].get<int>();
        document["workload"]["global_batch_size"] = batch * 4; // the more, the less its end counts
        SCOPED_TRACE(document.dump());
        const Scenario scenario = sound(document);
        if (scenario.execution.recompute == RecomputeKind::automatic) continue;
        JobTraffic traffic(scenario);
        const RankWork work = makeRankWork(scenario, scenario.execution.recompute, costModelOf(scenario), traffic);
        const LaneMap lanes(scenario.parallelism.pipeline, scenario.parallelism.data);
        const Iteration plain = buildIteration(scenario, work, traffic, lanes);
        expectBounds(sizeOfRun(scenario, work), plain, "one lane a stage");
        const bool expands = scenario.parallelism.tensor > 1;
        if (expands) expectBounds(sizeOfRun(plain, lanes, true), buildIteration(scenario, work, traffic, lanes, true), "operator by operator");
        JobSymmetry symmetry(scenario, traffic, {}, Folding::none);
        const RunSize each = sizeOfRun(plain, symmetry.lanes(), false);
        if (each.tasks < 200'000) expectBounds(each, buildIteration(scenario, work, traffic, symmetry.lanes()), "a lane for each replica");
    }
}

TEST(RunSize, GrowsWithTheMicroBatches) {
    Json document = soundDocument();
    const auto size = [&](int batch) {
        document["workload"]["global_batch_size"] = batch;
        const Scenario scenario = sound(document);
        JobTraffic traffic(scenario);
        return sizeOfRun(scenario, makeRankWork(scenario, RecomputeKind::none, costModelOf(scenario), traffic));
    };
    const RunSize ten = size(640), hundred = size(6'400), thousand = size(64'000);
    EXPECT_GT(ten.tasks, 640 * 2);
    EXPECT_NEAR(thousand.tasks - hundred.tasks, 10 * (hundred.tasks - ten.tasks), 1e-6 * thousand.tasks);
    EXPECT_NEAR(thousand.bytes - hundred.bytes, 10 * (hundred.bytes - ten.bytes), 1e-6 * thousand.bytes);
}

} // namespace
} // namespace orrery::test
