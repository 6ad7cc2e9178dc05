// SPDX-License-Identifier: GPL-3.0-or-later
// Whose wait it is: the compute stream waits for a group's collectives only where there is such a group, and no longer than they take.
#include "core/base/json.hpp"
#include "tests/core/training/plan/random_plans.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

namespace orrery::test {
namespace {

enum WaitedGroup { tensorGroup,
                   contextGroup,
                   expertGroup };

constexpr std::array exposedParts{TimePart::tensor_exposed, TimePart::context_exposed, TimePart::expert_exposed};

/// s of all collectives of each group in an iteration, mean over accelerators, as the rows of operators say.
std::array<double, 3> collectiveTimes(const Result& result) {
    std::array<double, 3> times{};
    for (const OperationRow& row : result.operations) {
        if (row.group == RankGroup::tensor) times[tensorGroup] += row.time;
        if (row.group == RankGroup::context) times[contextGroup] += row.time;
        if (row.group == RankGroup::expert || row.group == RankGroup::expert_tensor) times[expertGroup] += row.time;
    }
    return times;
}

double exposed(const TimeBreakdown& breakdown, int group) { return breakdown[static_cast<std::size_t>(exposedParts[static_cast<std::size_t>(group)])]; }

TEST(WhoseWait, IsThatOfAGroupThatThePlanHas) {
    RandomSource random(381);
    std::array<int, 3> waited{};
    for (int i = 0; i < 300; ++i) {
        const std::string kind = smallModelKinds()[static_cast<std::size_t>(i) % smallModelKinds().size()];
        Json document = randomPlan(random, kind);
        if (random.chance(0.5)) document["execution"]["framework"] = "generic-2026";
        const ScenarioReading reading = read(document);
        if (!reading.scenario) continue;
        const ResultPtr result = simulate(*reading.scenario).result;
        ASSERT_TRUE(result);
        const Parallelism& plan = reading.scenario->parallelism;
        const std::array there{plan.tensor > 1, plan.context > 1, plan.expert * plan.expertTensor > 1};
        const std::array<double, 3> most = collectiveTimes(*result);
        const TrainingMetrics& metrics = *result->training();
        std::array<double, 3> mean{};
        for (const TimeBreakdown& stage : metrics.stages) {
            EXPECT_NEAR(std::accumulate(stage.begin(), stage.end(), 0.0), metrics.iterationTime, 1e-9 * metrics.iterationTime) << document.dump();
            for (int group = 0; group < 3; ++group) mean[static_cast<std::size_t>(group)] += exposed(stage, group) / double(metrics.stages.size());
        }
        for (int group = 0; group < 3; ++group) {
            const auto g = static_cast<std::size_t>(group);
            if (there[g]) {
                EXPECT_LE(mean[g], most[g] * (1 + 1e-9)) << group << '\n'
                                                         << document.dump();
            } else {
                EXPECT_EQ(mean[g], 0) << group << '\n'
                                      << document.dump();
            }
            waited[g] += mean[g] > 0;
        }
    }
    for (const int count : waited) EXPECT_GT(count, 50);
}

/// Where weights' gradients alone hide some of the exchange, the rest of it is the experts', whichever other groups the plan has.
TEST(WhoseWait, IsTheExpertsWhereTheExchangeStopsTheRank) {
    RandomSource random(382);
    for (const auto& [tensor, context] : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 2}}) {
        for (const bool overlap : {false, true}) {
            Json document = randomPlan(random, "mixtral");
            document["parallelism"] = {{"tensor", tensor}, {"context", context}, {"expert", 8}, {"sequence", tensor > 1}};
            document["workload"] = {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 256}, {"micro_batch_size", 1}, {"precision", "bf16"}};
            document["execution"] = {{"framework", "generic-2026"}, {"recompute", "none"}, {"overlap", {{"tensor", overlap}, {"data", false}, {"expert", false}}}};
            const ResultPtr result = run(document);
            ASSERT_TRUE(result);
            const double exchange = collectiveTimes(*result)[expertGroup];
            const TimeBreakdown& breakdown = result->training()->breakdown;
            EXPECT_GT(exposed(breakdown, expertGroup), 0.6 * exchange) << tensor << ' ' << context << ' ' << overlap;
            if (tensor == 1) {
                EXPECT_EQ(exposed(breakdown, tensorGroup), 0);
            }
        }
    }
}

} // namespace
} // namespace orrery::test
