// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/served_model.hpp"
#include "tests/core/exchange/import/import_checks.hpp"
#include "tests/core/exchange/import/served_inputs.hpp"

namespace orrery {
namespace {

ImportOptions namedFile(const std::string& name, const std::string& text) {
    ImportOptions options;
    options.readFile = [name, text](const std::string& path, std::string& error) -> std::optional<std::string> {
        if (path == name) return text;
        error = "no such file";
        return std::nullopt;
    };
    return options;
}

TEST(VllmImport, AServerOverTwoNodes) {
    const Json s = scenarioOf(inputs::vllmServe);
    EXPECT_EQ(at(s, "/model/preset"), "llama-3.1-70b");
    EXPECT_EQ(at(s, "/workload/kind"), "serving");
    EXPECT_EQ(at(s, "/workload/precision"), "bf16");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 4);
    EXPECT_EQ(at(s, "/parallelism/pipeline"), 2);
    EXPECT_EQ(at(s, "/cluster/nodes"), 1);
    EXPECT_EQ(at(s, "/cluster/accelerators_per_node"), 8);
    EXPECT_EQ(at(s, "/workload/engine/max_model_len"), 32000) << "32k is 32,000; 32K would be 32,768";
    EXPECT_EQ(at(s, "/workload/engine/max_num_seqs"), 256);
    EXPECT_EQ(at(s, "/workload/engine/max_num_batched_tokens"), 8192);
    EXPECT_EQ(at(s, "/workload/engine/gpu_memory_utilization"), 0.95);
    EXPECT_EQ(at(s, "/workload/engine/kv_cache_dtype"), "fp8");
    EXPECT_EQ(at(s, "/workload/engine/enable_prefix_caching"), false);
    EXPECT_EQ(at(s, "/workload/engine/enable_chunked_prefill"), true);
    const Import imported = importCommandLine(inputs::vllmServe);
    EXPECT_EQ(imported.source, "vLLM");
    EXPECT_EQ(mentions(imported.problems, "option-ignored", "--api-key", 5), 1);
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", ""), 0);
    EXPECT_GE(mentions(imported.problems, "assumed", "requests come"), 1) << "a server's command names no requests";
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 8);
}

TEST(VllmImport, AnImageIsTheServer) {
    const Json s = scenarioOf(inputs::vllmDocker);
    EXPECT_EQ(at(s, "/model/preset"), "mistral-7b-v0.1");
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 1) << "a server takes as many as its plan, not a node";
}

TEST(VllmImport, YamlAloneAndNamedByTheCommandWhichCountsOverIt) {
    const Json alone = scenarioOf(inputs::vllmYaml, {.fileName = "config.yaml"});
    EXPECT_EQ(at(alone, "/model/preset"), "llama-3.1-8b");
    EXPECT_EQ(at(alone, "/parallelism/tensor"), 2);
    EXPECT_EQ(at(alone, "/workload/engine/enable_prefix_caching"), false);
    EXPECT_EQ(at(scenarioOf(inputs::vllmYaml), "/parallelism/tensor"), 2) << "pasted, without a name";
    const Json both = scenarioOf("vllm serve --config config.yaml --tensor-parallel-size 4", namedFile("config.yaml", inputs::vllmYaml));
    EXPECT_EQ(at(both, "/model/preset"), "llama-3.1-8b");
    EXPECT_EQ(at(both, "/parallelism/tensor"), 4);
    soundScenario(both);
    EXPECT_EQ(at(scenarioOf("vllm serve --config config.yaml -tp 4", namedFile("config.yaml", inputs::vllmYaml)), "/parallelism/tensor"), 4) << "whichever way it is written";
}

