// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/other_launchers.hpp"

#include <algorithm>

namespace orrery {

namespace {

constexpr const char* asMegatron = "Write its sizes and parallel degrees as Megatron-LM's options (--num-layers, --tensor-model-parallel-size …) and import those.";
constexpr const char* asServer = "Import the `vllm serve` or `sglang` command with the same model, tensor parallelism and context length.";
constexpr const char* asTrainer = "Give its arguments as options of a command: --model_name_or_path, --per_device_train_batch_size, --deepspeed FILE …";

} // namespace

const OtherLauncher* otherLauncherOf(const std::string& text) {
    static const std::vector<OtherLauncher> launchers{
        {"verl", "Import the actor's training as a Megatron-LM or DeepSpeed command and the rollout as a `vllm serve` command; a scenario of each is a phase of the step.", {"actor_rollout_ref"}},
        {"verl", "Import the actor's training as a Megatron-LM or DeepSpeed command and the rollout as a `vllm serve` command; a scenario of each is a phase of the step.", {"verl.trainer"}},
        {"OpenRLHF", "Import the actor's training as a DeepSpeed command and the rollout as a `vllm serve` command; a scenario of each is a phase of the step.", {"openrlhf"}},
        {"NeMo-RL", "Import the policy's training as a Megatron-LM command and the generation as a `vllm serve` command; a scenario of each is a phase of the step.", {"nemo_rl"}},
        {"NeMo 2", "Import the Megatron-Bridge command of the same recipe (run_recipe.py --recipe …), or write its sizes as Megatron-LM's options.", {"nemo.collections"}},
        {"NeMo 2", "Import the Megatron-Bridge command of the same recipe (run_recipe.py --recipe …), or write its sizes as Megatron-LM's options.", {"nemo llm "}},
        {"MaxText", "Import the same plan as a torchtitan .toml: per_device_batch_size is local_batch_size, ici_fsdp_parallelism data_parallel_shard_degree, ici_tensor_parallelism tensor_parallel_degree.", {"MaxText"}},
        {"MaxText", "Import the same plan as a torchtitan .toml: per_device_batch_size is local_batch_size, ici_fsdp_parallelism data_parallel_shard_degree, ici_tensor_parallelism tensor_parallel_degree.", {"maxtext"}},
        {"MaxText", "Import the same plan as a torchtitan .toml: per_device_batch_size is local_batch_size, ici_fsdp_parallelism data_parallel_shard_degree, ici_tensor_parallelism tensor_parallel_degree.", {"per_device_batch_size", "max_target_length"}},
        {"torchtune", asTrainer, {"torchtune"}},
        {"torchtune", asTrainer, {"tune run"}},
        {"Accelerate's own configuration", "Import the command that `accelerate launch --config_file` starts; this file is read with it.", {"distributed_type", "num_processes"}},
        {"GPT-NeoX", asMegatron, {"pipe-parallel-size"}},
        {"GPT-NeoX", asMegatron, {"pipe_parallel_size"}},
        {"LLM Foundry", "Import the same plan as a torchtitan .toml, or name the model of the catalogue with zero_stage 3 in a scenario.", {"llm-foundry"}},
        {"LLM Foundry", "Import the same plan as a torchtitan .toml, or name the model of the catalogue with zero_stage 3 in a scenario.", {"fsdp_config", "max_seq_len", "device_train_microbatch_size"}},
        {"ColossalAI", asMegatron, {"colossalai"}},
        {"LitGPT", asTrainer, {"litgpt"}},
        {"Unsloth", asTrainer, {"FastLanguageModel"}},
        {"Hugging Face's Trainer in Python", asTrainer, {"TrainingArguments("}},
        {"TRL in Python", asTrainer, {"SFTConfig("}},
        {"NVIDIA NIM", asServer, {"nvcr.io/nim"}},
        {"Text Generation Inference", asServer, {"text-generation-launcher"}},
        {"Text Generation Inference", asServer, {"text-generation-inference"}},
        {"LMDeploy", asServer, {"lmdeploy"}},
        {"llama.cpp", asServer, {"llama-server"}},
        {"Ollama", asServer, {"ollama"}},
        {"Triton Inference Server", asServer, {"tritonserver"}},
    };
    for (const OtherLauncher& launcher : launchers)
        if (std::all_of(launcher.marks.begin(), launcher.marks.end(), [&](std::string_view mark) { return text.find(mark) != std::string::npos; })) return &launcher;
    return nullptr;
}

} // namespace orrery
