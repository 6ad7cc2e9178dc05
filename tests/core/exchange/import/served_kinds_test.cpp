// SPDX-License-Identifier: GPL-3.0-or-later
// Servers as people start them: Python programs, containers, manifests, pairs of pools.
#include "core/base/json.hpp"
#include "tests/core/exchange/import/import_checks.hpp"

namespace orrery {
namespace {

Json ofFile(const std::string& name, const std::string& text) { return scenarioOf(text, {.fileName = name}); }

TEST(ServedPython, EnginesAreTheirArguments) {
    const Json vllm = ofFile("a.py", "from vllm import LLM, SamplingParams\n# LLM(model=\"no/this\")\nMODEL = \"deepseek-ai/DeepSeek-V2-Lite\"\ndef main():\n    llm = LLM(\n        model=MODEL,\n        tensor_parallel_size=4,  # four\n"
                                     "        enable_expert_parallel=True,\n        enforce_eager=True,\n        quantization=None,\n        speculative_config={\"method\": \"ngram\", \"num_speculative_tokens\": 4},\n    )\n    print(llm.generate([\"a\"], SamplingParams(max_tokens=8)))\n");
    EXPECT_EQ(at(vllm, "/model/preset"), "deepseek-v2-lite");
    EXPECT_EQ(at(vllm, "/parallelism/tensor"), 4);
    EXPECT_EQ(at(vllm, "/parallelism/expert"), 4);
    EXPECT_EQ(at(vllm, "/execution/cuda_graphs"), false);
    EXPECT_EQ(at(vllm, "/workload/engine/speculative/tokens"), 4);
    const Json first = ofFile("b.py", "import vllm\nllm = vllm.LLM('meta-llama/Llama-3.1-8B-Instruct', max_model_len=8192, gpu_memory_utilization=0.85)\n");
    EXPECT_EQ(at(first, "/model/preset"), "llama-3.1-8b");
    EXPECT_EQ(at(first, "/workload/engine/gpu_memory_utilization"), 0.85);
    const Json sglang = ofFile("c.py", "import sglang as sgl\nllm = sgl.Engine(model_path=\"Qwen/Qwen2.5-7B-Instruct\", tp_size=2, mem_fraction_static=0.8)\n");
    EXPECT_EQ(at(sglang, "/model/preset"), "qwen2.5-7b");
    EXPECT_EQ(at(sglang, "/execution/framework"), "sglang-2025");
    const Json trtllm = ofFile("d.py", "from tensorrt_llm import LLM\nfrom tensorrt_llm.llmapi import KvCacheConfig\nllm = LLM(model=\"meta-llama/Llama-3.1-70B-Instruct\", tensor_parallel_size=4, kv_cache_config=KvCacheConfig(free_gpu_memory_fraction=0.8, enable_block_reuse=False))\n");
    EXPECT_EQ(at(trtllm, "/workload/engine/kv_cache_free_gpu_memory_fraction"), 0.8);
    EXPECT_EQ(at(trtllm, "/workload/engine/enable_prefix_caching"), false);
    const Json ray = ofFile("e.py", "from ray.serve.llm import LLMConfig\nc = LLMConfig(model_loading_config=dict(model_id=\"q\", model_source=\"Qwen/Qwen2.5-7B-Instruct\"), engine_kwargs=dict(tensor_parallel_size=2))\n");
    EXPECT_EQ(at(ray, "/model/preset"), "qwen2.5-7b");
    EXPECT_EQ(at(ray, "/parallelism/tensor"), 2);
}

TEST(ServedPython, WhatAProgramComputesIsLeftOpen) {
    const Import imported = importCommandLine("from vllm import LLM\nllm = LLM(model=\"Qwen/Qwen3-8B\", tensor_parallel_size=args.tp or 2)\n", {.fileName = "a.py"});
    ASSERT_TRUE(imported.scenario);
    EXPECT_EQ(mentions(imported.problems, "value-left-open", "args.tp"), 1);
    EXPECT_FALSE(importCommandLine("from vllm import LLM\nllm = LLM(model=name)\n", {.fileName = "a.py"}).scenario);
}

/// Names that stand for lists of names would double at every line.
TEST(ServedPython, NoProgramTakesLong) {
    std::string text = "from vllm import LLM\na0 = [1, 1]\n";
    for (int i = 1; i < 60; ++i) text += "a" + std::to_string(i) + " = [a" + std::to_string(i - 1) + ", a" + std::to_string(i - 1) + "]\n";
    text += "LLM(model=\"Qwen/Qwen3-8B\", seed=a59)\n" + std::string(20'000, '(');
    EXPECT_TRUE(importCommandLine(text, {.fileName = "a.py"}).scenario);
}

TEST(ServedWords, TheModelStandsBehindAnyOption) {
    for (const char* text : {"vllm serve --host 0.0.0.0 --disable-log-stats openai/gpt-oss-120b -tp 2", "vllm serve --dtype bfloat16 openai/gpt-oss-120b --tensor_parallel_size 2", "vllm serve --chat-template /t/x.jinja openai/gpt-oss-120b -tp=2",
                             "vllm serve --download-dir /models/cache --tensor-parallel-size 2 openai/gpt-oss-120b"}) {
        const Json s = scenarioOf(text);
        EXPECT_EQ(at(s, "/model/preset"), "gpt-oss-120b") << text;
        EXPECT_EQ(at(s, "/parallelism/tensor"), 2) << text;
    }
}

TEST(ServedContainers, EntryPointsAndImages) {
    EXPECT_EQ(at(scenarioOf("docker run --name vllm --gpus all --entrypoint vllm vllm/vllm-openai:v0.10.2 serve Qwen/Qwen3-8B --max-model-len 16k"), "/model/preset"), "qwen3-8b");
    EXPECT_EQ(at(scenarioOf("podman run --device nvidia.com/gpu=all docker.io/vllm/vllm-openai@sha256:abc --model /models/Meta-Llama-3.1-8B-Instruct-FP8"), "/workload/precision"), "fp8");
    const Json compose = ofFile("compose.yaml", "services:\n  sglang:\n    image: lmsysorg/sglang:latest\n    entrypoint: python3 -m sglang.launch_server\n    environment:\n      TP: \"2\"\n    command: --model-path ${MODEL:-meta-llama/Llama-3.1-8B-Instruct} --tp ${TP}\n    deploy:\n      replicas: 3\n");
    EXPECT_EQ(at(compose, "/model/preset"), "llama-3.1-8b");
    EXPECT_EQ(at(compose, "/parallelism/tensor"), 2);
    EXPECT_EQ(soundScenario(compose).cluster.accelerators(), 6) << "three copies of two";
    const Json manifest = ofFile("k.yaml", "kind: Deployment\nspec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n      - image: vllm/vllm-openai:latest\n        env:\n        - {name: MODEL, value: Qwen/Qwen3-32B}\n        args: [--model, $(MODEL), --tensor-parallel-size, \"4\"]\n");
    EXPECT_EQ(at(manifest, "/model/preset"), "qwen3-32b");
    EXPECT_EQ(at(manifest, "/cluster/nodes"), 2);
}

TEST(ServedPairs, SeveralWorkersOfAPoolAndFurtherNodes) {
    const std::string prefill = "python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp 4 --disaggregation-mode prefill", decode = "python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp 8 --nnodes 2 --disaggregation-mode decode";
    const Json s = scenarioOf(prefill + " --port 1 &\n" + prefill + " --port 2 &\n" + decode + " --node-rank 0 &\n" + decode + " --node-rank 1\n");
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/prefill/instances"), 2);
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/decode/instances"), 1) << "its second command is its second node";
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 16);
    const Import half = importCommandLine(decode);
    ASSERT_TRUE(half.scenario);
    EXPECT_EQ(mentions(half.problems, "half-of-a-server", "decode"), 1);
}

TEST(ServedPairs, OneFileOfTensorRtLlm) {
    const Json s = ofFile("d.yaml", "hostname: localhost\nport: 8000\nmodel: Qwen/Qwen3-32B\nbackend: pytorch\ncontext_servers:\n  num_instances: 2\n  tensor_parallel_size: 1\n  urls: [a:1, b:2]\ngeneration_servers:\n  num_instances: 1\n  tensor_parallel_size: 4\n  max_batch_size: 64\n  urls: [c:3]\n");
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/prefill/instances"), 2);
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/decode/parallelism/tensor"), 4);
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/decode/engine/max_num_seqs"), 64);
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 6);
}

TEST(ServedPairs, DynamosWorkersReadTheirFiles) {
    ImportOptions options;
    options.fileName = "d.yaml";
    options.readFile = [](const std::string& path, std::string&) { return path == "prefill.yaml" ? std::optional<std::string>("tensor_parallel_size: 2\n") : std::optional<std::string>("tensor_parallel_size: 4\nmax_batch_size: 256\n"); };
    const Json s = scenarioOf("kind: DynamoGraphDeployment\nspec:\n  services:\n    p:\n      replicas: 1\n      extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.trtllm], args: [--model-path, Qwen/Qwen3-32B, --extra-engine-args, prefill.yaml, --disaggregation-mode, prefill]}}\n"
                              "    d:\n      replicas: 1\n      extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.trtllm], args: [--model-path, Qwen/Qwen3-32B, --extra-engine-args, decode.yaml, --disaggregation-mode, decode]}}\n",
                              options);
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/prefill/parallelism/tensor"), 2);
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/decode/parallelism/tensor"), 4);
}

} // namespace
} // namespace orrery
