// SPDX-License-Identifier: GPL-3.0-or-later
// What a replica gathers, reduces and steps over, held to sums that must come out whatever the policy does inside: every parameter is
// stepped over once in each copy of the model, and what rings move for it is what the papers count.
#include "core/base/json.hpp"
#include "core/training/rank_work/graph_passes.hpp"
#include "core/training/replica_policy/replica_policy.hpp"
#include "tests/core/training/plan/random_plans.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

constexpr int accelerators = 128; ///< of a random plan

const std::string& modelOf(int i) { return test::smallModelKinds()[static_cast<std::size_t>(i) % test::smallModelKinds().size()]; }

/// A random plan with all of its parameters trained.
Json pretraining(test::RandomSource& random, const std::string& kind) {
    Json document = test::randomPlan(random, kind);
    document["workload"].erase("task");
    document["workload"].erase("lora_rank");
    return document;
}

/// Ranks as the document's numbers alone say it.
struct Ranks {
    double tensor, replicas, sharders, experts, expertReplicas;

    explicit Ranks(const Json& document) {
        const Json& plan = document["parallelism"];
        tensor = plan["tensor"].get<double>();
        replicas = accelerators / (tensor * plan["pipeline"].get<double>());
        sharders = plan.value("shard_group", replicas);
        experts = plan.value("expert", 1.0) * plan.value("expert_tensor", 1.0);
        expertReplicas = tensor * replicas / experts;
    }
};

/// What a ring of so many ranks moves of a buffer through each of them (Rajbhandari et al. 2020, section 7.1; Megatron's distributed
/// optimizer, docs/source/api-guide/dist_optimizer.md).
double ringBytes(CollectiveKind kind, double ranks, double bytes) { return (kind == CollectiveKind::all_reduce ? 2 : 1) * (ranks - 1) / ranks * bytes; }

/// The same of a whole exchange, the experts' left out.
double ringBytes(const ReplicaExchange& exchange, double replicas, double sharders) {
    double bytes = 0;
    for (const ReplicaCollective& one : exchange.dense()) {
        const double ranks = one.group == RankGroup::data ? replicas : one.group == RankGroup::shard ? sharders
                                                                                                     : replicas / sharders;
        bytes += ringBytes(one.kind, ranks, one.bytes);
    }
    return bytes * exchange.repeats;
}

Scenario withReplicas(int replicas, int zeroStage, int shardGroup) {
    Scenario scenario;
    scenario.parallelism.data = replicas;
    scenario.parallelism.zeroStage = zeroStage;
    scenario.parallelism.shardGroup = shardGroup;
    scenario.execution.overlap.data = true;
    return scenario;
}

/// Megatron-Core: 40 million elements, or a million for each rank if that is more, whether gradients fill it or weights that come over.
TEST(ReplicaPolicy, BucketsGrowWithTheRanks) {
    const auto fills = [](int replicas, double elements) {
        Scenario scenario = withReplicas(replicas, 1, 1);
        scenario.execution.overlap.data = true;
        scenario.execution.profile.gradientReduceBytes = 4;
        scenario.execution.profile.gradientBucketBytes = 160e6;
        scenario.execution.profile.bucketElementsEachRank = 1e6;
        const ReplicaPolicy policy(scenario);
        EXPECT_EQ(policy.fillsBucket(elements), policy.fillsGather({elements, 0, 0, 1}));
        return policy.fillsBucket(elements);
    };
    EXPECT_FALSE(fills(8, 39e6));
    EXPECT_TRUE(fills(8, 40e6));
    EXPECT_TRUE(fills(32, 40e6));
    EXPECT_FALSE(fills(512, 511e6));
    EXPECT_TRUE(fills(512, 512e6));
}

