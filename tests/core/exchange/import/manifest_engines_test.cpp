// SPDX-License-Identifier: GPL-3.0-or-later
// Manifests that describe engines by keys, after public examples of the projects named, reduced and written anew.
#include "tests/core/exchange/import/import_checks.hpp"

namespace orrery {
namespace {

Json manifest(const std::string& text) { return scenarioOf(text, {.fileName = "m.yaml"}); }

const std::string pools = "/workload/engine/disaggregation/";

// Ray Serve, LLM configurations.
TEST(ManifestEngines, RayServesConfigurationsAreVllmsArguments) {
    const Json s = manifest(R"(applications:
  - name: chat
    args:
      llm_configs:
        - model_loading_config: {model_id: my-llama, model_source: meta-llama/Llama-3.1-70B-Instruct}
          accelerator_type: H100
          deployment_config:
            autoscaling_config: {min_replicas: 2, max_replicas: 4}
          engine_kwargs:
            tensor_parallel_size: 4
            max_model_len: 16384
            enable_chunked_prefill: true
    import_path: ray.serve.llm:build_openai_app
)");
    EXPECT_EQ(at(s, "/model/preset"), "llama-3.1-70b");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 4);
    EXPECT_EQ(at(s, "/workload/engine/max_model_len"), 16384);
    EXPECT_EQ(at(s, "/workload/engine/enable_chunked_prefill"), true);
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 8) << "two replicas of four";
}

TEST(ManifestEngines, RayServesPairOfPrefillAndDecode) {
    const Json s = manifest(R"(applications:
  - args:
      prefill_config:
        model_loading_config: {model_id: Qwen/Qwen3-32B}
        deployment_config: {num_replicas: 2}
        engine_kwargs: {tensor_parallel_size: 2}
      decode_config:
        model_loading_config: {model_id: Qwen/Qwen3-32B}
        engine_kwargs: {tensor_parallel_size: 4}
)");
    EXPECT_EQ(at(s, pools + "prefill/instances"), 2);
    EXPECT_EQ(at(s, pools + "prefill/parallelism/tensor"), 2);
    EXPECT_EQ(at(s, pools + "decode/instances"), 1);
    EXPECT_EQ(at(s, pools + "decode/parallelism/tensor"), 4);
}

// vLLM's production stack: values of its chart.
TEST(ManifestEngines, TheProductionStacksModels) {
    const Json s = manifest(R"(servingEngineSpec:
  modelSpec:
    - name: q
      repository: vllm/vllm-openai
      modelURL: Qwen/Qwen3-8B
      replicaCount: 3
      requestGPU: 2
      vllmConfig:
        tensorParallelSize: 2
        maxModelLen: 8192
        maxNumSeqs: 64
        dtype: bfloat16
        extraArgs: ["--gpu-memory-utilization", "0.85"]
)");
    EXPECT_EQ(at(s, "/model/preset"), "qwen3-8b");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 2);
    EXPECT_EQ(at(s, "/workload/engine/max_model_len"), 8192);
    EXPECT_EQ(at(s, "/workload/engine/max_num_seqs"), 64);
    EXPECT_EQ(at(s, "/workload/engine/gpu_memory_utilization"), 0.85);
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 6);
}

// KServe, LLMInferenceService with wide expert parallelism in both pools.
TEST(ManifestEngines, KservesPoolsSayTheirParallelism) {
    const Json s = manifest(R"(apiVersion: serving.kserve.io/v1alpha1
kind: LLMInferenceService
metadata: {name: r1}
spec:
  model: {uri: "hf://deepseek-ai/DeepSeek-R1-0528", name: deepseek-ai/DeepSeek-R1-0528}
  replicas: 1
  parallelism: {data: 16, dataLocal: 8, expert: true, tensor: 1}
  template:
    containers:
      - name: main
        env:
          - {name: VLLM_ADDITIONAL_ARGS, value: "--gpu-memory-utilization 0.9 --max-model-len 4096"}
  prefill:
    replicas: 2
    parallelism: {data: 8, dataLocal: 8, expert: true, tensor: 1}
    template:
      containers: [{name: main, args: ["--max-num-batched-tokens", "16384"]}]
)");
    EXPECT_EQ(at(s, "/model/preset"), "deepseek-r1");
    EXPECT_EQ(at(s, pools + "decode/parallelism/attention_data"), 16);
    EXPECT_EQ(at(s, pools + "decode/parallelism/expert"), 16);
    EXPECT_EQ(at(s, pools + "decode/hosts"), 2);
    EXPECT_EQ(at(s, pools + "decode/engine/gpu_memory_utilization"), 0.9);
    EXPECT_EQ(at(s, pools + "prefill/instances"), 2);
    EXPECT_EQ(at(s, pools + "prefill/parallelism/expert"), 8);
    EXPECT_EQ(at(s, pools + "prefill/engine/max_num_batched_tokens"), 16384);
}

