// SPDX-License-Identifier: GPL-3.0-or-later
// Roles beside prefill and decode: experts on accelerators apart from attention, and encoders before the prompts.
#include "core/results/report/result.hpp"
#include "core/scenario/edits.hpp"
#include "core/served/inference/apart_experts.hpp"
#include "core/served/service/engine_pool.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace orrery::test {
namespace {

/// Micro-batches that take turns on the attention and on the experts, layer by layer, written as events: whoever is ready first goes first.
double playedStep(const ApartLayer& layer, int layers, int microBatches) {
    std::vector<double> ready(static_cast<std::size_t>(microBatches), 0); // for attention
    double attention = 0, experts = 0;
    for (int at = 0; at < layers; ++at)
        for (double& mine : ready) {
            attention = std::max(attention, mine) + layer.attention;
            experts = std::max(experts, attention + layer.send) + layer.experts;
            mine = experts + layer.send;
        }
    return *std::max_element(ready.begin(), ready.end());
}

TEST(ApartExperts, AStepTakesAsLongAsItsMicroBatchesPlayedOneByOne) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> seconds(1, 100);
    for (int i = 0; i < 2000; ++i) {
        const ApartLayer layer{seconds(random), seconds(random), seconds(random)};
        const int layers = 1 + i % 61, microBatches = 1 + i % 5;
        EXPECT_NEAR(apartStepTime(layer, layers, microBatches), playedStep(layer, layers, microBatches), 1e-9 * layers * 500) << layer.attention << " " << layer.experts << " " << layer.send << " " << layers << " " << microBatches;
    }
}

Json servedRoles(Json disaggregation, int count = 64, int output = 128) {
    return {{"format", "orrery-scenario/1"},
            {"name", "roles"},
            {"model", {{"preset", "qwen3-30b-a3b"}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 4}}},
            {"workload",
             {{"kind", "serving"},
              {"precision", "bf16"},
              {"requests", {{"count", count}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", 512}, {"output_tokens", output}, {"seed", 1}}},
              {"engine", {{"disaggregation", std::move(disaggregation)}}}}}};
}

Json apartRoles(int attention, int experts) { return {{"prefill", {{"instances", 1}}}, {"attention", {{"instances", attention}}}, {"experts", {{"instances", experts}}}}; }

std::vector<EnginePool> poolsIn(const Json& document) {
    const Scenario scenario = sound(document);
    return enginePools(scenario, std::get<ServingWorkload>(scenario.workload));
}

TEST(ApartExperts, HoldWhatAWholeEngineHoldsBesides) {
    const std::vector<EnginePool> whole = poolsIn(servedRoles({{"prefill", {{"instances", 1}}}, {"decode", {{"instances", 1}}}})), apart = poolsIn(servedRoles(apartRoles(2, 4)));
    EXPECT_NEAR(apart.back().memory.weights + 4 * apart.back().apartMemory.weights, whole.back().memory.weights, 1e-6 * whole.back().memory.weights);
    EXPECT_EQ(apart.back().accelerators(), 6);
    EXPECT_GT(apart.back().blocks, 2 * whole.back().blocks) << "two attention accelerators, each with more room";
}

TEST(ApartExperts, NoStepIsShorterThanWhatEitherSideComputes) {
    const std::vector<EnginePool> pools = poolsIn(servedRoles(apartRoles(2, 4)));
    const StepModel& model = pools.back().model();
    for (const int decodes : {1, 2, 16, 256}) {
        StepBatch batch;
        batch.decodes = decodes;
        batch.decodeContext = 700;
        double attention = 0, experts = 0, sends = 0;
        for (const StepModel::Counted& one : model.counted(batch)) {
            const Operator& op = one.timed.op;
            (op.name == "moe.experts" ? experts : op.collective == CollectiveKind::send_receive ? sends
                                                                                                : attention) += one.count * one.timed.time;
        }
        const double step = model.parts(batch).device();
        EXPECT_GT(experts, 0);
        EXPECT_GT(sends, 0);
        EXPECT_GT(step, 0.9 * std::max(attention, experts)) << decodes; // graphs' sizes and the grid round
        EXPECT_LE(step, 1.1 * (attention + experts + sends)) << decodes;
    }
}

TEST(ApartExperts, AreReachedWhereverTheyLie) {
    for (const int attention : {1, 2, 4, 7, 8, 12})
        for (const int experts : {1, 3, 8, 16}) {
            const double perToken = run(servedRoles(apartRoles(attention, experts), 8, 16))->serving()->served.tpot.mean;
            EXPECT_GT(perToken, 0.001) << attention << " " << experts;
            EXPECT_LT(perToken, 0.1) << attention << " " << experts;
        }
}

TEST(ApartExperts, AllAnswersComeAndPartsSum) {
    const ResultPtr result = run(servedRoles(apartRoles(2, 4)));
    ASSERT_TRUE(result && result->fits);
    const Json written = toJson(*result);
    EXPECT_EQ(written["requests"]["completed"], 64);
    double sum = 0;
    for (const auto& [key, seconds] : written["time_breakdown_s"].items()) sum += seconds.get<double>();
    EXPECT_NEAR(sum, written["e2e_s"]["mean"].get<double>(), 1e-9 * sum);
    EXPECT_NEAR(written["output_tokens_per_s"].get<double>() / written["output_tokens_per_s_per_accelerator"].get<double>(), 7, 1e-9) << "one for prompts, two for attention, four with experts";
}

TEST(ApartExperts, WithoutRoomAreNotServed) {
    Json document = servedRoles(apartRoles(2, 1));
    document["model"] = {{"preset", "mixtral-8x22b"}}; // 270 GB of experts
    const ResultPtr result = run(document);
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->fits);
    EXPECT_TRUE(toJson(*result)["output_tokens_per_s"].is_null());
}