TEST(ReplicaPolicy, EveryParameterIsSteppedOverOnceInACopy) {
    test::RandomSource random(71);
    int grouped = 0, routed = 0;
    for (int i = 0; i < 150; ++i) {
        const Json document = pretraining(random, modelOf(i));
        SCOPED_TRACE(document.dump());
        const Scenario scenario = test::sound(document);
        const ReplicaPolicy policy(scenario);
        const Ranks ranks(document);
        const bool shared = document["parallelism"]["zero_stage"].get<int>() >= 1;
        // Ranks that hold parts of one copy: without ZeRO one replica steps over all of it.
        const double replicasOfCopy = shared ? ranks.sharders : 1, expertRanksOfCopy = ranks.experts * (shared ? ranks.expertReplicas : 1);
        double parameters = 0;
        for (const PieceUse& use : pieceUses(scenario, scenario.execution.recompute)) {
            if (use.name == "next_token") continue; // the model's count leaves them out
            for (const Operator& op : plannedGraph(use.piece, scenario, use.recompute).graph.forward) {
                const bool ofExperts = op.kind == OperatorKind::grouped_gemm;
                // Tensor ranks that hold the same vector step over it alike.
                const double parts = op.role == TensorRole::replicated ? 1 : ranks.tensor;
                if (ofExperts) parameters += use.count * expertRanksOfCopy * policy.optimizedElements({0, 0, op.weights, 0});
                else parameters += use.count * replicasOfCopy * (parts * policy.optimizedElements({op.weights, 0, 0, 1}) + policy.optimizedElements({op.replicatedWeights, 0, 0, 1}));
                routed += ofExperts;
            }
        }
        EXPECT_NEAR(parameters, scenario.model.parameters(), 1e-9 * parameters);
        grouped += shared && ranks.sharders < ranks.replicas;
    }
    EXPECT_GT(grouped, 20);
    EXPECT_GT(routed, 20);
}

TEST(ReplicaPolicy, GroupsMakeUpTheReplicas) {
    test::RandomSource random(72);
    for (int i = 0; i < 60; ++i) {
        const Json document = pretraining(random, modelOf(i));
        SCOPED_TRACE(document.dump());
        const ReplicaPolicy policy(test::sound(document));
        const Ranks ranks(document);
        EXPECT_EQ(policy.ranksIn(RankGroup::data), ranks.replicas);
        EXPECT_EQ(policy.ranksIn(RankGroup::shard), ranks.sharders);
        EXPECT_EQ(policy.ranksIn(RankGroup::shard) * policy.ranksIn(RankGroup::replicate), ranks.replicas);
        EXPECT_EQ(policy.ranksIn(RankGroup::expert_data), ranks.expertReplicas);
    }
}

TEST(ReplicaPolicy, EmbeddingAndHeadTravelInSixteenBitWhereLayersDoInEight) {
    for (const int stage : {1, 3}) {
        Scenario scenario = withReplicas(8, stage, 0);
        const HeldWeights held{5e6, 0, 0, 3, 2e6};
        scenario.execution.profile.gatheredWeightBytes = 2;
        EXPECT_EQ(ReplicaPolicy(scenario).gather(held).dense()[0].bytes, 2 * 5e6);
        scenario.execution.profile.gatheredWeightBytes = 1;
        EXPECT_EQ(ReplicaPolicy(scenario).gather(held).dense()[0].bytes, 1 * 3e6 + 2 * 2e6);
        EXPECT_EQ(ReplicaPolicy(scenario).gatheredBytes(held), 1 * 3e6 + 2 * 2e6);
    }
}

TEST(ReplicaPolicy, RingsMoveWhatThePapersCount) {
    // Ψ bytes of gradients make each rank send 2 (n − 1)/n Ψ in an all-reduce, half of it in a reduce-scatter.
    for (const int replicas : {2, 6, 8, 64}) {
        const HeldWeights held{3e6, 0, 0, 7};
        const double share = double(replicas - 1) / replicas;
        for (const int stage : {0, 1, 2, 3}) {
            const Scenario scenario = withReplicas(replicas, stage, 0);
            const double gradients = held.elements * scenario.execution.profile.gradientReduceBytes;
            const double moved = ringBytes(ReplicaPolicy(scenario).reduce(held), replicas, replicas);
            EXPECT_NEAR(moved, (stage == 0 ? 2 : 1) * share * gradients, 1e-9 * gradients) << replicas << " " << stage;
        }
    }
}