// KServe, InferenceService with its runtime for models of Hugging Face.
TEST(ManifestEngines, KservesRuntimeNamesTheModelByItsId) {
    const Json s = manifest(R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
spec:
  predictor:
    minReplicas: 1
    model:
      modelFormat: {name: huggingface}
      args: ["--model_name=llama", "--model_id=meta-llama/Meta-Llama-3-8B-Instruct", "--tensor-parallel-size=2"]
)");
    EXPECT_EQ(at(s, "/model/preset"), "llama-3-8b");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 2);
}

// llm-d, values of its model service.
TEST(ManifestEngines, LlmdsModelServiceHasBothRoles) {
    const Json s = manifest(R"(multinode: false
modelArtifacts: {name: Qwen/Qwen3-32B, uri: "hf://Qwen/Qwen3-32B", size: 80Gi}
decode:
  create: true
  replicas: 1
  parallelism: {tensor: 4}
  containers: [{name: vllm, modelCommand: vllmServe, args: ["--max-model-len", "32000"]}]
prefill:
  create: true
  replicas: 4
  parallelism: {tensor: 1}
  containers: [{name: vllm, modelCommand: vllmServe, args: ["--max-model-len", "32000"]}]
)");
    EXPECT_EQ(at(s, "/model/preset"), "qwen3-32b");
    EXPECT_EQ(at(s, pools + "prefill/instances"), 4);
    EXPECT_EQ(at(s, pools + "decode/parallelism/tensor"), 4);
    EXPECT_EQ(at(s, pools + "decode/engine/max_model_len"), 32000);
}

// InferenceX (srt-slurm), a disaggregated job on TensorRT-LLM.
TEST(ManifestEngines, SrtSlurmsPoolsAndHosts) {
    const Json s = manifest(R"(name: r1-disagg
model: {path: deepseek-ai/DeepSeek-R1-0528, precision: fp8}
resources: {gpu_type: gb200, gpus_per_node: 4, prefill_nodes: 2, prefill_workers: 2, decode_nodes: 8, decode_workers: 1}
backend:
  type: trtllm
  trtllm_config:
    prefill: {tensor_parallel_size: 4, moe_expert_parallel_size: 4, enable_attention_dp: true, max_batch_size: 4}
    decode:
      tensor_parallel_size: 32
      moe_expert_parallel_size: 32
      enable_attention_dp: true
      max_batch_size: 128
      kv_cache_config: {dtype: fp8, free_gpu_memory_fraction: 0.7}
)");
    EXPECT_EQ(at(s, pools + "prefill/instances"), 2);
    EXPECT_EQ(at(s, pools + "prefill/hosts"), 2);
    EXPECT_EQ(at(s, pools + "prefill/parallelism/attention_data"), 4);
    EXPECT_EQ(at(s, pools + "decode/hosts"), 8);
    EXPECT_EQ(at(s, pools + "decode/parallelism/expert"), 32);
    EXPECT_EQ(at(s, pools + "decode/engine/max_num_seqs"), 128);
    EXPECT_EQ(at(s, pools + "decode/engine/kv_cache_dtype"), "fp8");
    EXPECT_EQ(at(s, "/cluster/accelerators_per_node"), 4);
}

