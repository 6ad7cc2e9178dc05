// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/torchtitan_models.hpp"

namespace orrery {

const std::vector<IgnoredOption>& torchtitanIgnoredOptions() {
    static const std::vector<IgnoredOption> ignored{
        {"job.*", "it names files"},
        {"profiling.*", "profiling is not simulated"},
        {"metrics.*", "logging is not simulated"},
        {"checkpoint.*", "checkpoints are not simulated"},
        {"comm.*", "it tells processes how to start and to end"},
        {"lr-scheduler.*", "it changes what is learned, not how long it takes"},
        {"validation.*", "validation is not simulated"},
        {"memory-estimation.*", "it estimates without training"},
        {"optimizer.*", "it changes what is learned, not how long it takes"},
        {"profiler.*", "profiling is not simulated"},
        {"validator.*", "validation is not simulated"},
        {"dataloader.*", "reading data is not simulated"},
        {"tokenizer.*", "reading data is not simulated"},
        {"loss.*", "it changes what is learned, not how long it takes"},
        {"override.*", "the framework's profile holds what its fused kernels and buffers do"},
        {"hf-assets-path", "it names files"},
        {"dump-folder", "it names files"},
        {"training.dataloader*", "reading data is not simulated"},
        {"experimental.*", "it names Python modules"},
        {"fault-tolerance.*", "faults are the scenario's `reliability`"},
        {"compile.mode", "whether code is compiled is one switch"},
        {"compile.passes", "whether code is compiled is one switch"},
        {"compile.joint-passes", "whether code is compiled is one switch"},
        {"parallelism.context-parallel-load-balancer", "causal attention is balanced"},
        {"parallelism.context-parallel-ptrr-mask-key", "causal attention is balanced"},
        {"parallelism.spmd-backend", "it says how code is written, not what it does"},
        {"parallelism.full-dtensor", "it says how code is written, not what it does"},
        {"parallelism.enable-fsdp-symm-mem", "the framework's profile holds what its fused kernels and buffers do"},
        {"activation-checkpoint.force-recompute-*", "selective recomputation is one choice"},
        {"activation-checkpoint.visualize-*", "it is for debugging"},
        {"debug.*", "it is for debugging"},
        {"dataset.*", "reading data is not simulated"},
        {"experimental.custom-*", "it names Python modules"},
        {"training.dataset*", "reading data is not simulated"},
        {"training.steps", "the length of the run changes no iteration"},
        {"training.max-norm", "it changes what is learned, not how long it takes"},
        {"training.seed", "it changes what is learned, not how long it takes"},
        {"training.deterministic", "kernels are those of the profile"},
        {"training.gc-*", "it tells processes how to start and to end"},
        {"training.warmup-steps", "it changes what is learned, not how long it takes"},
        {"training.data-parallel-type", "the degrees say it"},
        {"model.tokenizer-path", "reading data is not simulated"},
        {"model.hf-assets-path", "it names files"},
        {"model.norm-type", "the models have RMS norms"},
        {"model.print-after-conversion", "logging is not simulated"},
        {"float8.*", "the framework's profile holds what its fused kernels and buffers do"},
        {"mx.*", "the framework's profile holds what its fused kernels and buffers do"},
        {"quantize.*", "the framework's profile holds what its fused kernels and buffers do"},
        {"compile.backend", "whether code is compiled is one switch"},
        {"parallelism.disable-loss-parallel", "the logits' loss is divided as the tensor ranks are"},
        {"activation-checkpoint.preserve-rng-state", "it changes no time or memory that is simulated"},
        {"activation-checkpoint.determinism-check", "it is for debugging"},
        {"activation-checkpoint.early-stop", "it changes no time or memory that is simulated"},
        {"activation-checkpoint.per-op-*", "selective recomputation is one choice"},
        {"activation-checkpoint.debug", "it is for debugging"},
        {"config-file", "it names files"},
        {"module", "it names Python modules"},
        {"rdzv-*", "it tells processes how to start and to end"},
    };
    return ignored;
}

const std::vector<RefusedOption>& torchtitanRefusedOptions() {
    static const std::vector<RefusedOption> refused{
        {"optimizer.early-step-in-backward", "gradients are kept until the optimizer's step: memory will be too large by them"},
        {"fault-tolerance.semi-sync-method", "replicas sum their gradients at every step"},
        {"parallelism.pipeline-parallel-schedule-csv", "a schedule of your own can't be read"},
        {"debug.moe-force-load-balance", "experts are as busy as expert_load says"},
    };
    return refused;
}

const std::vector<std::string>& torchtitanKnownOptions() {
    static const std::vector<std::string> known{
        "model.name",
        "model.flavor",
        "model.converters",
        "training.batch-size",
        "training.local-batch-size",
        "training.global-batch-size",
        "training.seq-len",
        "training.compile",
        "training.enable-cpu-offload",
        "training.mixed-precision-param",
        "training.mixed-precision-reduce",
        "training.dtype",
        "compile.enable",
        "parallelism.data-parallel-replicate-degree",
        "parallelism.data-parallel-shard-degree",
        "parallelism.tensor-parallel-degree",
        "parallelism.pipeline-parallel-degree",
        "parallelism.pipeline-parallel-schedule",
        "parallelism.pipeline-parallel-microbatch-size",
        "parallelism.pipeline-parallel-layers-per-stage",
        "parallelism.context-parallel-degree",
        "parallelism.expert-parallel-degree",
        "parallelism.enable-async-tensor-parallel",
        "parallelism.fsdp-reshard-after-forward",
        "training.max-context-length",
        "training.num-tokens-per-microbatch-per-dp-rank",
        "training.num-tokens-per-train-step",
        "parallelism.num-pp-microbatches",
        "parallelism.module-fqns-per-model-part",
        "parallelism.expert-parallel-comm-backend",
        "parallelism.enable-sequence-parallel",
        "compile.components",
        "activation-checkpoint.mode",
        "activation-checkpoint.selective-ac-option",
        "float8.recipe-name",
        "optimizer.name",
        "optimizer.state-dtype",
    };
    return known;
}

} // namespace orrery
