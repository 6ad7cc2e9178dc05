// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/megatron_parts.hpp"

namespace orrery {

const std::vector<RefusedOption>& megatronRefused() {
    constexpr const char* linear = "linear and sparse attention can't be simulated yet";
    constexpr const char* uneven = "each layer has sizes of its own in another file, and they can't be read";
    constexpr const char* encoder = "a model with an encoder beside its decoder can't be simulated yet";
    constexpr const char* rollouts = "the rollouts of reinforcement learning are not simulated; the training step was taken alone";
    constexpr const char* offload = "activations of single modules stay on the accelerator";
    constexpr const char* eightBit = "weights are kept and gathered in 16 bit";
    constexpr const char* sixteenBit = "all layers compute in the precision given";
    constexpr const char* shards = "weights are shared out over the tensor and data ranks alone";
    constexpr const char* context = "all sequences are split over the context ranks alike";
    constexpr const char* memory = "memory will be a little too large";
    static const std::vector<RefusedOption> refused{
        {"experimental-attention-variant", linear, true},
        {"linear-*", linear},
        {"dsa-*", linear},
        {"csa-*", linear},
        {"gdp-*", linear},
        {"mamba-*", "Mamba layers can't be simulated yet"},
        {"mtp-hybrid-override-pattern", "Mamba layers can't be simulated yet", true},
        {"heterogeneous-layers-config-*", uneven, true},
        {"heterogeneous-block-specs", uneven, true},
        {"decoder-num-layers", encoder, true},
        {"decoder-seq-length", encoder, true},
        {"vision-pretraining", "a vision model can't be simulated", true},
        {"yaml-cfg", "the arguments stand in a YAML file; write them as options of the command", true},
        {"moe-latent-size", "experts that work on a narrower state can't be simulated yet", true},
        {"enable-mhc-connections", "several residual streams can't be simulated yet", true},
        {"mhc-*", "several residual streams can't be simulated yet"},
        {"attention-output-gate", "attention's output has no gate: its matrix and time are left out"},
        {"moe-router-topk-limited-devices", "tokens go to experts of any rank"},
        {"moe-router-force-biased", "experts are as busy as expert_load says"},
        {"moe-router-force-load-balancing", "experts are as busy as expert_load says"},
        {"moe-expert-rank-capacity-factor", "room is an expert's, not a rank's"},
        {"mtp-use-repeated-layer", "each next-token module has weights of its own"},
        {"mtp-standalone", "next-token modules are in the last stage"},
        {"mtp-hsm", "next-token modules predict over the whole vocabulary"},
        {"perform-rl-step", rollouts},
        {"rl-*", rollouts},
        {"grpo-*", rollouts},
        {"langrl-*", rollouts},
        {"fine-grained-*", offload},
        {"offload-modules", offload},
        {"min-offloaded-tensor-size", offload},
        {"activation-offload-fraction", offload},
        {"delta-offload-bytes-across-pp-ranks", offload},
        {"moe-paged-stash*", offload},
        {"fp8-param-gather", eightBit},
        {"fp4-param-gather", eightBit},
        {"fp8-param", eightBit},
        {"fp4-param", eightBit},
        {"keep-fp8-transpose-cache", memory},
        {"reuse-grad-buf-for-mxfp8-param-ag", memory},
        {"memory-efficient-layer-norm", memory},
        {"cache-mla-latents", memory},
        {"distribute-saved-activations", memory},
        {"ep-overlap-early-attn-memory-release", memory},
        {"first-last-layers-bf16", sixteenBit},
        {"num-layers-at-*", sixteenBit},
        {"te-precision-config-file", sixteenBit},
        {"output-logit-dtype", sixteenBit},
        {"moe-dispatch-fwd-dtype", "tokens go to their experts in the format of the profile"},
        {"moe-combine-bwd-dtype", "tokens go to their experts in the format of the profile"},
        {"num-microbatches-with-partial-activation-checkpoints", "every micro-batch is recomputed alike"},
        {"microbatch-group-size-per-vp-stage", "chunks take as many micro-batches in turn as there are stages"},
        {"microbatch-group-size-per-virtual-pipeline-stage", "chunks take as many micro-batches in turn as there are stages"},
        {"tensor-parallel-num-weight-shards", shards},
        {"expert-tensor-parallel-num-weight-shards", shards},
        {"gtp-*", shards},
        {"expert-gtp-*", shards},
        {"enable-full-sharding-in-hsdp", shards},
        {"hybrid-context-parallel", context},
        {"hierarchical-context-parallel-sizes", context},
        {"max-seqlen-per-dp-cp-rank", context},
        {"overlap-param-gather-with-optimizer-step", "weights are gathered behind the optimizer"},
        {"optimizer-cuda-graph", "the optimizer's kernels are launched one by one"},
        {"freeze-all-layers", "all layers are trained"},
        {"moe-use-upcycling", "the experts are trained as they are"},
        {"mlp-chunks-for-training", "an MLP is computed whole"},
    };
    return refused;
}

} // namespace orrery