TEST(VllmImport, AFileThatIsMissingOrBrokenIsNamed) {
    const Import missing = importCommandLine("vllm serve Qwen/Qwen3-8B --config away.yaml", namedFile("config.yaml", ""));
    EXPECT_TRUE(missing.scenario);
    EXPECT_EQ(mentions(missing.problems, "file-not-read", "away.yaml", 1), 1);
    const Import broken = importCommandLine("vllm serve Qwen/Qwen3-8B --config c.yaml", namedFile("c.yaml", "a: [1, 2\nb: }"));
    EXPECT_TRUE(broken.scenario);
    EXPECT_EQ(mentions(broken.problems, "no-yaml", "not YAML"), 1);
    const Import alone = importCommandLine("a: [1, 2\nb: }", {.fileName = "c.yaml"});
    EXPECT_FALSE(alone.scenario);
    EXPECT_EQ(mentions(alone.problems, "no-yaml", "not YAML"), 1);
}

TEST(VllmImport, ExpertsOverDataParallelRanks) {
    const Json s = scenarioOf(inputs::vllmExperts);
    EXPECT_EQ(at(s, "/model/preset"), "deepseek-v3");
    EXPECT_EQ(at(s, "/workload/precision"), "fp8") << "the checkpoint's own";
    EXPECT_EQ(at(s, "/parallelism/attention_data"), 8);
    EXPECT_EQ(at(s, "/parallelism/expert"), 8);
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 8);
}

/// Each program counts copies in its own way; how many experts there are is the model's to say.
TEST(ServedImport, CachesOnTheHostAreTiers) {
    const Json tier = at(*importCommandLine("python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 4 --enable-hierarchical-cache --hicache-size 30 --hicache-write-policy write_back", {}).scenario, "/workload/engine/kv_tiers");
    EXPECT_EQ(tier, Json::array({Json{{"kind", "host"}, {"capacity_gb", 120}, {"policy", "on_eviction"}}}));
    const Import ratio = importCommandLine("python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --enable-hierarchical-cache --hicache-ratio 2", {});
    EXPECT_TRUE(at(*ratio.scenario, "/workload/engine/kv_tiers").is_null());
    EXPECT_EQ(mentions(ratio.problems, "approximated", "--hicache-ratio"), 1);
    const Json offloaded = at(*importCommandLine("vllm serve Qwen/Qwen3-8B -tp 2 --kv-offloading-size 64", {}).scenario, "/workload/engine/kv_tiers");
    ASSERT_EQ(offloaded.size(), 1U);
    EXPECT_NEAR(offloaded[0]["capacity_gb"].get<double>(), 64 * 1.073741824, 1e-12);
}

TEST(ServedImport, CopiesOfExpertsAreSlots) {
    const std::string model = "deepseek-ai/DeepSeek-R1", balancer = "moe_config:\n  load_balancer: eplb.yaml\n", slots = "num_slots: 288\nlayer_updates_per_iter: 0\n";
    ImportOptions options;
    options.readFile = [&](const std::string& path, std::string& error) -> std::optional<std::string> {
        if (path == "extra.yaml") return balancer;
        if (path == "inline.yaml") return "moe_config:\n  load_balancer:\n    num_slots: 288\n";
        if (path == "eplb.yaml") return slots;
        error = "no such file";
        return std::nullopt;
    };
    const std::string texts[]{
        "vllm serve " + model + " -tp 1 -dp 16 --enable-expert-parallel --enable-eplb --eplb-config '{\"num_redundant_experts\": 32, \"window_size\": 1000}'",
        "vllm serve " + model + " -tp 1 -dp 16 --enable-expert-parallel --enable-eplb --eplb-config.num_redundant_experts 32",
        "vllm serve " + model + " -tp 1 -dp 16 --enable-expert-parallel --num-redundant-experts 32",
        "python3 -m sglang.launch_server --model-path " + model + " --tp 16 --dp 16 --enable-dp-attention --moe-a2a-backend deepep --ep-num-redundant-experts 32",
        "trtllm-serve " + model + " --tp_size 16 --ep_size 16 --extra_llm_api_options extra.yaml",
        "trtllm-serve " + model + " --tp_size 16 --ep_size 16 --extra_llm_api_options inline.yaml",
    };
    for (const std::string& text : texts) {
        options.expertsOf = [](const std::string& id) { return id == "deepseek-r1" ? std::optional<std::int64_t>(256) : std::nullopt; };
        const Import known = importCommandLine(text, options);
        ASSERT_TRUE(known.scenario) << text;
        EXPECT_EQ(at(*known.scenario, "/workload/engine/expert_slots"), 288) << text;
        EXPECT_EQ(mentions(known.problems, "option-not-understood", "") + mentions(known.problems, "not-simulated", "redundant"), 0) << text;
        if (text.starts_with("trtllm")) continue; // counts the slots itself
        options.expertsOf = nullptr;
        const Import unknown = importCommandLine(text, options);
        EXPECT_TRUE(at(*unknown.scenario, "/workload/engine/expert_slots").is_null());
        EXPECT_EQ(mentions(unknown.problems, "approximated", "copies of 32 experts"), 1) << text;
    }
}

