// SPDX-License-Identifier: GPL-3.0-or-later
// ZeRO-3 under a pipeline: what is gathered how often, and what of it stays, by one account.
#include "core/training/replica_policy/replica_policy.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <map>

namespace orrery::test {
namespace {

constexpr int microBatchesRun = 6;

Json inPipeline(const char* framework, int zero) {
    Json document = smallScenario(1, 4, 8, microBatchesRun);
    document["execution"]["framework"] = framework;
    document["execution"]["recompute"] = "none";
    document["parallelism"]["zero_stage"] = zero;
    return document;
}

OperationRow rowOf(const ResultPtr& result, const std::string& kind) {
    for (const OperationRow& row : result->operations)
        if (row.kind == kind) return row;
    return {};
}

double held(const ResultPtr& result, MemoryKind kind) {
    double most = 0;
    for (const StageMemory& stage : result->memory.stages) most = std::max(most, stage.bytes[static_cast<std::size_t>(kind)]);
    return most;
}

TEST(GatheredWeights, MegatronGathersForEveryPassAndKeepsLittle) {
    const ResultPtr whole = run(inPipeline("megatron-core-2025", 2)), sharded = run(inPipeline("megatron-core-2025", 3));
    // Forward and backward of every micro-batch; ZeRO-2 gathers what the optimizer changed once.
    EXPECT_NEAR(rowOf(sharded, "data.gather_parameters").bytes, 2 * microBatchesRun * rowOf(whole, "data.gather_parameters").bytes, 1);
    EXPECT_NEAR(rowOf(sharded, "data.reduce_scatter_gradients").bytes, rowOf(whole, "data.reduce_scatter_gradients").bytes, 1);
    EXPECT_LT(sharded->memory.allocatedPeakBytes, whole->memory.allocatedPeakBytes);
    EXPECT_EQ(find(sharded->warnings, "gathered-weights"), nullptr);
}

TEST(GatheredWeights, FullyShardGathersOnceAndKeepsAllOfTheStage) {
    const ResultPtr once = run(inPipeline("torchtitan-2025", 1)), whole = run(inPipeline("torchtitan-2025", 2)), sharded = run(inPipeline("torchtitan-2025", 3));
    EXPECT_NEAR(rowOf(sharded, "data.gather_parameters").bytes, rowOf(once, "data.gather_parameters").bytes, 1);
    EXPECT_NEAR(rowOf(sharded, "data.reduce_scatter_gradients").bytes, rowOf(once, "data.reduce_scatter_gradients").bytes, 1);
    EXPECT_NEAR(rowOf(whole, "data.reduce_scatter_gradients").bytes, microBatchesRun * rowOf(once, "data.reduce_scatter_gradients").bytes, 1);
    // The stage's weights in 16 bit, beside what else is gathered or reduced.
    EXPECT_GT(held(sharded, MemoryKind::communication_buffers), 2 * 0.8 * sharded->parameters / 4);
    EXPECT_GT(sharded->memory.allocatedPeakBytes, whole->memory.allocatedPeakBytes);
    const Problem* named = find(sharded->warnings, "gathered-weights");
    ASSERT_NE(named, nullptr);
    EXPECT_NE(named->message.find("torchtitan-2025"), std::string::npos);
}

/// One profile, told to keep or to drop what it gathers: less time costs more memory.
TEST(GatheredWeights, TimeAndMemoryAreOneAccount) {
    for (const bool overlap : {false, true}) {
        Json document = inPipeline("torchtitan-2025", 3);
        document["execution"]["overlap"] = {{"data", overlap}};
        Scenario keeps = sound(document), drops = keeps;
        drops.execution.profile.keepsGatheredInPipeline = false;
        const ResultPtr kept = simulate(keeps).result, dropped = simulate(drops).result;
        EXPECT_LT(kept->training()->iterationTime, dropped->training()->iterationTime) << overlap;
        EXPECT_GT(kept->memory.allocatedPeakBytes, dropped->memory.allocatedPeakBytes) << overlap;
        EXPECT_NEAR(rowOf(dropped, "data.gather_parameters").bytes, 2 * microBatchesRun * rowOf(kept, "data.gather_parameters").bytes, 1);
    }
}

TEST(GatheredWeights, AlonePlansWithoutAPipelineAreAsBefore) {
    Json document = smallScenario(1, 1, 8, microBatchesRun);
    document["execution"]["framework"] = "torchtitan-2025";
    document["parallelism"]["zero_stage"] = 3;
    const Scenario scenario = sound(document);
    EXPECT_FALSE(ReplicaPolicy(scenario).keepsGathered());
    EXPECT_FALSE(ReplicaPolicy(scenario).addsUpWhole());
    EXPECT_EQ(find(simulate(scenario).result->warnings, "gathered-weights"), nullptr);
}

} // namespace
} // namespace orrery::test
