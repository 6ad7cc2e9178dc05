// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/bridge_names.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace orrery {
namespace {

struct BridgeName {
    std::string_view option;
    std::string_view key;
    bool opposite = false; ///< the key is true where the argument is not given
};

/// Where the two differ in more than dashes, or the key is not the model's (megatron/bridge/training/config.py).
constexpr BridgeName bridgeNames[] = {
    {"micro-batch-size", "train.micro_batch_size"},
    {"global-batch-size", "train.global_batch_size"},
    {"seq-length", "model.seq_length"},
    {"num-experts", "model.num_moe_experts"},
    {"padded-vocab-size", "model.vocab_size"},
    {"num-virtual-stages-per-pipeline-rank", "model.virtual_pipeline_model_parallel_size"},
    {"swiglu", "model.gated_linear_unit"},
    {"disable-bias-linear", "model.add_bias_linear", true},
    {"untie-embeddings-and-output-weights", "model.share_embeddings_and_output_weights", true},
    {"num-distributed-optimizer-instances", "ddp.num_distributed_optimizer_instances"},
    {"grad-reduce-in-bf16", "mixed_precision.grad_reduce_in_bf16"},
    {"grad-reduce-in-bf16", "ddp.grad_reduce_in_bf16"},
    {"fp8-param-gather", "mixed_precision.fp8_param_gather"},
    {"fp8-param-gather", "ddp.fp8_param_gather"},
    {"outer-dp-sharding-strategy", "ddp.outer_dp_sharding_strategy"},
    {"expert-model-parallel-size", "model.expert_model_parallel_size"},
    {"use-distributed-optimizer", "ddp.use_distributed_optimizer"},
    {"use-megatron-fsdp", "ddp.use_megatron_fsdp"},
    {"data-parallel-sharding-strategy", "ddp.data_parallel_sharding_strategy"},
    {"overlap-grad-reduce", "ddp.overlap_grad_reduce"},
    {"overlap-param-gather", "ddp.overlap_param_gather"},
    {"tp-comm-overlap", "comm_overlap.tp_comm_overlap"},
    {"overlap-moe-expert-parallel-comm", "comm_overlap.overlap_moe_expert_parallel_comm"},
    {"overlap-p2p-communication", "comm_overlap.overlap_p2p_comm"},
    {"no-overlap-p2p-communication", "comm_overlap.overlap_p2p_comm", true},
    {"overlap-p2p-communication", "model.overlap_p2p_comm"},
    {"no-overlap-p2p-communication", "model.overlap_p2p_comm", true},
    {"overlap-p2p-communication-warmup-flush", "model.overlap_p2p_comm_warmup_flush"},
    {"accumulate-allreduce-grads-in-fp32", "mixed_precision.grad_reduce_in_fp32"},
    {"accumulate-allreduce-grads-in-fp32", "ddp.grad_reduce_in_fp32"},
    {"fp8-format", "model.fp8"},
    {"fp4-format", "model.fp4"},
    {"optimizer", "optimizer.optimizer"},
    {"optimizer-cpu-offload", "optimizer.optimizer_cpu_offload"},
    {"optimizer-offload-fraction", "optimizer.optimizer_offload_fraction"},
    {"use-precision-aware-optimizer", "optimizer.use_precision_aware_optimizer"},
    {"main-grads-dtype", "optimizer.main_grads_dtype"},
    {"main-params-dtype", "optimizer.main_params_dtype"},
    {"exp-avg-dtype", "optimizer.exp_avg_dtype"},
    {"exp-avg-sq-dtype", "optimizer.exp_avg_sq_dtype"},
    {"bf16", "mixed_precision.bf16"},
    {"fp16", "mixed_precision.fp16"},
    {"fp8-format", "mixed_precision.fp8"},
    {"fp8-recipe", "mixed_precision.fp8_recipe"},
    {"fp4-format", "mixed_precision.fp4"},
    {"use-tp-pp-dp-mapping", "dist.use_tp_pp_dp_mapping"},
};

constexpr std::string_view ofModel = "model.";

std::string with(std::string text, char from, char to) {
    std::replace(text.begin(), text.end(), from, to);
    return text;
}

} // namespace

std::string bridgeKeyOf(const std::string& megatronOption) {
    const auto* found = std::find_if(std::begin(bridgeNames), std::end(bridgeNames), [&](const BridgeName& name) { return name.option == megatronOption; });
    return found != std::end(bridgeNames) ? std::string(found->key) : std::string(ofModel) + with(megatronOption, '-', '_');
}

std::optional<std::string> megatronOptionOf(const std::string& bridgeKey) {
    const auto* found = std::find_if(std::begin(bridgeNames), std::end(bridgeNames), [&](const BridgeName& name) { return name.key == bridgeKey; });
    if (found != std::end(bridgeNames)) return std::string(found->option);
    // Sections whose keys are called as the arguments are.
    for (const std::string_view section : {"ddp.", "optimizer.", "train.", "mixed_precision.", "comm_overlap.", "dist.", "rng.", "rerun_state_machine.", "validation."})
        if (bridgeKey.rfind(section, 0) == 0 && bridgeKey.size() > section.size()) return with(bridgeKey.substr(section.size()), '_', '-');
    if (bridgeKey.rfind(ofModel, 0) != 0 || bridgeKey.size() == ofModel.size()) return std::nullopt;
    return with(bridgeKey.substr(ofModel.size()), '_', '-');
}

bool bridgeKeyIsOpposite(const std::string& megatronOption) {
    const auto* found = std::find_if(std::begin(bridgeNames), std::end(bridgeNames), [&](const BridgeName& name) { return name.option == megatronOption; });
    return found != std::end(bridgeNames) && found->opposite;
}

std::optional<GivenOption> bridgeOption(const std::string& key, const std::string& value) {
    const auto is = [&](const char* word, const char* capital) { return value == word || value == capital; };
    const bool on = is("true", "True"), off = is("false", "False") || is("null", "None");
    // A key with an argument for either value: the one for this value.
    const auto rowFor = [&](bool opposite) { return std::find_if(std::begin(bridgeNames), std::end(bridgeNames), [&](const BridgeName& one) { return one.key == key && one.opposite == opposite; }); };
    const auto* known = rowFor(off);
    if (known == std::end(bridgeNames)) known = rowFor(!off);
    const auto name = known != std::end(bridgeNames) ? std::optional(std::string(known->option)) : megatronOptionOf(key);
    if (!name) return std::nullopt;
    const bool opposite = known != std::end(bridgeNames) && known->opposite;
    GivenOption option;
    option.written = key;
    if (opposite ? on : off) return option; // as if it were not given
    option.name = *name;
    if (!on && !off) option.values.push_back(value);
    return option;
}

} // namespace orrery
