// SPDX-License-Identifier: GPL-3.0-or-later
// Servers as they are started today: models behind options, Dynamo's workers, manifests, prefill and decode apart.
#include "tests/core/exchange/import/import_checks.hpp"

namespace orrery {
namespace {

TEST(ServedCommands, TheModelMayBeTheLastWord) {
    for (const char* text : {"vllm serve --trust-remote-code --tensor_parallel_size 2 Qwen/Qwen2.5-14B-Instruct", "vllm serve --tensor-parallel-size 2 --trust-remote-code Qwen/Qwen2.5-14B-Instruct",
                             "vllm serve Qwen/Qwen2.5-14B-Instruct --tensor-parallel-size 2"}) {
        const Json s = scenarioOf(text);
        EXPECT_EQ(at(s, "/model/preset"), "qwen2.5-14b") << text;
        EXPECT_EQ(at(s, "/parallelism/tensor"), 2) << text;
    }
}

TEST(ServedCommands, FoldersOfTheHubsCacheNameTheirModel) {
    const Json s = scenarioOf("vllm serve /root/.cache/huggingface/hub/models--meta-llama--Llama-3.1-8B-Instruct/snapshots/0e9e39f249a16976918f6564b8830bc894c89659");
    EXPECT_EQ(at(s, "/model/preset"), "llama-3.1-8b");
}

TEST(ServedCommands, DynamosWorkersAreTheirEngines) {
    const Json s = scenarioOf("exec python3 -m dynamo.vllm --model deepseek-ai/DeepSeek-R1 --tensor-parallel-size 1 --data-parallel-size 16 --enable-expert-parallel --max-model-len 16384 --all2all-backend deepep_low_latency");
    EXPECT_EQ(at(s, "/model/preset"), "deepseek-r1");
    EXPECT_EQ(at(s, "/parallelism/attention_data"), 16);
    EXPECT_EQ(at(s, "/parallelism/expert"), 16);
    EXPECT_EQ(at(scenarioOf("python3 -m dynamo.trtllm --model-path Qwen/Qwen3-32B --tensor-parallel-size 4"), "/model/preset"), "qwen3-32b");
}

TEST(ServedCommands, AnExchangeBetweenExpertsSpreadsThemOverAllRanks) {
    const Json s = scenarioOf("python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 16 --dp 16 --enable-dp-attention --moe-a2a-backend deepep --nnodes 2");
    EXPECT_EQ(at(s, "/parallelism/expert"), 16);
    EXPECT_EQ(at(s, "/cluster/nodes"), 2);
    EXPECT_EQ(at(scenarioOf("python3 -m sglang.launch_server --model-path Qwen/Qwen3-30B-A3B --tp 4 --moe-a2a-backend none"), "/parallelism/expert"), Json());
}

TEST(ServedPools, TwoCommandsOfOneServer) {
    const Json s = scenarioOf("python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --disaggregation-mode prefill --tp 16 --dp-size 16 --enable-dp-attention --moe-a2a-backend deepep --nnodes 2 --mem-fraction-static 0.8\n"
                              "python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --disaggregation-mode decode --tp 32 --dp-size 32 --enable-dp-attention --moe-a2a-backend deepep --nnodes 4\n");
    const std::string pools = "/workload/engine/disaggregation/";
    EXPECT_EQ(at(s, pools + "prefill/instances"), 1);
    EXPECT_EQ(at(s, pools + "prefill/hosts"), 2);
    EXPECT_EQ(at(s, pools + "prefill/parallelism/expert"), 16);
    EXPECT_EQ(at(s, pools + "prefill/engine/gpu_memory_utilization"), 0.8);
    EXPECT_EQ(at(s, pools + "decode/hosts"), 4);
    EXPECT_EQ(at(s, pools + "decode/parallelism/attention_data"), 32);
    EXPECT_EQ(at(s, pools + "decode/parallelism/expert"), 32);
    EXPECT_EQ(at(s, "/cluster/nodes"), 6);
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 48);
}

TEST(ServedPools, DynamosManifestHasBothRoles) {
    const Import imported = importCommandLine(R"(apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
spec:
  services:
    Frontend: {componentType: frontend, replicas: 1}
    decode:
      replicas: 1
      extraPodSpec:
        mainContainer:
          command: [python3, -m, dynamo.sglang]
          args: [--model-path, deepseek-ai/DeepSeek-R1, --tp, "8", --dp, "8", --enable-dp-attention, --ep-size, "8", --disaggregation-mode, decode]
    prefill:
      replicas: 2
      extraPodSpec:
        mainContainer:
          command: [python3, -m, dynamo.sglang]
          args: [--model-path, deepseek-ai/DeepSeek-R1, --tp, "8", --ep-size, "8", --disaggregation-mode, prefill]
)",
                                              {.fileName = "d.yaml"});
    ASSERT_TRUE(imported.scenario);
    const Json& s = *imported.scenario;
    const std::string pools = "/workload/engine/disaggregation/";
    EXPECT_EQ(at(s, pools + "prefill/instances"), 2) << "as many as replicas";
    EXPECT_EQ(at(s, pools + "prefill/hosts"), 2);
    EXPECT_EQ(at(s, pools + "prefill/parallelism/tensor"), 8);
    EXPECT_EQ(at(s, pools + "decode/parallelism/attention_data"), 8);
    EXPECT_EQ(at(s, "/cluster/nodes"), 3);
    soundScenario(s);
}

TEST(ServedPools, KubernetesAndComposeFilesAreTheirContainers) {
    const Import deployment = importCommandLine("apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n        - name: vllm\n          image: vllm/vllm-openai:v0.9\n"
                                                "          command: [\"/bin/sh\", \"-c\"]\n          args: [\"vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --max-model-len 8192\"]\n",
                                                {.fileName = "k.yaml"});
    ASSERT_TRUE(deployment.scenario);
    EXPECT_EQ(at(*deployment.scenario, "/model/preset"), "qwen3-32b");
    EXPECT_EQ(at(*deployment.scenario, "/parallelism/tensor"), 4);
    const Import compose = importCommandLine("services:\n  vllm:\n    image: vllm/vllm-openai:latest\n    command: --model Qwen/Qwen3-8B --max-model-len 4096\n", {.fileName = "compose.yaml"});
    ASSERT_TRUE(compose.scenario);
    EXPECT_EQ(at(*compose.scenario, "/model/preset"), "qwen3-8b");
    EXPECT_EQ(at(*compose.scenario, "/workload/engine/max_model_len"), 4096);
}

} // namespace
} // namespace orrery