TEST(VllmImport, DataParallelRanksWithoutExpertsAreInstances) {
    const Json s = scenarioOf("vllm serve Qwen/Qwen3-8B -tp 2 -dp 3");
    const Scenario scenario = soundScenario(s);
    EXPECT_EQ(scenario.cluster.accelerators(), 6);
    EXPECT_EQ(scenario.parallelism.data, 3);
}

TEST(VllmImport, DraftsOfASmallerModel) {
    const Json s = scenarioOf(inputs::vllmSpeculative);
    EXPECT_EQ(at(s, "/workload/engine/speculative"), (Json{{"method", "draft_model"}, {"tokens", 5}, {"draft_model", "llama-3.2-1b"}}));
    EXPECT_EQ(at(s, "/workload/engine/gpu_memory_utilization"), 0.8);
    soundScenario(s);
    const Json dotted = scenarioOf("vllm serve Qwen/Qwen3-8B --speculative-config.method ngram --speculative-config.num_speculative_tokens 4");
    EXPECT_EQ(at(dotted, "/workload/engine/speculative"), (Json{{"method", "ngram"}, {"tokens", 4}}));
}

TEST(VllmImport, ABenchmarkBesideItTellsOfItsRequests) {
    const Json s = scenarioOf(inputs::vllmBench);
    EXPECT_EQ(at(s, "/workload/requests/count"), 500);
    EXPECT_EQ(at(s, "/workload/requests/arrival"), (Json{{"process", "gamma"}, {"rate_per_s", 8.0}, {"burstiness", 0.5}}));
    EXPECT_EQ(at(s, "/workload/requests/input_tokens"), 2048);
    EXPECT_EQ(at(s, "/workload/requests/output_tokens"), 256);
    soundScenario(s);
    const Json closed = scenarioOf("vllm bench serve --model Qwen/Qwen3-8B --random-input-len 100 --random-output-len 10 --num-prompts 64 --max-concurrency 8");
    EXPECT_EQ(at(closed, "/workload/requests/arrival"), (Json{{"process", "closed_loop"}, {"concurrency", 8}}));
    const Json all = scenarioOf("vllm bench serve --model Qwen/Qwen3-8B --random-input-len 100 --num-prompts 64 --request-rate inf");
    EXPECT_EQ(at(all, "/workload/requests/arrival"), (Json{{"process", "all_at_once"}}));
}