void expectRoleProblem(const Json& document, const std::string& code, const std::string& pointer) {
    const ScenarioReading reading = read(document);
    EXPECT_FALSE(reading.scenario);
    const Problem* problem = find(reading.problems, code);
    ASSERT_NE(problem, nullptr) << code << "\n"
                                << listed(reading.problems);
    EXPECT_EQ(problem->pointer, pointer);
    EXPECT_FALSE(problem->mend.empty());
}

TEST(ServedRoles, ThatDoNotGoTogetherAreRefused) {
    const std::string in = "/workload/engine/disaggregation/";
    const Json one{{"instances", 1}};
    expectRoleProblem(servedRoles({{"prefill", one}}), "missing-key", in + "decode");
    expectRoleProblem(servedRoles({{"prefill", one}, {"attention", one}}), "missing-key", in + "experts");
    expectRoleProblem(servedRoles({{"prefill", one}, {"experts", one}}), "missing-key", in + "attention");
    expectRoleProblem(servedRoles({{"prefill", one}, {"decode", one}, {"attention", one}, {"experts", one}}), "conflicting-keys", in + "decode");
    expectRoleProblem(servedRoles({{"prefill", one}, {"decode", one}, {"encode", one}}), "no-images", in + "encode");
    Json dense = servedRoles(apartRoles(1, 1));
    dense["model"] = {{"preset", "llama-3.1-8b"}};
    expectRoleProblem(dense, "no-experts", in + "experts");
    Json few = servedRoles(apartRoles(1, 9));
    few["model"] = {{"preset", "mixtral-8x7b"}};
    expectRoleProblem(few, "expert-not-divisible", in + "experts/instances");
    expectRoleProblem(servedRoles(apartRoles(20, 20)), "too-few-accelerators", in + "experts/instances");
}

/// A language model of four layers that sees 576 tokens in an image of 768 × 768 pixels.
Json seeingRoles(int encoders, int requests, int images) {
    Json document = servedRoles({{"prefill", {{"instances", 1}}}, {"decode", {{"instances", 1}}}}, requests, 8);
    document["model"] = {{"config",
                          {{"model_type", "qwen3_vl"},
                           {"text_config", {{"model_type", "qwen3_vl_text"}, {"hidden_size", 2048}, {"num_hidden_layers", 4}, {"num_attention_heads", 16}, {"num_key_value_heads", 8}, {"head_dim", 128}, {"vocab_size", 32000}, {"intermediate_size", 6144}}},
                           {"vision_config", {{"depth", 8}, {"hidden_size", 1152}, {"intermediate_size", 4304}, {"num_heads", 16}, {"patch_size", 16}, {"spatial_merge_size", 2}, {"temporal_patch_size", 2}, {"num_position_embeddings", 2304}, {"out_hidden_size", 2048}}}}}};
    document["workload"]["images"] = {{"per_request", images}, {"width", 768}, {"height", 768}};
    if (encoders > 0) document["workload"]["engine"]["disaggregation"]["encode"] = {{"instances", encoders}};
    return document;
}

TEST(Encoders, KeepRequestsWaitingInTheOrderTheyCome) {
    constexpr int requests = 12;
    for (const int encoders : {1, 3, 12}) {
        const Json document = seeingRoles(encoders, requests, 2);
        const std::vector<EnginePool> pools = poolsIn(document);
        const EncoderStage stage = *pools.front().encoders;
        EXPECT_GT(stage.seconds, 0);
        EXPECT_GT(stage.send, 0);
        double mean = 0; // the k-th waits until its encoder has done those before it
        for (int k = 0; k < requests; ++k) mean += (k / encoders + 1) * stage.seconds / requests;
        const Json written = toJson(*run(document));
        EXPECT_NEAR(written["ttft_breakdown_s"]["encode"].get<double>(), mean + stage.send, 1e-9) << encoders;
        double sum = 0;
        for (const auto& [key, seconds] : written["ttft_breakdown_s"].items()) sum += seconds.get<double>();
        EXPECT_NEAR(sum, written["ttft_s"]["mean"].get<double>(), 1e-9) << encoders;
    }
}

TEST(Encoders, TakeTheTowerOutOfThePrompts) {
    const std::vector<EnginePool> with = poolsIn(seeingRoles(1, 4, 8)), without = poolsIn(seeingRoles(0, 4, 8));
    StepBatch prompt;
    prompt.prefills = {{512 + 8 * 576, 0}};
    const double inStep = without.front().model().seconds(prompt) - with.front().model().seconds(prompt);
    EXPECT_NEAR(inStep / with.front().encoders->seconds, 1, 0.5) << "the same work, but for what a step has once";
    EXPECT_LT(with.front().memory.weights, without.front().memory.weights);
}

} // namespace
} // namespace orrery::test
