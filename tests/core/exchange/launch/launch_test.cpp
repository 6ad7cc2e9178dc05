// SPDX-License-Identifier: GPL-3.0-or-later
// A launch text read back by the importers is the scenario that it was written for.
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/exchange/import/import.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/core/answers/explore/explored.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace orrery {
namespace {

using test::catalog;

const std::vector<LaunchTool> trainers{LaunchTool::megatron_lm, LaunchTool::megatron_bridge, LaunchTool::torchtitan};
const std::vector<LaunchTool> servers{LaunchTool::vllm, LaunchTool::sglang, LaunchTool::trtllm};

const std::string& wordOfTool(LaunchTool tool) { return launchToolWords()[static_cast<std::size_t>(tool)]; }

std::string launchOf(const Json& document, LaunchTool tool) {
    const ScenarioReading reading = readScenario(document, catalog());
    for (const Problem& problem : reading.problems) EXPECT_NE(problem.severity, Severity::error) << toText(problem);
    if (!reading.scenario) return {};
    Problems problems;
    const auto text = launchText(document, *reading.scenario, tool, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << wordOfTool(tool) << ": " << toText(problem);
    return text.value_or("");
}

Json importedFrom(const std::string& text, LaunchTool tool) {
    ImportOptions options;
    options.fileName = tool == LaunchTool::torchtitan ? "launch.toml" : "launch.sh";
    const Import imported = importCommandLine(text, options);
    for (const Problem& problem : imported.problems) EXPECT_NE(problem.code, "option-not-understood") << toText(problem) << '\n'
                                                                                                      << text;
    EXPECT_TRUE(imported.scenario) << text;
    return imported.scenario.value_or(Json());
}

/// All that is computed: no names, and not what was assumed, for an import states more.
Json figuresOf(const Json& document) {
    const ScenarioReading reading = readScenario(document, catalog());
    for (const Problem& problem : reading.problems) EXPECT_NE(problem.severity, Severity::error) << toText(problem);
    if (!reading.scenario) return {};
    const Outcome outcome = simulate(*reading.scenario);
    if (!outcome.result) return {};
    Json result = toJson(*outcome.result);
    for (const char* key : {"name", "assumed", "warnings", "provenance"}) result.erase(key);
    return result;
}

/// What options alone say: without the comments.
std::string withoutComments(const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("# orrery", 0) != 0) kept += line + "\n";
    return kept;
}

Json training(const char* preset, int nodes, const Json& parallelism, const Json& execution = Json::object()) {
    return {{"format", "orrery-scenario/1"},
            {"name", "launched"},
            {"model", {{"preset", preset}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", nodes}}},
            {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 32}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"parallelism", parallelism},
            {"execution", execution}};
}

std::vector<Json> trainings() {
    std::vector<Json> all;
    all.push_back(training("llama-3.1-8b", 1, {{"tensor", 2}}));
    all.push_back(training("llama-3.1-8b", 1, {{"tensor", 2}, {"pipeline", 2}, {"sequence", true}, {"zero_stage", 1}}, {{"framework", "megatron-core-2025"}, {"recompute", "full"}, {"overlap", {{"data", true}, {"tensor", true}}}}));
    all.push_back(training("llama-3.1-8b", 2, {{"zero_stage", 3}, {"shard_group", 8}}, {{"framework", "torchtitan-2025"}, {"recompute", {{"every", 2}}}, {"compile", true}}));
    all.push_back(training("llama-3.1-8b", 1, {{"pipeline", 4}, {"virtual_pipeline", 2}}, {{"framework", "megatron-bridge-2025"}, {"overlap", {{"pipeline", false}}}}));
    all.push_back(training("llama-3.1-8b", 1, {{"pipeline", 4}, {"schedule", "zb-h1"}}, {{"recompute", "selective"}, {"attention", "unfused"}}));
    all.push_back(training("llama-3.1-8b", 1, {{"context", 4}, {"context_method", "all_gather"}, {"zero_stage", 2}}, {{"cuda_graphs", true}, {"passes", {{"overlap", false}}}}));
    all.push_back(training("deepseek-v2-lite", 1, {{"expert", 8}, {"zero_stage", 1}}, {{"expert_load", {{"zipf", 0.3}}}, {"moe_dispatch", {{"capacity_factor", 1.25}}}}));
    all.push_back(training("deepseek-v3", 16, {{"pipeline", 8}, {"expert", 16}, {"zero_stage", 1}}, {{"framework", "megatron-core-2025"}, {"recompute", "full"}}));
    Json precise = training("llama-3.2-1b", 1, {{"tensor", 1}}, {{"framework", "megatron-2022"}});
    precise["workload"]["precision"] = "fp8";
    precise["workload"]["fp8_recipe"] = "block";
    precise["economics"] = {{"tokens_total", 1e10}, {"price_per_accelerator_hour", 2}};
    all.push_back(precise);
    return all;
}

Json serving(const Json& engine, const Json& parallelism) {
    Json document = test::smallInference();
    document["workload"] = Json::parse(R"({"kind": "serving", "precision": "bf16", "requests": {"count": 40, "arrival": {"process": "poisson", "rate_per_s": 8}, "input_tokens": 256, "output_tokens": 16, "seed": 1}})");
    document["workload"]["engine"] = engine;
    document["parallelism"] = parallelism;
    return document;
}

std::vector<Json> servings() {
    std::vector<Json> all;
    all.push_back(test::smallInference());
    all.push_back(serving({{"max_num_seqs", 16}, {"max_num_batched_tokens", 1024}, {"enable_chunked_prefill", true}}, {{"tensor", 2}}));
    all.push_back(serving({{"enable_prefix_caching", false}, {"gpu_memory_utilization", 0.8}, {"block_size", 32}, {"max_model_len", 4096}, {"async_scheduling", false}, {"kv_cache_dtype", "fp8"}}, {{"tensor", 1}, {"data", 4}}));
    all.push_back(serving({{"speculative", {{"method", "ngram"}, {"tokens", 3}, {"acceptance", 0.6}}}, {"scheduler_policy", "trtllm_max_utilization"}}, {{"tensor", 1}}));
    Json bound = serving(Json::object(), {{"tensor", 1}, {"pipeline", 2}});
    bound["workload"]["requests"]["arrival"] = {{"process", "closed_loop"}, {"concurrency", 4}};
    bound["workload"]["slo"] = {{"ttft_s", 0.2}};
    bound["execution"] = {{"framework", "trtllm-2025"}, {"cuda_graphs", false}};
    all.push_back(bound);
    return all;
}

/// vLLM and SGLang count the copies, TensorRT-LLM all slots.
TEST(Launch, CopiesOfExpertsAreAskedForAndReadBack) {
    Json document = serving({{"expert_slots", 16}}, {{"tensor", 1}, {"attention_data", 8}, {"expert", 8}});
    document["model"] = {{"preset", "mixtral-8x7b"}};
    const std::pair<LaunchTool, const char*> asked[]{{LaunchTool::vllm, "{\"num_redundant_experts\":8}"}, {LaunchTool::sglang, "--ep-num-redundant-experts 8"}, {LaunchTool::trtllm, "num_slots: 16"}};
    for (const auto& [tool, words] : asked) {
        const std::string text = launchOf(document, tool);
        EXPECT_NE(text.find(words), std::string::npos) << text;
        ImportOptions options;
        options.fileName = "launch.sh";
        options.expertsOf = [](const std::string&) { return std::optional<std::int64_t>(8); };
        EXPECT_EQ(importCommandLine(text, options).scenario.value_or(Json::object()).value(Json::json_pointer("/workload/engine/expert_slots"), Json()), 16) << text;
        document["workload"]["engine"].erase("expert_slots");
        EXPECT_EQ(launchOf(document, tool).find(words), std::string::npos);
        document["workload"]["engine"]["expert_slots"] = 16;
    }
}

TEST(Launch, ReadBackATrainingGivesTheSameFigures) {
    for (const Json& document : trainings()) {
        const Json wanted = figuresOf(document);
        ASSERT_TRUE(wanted.contains("memory"));
        for (const LaunchTool tool : trainers) {
            const std::string text = launchOf(document, tool);
            EXPECT_EQ(figuresOf(importedFrom(text, tool)), wanted) << wordOfTool(tool) << '\n'
                                                                   << text;
        }
    }
}

TEST(Launch, ReadBackAServerGivesTheSameFigures) {
    for (const Json& document : servings()) {
        const Json wanted = figuresOf(document);
        ASSERT_TRUE(wanted.contains("memory"));
        for (const LaunchTool tool : servers) {
            const std::string text = launchOf(document, tool);
            EXPECT_EQ(figuresOf(importedFrom(text, tool)), wanted) << wordOfTool(tool) << '\n'
                                                                   << text;
        }
    }
}

TEST(Launch, MegatronsOptionsAloneSayTheModel) {
    for (const char* preset : {"llama-3.1-8b", "llama-3.1-70b", "llama-2-13b", "gpt3-175b", "qwen3-8b", "qwen3-30b-a3b", "mixtral-8x7b", "deepseek-v3"}) {
        const Json document = training(preset, 2, {{"tensor", 1}});
        const ScenarioReading reading = readScenario(document, catalog());
        ASSERT_TRUE(reading.scenario) << preset;
        for (const LaunchTool tool : {LaunchTool::megatron_lm, LaunchTool::megatron_bridge}) {
            const Json imported = importedFrom(withoutComments(launchOf(document, tool)), tool);
            ASSERT_TRUE(imported.contains("model")) << preset;
            const ScenarioReading back = readScenario(imported, catalog());
            ASSERT_TRUE(back.scenario) << preset << imported.dump(1);
            EXPECT_NEAR(back.scenario->model.parameters(), reading.scenario->model.parameters(), 1e-5 * reading.scenario->model.parameters()) << preset;
            EXPECT_EQ(back.scenario->model.kvHeads, reading.scenario->model.kvHeads) << preset;
            EXPECT_EQ(back.scenario->training().globalBatch, 32) << preset;
        }
    }
}

TEST(Launch, OptionsCarryThePlanInTheProgramsOwnWords) {
    const Json document = training("llama-3.1-8b", 2, {{"tensor", 4}, {"pipeline", 2}, {"sequence", true}, {"zero_stage", 1}}, {{"recompute", "full"}});
    const std::string megatron = launchOf(document, LaunchTool::megatron_lm);
    for (const char* words : {"torchrun --nnodes 2 --nproc_per_node 8", "--tensor-model-parallel-size 4", "--pipeline-model-parallel-size 2", "--sequence-parallel", "--use-distributed-optimizer", "--recompute-granularity full", "--num-query-groups 8", "--swiglu"})
        EXPECT_NE(megatron.find(words), std::string::npos) << words;
    // 61 layers do not divide over stages, and Megatron-LM refuses what it is not told how to split.
    const std::string uneven = launchOf(training("deepseek-v3", 2, {{"pipeline", 4}, {"virtual_pipeline", 2}, {"expert", 4}}), LaunchTool::megatron_lm);
    EXPECT_NE(uneven.find("--pipeline-model-parallel-layout \"Et*"), std::string::npos) << uneven;
    EXPECT_EQ(uneven.find("--num-virtual-stages-per-pipeline-rank"), std::string::npos);
    const std::string bridge = launchOf(document, LaunchTool::megatron_bridge);
    for (const char* words : {"model.tensor_model_parallel_size=4", "train.global_batch_size=32", "ddp.use_distributed_optimizer=true"}) EXPECT_NE(bridge.find(words), std::string::npos) << words;
    const std::string titan = launchOf(document, LaunchTool::torchtitan);
    for (const char* words : {"flavor = \"8B\"", "tensor_parallel_degree = 4", "pipeline_parallel_degree = 2", "seq_len = 4096", "mode = \"full\""}) EXPECT_NE(titan.find(words), std::string::npos) << words;
    const std::string vllm = launchOf(servings()[1], LaunchTool::vllm);
    for (const char* words : {"vllm serve llama-3.1-8b", "--tensor-parallel-size 2", "--max-num-seqs 16", "--request-rate 8", "--random-input-len 256"}) EXPECT_NE(vllm.find(words), std::string::npos) << words;
}

TEST(Launch, WhatAProgramDoesNotDoIsRefused) {
    const Json trained = training("llama-3.1-8b", 1, {{"tensor", 2}});
    const ScenarioReading training = readScenario(trained, catalog()), served = readScenario(servings()[1], catalog());
    Problems problems;
    EXPECT_FALSE(launchText(trained, *training.scenario, LaunchTool::vllm, problems));
    EXPECT_FALSE(launchText(servings()[1], *served.scenario, LaunchTool::megatron_lm, problems));
    Json unnamed = test::smallTraining();
    EXPECT_FALSE(launchText(unnamed, *readScenario(unnamed, catalog()).scenario, LaunchTool::torchtitan, problems));
    ASSERT_EQ(problems.size(), 3U);
    for (const Problem& problem : problems) EXPECT_FALSE(problem.mend.empty());
}

} // namespace
} // namespace orrery
