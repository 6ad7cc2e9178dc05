// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/scenario/served_precision.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

#include <string>

// Which weights an engine loads, how ranks share them, and what drafts beside them.

namespace orrery::test {
namespace {

Json servedOn(const std::string& model, const std::string& accelerator, const std::string& precision, const Json& parallelism, const std::string& framework) {
    int accelerators = 1;
    for (const char* key : {"tensor", "attention_data", "pipeline"}) accelerators *= parallelism.value(key, 1);
    return {{"format", "orrery-scenario/1"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", accelerator}, {"accelerators_per_node", accelerators}, {"nodes", 1}}},
            {"workload", {{"kind", "serving"}, {"precision", precision}, {"requests", {{"count", 2}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", 16}, {"output_tokens", 4}}}}},
            {"parallelism", parallelism},
            {"execution", {{"framework", framework}}}};
}

std::string problemOf(const Json& document) {
    const ScenarioReading reading = read(document);
    for (const Problem& problem : reading.problems)
        if (problem.severity == Severity::error) return problem.code;
    return reading.scenario ? "" : "none";
}

bool warns(const Json& document, const std::string& code) { return find(read(document).problems, code) != nullptr; }

TEST(ServedFormats, EnginesWidenWhatTheAcceleratorCannotMultiply) {
    struct Known {
        const char *accelerator, *precision, *framework;
        bool runs, widens;
    };
    // vLLM's and SGLang's Marlin kernels: compute capability 8.0 and later; NVFP4 by SGLang from 2026 on. TensorRT-LLM has no such fallback.
    for (const Known& known : {Known{"a100-sxm4-80gb", "fp8", "vllm-2025", true, true}, Known{"a100-sxm4-80gb", "fp8", "sglang-2025", true, true},
                               Known{"h100-sxm5-80gb", "nvfp4", "vllm-2025", true, true}, Known{"h100-sxm5-80gb", "nvfp4", "sglang-2026", true, true},
                               Known{"h100-sxm5-80gb", "nvfp4", "sglang-2025", false, false}, Known{"a100-sxm4-80gb", "fp8", "trtllm-2025", false, false},
                               Known{"v100-sxm2-32gb", "fp8", "vllm-2025", false, false}, Known{"mi250x", "fp8", "vllm-2025", false, false},
                               Known{"h100-sxm5-80gb", "fp8", "vllm-2025", true, false}, Known{"b200-sxm-180gb", "nvfp4", "vllm-2025", true, false},
                               Known{"a100-sxm4-80gb", "int4", "vllm-2025", true, false}}) {
        const Json document = servedOn("llama-3.1-8b", known.accelerator, known.precision, {{"tensor", 1}}, known.framework);
        const std::string which = std::string(known.accelerator) + " " + known.precision + " " + known.framework;
        EXPECT_EQ(problemOf(document), known.runs ? "" : "precision-not-on-accelerator") << which;
        EXPECT_EQ(warns(document, "weights-only"), known.widens) << which;
    }
}

TEST(ServedFormats, ExpertsAreNeverHeldTwice) {
    for (const char* framework : {"vllm-2025", "sglang-2025", "trtllm-2025"})
        for (const Json& plan : {Json{{"tensor", 4}}, Json{{"tensor", 8}, {"expert", 4}}, Json{{"attention_data", 8}}, Json{{"tensor", 2}, {"attention_data", 4}, {"expert", 8}}}) {
            const ScenarioReading reading = read(servedOn("qwen3-30b-a3b", "h100-sxm5-80gb", "bf16", plan, framework));
            ASSERT_TRUE(reading.scenario) << listed(reading.problems);
            EXPECT_FALSE(find(reading.problems, "experts-repeated") || find(reading.problems, "experts-shared")) << plan.dump();
            const Parallelism& parallelism = reading.scenario->parallelism;
            EXPECT_EQ(parallelism.expert * parallelism.expertTensor, parallelism.tensor * parallelism.attentionData) << plan.dump();
        }
    EXPECT_TRUE(warns(servedOn("qwen3-30b-a3b", "h100-sxm5-80gb", "bf16", {{"tensor", 8}, {"expert", 2}, {"expert_tensor", 1}}, "vllm-2025"), "experts-shared"));
}

TEST(ServedFormats, BlocksOfScalesStayWhole) {
    const auto plan = [](const char* model, const char* precision, const char* recipe, const Json& parallelism, const char* framework) {
        Json document = servedOn(model, "b200-sxm-180gb", precision, parallelism, framework);
        if (*recipe) document["workload"]["fp8_recipe"] = recipe;
        return document;
    };
    // Qwen3-235B: experts of 1,536; on eight ranks 192, on four 384 = 3 × 128 (Qwen's own note on vLLM: tensor 8 needs expert parallelism).
    EXPECT_EQ(problemOf(plan("qwen3-235b-a22b", "fp8", "block", {{"tensor", 8}}, "vllm-2025")), "blocks-not-divisible");
    EXPECT_EQ(problemOf(plan("qwen3-235b-a22b", "fp8", "block", {{"tensor", 8}}, "sglang-2025")), "blocks-not-divisible");
    EXPECT_EQ(problemOf(plan("qwen3-235b-a22b", "fp8", "block", {{"tensor", 4}}, "vllm-2025")), "");
    EXPECT_EQ(problemOf(plan("qwen3-235b-a22b", "fp8", "block", {{"tensor", 8}, {"expert", 8}}, "vllm-2025")), "");
    EXPECT_EQ(problemOf(plan("qwen3-235b-a22b", "fp8", "rowwise", {{"tensor", 8}}, "vllm-2025")), "");
    EXPECT_EQ(problemOf(plan("qwen3-235b-a22b", "bf16", "", {{"tensor", 8}}, "vllm-2025")), "");
    // DeepSeek-V3: experts and shared expert of 2,048, dense layers of 18,432: 16 ranks have 128 of each expert, 32 have 64.
    EXPECT_EQ(problemOf(plan("deepseek-v3", "fp8", "block", {{"tensor", 16}}, "vllm-2025")), "");
    EXPECT_EQ(problemOf(plan("deepseek-v3", "fp8", "block", {{"tensor", 32}}, "vllm-2025")), "blocks-not-divisible");
    const Json broken = plan("qwen3-235b-a22b", "fp8", "block", {{"tensor", 8}}, "vllm-2025");
    const ScenarioReading reading = read(broken);
    const Problem* problem = find(reading.problems, "blocks-not-divisible");
    ASSERT_TRUE(problem);
    EXPECT_NE(problem->message.find("192"), std::string::npos) << problem->message;
    EXPECT_EQ(problemOf(mended(broken, *problem)), "");
}

TEST(ServedFormats, ADraftSharesTheRanksAndTheVocabularyOfItsTarget) {
    const auto drafted = [](const char* target, const char* draft, int tensor) {
        Json document = servedOn(target, "h100-sxm5-80gb", "bf16", {{"tensor", tensor}}, "vllm-2025");
        document["workload"]["engine"] = {{"speculative", {{"method", "draft_model"}, {"tokens", 3}, {"acceptance", 0.7}, {"draft_model", draft}}}};
        return document;
    };
    EXPECT_EQ(problemOf(drafted("llama-3.1-70b", "llama-3.1-8b", 8)), "");
    EXPECT_FALSE(warns(drafted("llama-3.1-70b", "llama-3.1-8b", 8), "draft-vocabulary"));
    EXPECT_EQ(problemOf(drafted("qwen2.5-72b", "qwen2.5-0.5b", 4)), "draft-tensor-heads") << "14 heads";
    EXPECT_EQ(problemOf(drafted("qwen2.5-72b", "qwen2.5-0.5b", 2)), "");
    EXPECT_FALSE(warns(drafted("qwen2.5-72b", "qwen2.5-0.5b", 2), "draft-vocabulary")) << "152,064 and 151,936: padding";
    EXPECT_TRUE(warns(drafted("llama-3.1-70b", "qwen2.5-7b", 4), "draft-vocabulary"));
}

TEST(TensorRanks, OnlySomeSoftwareCopiesKeyHeads) {
    const auto trained = [](const char* framework, int tensor) {
        Json document = soundDocument();
        document["model"] = Json{{"preset", "qwen3-30b-a3b"}}; // 4 key-value heads
        document["parallelism"] = Json{{"tensor", tensor}};
        document["workload"]["sequence_length"] = 4096;
        document["execution"] = Json{{"framework", framework}};
        return document;
    };
    EXPECT_EQ(problemOf(trained("torchtitan-2025", 8)), "tensor-key-value-heads");
    EXPECT_EQ(problemOf(trained("nanotron-2024", 8)), "tensor-key-value-heads");
    EXPECT_EQ(problemOf(trained("megatron-core-2025", 8)), "");
    EXPECT_EQ(problemOf(trained("nemo-2025", 8)), "");
    for (const char* framework : {"torchtitan-2025", "megatron-core-2025"}) EXPECT_EQ(problemOf(trained(framework, 4)), "") << framework;
    const Json broken = trained("torchtitan-2025", 8);
    const ScenarioReading reading = read(broken);
    ASSERT_TRUE(find(reading.problems, "tensor-key-value-heads"));
    EXPECT_EQ(problemOf(mended(broken, *find(reading.problems, "tensor-key-value-heads"))), "");
}

} // namespace
} // namespace orrery::test