TEST(VllmImport, WhatIsNotUnderstoodIsNamedWithWhatWasMeant) {
    const Import imported = importCommandLine("vllm serve Qwen/Qwen3-8B \\\n  --max-num-sequence 8 --quantization strange \\\n  --kv-transfer-config '{\"kv_connector\": \"NixlConnector\"}'");
    ASSERT_TRUE(imported.scenario);
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", "--max-num-sequence", 2), 1);
    EXPECT_EQ(mentions(imported.problems, "option-not-understood", "strange", 2), 1);
    EXPECT_EQ(mentions(imported.problems, "not-simulated", "--kv-transfer-config", 3), 1);
    const Import nameless = importCommandLine("vllm serve --tensor-parallel-size 2");
    EXPECT_FALSE(nameless.scenario);
    EXPECT_EQ(mentions(nameless.problems, "model-missing", "no model"), 1);
    EXPECT_EQ(at(scenarioOf("vllm serve $MODEL -tp 2", {.model = "llama-3.1-8b"}), "/model/preset"), "llama-3.1-8b");
}

TEST(VllmImport, NoClusterIsThatLarge) {
    const Import imported = importCommandLine("vllm serve Qwen/Qwen3-8B -tp 1000000000 -pp 1000000000 -dp 1000000000");
    EXPECT_FALSE(imported.scenario);
    EXPECT_EQ(mentions(imported.problems, "too-many-ranks", "more accelerators"), 1);
}

TEST(SglangImport, AttentionGroupsStayWithinTheTensorRanks) {
    const Json s = scenarioOf(inputs::sglangDeepSeek);
    EXPECT_EQ(at(s, "/execution/framework"), "sglang-2025");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 8);
    EXPECT_EQ(at(s, "/parallelism/attention_data"), 2);
    EXPECT_EQ(at(s, "/cluster/nodes"), 2);
    EXPECT_EQ(at(s, "/cluster/accelerators_per_node"), 8);
    EXPECT_EQ(at(s, "/workload/engine/speculative"), (Json{{"method", "eagle"}, {"tokens", 2}}));
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 16);
}

TEST(SglangImport, ServersOfTheirOwn) {
    const Json s = scenarioOf(inputs::sglangPlain);
    EXPECT_EQ(at(s, "/model/preset"), "llama-3-8b");
    EXPECT_EQ(at(s, "/workload/precision"), "fp8");
    EXPECT_EQ(at(s, "/workload/engine/max_num_batched_tokens"), 4096);
    EXPECT_EQ(at(s, "/workload/engine/kv_cache_dtype"), "fp8");
    EXPECT_EQ(soundScenario(s).parallelism.data, 2);
    EXPECT_EQ(mentions(importCommandLine(inputs::sglangPlain).problems, "approximated", "lpm", 2), 1);
    EXPECT_EQ(at(scenarioOf(inputs::sglangYaml, {.fileName = "config.yaml"}), "/parallelism/tensor"), 2);
    EXPECT_EQ(importCommandLine(inputs::sglangYaml, {.fileName = "config.yaml"}).source, "SGLang");
}

TEST(TrtllmImport, AScriptThatWritesItsOwnOptionsFile) {
    const Json s = scenarioOf(inputs::trtllmServe);
    EXPECT_EQ(at(s, "/execution/framework"), "trtllm-2025");
    EXPECT_EQ(at(s, "/model/preset"), "llama-3.1-70b");
    EXPECT_EQ(at(s, "/workload/precision"), "fp8");
    EXPECT_EQ(at(s, "/workload/engine/max_num_seqs"), 1024);
    EXPECT_EQ(at(s, "/workload/engine/max_num_batched_tokens"), 2048);
    EXPECT_EQ(at(s, "/workload/engine/max_model_len"), 1024);
    EXPECT_EQ(at(s, "/workload/engine/kv_cache_dtype"), "fp8");
    EXPECT_EQ(at(s, "/workload/engine/enable_prefix_caching"), false);
    EXPECT_EQ(at(s, "/execution/cuda_graphs"), true);
    EXPECT_EQ(at(s, "/workload/engine/kv_cache_free_gpu_memory_fraction"), 0.9);
    EXPECT_EQ(mentions(importCommandLine(inputs::trtllmServe).problems, "option-not-understood", ""), 0);
}

