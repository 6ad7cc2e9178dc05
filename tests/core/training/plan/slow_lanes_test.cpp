// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/training/plan/job_symmetry.hpp"
#include "tests/core/training/plan/random_plans.hpp"

#include <gtest/gtest.h>

// Lanes on which kernels take longer. How slow one is does not depend on how its segments are run: as one task each, or operator by
// operator where collectives share links with other traffic.

namespace orrery::test {
namespace {

/// s of the iteration, every cell by itself.
double durationOf(const Scenario& scenario, bool operatorByOperator) {
    JobTraffic traffic(scenario);
    const RankWork work = makeRankWork(scenario, scenario.execution.recompute, costModelOf(scenario), traffic);
    const Parallelism& plan = scenario.parallelism;
    const Iteration plain = buildIteration(scenario, work, traffic, LaneMap(plan.pipeline, plan.data), operatorByOperator);
    std::vector<JobTraffic::Id> used;
    for (const TransferUse& use : plain.transfers) used.push_back(use.patterns);
    JobSymmetry symmetry(scenario, traffic, used, Folding::none);
    const Iteration iteration = buildIteration(scenario, work, traffic, symmetry.lanes(), operatorByOperator);
    EXPECT_EQ(iteration.expanded.empty(), !operatorByOperator);
    return runProgram(iteration.program, {}, symmetry.model(iteration.transfers).get())->duration;
}

/// One host: tensor groups have their links to themselves, so both ways of running them are alike.
TEST(SlowLanes, AreAsSlowOperatorByOperator) {
    RandomSource random(41);
    for (int i = 0; i < 40; ++i) {
        const std::string kind = random.pick(smallModelKinds());
        Json document = randomPlan(random, kind);
        document["cluster"]["nodes"] = 1;
        document["parallelism"] = {{"tensor", 8}, {"sequence", random.chance(0.5)}};
        document["model"]["config"]["num_key_value_heads"] = 8; // torchtitan copies none
        document["execution"].erase("offload");
        document["execution"]["framework"] =
            random.pick(std::vector<std::string>{"megatron-2022", "megatron-core-2025", "torchtitan-2025", "megatron-deepspeed-2022"});
        document["execution"]["overlap"] = Json::object();
        document["execution"]["calibration"] = {{"overlap_slowdown", 1}};
        document["workload"]["global_batch_size"] = 2 * document["workload"]["micro_batch_size"].get<int>();
        SCOPED_TRACE(document.dump());
        const double fast = durationOf(sound(document), false);
        EXPECT_NEAR(durationOf(sound(document), true), fast, 1e-9 * fast);
        const double slowdown = random.between(1.1, 4.0);
        document["execution"]["stragglers"] = {{{"rank", random.below(8)}, {"slowdown", slowdown}}};
        const double slow = durationOf(sound(document), false);
        EXPECT_NEAR(durationOf(sound(document), true), slow, 1e-9 * slow);
        EXPECT_GT(slow, fast);
        EXPECT_LT(slow, slowdown * fast); // tensor groups' collectives are not slower
    }
}

} // namespace
} // namespace orrery::test