// Dynamo, TensorRT-LLM: the engine's configuration is a ConfigMap of the same text, the model a folder with a name for clients.
TEST(ManifestEngines, DynamosConfigMapsAreTheFilesOfItsCommands) {
    const Json s = manifest(R"(kind: ConfigMap
metadata: {name: prefill}
data:
  prefill.yaml: |
    tensor_parallel_size: 4
    moe_expert_parallel_size: 4
    enable_attention_dp: true
    max_batch_size: 4
---
kind: ConfigMap
data:
  decode.yaml: |
    tensor_parallel_size: 16
    moe_expert_parallel_size: 16
    enable_attention_dp: true
---
kind: DynamoGraphDeployment
spec:
  services:
    prefill:
      subComponentType: prefill
      replicas: 1
      extraPodSpec:
        mainContainer:
          command: [/bin/sh, -c]
          args: ["python3 -m dynamo.trtllm --model-path /cache/r1 --served-model-name deepseek-ai/DeepSeek-R1 --extra-engine-args /config/prefill.yaml"]
    decode:
      subComponentType: decode
      replicas: 2
      extraPodSpec:
        mainContainer:
          command: [/bin/sh, -c]
          args: ["python3 -m dynamo.trtllm --model-path /cache/r1 --served-model-name deepseek-ai/DeepSeek-R1 --extra-engine-args /config/decode.yaml"]
)");
    EXPECT_EQ(at(s, "/model/preset"), "deepseek-r1");
    EXPECT_EQ(at(s, pools + "prefill/parallelism/attention_data"), 4);
    EXPECT_EQ(at(s, pools + "prefill/engine/max_num_seqs"), 4);
    EXPECT_EQ(at(s, pools + "decode/instances"), 2);
    EXPECT_EQ(at(s, pools + "decode/parallelism/expert"), 16);
}

// Dynamo, SGLang: the role stands in the configuration that the command names.
TEST(ManifestEngines, ARoleMayStandInTheConfiguration) {
    const Json s = manifest(R"(kind: ConfigMap
data:
  p.yaml: |
    model-path: deepseek-ai/DeepSeek-V3
    tp-size: 8
    disaggregation-mode: prefill
  d.yaml: |
    model-path: deepseek-ai/DeepSeek-V3
    tp-size: 16
    dp-size: 16
    enable-dp-attention: true
    ep-size: 16
    disaggregation-mode: decode
---
kind: DynamoGraphDeployment
spec:
  components:
    - name: P
      replicas: 1
      podTemplate: {spec: {containers: [{command: [python3, -m, dynamo.sglang], args: [--config, /etc/sglang/p.yaml]}]}}
    - name: D
      replicas: 1
      podTemplate: {spec: {containers: [{command: [python3, -m, dynamo.sglang], args: [--config, /etc/sglang/d.yaml]}]}}
)");
    EXPECT_EQ(at(s, pools + "prefill/parallelism/tensor"), 8);
    EXPECT_EQ(at(s, pools + "decode/parallelism/attention_data"), 16);
    EXPECT_EQ(at(s, pools + "decode/hosts"), 2);
}

// LeaderWorkerSet: the controller tells every pod how many its group has.
TEST(ManifestEngines, AGroupsSizeIsItsNodes) {
    const Json s = manifest(R"(kind: LeaderWorkerSet
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
          - command: [python3, -m, sglang.launch_server, --model-path, deepseek-ai/DeepSeek-R1, --tp, "16", --nnodes, $(LWS_GROUP_SIZE), --node-rank, "0"]
    workerTemplate:
      spec:
        containers:
          - command: [python3, -m, sglang.launch_server, --model-path, deepseek-ai/DeepSeek-R1, --tp, "16", --nnodes, $(LWS_GROUP_SIZE), --node-rank, $(LWS_WORKER_INDEX)]
)");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 16);
    EXPECT_EQ(at(s, "/cluster/accelerators_per_node"), 8);
    EXPECT_EQ(at(s, "/cluster/nodes"), 4) << "two groups of two";
}

TEST(ManifestEngines, OddOnesEndWithAMessage) {
    for (const char* text : {"modelArtifacts: {}\n", "kind: LLMInferenceService\nspec: []\n", "kind: LLMInferenceService\nspec: {model: 3}\n", "servingEngineSpec: {modelSpec: [{modelURL: [1]}]}\n",
                             "backend: {vllm_config: {prefill: 3}}\nresources: {}\n", "model_loading_config: {model_source: [1, 2]}\n", "a: &a [*a]\nmodel_loading_config: {}\n", "kind: ConfigMap\ndata: [1]\n"}) {
        const Import imported = importCommandLine(text, {.fileName = "odd.yaml"});
        EXPECT_FALSE(imported.scenario) << text;
        EXPECT_TRUE(hasErrors(imported.problems)) << text;
    }
}

} // namespace
} // namespace orrery