TEST(TrtllmImport, TheFileCountsOverTheCommand) {
    const Json s = scenarioOf("trtllm-serve Qwen/Qwen3-8B --tp_size 2 --max_batch_size 8 --extra_llm_api_options more.yaml",
                              namedFile("more.yaml", "max_batch_size: 64\ntensor_parallel_size: 4\ncuda_graph_config: null\n"));
    EXPECT_EQ(at(s, "/workload/engine/max_num_seqs"), 64);
    EXPECT_EQ(at(s, "/parallelism/tensor"), 4);
    EXPECT_EQ(at(s, "/execution/cuda_graphs"), false);
    soundScenario(s);
}

TEST(TrtllmImport, ABenchmarkIsAnEngineWithItsRequests) {
    const Json s = scenarioOf(inputs::trtllmBench);
    EXPECT_EQ(at(s, "/model/preset"), "deepseek-r1");
    EXPECT_EQ(at(s, "/workload/precision"), "nvfp4");
    EXPECT_EQ(at(s, "/parallelism/attention_data"), 8) << "every tensor rank runs attention of its own";
    EXPECT_EQ(at(s, "/parallelism/tensor"), Json());
    EXPECT_EQ(at(s, "/parallelism/expert"), 8);
    EXPECT_EQ(at(s, "/workload/engine/speculative"), (Json{{"method", "mtp"}, {"tokens", 3}}));
    EXPECT_EQ(at(s, "/workload/requests/count"), 49152);
    EXPECT_EQ(at(s, "/workload/requests/arrival"), (Json{{"process", "closed_loop"}, {"concurrency", 3072}}));
}

TEST(ServedModels, NamesOfCheckpointsAndWhatTheySayOfTheWeights) {
    const struct {
        const char* name;
        const char* preset;
        const char* precision;
    } names[] = {{"meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b", ""}, {"nvidia/Llama-3.3-70B-Instruct-FP8", "llama-3.3-70b", "fp8"}, {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "qwen2.5-7b", "int4"}, {"Qwen/Qwen3-30B-A3B-FP8", "qwen3-30b-a3b", "fp8"}, {"mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b", ""}, {"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3", ""}, {"openai/gpt-oss-120b", "gpt-oss-120b", "mxfp4"}, {"/models/DeepSeek-R1-0528/", "deepseek-r1", "fp8"}, {"meta-llama/Llama-2-7b-chat-hf", "llama-2-7b", ""}};
    for (const auto& one : names) {
        const ServedModel model = servedModel(one.name);
        EXPECT_EQ(model.preset, one.preset);
        EXPECT_EQ(model.precision.value_or(""), one.precision) << one.name;
        EXPECT_NE(shippedCatalog().model(model.preset), nullptr) << one.name;
    }
}

TEST(ServedYaml, AliasesThatGrowOrHoldThemselvesEnd) {
    std::string growing = "model: x\na: &a [1, 2]\n";
    for (int i = 0; i < 60; ++i) growing += "k" + std::to_string(i) + ": &k" + std::to_string(i) + " {p: *" + (i == 0 ? "a" : "k" + std::to_string(i - 1)) + ", q: *" + (i == 0 ? "a" : "k" + std::to_string(i - 1)) + "}\n";
    const Import grown = importCommandLine(growing, {.fileName = "a.yaml"});
    EXPECT_FALSE(grown.scenario);
    EXPECT_EQ(mentions(grown.problems, "no-yaml", "can be read"), 1);
    const Import loop = importCommandLine("model: x\na: &a\n  b: *a\n", {.fileName = "a.yaml"});
    EXPECT_FALSE(loop.scenario);
    EXPECT_FALSE(importCommandLine("a: " + std::string(50'000, '['), {.fileName = "a.yaml"}).scenario);
    EXPECT_FALSE(importCommandLine("kind: Deployment\nmetadata:\n  name: x\n", {.fileName = "a.yaml"}).scenario) << "nobody's options";
}

} // namespace
} // namespace orrery
