// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/exchange/import/import_checks.hpp"

namespace orrery {
namespace {

constexpr const char* config = R"({
  "train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "steps_per_print": 10,
  "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}, "overlap_comm": true, "contiguous_gradients": true},
  "bf16": {"enabled": true}, "wall_clock": 1
})";

ImportOptions withConfig() {
    ImportOptions options;
    options.readFile = [](const std::string& path, std::string&) { return path == "ds.json" ? std::optional<std::string>(config) : std::nullopt; };
    return options;
}

TEST(DeepSpeedImport, TrainerWithConfiguration) {
    const Json s = scenarioOf("deepspeed --num_gpus 8 --num_nodes 2 train.py --deepspeed ds.json --model_name_or_path meta-llama/Llama-2-7b-hf "
                              "--model_max_length 4096 --gradient_checkpointing True --output_dir out",
                              withConfig());
    EXPECT_EQ(at(s, "/model/preset"), "llama-2-7b");
    EXPECT_EQ(at(s, "/cluster/nodes"), 2);
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 64);
    EXPECT_EQ(at(s, "/workload/micro_batch_size"), 2);
    EXPECT_EQ(at(s, "/workload/precision"), "bf16");
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 3);
    EXPECT_EQ(at(s, "/execution/offload/optimizer"), 1);
    EXPECT_EQ(at(s, "/execution/recompute"), "full");
}

TEST(DeepSpeedImport, ConfigurationAloneNeedsAModel) {
    const Import without = importCommandLine(config, {.fileName = "ds.json"});
    EXPECT_FALSE(without.scenario);
    EXPECT_EQ(mentions(without.problems, "model-missing", "model"), 1);
    const Import with = importCommandLine(config, {.model = "llama-3.1-8b", .fileName = "ds.json"});
    ASSERT_TRUE(with.scenario);
    EXPECT_EQ(at(*with.scenario, "/parallelism/zero_stage"), 3);
    EXPECT_EQ(mentions(with.problems, "option-not-understood", "wall_clock\""), 1);
    EXPECT_EQ(mentions(with.problems, "option-ignored", "steps_per_print"), 1);
    EXPECT_EQ(mentions(with.problems, "option-ignored", "contiguous_gradients"), 1);
}

TEST(DeepSpeedImport, CommandLineCountsOverTheConfiguration) {
    const Json s = scenarioOf("deepspeed pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 "
                              "--deepspeed --deepspeed_config ds.json --global-batch-size 128",
                              withConfig());
    EXPECT_EQ(at(s, "/workload/global_batch_size"), 128);
    EXPECT_EQ(at(s, "/workload/micro_batch_size"), 2);
    EXPECT_EQ(at(s, "/parallelism/zero_stage"), 3);
}

TEST(DeepSpeedImport, MissingConfigurationIsSaid) {
    const Import imported = importCommandLine("deepspeed pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --bf16 "
                                              "--deepspeed --deepspeed_config other.json",
                                              withConfig());
    ASSERT_TRUE(imported.scenario);
    EXPECT_EQ(mentions(imported.problems, "file-not-read", "other.json"), 1);
}

ImportOptions withText(const std::string& text) {
    ImportOptions options;
    options.readFile = [text](const std::string& path, std::string&) { return path == "ds.json" ? std::optional<std::string>(text) : std::nullopt; };
    return options;
}

constexpr const char* trainerLine = "deepspeed --num_gpus 8 --num_nodes 2 train.py --deepspeed ds.json --model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 2 "
                                    "--gradient_accumulation_steps 4 --max_seq_length 4096 --bf16 True --gradient_checkpointing True";

TEST(DeepSpeedImport, SaysWhetherCommunicationOverlapsAndInWhichGroups) {
    for (const char* key : {"zero_hpz_partition_size", "mics_shard_size"}) {
        const Json s = scenarioOf(trainerLine, withText(std::string(R"({"bf16":{"enabled":true},"zero_optimization":{"stage":3,"overlap_comm":false,")") + key + R"(":8}})"));
        EXPECT_EQ(at(s, "/execution/overlap/data"), false);
        EXPECT_EQ(at(s, "/parallelism/shard_group"), 8) << key;
    }
    const Json s = scenarioOf(trainerLine, withText(R"({"bf16":{"enabled":true},"zero_optimization":{"stage":3,"zero_hpz_partition_size":1}})"));
    EXPECT_EQ(at(s, "/execution/overlap/data"), true) << "DeepSpeed's default for stage 3";
    EXPECT_EQ(at(s, "/parallelism/shard_group"), Json());
}

TEST(DeepSpeedImport, TakesOverTheFormatsOfStates) {
    const Json s = scenarioOf(trainerLine, withText(R"({"bf16":{"enabled":true,"bf16_master_weights_and_grads":true,"bf16_optimizer_states":true},
        "data_types":{"grad_accum_dtype":"fp32"},"communication_data_type":"fp16","zero_optimization":{"stage":1}})"));
    EXPECT_EQ(at(s, "/workload/weight_precision"), "bf16");
    EXPECT_EQ(at(s, "/workload/optimizer_precision"), "bf16");
    EXPECT_EQ(at(s, "/workload/gradient_precision"), "fp32");
    EXPECT_EQ(at(s, "/workload/gradient_reduce_precision"), "fp16");
}

TEST(TrainerImport, FineTunesWithAdaptersOverAQuantisedBase) {
    const Json s = scenarioOf("accelerate launch --num_processes 2 sft.py --model_name_or_path mistralai/Mistral-7B-v0.1 --per_device_train_batch_size 4 --max_seq_length 2048 --bf16 True "
                              "--load_in_4bit True --use_peft True --lora_r 32 --lora_target_modules q_proj v_proj --optim paged_adamw_8bit --gradient_checkpointing True");
    EXPECT_EQ(at(s, "/workload/precision"), "int4");
    EXPECT_EQ(at(s, "/workload/task"), "lora");
    EXPECT_EQ(at(s, "/workload/lora_rank"), 32);
    EXPECT_EQ(at(s, "/workload/lora_targets"), (Json{"q_proj", "v_proj"}));
    EXPECT_EQ(at(s, "/workload/optimizer_precision"), "int8");
    EXPECT_EQ(at(s, "/execution/framework"), "hf-trainer-2026");
    const Json full = scenarioOf("torchrun --nproc_per_node 8 run_clm.py --model_name_or_path mistralai/Mistral-7B-v0.1 --torch_dtype bfloat16 --bf16 --block_size 2048");
    EXPECT_EQ(at(full, "/workload/weight_precision"), "bf16");
    EXPECT_EQ(at(full, "/workload/precision"), "bf16");
}

} // namespace
} // namespace orrery
