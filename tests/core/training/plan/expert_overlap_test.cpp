// SPDX-License-Identifier: GPL-3.0-or-later
// Overlap of experts over several stages: pairs on all of them, so that each exposes about the same, and none costs time.
#include "core/base/json.hpp"
#include "core/order/schedule/in_flight.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery::test {
namespace {

double expertWait(const TimeBreakdown& stage) { return stage[static_cast<std::size_t>(TimePart::expert_exposed)]; }

/// Experts that reach over the hosts of a stage; layers, stages and chunks as asked.
Json expertsOverStages(int pipeline, int chunks, int microBatches, int layersPerChunk = 1) {
    Json document = smallScenario(1, pipeline, 16, microBatches);
    document["model"]["config"] = {{"model_type", "mixtral"}, {"num_hidden_layers", pipeline * chunks * layersPerChunk}, {"hidden_size", 2048}, {"intermediate_size", 2048}, {"num_attention_heads", 16}, {"num_key_value_heads", 8}, {"num_local_experts", 16}, {"num_experts_per_tok", 4}, {"vocab_size", 4096}, {"max_position_embeddings", 4096}};
    document["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 2 * pipeline}};
    document["workload"]["sequence_length"] = 4096;
    document["parallelism"] = {{"pipeline", pipeline}, {"virtual_pipeline", chunks}, {"expert", 16}};
    document["execution"] = {{"framework", "megatron-core-2025"}, {"recompute", "none"}, {"cuda_graphs", "full_iteration"}, {"moe_dispatcher", "alltoall"}, {"overlap", {{"expert", true}}}};
    return document;
}

Json withoutOverlap(Json document) {
    document["execution"]["overlap"]["expert"] = false;
    return document;
}

TEST(ExpertOverlap, HidesTheSameOnEveryStage) {
    constexpr int layersPerChunk = 3;
    for (const auto& [pipeline, chunks, microBatches] : {std::tuple{2, 2, 16}, {4, 2, 32}, {4, 4, 32}, {8, 2, 32}}) {
        const Json document = expertsOverStages(pipeline, chunks, microBatches, layersPerChunk);
        Scenario on = sound(document), off = sound(withoutOverlap(document));
        on.kernels.overlapSlowdown = off.kernels.overlapSlowdown = 1;
        const ResultPtr hidden = simulate(on).result, exposed = simulate(off).result;
        ASSERT_TRUE(hidden && exposed);
        std::vector<double> waits;
        for (const TimeBreakdown& stage : hidden->training()->stages) waits.push_back(expertWait(stage));
        const auto [least, most] = std::minmax_element(waits.begin(), waits.end());
        // What is ahead of the first pair differs, at most 2(p - 1) chunks' forwards and backwards of m v; and the layer beside the embedding or
        // the head.
        const double ahead = 2.0 * (pipeline - 1) / (microBatches * chunks), beside = 1.0 / (layersPerChunk * chunks);
        const double without = expertWait(exposed->training()->breakdown);
        EXPECT_LE(*most - *least, (ahead + beside) * without) << pipeline << ' ' << chunks;
        EXPECT_LT(*most, (0.7 + ahead) * without) << pipeline << ' ' << chunks;
        // What is hidden is time won.
        const double won = exposed->training()->iterationTime - hidden->training()->iterationTime;
        EXPECT_GT(won, 0.8 * (without - *most)) << pipeline << ' ' << chunks;
    }
}

/// With one more chunk's activations in memory than the schedule without pairs.
TEST(ExpertOverlap, HoldsOneChunkMore) {
    for (const auto& [pipeline, chunks] : {std::pair{2, 2}, {4, 2}, {4, 3}}) {
        const Json on = expertsOverStages(pipeline, chunks, 4 * pipeline);
        const PipelineSchedule paired = scheduleOf(sound(on)), plain = scheduleOf(sound(withoutOverlap(on)));
        ASSERT_EQ(paired.stages.size(), plain.stages.size());
        for (std::size_t stage = 0; stage < paired.stages.size(); ++stage) EXPECT_EQ(paired.mostInFlight[stage], plain.mostInFlight[stage] + 1);
        const std::vector<double> more = peakActivations(paired), fewer = peakActivations(plain);
        for (std::size_t stage = 0; stage < more.size(); ++stage) EXPECT_NEAR(more[stage] - fewer[stage], 1.0 / chunks, 1e-12);
    }
}

/// s of an iteration's sends between stages, mean over accelerators.
double sendTime(const Result& result) {
    double time = 0;
    for (const OperationRow& row : result.operations)
        if (row.group == RankGroup::pipeline) time += row.time;
    return time;
}

/// Overlap switched on never takes longer: a pair is no slower than its passes one after the other, kernels slowed beside the exchange
/// included. Only sends between stages may come into view, for pairs leave a result no time on its way.
TEST(ExpertOverlap, NeverCostsTime) {
    RandomSource random(382);
    for (int i = 0; i < 60; ++i) {
        const int pipeline = random.pick<int>({1, 2, 4}), chunks = pipeline == 1 ? 1 : random.pick<int>({2, 3});
        Json document = expertsOverStages(pipeline, chunks, pipeline * random.pick<int>({1, 2, 4, 8}), random.pick<int>({1, 2}));
        if (pipeline == 1) document["parallelism"].erase("virtual_pipeline");
        document["cluster"]["accelerator"] = random.pick(std::vector<std::string>{"h100-sxm5-80gb", "a100-sxm4-80gb", "b200-sxm-180gb", "mi300x"});
        document["execution"]["recompute"] = random.pick(std::vector<std::string>{"none", "selective", "full"});
        document["execution"]["cuda_graphs"] = random.chance(0.5);
        document["execution"]["moe_dispatcher"] = random.pick(std::vector<std::string>{"alltoall", "allgather", "hybridep"});
        Scenario on = sound(document), off = sound(withoutOverlap(document));
        on.kernels.overlapSlowdown = off.kernels.overlapSlowdown = random.pick<double>({1.0, 1.3, 1.9});
        const ResultPtr hidden = simulate(on).result, exposed = simulate(off).result;
        EXPECT_LE(hidden->training()->iterationTime, exposed->training()->iterationTime * (1 + 1e-3) + sendTime(*hidden)) << on.kernels.overlapSlowdown << document.dump();
    }
}

} // namespace
} // namespace orrery::test