TEST(ReplicaPolicy, GroupsMoveNoMoreThanOneAllReduce) {
    // HSDP scatters within a group, adds the shards up over the groups and gathers within the group: with equal numbers on the wire that is
    // an all-reduce over all replicas, in steps. 2 (s − 1)/s + 2 (k − 1)/(k s) = 2 (n − 1)/n for n = k s.
    for (const int sharders : {1, 2, 3, 8})
        for (const int copies : {1, 2, 5, 16}) {
            const int replicas = sharders * copies;
            if (replicas == 1) continue;
            Scenario scenario = withReplicas(replicas, 2, sharders);
            scenario.execution.profile.gatheredWeightBytes = scenario.execution.profile.gradientReduceBytes;
            const ReplicaPolicy policy(scenario);
            const HeldWeights held{5e6, 0, 0, 3};
            double moved = ringBytes(policy.reduce(held), replicas, sharders);
            if (policy.gathers() != GatherTime::never) moved += ringBytes(policy.gather(held), replicas, sharders);
            const double whole = ringBytes(CollectiveKind::all_reduce, replicas, policy.reduceBytes(held.elements));
            EXPECT_NEAR(moved, whole, 1e-9 * whole) << sharders << " " << copies;
        }
}

TEST(ReplicaPolicy, ACollectiveForEachTensorMovesTheSame) {
    for (const int stage : {0, 1, 2, 3}) {
        Scenario scenario = withReplicas(16, stage, stage == 0 ? 0 : 4);
        const HeldWeights held{5e6, 1e6, 0, 12};
        const ReplicaPolicy together(scenario);
        scenario.execution.profile.reducesEachTensor = true;
        const ReplicaPolicy each(scenario);
        EXPECT_EQ(each.reduce(held).repeats, 12);
        EXPECT_EQ(each.gather(held).repeats, stage == 3 ? 12 : 1);
        EXPECT_NEAR(ringBytes(each.reduce(held), 16, 4), ringBytes(together.reduce(held), 16, 4), 1);
        EXPECT_NEAR(ringBytes(each.gather(held), 16, 4), ringBytes(together.gather(held), 16, 4), 1);
    }
}

TEST(ReplicaPolicy, ExpertsMeetThoseThatHoldTheSame) {
    // Megatron reduces gradients of routed experts over its expert-data group and no other (parallel_state.py:
    // get_expert_data_parallel_group).
    test::RandomSource random(73);
    for (int i = 0; i < 60; ++i) {
        const Json document = pretraining(random, "mixtral");
        SCOPED_TRACE(document.dump());
        const ReplicaPolicy policy(test::sound(document));
        const HeldWeights dense{2e6, 0, 0, 5}, both{2e6, 0, 3e6, 5}, experts{0, 0, 3e6, 0};
        for (const bool gather : {false, true}) {
            const auto exchange = [&](const HeldWeights& held) { return gather ? policy.gather(held) : policy.reduce(held); };
            EXPECT_TRUE(exchange(experts).dense().empty());
            EXPECT_FALSE(exchange(dense).experts);
            ASSERT_EQ(exchange(both).stepCount, exchange(dense).stepCount);
            for (std::size_t step = 0; step < exchange(dense).stepCount; ++step) {
                EXPECT_EQ(exchange(both).steps[step].bytes, exchange(dense).steps[step].bytes);
                EXPECT_NE(exchange(both).steps[step].group, RankGroup::expert_data);
            }
            EXPECT_EQ(exchange(both).experts.has_value(), Ranks(document).expertReplicas > 1);
            if (!exchange(both).experts) continue;
            EXPECT_EQ(exchange(both).experts->group, RankGroup::expert_data);
            EXPECT_EQ(exchange(both).experts->bytes, gather ? policy.gatherBytes(3e6) : policy.reduceBytes(3e6));
        }
    }
}

