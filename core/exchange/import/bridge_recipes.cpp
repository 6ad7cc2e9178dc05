// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/bridge_recipes.hpp"

#include <algorithm>
#include <iterator>

namespace orrery {
namespace {

/// The assignments in the functions of src/megatron/bridge/recipes (NVIDIA-NeMo/Megatron-Bridge, main of November 2026), and of what they
/// start from in recipes/common.py.
constexpr BridgeRecipe recipes[] = {
    {"deepseek_v2_lite_pretrain_8gpu_h100_bf16", "deepseek_v2_lite_pretrain", "DeepSeek-V2-Lite", 8, 1, 1, 0, 1, 8, 0, false, 4096, 1, 512, "full"},
    {"deepseek_v2_pretrain_128gpu_h100_bf16", "deepseek_v2_pretrain", "DeepSeek-V2", 128, 1, 4, 0, 1, 32, 0, false, 4096, 1, 512, "full"},
    {"deepseek_v3_pretrain_1024gpu_h100_bf16", "deepseek_v3_pretrain", "DeepSeek-V3", 1024, 2, 16, 0, 1, 64, 1, true, 4096, 1, 4096, ""},
    {"deepseek_v3_pretrain_256gpu_h100_bf16_32nodes", "deepseek_v3_pretrain_config_32nodes", "DeepSeek-V3", 256, 2, 8, 0, 1, 32, 1, true, 4096, 1, 4096, "full"},
    {"gemma2_27b_pretrain_16gpu_h100_bf16", "gemma2_27b_pretrain", "gemma-2-27b", 16, 8, 2, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"gemma2_2b_pretrain_2gpu_h100_bf16", "gemma2_2b_pretrain", "gemma-2-2b", 2, 2, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"gemma2_9b_pretrain_8gpu_h100_bf16", "gemma2_9b_pretrain", "gemma-2-9b", 8, 8, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"glm45_355b_pretrain_128gpu_h100_bf16", "glm45_355b_pretrain", "GLM-4.5", 128, 2, 8, 0, 1, 16, 1, true, 4096, 1, 2048, "core_attn"},
    {"glm45_air_106b_pretrain_32gpu_h100_bf16", "glm45_air_106b_pretrain", "GLM-4.5-Air", 32, 1, 4, 0, 1, 8, 1, true, 4096, 1, 2048, "core_attn"},
    {"gpt_oss_120b_pretrain_64gpu_h100_bf16", "gpt_oss_120b_pretrain", "gpt-oss-120b", 64, 2, 4, 0, 1, 16, 1, true, 4096, 1, 512, ""},
    {"gpt_oss_20b_pretrain_16gpu_h100_bf16", "gpt_oss_20b_pretrain", "gpt-oss-20b", 16, 2, 4, 0, 1, 4, 1, true, 4096, 1, 512, ""},
    {"gpt_oss_20b_pretrain_16gpu_h100_fp8cs", "gpt_oss_20b_pretrain_fp8_current_scaling", "gpt-oss-20b", 16, 2, 4, 0, 1, 4, 1, true, 4096, 1, 512, ""},
    {"gpt_oss_20b_pretrain_16gpu_h100_fp8mx", "gpt_oss_20b_pretrain_mxfp8", "gpt-oss-20b", 16, 2, 4, 0, 1, 4, 1, true, 4096, 1, 512, ""},
    {"kimi_k2_pretrain_512gpu_h100_bf16", "kimi_k2_pretrain", "Kimi-K2-Instruct", 512, 2, 16, 0, 1, 32, 1, true, 4096, 1, 4096, "core_attn"},
    {"llama2_7b_pretrain_2gpu_h100_bf16", "llama2_7b_pretrain", "Llama-2-7b-hf", 2, 2, 1, 0, 1, 1, 0, false, 4096, 1, 512, ""},
    {"llama31_405b_pretrain_256gpu_h100_bf16", "llama31_405b_pretrain", "Meta-Llama-3.1-405B", 256, 8, 8, 2, 4, 1, 0, true, 131072, 1, 512, ""},
    {"llama31_405b_pretrain_256gpu_h100_bf16_deterministic", "llama31_405b_pretrain_deterministic", "Meta-Llama-3.1-405B", 256, 8, 8, 2, 4, 1, 0, true, 131072, 1, 512, ""},
    {"llama31_70b_pretrain_32gpu_h100_bf16", "llama31_70b_pretrain", "Meta-Llama-3.1-70B", 32, 4, 4, 5, 2, 1, 0, true, 131072, 1, 512, ""},
    {"llama31_8b_pretrain_2gpu_h100_bf16", "llama31_8b_pretrain", "Meta-Llama-3.1-8B", 2, 1, 1, 0, 2, 1, 0, false, 8192, 1, 512, ""},
    {"llama32_1b_pretrain_1gpu_h100_bf16", "llama32_1b_pretrain", "Llama-3.2-1B", 1, 1, 1, 0, 1, 1, 0, false, 8192, 1, 512, ""},
    {"llama32_3b_pretrain_1gpu_h100_bf16", "llama32_3b_pretrain", "Llama-3.2-3B", 1, 1, 1, 0, 1, 1, 0, false, 8192, 1, 512, ""},
    {"llama3_70b_pretrain_256gpu_h100_bf16_64k", "llama3_70b_64k_pretrain", "Meta-Llama-3-70B", 256, 8, 4, 0, 8, 1, 0, true, 65536, 1, 512, ""},
    {"llama3_70b_pretrain_32gpu_h100_bf16_16k", "llama3_70b_16k_pretrain", "Meta-Llama-3-70B", 32, 8, 2, 0, 2, 1, 0, true, 16384, 1, 512, ""},
    {"llama3_70b_pretrain_32gpu_h100_bf16", "llama3_70b_pretrain", "Meta-Llama-3-70B", 32, 4, 4, 5, 2, 1, 0, true, 8192, 1, 512, ""},
    {"llama3_70b_pretrain_32gpu_h100_bf16_deterministic", "llama3_70b_pretrain_deterministic", "Meta-Llama-3-70B", 32, 4, 4, 5, 2, 1, 0, true, 8192, 1, 512, ""},
    {"llama3_8b_pretrain_16gpu_h100_bf16_16k", "llama3_8b_16k_pretrain", "Meta-Llama-3-8B", 16, 4, 2, 0, 2, 1, 0, true, 16384, 1, 512, ""},
    {"llama3_8b_pretrain_2gpu_h100_bf16", "llama3_8b_pretrain", "Meta-Llama-3-8B", 2, 1, 1, 0, 2, 1, 0, false, 8192, 1, 512, ""},
    {"llama3_8b_pretrain_2gpu_h100_fp8cs", "llama3_8b_low_precision_pretrain", "Meta-Llama-3-8B", 2, 1, 1, 0, 2, 1, 0, false, 8192, 1, 768, ""},
    {"llama3_8b_pretrain_2gpu_h100_fp8mx", "", "Meta-Llama-3-8B", 2, 1, 1, 0, 2, 1, 0, false, 8192, 1, 768, ""},
    {"llama3_8b_pretrain_2gpu_h100_nvfp4", "", "Meta-Llama-3-8B", 2, 1, 1, 0, 2, 1, 0, false, 8192, 1, 768, ""},
    {"llama3_8b_pretrain_32gpu_h100_bf16_64k", "llama3_8b_64k_pretrain", "Meta-Llama-3-8B", 32, 4, 2, 0, 4, 1, 0, true, 65536, 1, 512, ""},
    {"llama3_8b_pretrain_64gpu_h100_bf16_128k", "llama3_8b_128k_pretrain", "Meta-Llama-3-8B", 64, 4, 2, 0, 8, 1, 0, true, 131072, 1, 512, ""},
    {"nemotron_3_nano_pretrain_8gpu_gb200_bf16", "", "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 8, 1, 1, 0, 1, 8, 1, false, 4096, 2, 512, ""},
    {"nemotron_3_super_pretrain_16gpu_h100_bf16", "", "NVIDIA-Nemotron-3-Super-120B-A12B-BF16", 16, 8, 1, 0, 1, 16, 1, true, 8192, 1, 1024, ""},
    {"nemotron_3_super_pretrain_64gpu_gb200_bf16", "", "NVIDIA-Nemotron-3-Super-120B-A12B-BF16", 64, 2, 1, 0, 1, 64, 1, true, 8192, 1, 512, ""},
    {"nemotron_3_super_sft_16gpu_h100_bf16_32k", "", "NVIDIA-Nemotron-3-Super-120B-A12B-BF16", 16, 1, 8, 0, 2, 2, 1, true, 32768, 1, 2, ""},
    {"nemotron_3_super_sft_16gpu_h100_bf16", "nemotron_3_super_sft", "NVIDIA-Nemotron-3-Super-120B-A12B-BF16", 16, 8, 1, 0, 1, 16, 1, true, 2048, 1, 32, ""},
    {"nemotron_3_ultra_peft_32gpu_h100_bf16_openmathinstruct2_packed", "nemotron_3_ultra_peft_openmathinstruct2_packed", "NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", 32, 2, 4, 0, 1, 8, 1, true, 4096, 1, 128, "moe,layernorm,core_attn,moe_act,mlp,shared_experts"},
    {"nemotron_3_ultra_pretrain_24gpu_h100_bf16", "nemotron_3_ultra_pretrain", "NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", 24, 1, 3, 0, 1, 8, 1, true, 8192, 1, 3072, ""},
    {"nemotron_3_ultra_sft_192gpu_h100_bf16_openmathinstruct2_packed", "nemotron_3_ultra_sft_openmathinstruct2_packed", "NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", 192, 2, 6, 0, 1, 32, 1, true, 4096, 1, 128, "moe,layernorm,core_attn,moe_act"},
    {"qwen25_14b_pretrain_4gpu_h100_bf16", "qwen25_14b_pretrain", "Qwen2.5-14B", 4, 4, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen25_1p5b_pretrain_1gpu_h100_bf16", "qwen25_1p5b_pretrain", "Qwen2.5-1.5B", 1, 1, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen25_32b_pretrain_16gpu_h100_bf16", "qwen25_32b_pretrain", "Qwen2.5-32B", 16, 8, 2, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen25_500m_pretrain_1gpu_h100_bf16", "qwen25_500m_pretrain", "Qwen2.5-0.5B", 1, 1, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen25_72b_pretrain_32gpu_h100_bf16", "qwen25_72b_pretrain", "Qwen2.5-72B", 32, 8, 4, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen25_7b_pretrain_2gpu_h100_bf16", "qwen25_7b_pretrain", "Qwen2.5-7B", 2, 2, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen2_1p5b_pretrain_1gpu_h100_bf16", "qwen2_1p5b_pretrain", "Qwen2-1.5B", 1, 1, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen2_500m_pretrain_1gpu_h100_bf16", "qwen2_500m_pretrain", "Qwen2-0.5B", 1, 1, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen2_72b_pretrain_32gpu_h100_bf16", "qwen2_72b_pretrain", "Qwen2-72B", 32, 8, 4, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen2_7b_pretrain_2gpu_h100_bf16", "qwen2_7b_pretrain", "Qwen2-7B", 2, 2, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen3_14b_pretrain_8gpu_h100_bf16", "qwen3_14b_pretrain", "Qwen3-14B", 8, 8, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen3_1p7b_pretrain_1gpu_h100_bf16", "qwen3_1p7b_pretrain", "Qwen3-1.7B", 1, 1, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen3_235b_a22b_pretrain_256gpu_h100_bf16", "qwen3_235b_a22b_pretrain", "Qwen3-235B-A22B", 256, 4, 16, 0, 2, 8, 1, true, 4096, 1, 32, ""},
    {"qwen3_30b_a3b_peft_4gpu_h100_bf16", "qwen3_30b_a3b_peft", "Qwen3-30B-A3B", 4, 4, 1, 0, 1, 4, 1, true, 2048, 1, 32, ""},
    {"qwen3_30b_a3b_pretrain_16gpu_h100_bf16", "qwen3_30b_a3b_pretrain", "Qwen3-30B-A3B", 16, 1, 1, 0, 1, 16, 1, false, 4096, 1, 1024, ""},
    {"qwen3_30b_a3b_pretrain_8gpu_gb200_fp8mx_functional", "", "Qwen3-30B-A3B", 8, 1, 1, 0, 1, 8, 1, false, 4096, 4, 512, ""},
    {"qwen3_30b_a3b_pretrain_8gpu_h100_bf16", "", "Qwen3-30B-A3B", 8, 4, 2, 0, 1, 4, 1, true, 4096, 2, 32, "full"},
    {"qwen3_30b_a3b_sft_16gpu_h100_bf16", "qwen3_30b_a3b_sft", "Qwen3-30B-A3B", 16, 1, 1, 0, 1, 16, 1, false, 2048, 1, 32, ""},
    {"qwen3_30b_a3b_sft_8gpu_h100_bf16", "", "Qwen3-30B-A3B", 8, 4, 2, 0, 1, 4, 1, true, 2048, 1, 32, ""},
    {"qwen3_32b_pretrain_16gpu_h100_bf16", "qwen3_32b_pretrain", "Qwen3-32B", 16, 8, 2, 0, 1, 1, 0, false, 4096, 2, 32, "full"},
    {"qwen3_4b_pretrain_2gpu_h100_bf16", "qwen3_4b_pretrain", "Qwen3-4B", 2, 2, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen3_600m_pretrain_1gpu_h100_bf16", "qwen3_600m_pretrain", "Qwen3-0.6B", 1, 1, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen3_8b_peft_1gpu_h100_bf16", "qwen3_8b_peft", "Qwen3-8B", 1, 1, 1, 0, 1, 1, 0, false, 2048, 1, 32, ""},
    {"qwen3_8b_pretrain_16gpu_h100_bf16", "qwen3_8b_pretrain", "Qwen3-8B", 16, 1, 1, 0, 1, 1, 0, false, 4096, 1, 1024, ""},
    {"qwen3_8b_pretrain_4gpu_h100_bf16", "", "Qwen3-8B", 4, 4, 1, 0, 1, 1, 0, false, 4096, 2, 32, ""},
    {"qwen3_8b_sft_4gpu_h100_bf16", "qwen3_8b_sft", "Qwen3-8B", 4, 4, 1, 0, 1, 1, 0, false, 2048, 1, 32, ""},
    {"qwen3_8b_sft_8gpu_h100_bf16_32k", "qwen3_8b_sft_32k", "Qwen3-8B", 8, 4, 1, 0, 2, 1, 0, true, 32768, 1, 8, ""},
};

} // namespace

const BridgeRecipe* bridgeRecipe(std::string_view name) {
    constexpr std::string_view end = "_config";
    if (name.ends_with(end)) name.remove_suffix(end.size());
    const auto* found = std::find_if(std::begin(recipes), std::end(recipes), [&](const BridgeRecipe& one) { return one.name == name || (!one.older.empty() && one.older == name); });
    return found == std::end(recipes) ? nullptr : found;
}

} // namespace orrery
