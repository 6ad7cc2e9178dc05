// SPDX-License-Identifier: GPL-3.0-or-later
// A search drops plans by their floors, so no estimate may lie below one.
#include "core/scenario/reader/reader.hpp"
#include "core/training/estimate/estimator.hpp"
#include "tests/core/training/estimate/random_plans.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace orrery::test {
namespace {

/// A random plan, on hosts some of which may be slow.
std::optional<Scenario> randomScenario(RandomSource& random, std::string& name) {
    const Json document = randomPlan(random);
    name = nameOf(document);
    ScenarioReading reading = readScenario(document, catalog());
    if (!reading.scenario) return std::nullopt;
    Scenario& scenario = *reading.scenario;
    if (random.chance(0.2)) scenario.execution.stragglers = {{0, 1 + random.unit()}};
    if (random.chance(0.1)) scenario.jitter = {JitterMethod::analytic, 0, {0.05, 0.05, 0.1}, {0.02, 0.01, 1.2}};
    return std::optional<Scenario>(std::move(scenario));
}

TEST(PlanFloor, NoEstimateLiesBelowIt) {
    RandomSource random(77031);
    std::vector<double> tightness;
    std::string name;
    while (tightness.size() < 3000) {
        const std::optional<Scenario> scenario = randomScenario(random, name);
        if (!scenario) continue;
        const PlanChoice choice = choiceOf(*scenario);
        Estimator estimator(*scenario);
        const PlanFloor floor = estimator.floor(choice);
        const Estimate estimate = estimator.estimate(choice);
        if (!estimate.problems.empty()) continue;
        constexpr double rounding = 1 + 1e-12;
        EXPECT_LE(floor.iterationTime, estimate.iterationTime * rounding) << name;
        EXPECT_LE(floor.devicePeak, estimate.devicePeak * rounding) << name;
        EXPECT_GT(floor.iterationTime, 0) << name;
        EXPECT_GT(floor.devicePeak, 0) << name;
        tightness.push_back(floor.iterationTime / estimate.iterationTime);
    }
    std::sort(tightness.begin(), tightness.end());
    // What makes a floor worth asking for: half of them lie close.
    const double median = tightness[tightness.size() / 2];
    std::printf("floor of the time over its estimate: median %.3f, lowest %.3f\n", median, tightness.front());
    EXPECT_GT(median, 0.8);
}

/// What was asked before changes no floor, and a floor changes no estimate.
TEST(PlanFloor, IsTheSameWhateverWasAskedBefore) {
    RandomSource random(9);
    std::string name;
    for (int i = 0; i < 100;) {
        const std::optional<Scenario> scenario = randomScenario(random, name);
        if (!scenario) continue;
        ++i;
        std::vector<PlanChoice> choices;
        for (int zeroStage = 0; zeroStage < 4; ++zeroStage) {
            choices.push_back(choiceOf(*scenario));
            choices.back().parallelism.zeroStage = zeroStage;
        }
        Estimator used(*scenario);
        for (const PlanChoice& choice : choices) {
            used.floor(choice);
            used.estimate(choice);
        }
        for (const PlanChoice& choice : choices) {
            Estimator fresh(*scenario);
            const PlanFloor floor = fresh.floor(choice), again = used.floor(choice);
            EXPECT_EQ(floor.iterationTime, again.iterationTime) << name;
            EXPECT_EQ(floor.devicePeak, again.devicePeak) << name;
            const Estimate alone = Estimator(*scenario).estimate(choice), later = used.estimate(choice);
            EXPECT_EQ(alone.iterationTime, later.iterationTime) << name;
            EXPECT_EQ(alone.devicePeak, later.devicePeak) << name << " zero_stage " << choice.parallelism.zeroStage;
        }
    }
}

/// An estimator that had other global batches before answers as one that never saw any but this.
TEST(Rebatch, IsAsIfTheBatchHadBeenGiven) {
    RandomSource random(41207);
    std::string name;
    for (int drawn = 0; drawn < 300;) {
        std::optional<Scenario> scenario = randomScenario(random, name);
        if (!scenario) continue;
        ++drawn;
        std::vector<PlanChoice> choices(4, choiceOf(*scenario));
        for (int stage = 0; stage < 4; ++stage) choices[static_cast<std::size_t>(stage)].parallelism.zeroStage = stage;
        const Parallelism& plan = scenario->parallelism;
        const int given = scenario->training().globalBatch, each = plan.data * scenario->training().microBatch;
        // Schedules that go round in groups of stages keep whole groups.
        const int group = plan.schedule == ScheduleKind::interleaved ? plan.pipeline : plan.schedule == ScheduleKind::dual_pipe ? 2 * plan.pipeline
                                                                                                                                : 1;
        Estimator used(*scenario);
        for (int turn = 0; turn < 4; ++turn) {
            const int batch = turn == 2 ? given : each * group * static_cast<int>(random.between(std::size_t{1}, std::size_t{12}));
            used.rebatch(batch);
            EXPECT_EQ(used.globalBatch(), batch);
            scenario->training().globalBatch = batch;
            for (const PlanChoice& choice : choices) {
                Estimator fresh(*scenario);
                const PlanFloor floor = fresh.floor(choice), again = used.floor(choice);
                EXPECT_EQ(floor.iterationTime, again.iterationTime) << name << " batch " << batch;
                EXPECT_EQ(floor.devicePeak, again.devicePeak) << name << " batch " << batch;
                if (random.chance(0.3)) continue; // floors one after the other too
                const Estimate alone = fresh.estimate(choice), later = used.estimate(choice);
                EXPECT_EQ(alone.problems.size(), later.problems.size()) << name;
                if (!alone.problems.empty()) continue;
                // Kept times are of a run with other micro-batches: the last bits may be rounded otherwise.
                EXPECT_DOUBLE_EQ(alone.iterationTime, later.iterationTime) << name << " batch " << batch;
                EXPECT_EQ(alone.devicePeak, later.devicePeak) << name << " batch " << batch << " zero_stage " << choice.parallelism.zeroStage;
                EXPECT_EQ(alone.fits, later.fits) << name;
            }
        }
    }
}

} // namespace
} // namespace orrery::test
