// SPDX-License-Identifier: GPL-3.0-or-later
// The program of an iteration, task by task: how often it gathers a unit's weights and reduces its gradients, how much of them, and over which
// ranks. Nothing here asks the policy.
#include "core/base/json.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/plan/lanes.hpp"
#include "core/training/rank_work/model_chunks.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace orrery {
namespace {

/// How many collectives one lane has among its replicas, and the bytes of their buffers.
struct Sent {
    int count = 0;
    double bytes = 0;
};

struct Built {
    Iteration iteration;
    double elements = 0, frozen = 0, experts = 0; ///< of the first stage
    int units = 0;                                ///< of the first stage
};

Built build(const Scenario& scenario) {
    JobTraffic traffic(scenario);
    Built built;
    RankWork work = makeRankWork(scenario, scenario.execution.recompute, costModelOf(scenario), traffic);
    const ModelChunks chunks(scenario, work, scheduleOf(scenario).placement);
    for (const int chunk : chunks.heldBy(0))
        for (const Unit& unit : chunks.units(chunk)) {
            built.elements += unit.piece->elements;
            built.frozen += unit.piece->frozenElements;
            built.experts += unit.piece->expertElements;
            ++built.units;
        }
    built.iteration = buildIteration(scenario, work, traffic, LaneMap(scenario.parallelism.pipeline, scenario.parallelism.data));
    return built;
}

Sent sentBy(const Iteration& iteration, RankGroup group, CollectiveKind kind) {
    Sent sent;
    for (const TaskInfo& task : iteration.tasks) {
        if (task.stage != 0 || task.stream != TrainingStream::data || task.role != TaskRole::work) continue;
        for (const SegmentEntry& entry : iteration.work.segments[task.segment].entries) {
            const Operator& op = iteration.work.operators[entry.op].op;
            if (op.group != group || op.collective != kind) continue;
            ++sent.count;
            sent.bytes += op.messageBytes;
        }
    }
    return sent;
}

Json planOf(const std::string& framework, int zeroStage, int pipeline, int microBatches) {
    Json document = test::smallScenario(1, pipeline, 8, microBatches);
    document["parallelism"]["zero_stage"] = zeroStage;
    document["execution"]["framework"] = framework;
    document["execution"]["recompute"] = "none";
    document["execution"]["overlap"] = {{"data", true}};
    return document;
}

TEST(IterationTraffic, GathersEveryUnitForEveryPassOrOnce) {
    const int microBatches = 4;
    int dropped = 0, kept = 0;
    for (const std::string framework : {"megatron-2022", "torchtitan-2025"})
        for (const int pipeline : {1, 2}) {
            const Json document = planOf(framework, 3, pipeline, microBatches);
            const ScenarioReading reading = test::read(document);
            if (!reading.scenario) continue; // some frameworks share no weights out in a pipeline
            SCOPED_TRACE(document.dump());
            const Built built = build(*reading.scenario);
            const FrameworkProfile& profile = reading.scenario->execution.profile;
            const int times = pipeline > 1 && profile.keepsGatheredInPipeline ? 1 : 2 * microBatches;
            ++(times == 1 ? kept : dropped);
            const Sent gathered = sentBy(built.iteration, RankGroup::data, CollectiveKind::all_gather);
            EXPECT_EQ(gathered.count, times * built.units);
            EXPECT_NEAR(gathered.bytes, times * (built.elements + built.frozen) * profile.gatheredWeightBytes, 1e-9 * gathered.bytes);
        }
    EXPECT_GE(dropped, 2);
    EXPECT_EQ(kept, 1);
}

TEST(IterationTraffic, ReducesEveryGradientOfAStepOrOfAMicroBatch) {
    const int microBatches = 4;
    for (const int stage : {0, 1, 2, 3}) {
        const Json document = planOf("megatron-2022", stage, 1, microBatches);
        SCOPED_TRACE(document.dump());
        const Scenario scenario = test::sound(document);
        const Built built = build(scenario);
        const Sent whole = sentBy(built.iteration, RankGroup::data, CollectiveKind::all_reduce);
        const Sent shares = sentBy(built.iteration, RankGroup::data, CollectiveKind::reduce_scatter);
        const double gradients = built.elements * scenario.execution.profile.gradientReduceBytes;
        EXPECT_NEAR(whole.bytes, stage == 0 ? gradients : 0, 1e-9 * gradients);
        EXPECT_NEAR(shares.bytes, stage == 0 ? 0 : stage == 1 ? gradients
                                                              : microBatches * gradients,
                    1e-9 * microBatches * gradients);
    }
}

TEST(IterationTraffic, ReducesRoutedExpertsOverExpertDataAlone) {
    for (const int expert : {1, 2, 8})
        for (const int stage : {0, 1}) {
            Json document = planOf("megatron-core-2025", stage, 1, 2);
            document["model"] = {{"config", {{"model_type", "mixtral"}, {"num_hidden_layers", 4}, {"hidden_size", 512}, {"intermediate_size", 1024}, {"num_attention_heads", 8}, {"num_key_value_heads", 4}, {"num_local_experts", 8}, {"num_experts_per_tok", 2}, {"vocab_size", 8192}, {"max_position_embeddings", 8192}}}};
            document["parallelism"]["expert"] = expert;
            SCOPED_TRACE(document.dump());
            const Scenario scenario = test::sound(document);
            const Built built = build(scenario);
            const CollectiveKind kind = stage == 0 ? CollectiveKind::all_reduce : CollectiveKind::reduce_scatter;
            const double each = scenario.execution.profile.gradientReduceBytes;
            const Sent dense = sentBy(built.iteration, RankGroup::data, kind), experts = sentBy(built.iteration, RankGroup::expert_data, kind);
            ASSERT_GT(built.experts, 0);
            EXPECT_NEAR(dense.bytes, built.elements * each, 1e-9 * dense.bytes);
            // With as many expert ranks as replicas nobody else holds the same experts.
            EXPECT_NEAR(experts.bytes, expert == 8 ? 0 : built.experts * each, 1e-9 * built.experts * each);
        }
}

TEST(IterationTraffic, ReducesAdaptersAloneWhenTheRestIsFrozen) {
    Json document = planOf("megatron-core-2025", 1, 1, 2);
    document["workload"].update(Json{{"task", "lora"}, {"lora_rank", 8}});
    const Scenario scenario = test::sound(document);
    const Built built = build(scenario);
    const double adapters = sentBy(built.iteration, RankGroup::data, CollectiveKind::reduce_scatter).bytes / scenario.execution.profile.gradientReduceBytes;
    EXPECT_NEAR(adapters, built.elements, 1e-9 * adapters);
    EXPECT_LT(adapters, 0.05 * scenario.model.parameters());
    EXPECT_NEAR(built.frozen, scenario.model.parameters(), 1e-9 * built.frozen);
}

} // namespace
} // namespace orrery
