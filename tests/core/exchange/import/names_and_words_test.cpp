// SPDX-License-Identifier: GPL-3.0-or-later
// Names of checkpoints, options cut short, placeholders and arithmetic, recipes: what public launch texts of 2025 and 2026 hold, reduced.
#include "tests/core/exchange/import/import_checks.hpp"

namespace orrery {
namespace {

TEST(CheckpointNames, FindTheModelWhoseShapeTheyHave) {
    // `config.json` of each on Hugging Face repeats the layers, widths and experts of the model behind it.
    const std::pair<const char*, const char*> names[] = {
        {"deepseek-ai/DeepSeek-V3.1", "deepseek-v3"},
        {"deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "llama-3.3-70b"},
        {"deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "qwen2.5-32b"},
        {"Qwen/QwQ-32B", "qwen2.5-32b"},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8", "qwen3-30b-a3b"},
        {"Qwen/Qwen3-4B-Instruct-2507", "qwen3-4b"},
        {"Qwen/Qwen2.5-VL-7B-Instruct-AWQ", "qwen2.5-7b"},
        {"zai-org/GLM-4.6-FP8", "glm-4.5"},
        {"MiniMaxAI/MiniMax-M2", "minimax-m2.5"},
        {"moonshotai/Kimi-K2-Thinking", "kimi-k2"},
        {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron-3-nano-30b-a3b"},
        {"mistralai/Mistral-7B-Instruct-v0.2", "mistral-7b-v0.3"},
        {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "llama-3.1-8b"},
        {"unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "llama-3.1-8b"},
        {"nvidia/DeepSeek-R1-0528-NVFP4-v2", "deepseek-r1"},
    };
    for (const auto& [name, preset] : names) {
        const Json s = scenarioOf(std::string("vllm serve ") + name);
        EXPECT_EQ(at(s, "/model/preset"), preset) << name;
        EXPECT_TRUE(soundScenario(s).model.layers > 0) << name;
    }
}

TEST(CheckpointNames, SayHowWeightsAreStored) {
    const std::pair<const char*, const char*> names[] = {{"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "int8"},
                                                         {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "int4"},
                                                         {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "int8"},
                                                         {"unsloth/Llama-3.1-8B-Instruct-unsloth-bnb-4bit", "int4"},
                                                         {"nvidia/Llama-3.3-70B-Instruct-NVFP4", "nvfp4"}};
    for (const auto& [name, precision] : names) EXPECT_EQ(at(scenarioOf(std::string("vllm serve ") + name), "/workload/precision"), precision) << name;
}

TEST(CheckpointNames, AFolderIsTheModelThatClientsAskFor) {
    const Json s = scenarioOf("vllm serve /models/weights --served-model-name openai/gpt-oss-120b --tensor-parallel-size 4");
    EXPECT_EQ(at(s, "/model/preset"), "gpt-oss-120b");
    EXPECT_FALSE(importCommandLine("python3 -m sglang.launch_server --model-path $MODEL_PATH --served-model-name vllm-model --tp 8").scenario) << "a name that tells nothing";
}

TEST(CutOptions, AreWrittenOutAsArgparseDoes) {
    const Json s = scenarioOf("python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp-si 2 --mem-frac 0.8 --context-len 8192");
    EXPECT_EQ(at(s, "/workload/engine/gpu_memory_utilization"), 0.8);
    EXPECT_EQ(at(s, "/workload/engine/max_model_len"), 8192);
    const Json v = scenarioOf("vllm serve Qwen/Qwen3-8B --gpu-memory-util 0.8 --max-num-seq 32");
    EXPECT_EQ(at(v, "/workload/engine/gpu_memory_utilization"), 0.8);
    EXPECT_EQ(at(v, "/workload/engine/max_num_seqs"), 32);
    // "--max-num" begins two names: it stays what it is.
    EXPECT_EQ(mentions(importCommandLine("vllm serve Qwen/Qwen3-8B --max-num 32").problems, "option-not-understood", "--max-num 32"), 1);
}

TEST(Placeholders, AreNoRedirections) {
    const Json s = scenarioOf("vllm serve Qwen/Qwen3-32B --host <host_ip> --port <port> --tensor-parallel-size 4 \\\n --max-model-len 8192 > log.txt 2>&1");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 4);
    EXPECT_EQ(at(s, "/workload/engine/max_model_len"), 8192);
    EXPECT_FALSE(importCommandLine("vllm serve <your-model> --tensor-parallel-size 2").scenario) << "nothing names the model";
    const Json t = scenarioOf("vllm serve Qwen/Qwen3-8B --max-model-len 4096 <input.txt >out.txt");
    EXPECT_EQ(at(t, "/workload/engine/max_model_len"), 4096);
}

TEST(ScriptArithmetic, ChoosesAndCompares) {
    const Json s = scenarioOf("CONC=64\nISL=1024\nvllm serve Qwen/Qwen3-8B --max-num-seqs $(( CONC > 16 ? CONC : 16 )) --max-model-len $(( (ISL + 1024) > 8192 ? 9 : ISL * 2 + (CONC == 64 && ISL != 0) ))");
    EXPECT_EQ(at(s, "/workload/engine/max_num_seqs"), 64);
    EXPECT_EQ(at(s, "/workload/engine/max_model_len"), 2049);
    const Json t = scenarioOf("N=8\ndeepspeed --num_gpus 8 train.py --model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 1 --gradient_accumulation_steps $(expr 64 / $N) --deepspeed zero3 --bf16 True");
    EXPECT_EQ(at(t, "/workload/global_batch_size"), 64);
    EXPECT_EQ(at(t, "/parallelism/zero_stage"), 3);
}

TEST(HiddenCommands, AreReadAsTheOtherShellWould) {
    for (const char* text : {"cat > run.sh <<'EOF'\nvllm serve Qwen/Qwen3-8B -tp 2\nEOF\nbash run.sh\n", "ssh node1 \"vllm serve Qwen/Qwen3-8B -tp 2\"\n", "cmd=$(cat <<EOM\nvllm serve Qwen/Qwen3-8B \\\n  -tp 2\nEOM\n)\necho \"$cmd\" > w.sh\nsrun bash w.sh\n",
                             "kubectl exec pod-0 -- bash -lc 'cd /app && vllm serve Qwen/Qwen3-8B -tp 2'\n", "tmux new-session -d \"vllm serve Qwen/Qwen3-8B -tp 2\"\n", "uvx --with vllm vllm serve \"Qwen/Qwen3-8B\" -tp 2 `# of two` \\\n  --port 8000\n"}) {
        const Json s = scenarioOf(text);
        EXPECT_EQ(at(s, "/model/preset"), "qwen3-8b") << text;
        EXPECT_EQ(at(s, "/parallelism/tensor"), 2) << text;
    }
    EXPECT_FALSE(importCommandLine("echo nothing to run\n").scenario);
}

// torchtitan's configurations by name: a model of a known module without a row of its own is still that model.
TEST(TorchtitanNames, AModuleAndItsFlavorAreTheModel) {
    const Import imported = importCommandLine("NGPU=8 MODULE=llama4 CONFIG=llama4_17bx16e ./run_train.sh --training.local_batch_size 4");
    ASSERT_TRUE(imported.scenario);
    EXPECT_EQ(at(*imported.scenario, "/model/preset"), "llama-4-scout-17b-16e");
    EXPECT_EQ(at(*imported.scenario, "/workload/micro_batch_size"), 4);
    EXPECT_EQ(std::count_if(imported.problems.begin(), imported.problems.end(), [](const Problem& problem) { return problem.severity == Severity::warning && problem.message.find("llama4_17bx16e") != std::string::npos; }), 1) << "what else it sets is said to be missing";
    EXPECT_EQ(at(scenarioOf("NGPU=64 MODULE=qwen3 CONFIG=qwen3_235b_a22b_ep8 ./run_train.sh"), "/parallelism/expert"), 8);
    EXPECT_FALSE(importCommandLine("NGPU=8 MODULE=flux CONFIG=flux_dev ./run_train.sh").scenario);
}

TEST(OtherLaunchers, AreNamedWithTheNearestWay) {
    const std::pair<const char*, const char*> texts[] = {{"torchrun --nproc-per-node=8 -m nemo_automodel.cli.app examples/sft.yaml", "NeMo AutoModel"}, {"base_emb_dim: 4096\nbase_num_decoder_layers: 32\n", "MaxText"}, {"python -m atom.entrypoints.openai_server --model m", "ATOM"}, {"lightllm api_server --model_dir m", "LightLLM"}};
    for (const auto& [text, name] : texts) EXPECT_EQ(mentions(importCommandLine(text).problems, "unknown-launcher", name), 1) << text;
}

// vLLM's examples with NIXL: both servers have the same role, and the proxy in front of them says which is which.
TEST(ServersBehindAProxy, TheProxysPortsSayTheirRoles) {
    const Json s = scenarioOf("CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --port 8100 --kv-transfer-config '{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_both\"}' &\n"
                              "CUDA_VISIBLE_DEVICES=2,3,4,5 vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4 --port 8200 --kv-transfer-config '{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_both\"}' &\n"
                              "python toy_proxy_server.py --prefiller-port 8100 --decoder-port 8200\n");
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/prefill/parallelism/tensor"), 2);
    EXPECT_EQ(at(s, "/workload/engine/disaggregation/decode/parallelism/tensor"), 4);
    const Json urls = scenarioOf("vllm serve Qwen/Qwen3-8B --port 8100 &\nvllm serve Qwen/Qwen3-8B --tensor-parallel-size 2 --port 8200 &\nvllm-router --prefill http://10.0.0.1:8100 --decode http://10.0.0.2:8200\n");
    EXPECT_EQ(at(urls, "/workload/engine/disaggregation/decode/parallelism/tensor"), 2);
}

// ms-swift: models by --model, its own DeepSpeed configurations by name.
TEST(OtherTrainers, SwiftsCommandsNameTheirModel) {
    const Json s = scenarioOf("NPROC_PER_NODE=8 \\\nswift sft --model Qwen/Qwen2.5-14B --tuner_type full --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --max_length 8192 --torch_dtype bfloat16 --deepspeed zero2 --attn_impl flash_attn");
    EXPECT_EQ(at(s, "/model/preset"), "qwen2.5-14b");
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 2);
    EXPECT_EQ(at(s, "/workload/sequence_length"), 8192);
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 16);
    EXPECT_EQ(at(s, "/workload/task"), "sft");
    const Json m = scenarioOf("NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen3-30B-A3B --expert_model_parallel_size 8 --tensor_model_parallel_size 2 --micro_batch_size 1 --global_batch_size 16 --seq_length 4096 --bf16");
    EXPECT_EQ(at(m, "/model/preset"), "qwen3-30b-a3b");
    EXPECT_EQ(at(m, "/parallelism/expert"), 8);
}

// Axolotl: an fsdp_config, and adapters by an expression over the layers.
TEST(OtherTrainers, AxolotlsShardingAndAdapters) {
    const Json s = scenarioOf("base_model: meta-llama/Llama-3.1-8B\nadapter: lora\nlora_r: 16\nlora_target_modules: 'model.layers.[\\d]+.(mlp|self_attn).(up|down|q|o)_proj'\nsequence_len: 2048\nmicro_batch_size: 1\ngradient_accumulation_steps: 4\nbf16: true\nfsdp_config:\n  sharding_strategy: SHARD_GRAD_OP\n  activation_checkpointing: true\n",
                              {.fileName = "a.yml"});
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 2);
    EXPECT_EQ(at(s, "/execution/recompute"), "full");
    EXPECT_EQ(at(s, "/workload/lora_targets"), Json::array({"up_proj", "down_proj", "q_proj", "o_proj"}));
}

// Primus: defaults behind variables, torchtitan and Megatron-Bridge as the program that trains.
TEST(OtherTrainers, PrimusDefaultsAndPrograms) {
    const std::string megatron = "modules:\n  pre_trainer:\n    framework: megatron\n    model: llama3.1_8B.yaml\n    overrides:\n      fp8: hybrid\n      micro_batch_size: 2\n      global_batch_size: 128\n      seq_length: ${PRIMUS_SEQ_LENGTH:8192}\n      tensor_model_parallel_size: ${PRIMUS_TP:2}\n";
    const Json s = scenarioOf(megatron, {.fileName = "p.yaml"});
    EXPECT_EQ(at(s, "/model/preset"), "llama-3.1-8b");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 2);
    EXPECT_EQ(at(s, "/workload/sequence_length"), 8192);
    EXPECT_EQ(at(s, "/workload/precision"), "fp8");
    const Json given = scenarioOf(megatron, {.fileName = "p.yaml", .variables = {{"PRIMUS_TP", "4"}}});
    EXPECT_EQ(at(given, "/parallelism/tensor"), 4);
    const Json t = scenarioOf("modules:\n  pre_trainer:\n    framework: torchtitan\n    model: llama3.1_70B.yaml\n    overrides:\n      training: {local_batch_size: 3, seq_len: 8192}\n      activation_checkpoint: {mode: full}\n      parallelism: {tensor_parallel_degree: 2}\n", {.fileName = "p.yaml"});
    EXPECT_EQ(at(t, "/model/preset"), "llama-3.1-70b");
    EXPECT_EQ(at(t, "/workload/micro_batch_size"), 3);
    EXPECT_EQ(at(t, "/parallelism/tensor"), 2);
    EXPECT_EQ(at(t, "/execution/recompute"), "full");
}

// Megatron-Bridge, recipes/llama/h100/llama3.py and recipes/qwen/h100/qwen3_moe.py.
TEST(BridgeRecipes, SetWhatTheTextLeavesOut) {
    const Json s = scenarioOf("torchrun --nproc_per_node 8 --nnodes 4 run_recipe.py --recipe llama3_70b_pretrain_config train.global_batch_size=256");
    EXPECT_EQ(at(s, "/parallelism/tensor"), 4);
    EXPECT_EQ(at(s, "/parallelism/pipeline"), 4);
    EXPECT_EQ(at(s, "/parallelism/virtual_pipeline"), 5);
    EXPECT_EQ(at(s, "/parallelism/context"), 2);
    EXPECT_EQ(at(s, "/parallelism/sequence"), true);
    EXPECT_EQ(at(s, "/workload/sequence_length"), 8192);
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 256) << "an override counts over the recipe";
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 32);
    const Json alone = scenarioOf("python run_recipe.py --recipe llama3_8b_pretrain_config");
    EXPECT_EQ(at(alone, "/parallelism/context"), 2);
    EXPECT_EQ(at(alone, "/workload/global_batch_size"), 512);
    EXPECT_EQ(soundScenario(alone).cluster.accelerators(), 2) << "as many as the recipe is for";
}

TEST(BridgeRecipes, OnesThatNobodyKnowsHereSaySo) {
    const Import imported = importCommandLine("python run_recipe.py --recipe llama3_8b_my_own_pretrain_config");
    EXPECT_EQ(mentions(imported.problems, "recipe-not-read", "llama3_8b_my_own"), 1);
    // The performance scripts have sizes of their own for a family.
    const Import performance = importCommandLine("python setup_experiment.py -m llama31 -s 405b -ng 128 -gn 4 -g gb200 -c fp8_cs");
    ASSERT_TRUE(performance.scenario);
    EXPECT_EQ(at(*performance.scenario, "/model/preset"), "llama-3.1-405b");
    EXPECT_EQ(at(*performance.scenario, "/cluster/accelerator"), "gb200");
    EXPECT_EQ(mentions(performance.problems, "recipe-not-read", "llama31_405b"), 1);
}

} // namespace
} // namespace orrery