TEST(ReplicaPolicy, SaysWhenByStage) {
    // Rajbhandari et al. 2020, section 7.2: stage 3 gathers in forward and again in backward; stages 1 and 2 once.
    const auto at = [](int stage, auto change) {
        Scenario scenario = withReplicas(8, stage, 0);
        change(scenario);
        return ReplicaPolicy(scenario);
    };
    const auto as = [](Scenario&) {};
    const GatherTime gathers[] = {GatherTime::never, GatherTime::once, GatherTime::once, GatherTime::each_pass};
    const ReduceTime reduces[] = {ReduceTime::full_bucket, ReduceTime::full_bucket, ReduceTime::each_pass, ReduceTime::each_pass};
    for (int stage = 0; stage < 4; ++stage) {
        EXPECT_EQ(at(stage, as).gathers(), gathers[stage]);
        EXPECT_EQ(at(stage, as).reduces(), reduces[stage]);
        EXPECT_EQ(at(stage, as).meetsAtEveryUnit(), stage >= 2);
        const ReplicaPolicy alone = at(stage, [](Scenario& scenario) { scenario.parallelism.data = 1; });
        EXPECT_EQ(alone.gathers(), GatherTime::never);
        EXPECT_EQ(alone.reduces(), ReduceTime::never);
        const auto later = [](Scenario& scenario) { scenario.execution.overlap.data = false; };
        EXPECT_EQ(at(stage, later).reduces(), stage < 2 ? ReduceTime::at_end : ReduceTime::each_pass);
        EXPECT_EQ(at(stage, later).sendsAmongUnits(), stage >= 2);
    }
    // fully_shard in a pipeline: gathered once, gradients added up whole.
    const ReplicaPolicy kept = at(3, [](Scenario& scenario) {
        scenario.parallelism.pipeline = 2;
        scenario.execution.profile.keepsGatheredInPipeline = true;
    });
    EXPECT_EQ(kept.gathers(), GatherTime::once);
    EXPECT_EQ(kept.reduces(), ReduceTime::last_pass);
    EXPECT_FALSE(kept.meetsAtEveryUnit());
    // ZeRO-1 whose step waits: all-reduced whole, behind everything.
    const ReplicaPolicy waits = at(1, [](Scenario& scenario) { scenario.execution.profile.shardedStepWaits = true; });
    EXPECT_EQ(waits.reduces(), ReduceTime::at_end);
    EXPECT_EQ(waits.gradientCollective(), CollectiveKind::all_reduce);
    EXPECT_FALSE(waits.overlaps());
}

TEST(ReplicaPolicy, FrozenWeightsHaveNoGradient) {
    // LoRA: what is frozen comes over only where weights are shared out, and is never reduced or stepped over.
    const HeldWeights frozen{0, 4e6, 0, 0};
    for (const int stage : {0, 1, 2, 3}) {
        const ReplicaPolicy policy(withReplicas(8, stage, 0));
        EXPECT_TRUE(policy.reduce(frozen).dense().empty());
        EXPECT_EQ(policy.optimizedElements(frozen), 0);
        EXPECT_EQ(policy.gather(frozen).stepCount, stage == 3 ? 1u : 0u);
        EXPECT_EQ(policy.ownElements(frozen), stage == 3 ? 5e5 : 4e6);
    }
}

TEST(ReplicaPolicy, AHostStepsAsFastAsZeroOffload) {
    // Ren et al. 2021, table 4: 10 billion parameters in 0.97 s. A cluster without hosts is one accelerator a host.
    Scenario scenario;
    scenario.kernels.physics = test::catalog().physics();
    EXPECT_NEAR(hostStep(scenario, 10e9).seconds, 0.97, 0.01);
}

} // namespace
} // namespace orrery
