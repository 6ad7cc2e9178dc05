// SPDX-License-Identifier: GPL-3.0-or-later
// Trainers' YAML files that are read in the words of another program, and programs that are refused by name.
#include "core/base/json.hpp"
#include "tests/core/exchange/import/import_checks.hpp"

namespace orrery {
namespace {

Json yaml(const std::string& text) { return scenarioOf(text, {.fileName = "run.yaml"}); }

TEST(OtherLaunchers, Axolotl) {
    const Import imported = importCommandLine("base_model: NousResearch/Llama-3.2-1B\nload_in_4bit: true\nload_in_8bit: false\nadapter: qlora\nlora_r: 16\nlora_target_modules:\n  - q_proj\n  - v_proj\nsequence_len: 2048\nsample_packing: true\nmicro_batch_size: 2\n"
                                              "gradient_accumulation_steps: 2\noptimizer: adamw_8bit\nbf16: auto\ngradient_checkpointing: true\nflash_attention: true\ndeepspeed: deepspeed_configs/zero2.json\n",
                                              {.fileName = "run.yml"});
    ASSERT_TRUE(imported.scenario);
    const Json& s = *imported.scenario;
    EXPECT_EQ(imported.source, "Axolotl");
    EXPECT_EQ(at(s, "/model/preset"), "llama-3.2-1b");
    EXPECT_EQ(at(s, "/workload/precision"), "int4");
    EXPECT_EQ(at(s, "/workload/task"), "lora");
    EXPECT_EQ(at(s, "/workload/lora_targets"), (Json{"q_proj", "v_proj"}));
    EXPECT_EQ(at(s, "/workload/sequence_length"), 2048);
    EXPECT_EQ(at(s, "/workload/optimizer_precision"), "int8");
    EXPECT_EQ(at(s, "/execution/recompute"), "full");
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 2) << "the name of the file that is not there says so";
    EXPECT_EQ(mentions(imported.problems, "file-not-read", "zero2.json"), 1);
}

TEST(OtherLaunchers, LlamaFactory) {
    const Json s = yaml("model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct\nstage: sft\ndo_train: true\nfinetuning_type: full\ndeepspeed: examples/deepspeed/ds_z3_config.json\ncutoff_len: 4096\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nbf16: true\n");
    EXPECT_EQ(at(s, "/model/preset"), "llama-3-8b");
    EXPECT_EQ(at(s, "/workload/task"), "sft");
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 64);
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 3);
}

TEST(OtherLaunchers, NemoAndMegatronsTests) {
    const Json nemo = yaml("trainer:\n  devices: 8\n  num_nodes: 4\n  precision: bf16\nmodel:\n  micro_batch_size: 1\n  global_batch_size: 128\n  tensor_model_parallel_size: 4\n  pipeline_model_parallel_size: 2\n  virtual_pipeline_model_parallel_size: null\n  encoder_seq_length: 4096\n"
                           "  max_position_embeddings: 4096\n  num_layers: 32\n  hidden_size: 4096\n  ffn_hidden_size: 11008\n  num_attention_heads: 32\n  activation: fast-swiglu\n  normalization: rmsnorm\n  position_embedding_type: rope\n  bias: false\n  share_embeddings_and_output_weights: false\n"
                           "  hidden_dropout: 0.0\n  attention_dropout: 0.0\n  sequence_parallel: true\n  optim:\n    name: distributed_fused_adam\n");
    const Scenario scenario = soundScenario(nemo);
    EXPECT_EQ(scenario.cluster.accelerators(), 32);
    EXPECT_TRUE(scenario.model.gatedMlp);
    EXPECT_FALSE(scenario.model.mlpBias);
    EXPECT_FALSE(scenario.model.tiedEmbedding);
    EXPECT_EQ(at(nemo, "/parallelism/sequence"), true);
    EXPECT_EQ(at(nemo, "/parallelism/zero_stage"), 1);
    const Json tests = yaml("ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 1\nMODEL_ARGS:\n  --num-layers: 12\n  --hidden-size: 512\n  --num-attention-heads: 8\n  --seq-length: 1024\n  --micro-batch-size: 4\n  --global-batch-size: 32\n  --bf16: true\n  --sequence-parallel: false\n  --tensor-model-parallel-size: 2\n");
    EXPECT_EQ(at(tests, "/model/config/n_layer"), 12);
    EXPECT_EQ(at(tests, "/parallelism/sequence"), Json());
    EXPECT_EQ(at(tests, "/parallelism/tensor"), 2);
}

