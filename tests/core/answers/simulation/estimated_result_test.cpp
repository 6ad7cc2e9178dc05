// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows while a simulation is under way: the simulation's own figures, nearly.
#include "core/answers/simulation/estimated_result.hpp"
#include "core/results/derivation/explain_estimated.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>

namespace orrery::test {
namespace {

constexpr double nearlyTime = 0.05, nearlyMemory = 0.02;

/// Layers that differ, pass several streams on or keep a state; and images in front of them.
std::vector<Json> newerModels() {
    std::vector<Json> configs;
    configs.push_back(Json::parse(R"({"model_type": "deepseek_v4", "hidden_size": 2048, "num_hidden_layers": 8, "num_attention_heads": 32, "head_dim": 128, "vocab_size": 32000, "q_lora_rank": 512, "o_groups": 8,
        "o_lora_rank": 256, "qk_rope_head_dim": 64, "index_n_heads": 16, "index_head_dim": 128, "index_topk": 256, "compress_ratios": [0, 4, 128, 4, 128, 4, 128, 4, 0], "n_routed_experts": 16, "num_experts_per_tok": 4,
        "moe_intermediate_size": 1024, "num_nextn_predict_layers": 1})"));
    configs.push_back(Json::parse(R"({"model_type": "gemma3n_text", "hidden_size": 2048, "num_hidden_layers": 10, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256, "vocab_size": 32000,
        "vocab_size_per_layer_input": 32000, "intermediate_size": 8192, "num_kv_shared_layers": 5})"));
    configs.push_back(Json::parse(R"({"model_type": "rwkv7", "hidden_size": 2048, "num_hidden_layers": 8, "head_dim": 64, "intermediate_size": 8192, "vocab_size": 65536})"));
    configs.push_back(Json::parse(R"({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text", "hidden_size": 2048, "num_hidden_layers": 8, "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 32000,
        "intermediate_size": 6144}, "vision_config": {"depth": 8, "hidden_size": 1152, "intermediate_size": 4304, "num_heads": 16, "out_hidden_size": 2048}})"));
    return configs;
}

std::vector<Json> plans() {
    std::vector<Json> plans(4, soundDocument());
    plans[1]["execution"]["recompute"] = "auto";
    plans[2]["parallelism"]["zero_stage"] = 3;
    plans[3]["workload"]["micro_batch_size"] = 2;
    for (const Json& config : newerModels()) {
        Json plan = soundDocument();
        plan["model"] = {{"config", config}};
        plan["parallelism"] = {{"tensor", 2}, {"pipeline", 2}, {"sequence", true}};
        if (config.contains("vision_config")) plan["workload"]["images"] = {{"per_sequence", 3}, {"width", 1024}, {"height", 768}};
        plans.push_back(std::move(plan));
    }
    return plans;
}

TEST(EstimatedResult, IsNearlyTheSimulations) {
    for (const Json& plan : plans()) {
        const Scenario scenario = sound(plan);
        const Outcome outcome = simulate(scenario);
        ASSERT_TRUE(outcome.result) << listed(outcome.problems);
        const Result& simulated = *outcome.result;
        const ResultPtr estimate = estimatedResult(scenario);
        ASSERT_TRUE(estimate);
        const double faster = simulated.training()->iterationTime / estimate->training()->iterationTime;
        EXPECT_NEAR(faster, 1, nearlyTime) << plan.dump();
        // What follows from the time follows by the simulation's own rules.
        EXPECT_NEAR(estimate->training()->mfu, simulated.training()->mfu * faster, 1e-12);
        EXPECT_NEAR(estimate->training()->mfuCausal, simulated.training()->mfuCausal * faster, 1e-12);
        EXPECT_NEAR(estimate->training()->tokensPerSecond / (simulated.training()->tokensPerSecond * faster), 1, 1e-12);
        EXPECT_NEAR(estimate->training()->modelTflopsPerAccelerator / (simulated.training()->modelTflopsPerAccelerator * faster), 1, 1e-12);
        EXPECT_EQ(estimate->training()->flopRule, simulated.training()->flopRule);
        EXPECT_NEAR(estimate->memory.peakBytes / simulated.memory.peakBytes, 1, nearlyMemory) << plan.dump();
        EXPECT_EQ(estimate->memory.capacityBytes, simulated.memory.capacityBytes);
        EXPECT_EQ(estimate->memory.stages.size(), simulated.memory.stages.size());
        EXPECT_EQ(estimate->fits, simulated.fits);
    }
}

TEST(EstimatedResult, IsNoneOfOtherWorkloads) {
    Json served = soundDocument();
    served["workload"] = {{"kind", "inference"}, {"batch_size", 1}, {"input_length", 100}, {"output_length", 10}, {"precision", "bf16"}};
    served["parallelism"] = {{"tensor", 8}};
    served["execution"] = {{"framework", "vllm-2025"}};
    EXPECT_FALSE(estimatedResult(sound(served)));
}

/// Where links above the hosts hold several stages back it might be far too short: better none than a wrong one.
TEST(EstimatedResult, IsNoneOnNetworksThatStagesShare) {
    Json shared = smallScenario(4, 2, 4, 4);
    EXPECT_TRUE(estimatedResult(sound(shared)));
    shared["cluster"]["scale_out"] = {{"oversubscription", 4}};
    EXPECT_FALSE(estimatedResult(sound(shared)));
}

/// Each figure that the window shows of it can be asked where it comes from, and none speaks of parts that nobody simulated.
TEST(EstimatedResult, SaysWhereItsFiguresComeFrom) {
    const ResultPtr estimate = estimatedResult(sound(soundDocument()));
    ASSERT_TRUE(estimate);
    const auto value = [&](const char* pointer) {
        const std::optional<Quantity> quantity = explainEstimated(*estimate, pointer);
        EXPECT_TRUE(quantity && !quantity->formula.empty()) << pointer;
        const std::string text = quantity ? toText(*quantity) : "";
        EXPECT_EQ(text.find("time parts"), std::string::npos) << text;
        return quantity ? quantity->value : 0;
    };
    EXPECT_EQ(value("/iteration_time_s"), estimate->training()->iterationTime);
    EXPECT_EQ(value("/memory/peak_bytes"), estimate->memory.peakBytes);
    EXPECT_EQ(value("/mfu"), estimate->training()->mfu);
    EXPECT_EQ(value("/tokens_per_s_per_accelerator"), estimate->training()->tokensPerSecondPerAccelerator);
    EXPECT_FALSE(explainEstimated(*estimate, "/bubble_fraction"));
}

} // namespace
} // namespace orrery::test
