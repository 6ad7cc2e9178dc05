#include "core/import/megatron_parts.hpp"

namespace orrery {

namespace {

constexpr const char* checkpoints = "checkpoints are not simulated";
constexpr const char* logging = "logging is not simulated";
constexpr const char* data = "reading data is not simulated";
constexpr const char* learning = "it changes what is learned, not how long it takes";
constexpr const char* starting = "it tells processes how to start and to end";
constexpr const char* testing = "evaluation is not simulated";
constexpr const char* usual = "the framework's profile holds what its fused kernels and buffers do";
constexpr const char* modelKept = "it changes no size of the model";

} // namespace

const std::vector<IgnoredOption>& megatronIgnored() {
    static const std::vector<IgnoredOption> ignored{
        {"save*", checkpoints}, {"load*", checkpoints}, {"no-save-*", checkpoints}, {"no-load-*", checkpoints}, {"ckpt-*", checkpoints},
        {"dist-ckpt-*", checkpoints}, {"use-dist-ckpt", checkpoints}, {"async-save", checkpoints}, {"auto-detect-ckpt-format", checkpoints},
        {"pretrained-checkpoint", checkpoints}, {"finetune", checkpoints}, {"use-checkpoint-args", checkpoints}, {"universal-checkpoint", checkpoints},
        {"override-opt-param-scheduler", checkpoints}, {"use-checkpoint-opt-param-scheduler", checkpoints}, {"non-persistent-*", checkpoints},
        {"exit-on-missing-checkpoint", checkpoints}, {"no-ckpt-*", checkpoints}, {"use-persistent-ckpt-worker", checkpoints},

        {"log-*", logging}, {"no-log-*", logging}, {"wandb-*", logging}, {"tensorboard-*", logging}, {"timing-log-*", logging}, {"profile*", logging},
        {"use-pytorch-profiler", logging}, {"record-memory-history", logging}, {"memory-snapshot-path", logging}, {"one-logger-*", logging},
        {"enable-one-logger", logging}, {"no-one-logger", logging}, {"config-logger-dir", logging}, {"logging-level", logging}, {"moe-per-layer-logging", logging},
        {"barrier-with-L1-time", logging}, {"no-barrier-with-level-1-timing", logging}, {"check-for-*", logging}, {"no-check-for-*", logging},

        {"data-*", data}, {"mock-data", data}, {"split", data}, {"train-data-*", data}, {"valid-data-*", data}, {"test-data-*", data},
        {"train-weighted-*", data}, {"valid-weighted-*", data}, {"test-weighted-*", data}, {"per-split-*", data}, {"num-workers", data}, {"valid-num-workers", data}, {"dataloader-type", data},
        {"tokenizer-*", data}, {"tiktoken-*", data}, {"special-tokens*", data}, {"vocab-extra-ids", data}, {"reset-*", data}, {"eod-mask-loss", data},
        {"no-create-attention-mask-in-dataloader", data}, {"no-mmap-bin-files", data}, {"full-validation", testing}, {"skip-train", testing},
        {"num-dataset-builder-threads", data}, {"s3-cache-path", data}, {"mmap-warmup", data}, {"legacy-tokenizer", data}, {"trust-remote-code", data},
        {"create-attention-mask-in-dataloader", data}, {"sample-rate", data}, {"short-seq-prob", data}, {"no-data-*", data},

        {"eval-*", testing}, {"inference-*", testing}, {"test-mode", testing}, {"max-tokens-to-oom", testing}, {"output-bert-embeddings", testing},

        {"lr*", learning}, {"min-lr", learning}, {"decoupled-*", learning}, {"weight-decay*", learning}, {"start-weight-decay", learning}, {"end-weight-decay", learning},
        {"adam-*", learning}, {"sgd-momentum", learning}, {"muon-*", learning}, {"clip-grad", learning}, {"init-method-*", learning}, {"use-cpu-initialization", learning},
        {"embedding-init-*", learning}, {"perform-initialization", learning}, {"no-initialization", learning}, {"seed", learning}, {"data-parallel-random-init", learning},
        {"warmup", learning}, {"loss-scale*", learning}, {"initial-loss-scale", learning}, {"min-loss-scale", learning}, {"hysteresis", learning},
        {"override-lr-scheduler", learning}, {"override-optimizer-*", learning}, {"use-checkpoint-lr-scheduler", learning}, {"apply-query-key-layer-scaling", learning}, {"no-query-key-layer-scaling", learning},
        {"no-scaled-init", learning}, {"moe-router-load-balancing-type", learning}, {"moe-aux-loss-coeff", learning}, {"moe-z-loss-coeff", learning},
        {"moe-loss-coeff", learning}, {"moe-router-score-function", learning}, {"moe-router-enable-expert-bias", learning}, {"moe-router-bias-update-rate", learning},
        {"moe-router-topk-scaling-factor", learning}, {"moe-router-pre-softmax", learning}, {"moe-router-dtype", learning}, {"moe-input-jitter-eps", learning},
        {"moe-token-drop-policy", learning}, {"moe-min-capacity", learning}, {"mtp-loss-scaling-factor", learning}, {"attention-softmax-in-fp32", learning},
        {"calculate-per-token-loss", learning}, {"no-weight-decay-cond-*", learning}, {"exit-on-nan", learning}, {"skipped-train-samples", learning},
        {"universal-*", checkpoints}, {"retro-*", learning}, {"norm-epsilon", learning}, {"layernorm-epsilon", learning}, {"iter-per-epoch", data}, {"curriculum-learning*", learning},

        {"train-*", "the length of the run changes no iteration"}, {"exit-*", starting}, {"kill-switch-path", starting}, {"adlr-autoresume*", starting},
        {"distributed-*", starting}, {"local-rank", starting}, {"rank", starting}, {"node-rank", starting}, {"lazy-mpu-init", starting}, {"manual-gc*", starting},
        {"empty-unused-memory-level", starting}, {"disable-mem-efficient-fsdp-modules", starting}, {"enable-ft-package", starting}, {"inprocess-*", starting},
        {"nccl-*", starting}, {"use-gloo-process-groups", starting}, {"enable-gloo-process-groups", starting}, {"disable-gloo-process-groups", starting}, {"rerun-mode", starting}, {"error-injection-*", starting}, {"disable-straggler-on-startup", starting},
        {"straggler-*", starting}, {"abort-on-unmet-fused-kernel-constraints", starting}, {"deepscale*", starting}, {"deepspeed-mpi", starting}, {"mpi", starting},
        {"use-mcore-models", usual}, {"use-legacy-models", usual}, {"transformer-impl", usual}, {"spec", usual}, {"export-*", usual}, {"te-rng-tracker", usual},
        {"no-masked-softmax-fusion", usual}, {"no-bias-gelu-fusion", usual}, {"no-bias-swiglu-fusion", usual}, {"no-bias-dropout-fusion", usual},
        {"no-rope-fusion", usual}, {"apply-rope-fusion", usual}, {"no-gradient-accumulation-fusion", usual}, {"gradient-accumulation-fusion", usual}, {"no-persist-layer-norm", usual},
        {"cross-entropy-loss-fusion", usual}, {"cross-entropy-fusion-impl", usual}, {"bias-gelu-fusion", usual}, {"bias-swiglu-fusion", usual}, {"masked-softmax-fusion", usual}, {"use-fused-rmsnorm", usual},
        {"no-contiguous-buffers-in-local-ddp", usual}, {"use-contiguous-buffers-in-local-ddp", usual}, {"DDP-impl", usual}, {"ddp-*", usual}, {"use-ring-exchange-p2p", usual},
        {"no-scatter-gather-tensors-in-pipeline", usual}, {"no-async-tensor-model-parallel-allreduce", usual}, {"async-tensor-model-parallel-allreduce", usual}, {"tp-comm-*", usual},
        {"fp8-*", usual}, {"first-last-layers-bf16", usual}, {"no-fp8-*", usual}, {"moe-grouped-gemm", usual}, {"moe-permute-fusion", usual}, {"moe-token-dispatcher-type", usual}, {"moe-router-fusion", usual},
        {"moe-pad-expert-input-to-capacity", usual}, {"moe-use-legacy-grouped-gemm", usual}, {"moe-enable-deepep", usual}, {"moe-flex-dispatcher-backend", usual}, {"cuda-graph-*", usual}, {"align-*", usual}, {"no-align-*", usual},
        {"accumulate-allreduce-*", usual}, {"delay-wgrad-compute", usual}, {"defer-embedding-wgrad-compute", usual}, {"high-priority-stream-groups", usual}, {"synchronize-each-layer", usual}, {"memory-centric-tiled-linear", usual},
        {"zero-reduce-scatter", usual}, {"zero-contigious-gradients", usual}, {"zero-reduce-bucket-size", usual}, {"zero-allgather-bucket-size", usual}, {"partition-activations", usual}, {"contigious-checkpointing", usual}, {"fp16-lm-cross-entropy", usual},
        {"fp32-residual-connection", usual}, {"use-precision-aware-optimizer", usual}, {"use-sharp", usual},

        {"apply-layernorm-1p", modelKept}, {"rotary-percent", modelKept}, {"rotary-interleaved", modelKept}, {"rotary-seq-len-interpolation-factor", modelKept},
        {"rotary-scaling-factor", modelKept}, {"rope-scaling-factor", modelKept}, {"use-rope-scaling", modelKept}, {"mscale*", modelKept}, {"yarn-*", modelKept}, {"original-max-position-embeddings", modelKept}, {"beta-fast", modelKept}, {"beta-slow", modelKept},
        {"no-position-embedding", modelKept}, {"use-rotary-position-embeddings", modelKept}, {"bert-*", modelKept}, {"position-embedding-type", modelKept},
    };
    return ignored;
}

const std::vector<std::string>& megatronKnown() {
    static const std::vector<std::string> known{
        "num-layers", "hidden-size", "ffn-hidden-size", "num-attention-heads", "num-query-groups", "group-query-attention", "kv-channels", "seq-length",
        "max-position-embeddings", "position-embedding-type", "rotary-base", "normalization", "swiglu", "untie-embeddings-and-output-weights",
        "disable-bias-linear", "add-qkv-bias", "qk-layernorm", "multi-latent-attention", "vocab-size", "make-vocab-size-divisible-by", "num-experts",
        "moe-router-topk", "moe-ffn-hidden-size", "moe-shared-expert-intermediate-size", "moe-layer-freq", "mtp-num-layers",
        "tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size", "expert-model-parallel-size",
        "expert-tensor-parallel-size", "num-layers-per-virtual-pipeline-stage", "num-virtual-stages-per-pipeline-rank", "sequence-parallel",
        "use-distributed-optimizer", "micro-batch-size", "global-batch-size", "bf16", "fp16", "fp8-format", "fp8-recipe", "recompute-granularity",
        "recompute-method", "recompute-num-layers", "recompute-activations", "recompute-modules", "use-flash-attn", "attention-backend", "overlap-grad-reduce",
        "overlap-param-gather", "tp-comm-overlap", "enable-cuda-graph", "cuda-graph-impl", "zero-stage", "deepspeed-config",
    };
    return known;
}

} // namespace orrery