TEST(OtherLaunchers, NanotronAndPrimus) {
    const Json nanotron = yaml("model:\n  dtype: bfloat16\n  model_config:\n    hidden_size: 2048\n    num_hidden_layers: 24\n    num_attention_heads: 32\n    num_key_value_heads: 8\n    intermediate_size: 8192\n    vocab_size: 49152\n    tie_word_embeddings: true\n    max_position_embeddings: 8192\n"
                               "parallelism:\n  dp: 8\n  tp: 2\n  pp: 2\n  pp_engine: afab\n  tp_mode: REDUCE_SCATTER\noptimizer:\n  zero_stage: 1\ntokens:\n  batch_accumulation_per_replica: 4\n  micro_batch_size: 2\n  sequence_length: 4096\n");
    const Scenario scenario = soundScenario(nanotron);
    EXPECT_EQ(scenario.cluster.accelerators(), 32);
    EXPECT_EQ(scenario.model.kvHeads, 8);
    EXPECT_EQ(at(nanotron, "/parallelism/schedule"), "gpipe");
    EXPECT_EQ(at(nanotron, "/workload/global_batch_size"), 64);
    const Json primus = yaml("exp_name: x\nmodules:\n  pre_trainer:\n    framework: megatron\n    model: llama3.1_8B.yaml\n    overrides:\n      micro_batch_size: 2\n      global_batch_size: 128\n      seq_length: 8192\n      tensor_model_parallel_size: 2\n      use_distributed_optimizer: true\n      bf16: true\n");
    EXPECT_EQ(at(primus, "/model/preset"), "llama-3.1-8b");
    EXPECT_EQ(at(primus, "/workload/sequence_length"), 8192);
    EXPECT_EQ(at(primus, "/parallelism/tensor"), 2);
}

TEST(OtherLaunchers, AcceleratesConfigurationIsReadWithItsCommand) {
    ImportOptions options;
    options.readFile = [](const std::string& path, std::string&) { return path == "z3.yaml" ? std::optional<std::string>("distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\n  offload_optimizer_device: cpu\nmixed_precision: bf16\nnum_processes: 16\n") : std::nullopt; };
    const std::string rest = " sft.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 1 --max_length 4096";
    const Json s = scenarioOf("accelerate launch --config_file z3.yaml" + rest, options);
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 3);
    EXPECT_EQ(at(s, "/execution/offload/optimizer"), 1);
    EXPECT_EQ(at(s, "/workload/sequence_length"), 4096);
    EXPECT_EQ(soundScenario(s).cluster.accelerators(), 16);
    EXPECT_EQ(at(scenarioOf("accelerate launch --config_file configs/deepspeed_zero3.yaml --num_processes 8" + rest, options), "/parallelism/zero_stage"), 3) << "by the file's name";
}

TEST(OtherLaunchers, AreRefusedByNameWithTheNearestWay) {
    for (const auto& [file, text, name] : {std::tuple{"a.sh", "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-7B", "verl"}, std::tuple{"a.sh", "python3 -m MaxText.train MaxText/configs/base.yml model_name=llama3.1-8b", "MaxText"},
                                           std::tuple{"a.yml", "model_name: llama2-70b\nper_device_batch_size: 2\nmax_target_length: 4096\n", "MaxText"}, std::tuple{"a.py", "from nemo.collections import llm\nllm.llama3_8b.pretrain_recipe()\n", "NeMo 2"},
                                           std::tuple{"a.yaml", "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\nbatch_size: 2\n", "torchtune"}, std::tuple{"a.yaml", "distributed_type: DEEPSPEED\nnum_processes: 8\n", "Accelerate"},
                                           std::tuple{"a.py", "from trl import SFTTrainer\nargs = TrainingArguments(output_dir='x')\n", "Trainer"}, std::tuple{"a.yaml", "pipe-parallel-size: 4\nmodel-parallel-size: 2\nnum-layers: 12\n", "GPT-NeoX"}}) {
        const Import imported = importCommandLine(text, {.fileName = file});
        EXPECT_FALSE(imported.scenario) << text;
        EXPECT_EQ(mentions(imported.problems, "unknown-launcher", name), 1) << text;
        for (const Problem& problem : imported.problems) EXPECT_FALSE(problem.code == "unknown-launcher" && problem.mend.empty());
    }
    EXPECT_FALSE(importCommandLine("recipe: x\nmodel: foo\n", {.fileName = "a.yaml"}).scenario) << "a model alone makes no server of a file with other keys";
}

TEST(DeepSpeedKeys, OfItsNewestRelease) {
    ImportOptions options;
    std::string text;
    options.readFile = [&](const std::string& path, std::string&) { return path == "ds.json" ? std::optional(text) : std::nullopt; };
    const auto with = [&](const char* given) {
        text = given;
        return scenarioOf("deepspeed --num_gpus 8 train.py --deepspeed ds.json --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 1 --max_seq_length 8192", options);
    };
    const Json autocast = with(R"({"torch_autocast":{"enabled":true,"dtype":"bfloat16"},"zero_optimization":{"stage":1},"tensor_parallel":{"autotp_size":4},"gradient_accumulation_dtype":"bf16"})");
    EXPECT_EQ(at(autocast, "/parallelism/tensor"), 4);
    EXPECT_EQ(at(autocast, "/workload/weight_precision"), "fp32");
    EXPECT_EQ(at(autocast, "/workload/gradient_precision"), "bf16");
    EXPECT_EQ(at(autocast, "/workload/global_batch_size"), 2) << "two data ranks";
    const Json offload = with(R"({"fp16":{"enabled":true},"zero_optimization":{"stage":2,"offload_optimizer":{"device":"cpu","ratio":0.6}},"sequence_parallel_size":2,"compile":{"deepcompile":true}})");
    EXPECT_EQ(at(offload, "/execution/offload/optimizer"), 0.6);
    EXPECT_EQ(at(offload, "/parallelism/context"), 2);
    EXPECT_EQ(at(offload, "/execution/compile"), true);
    EXPECT_EQ(at(offload, "/workload/precision"), "fp16");
}

} // namespace
} // namespace orrery
