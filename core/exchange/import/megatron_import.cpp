// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"

#include "core/base/text.hpp"
#include "core/exchange/import/megatron_parts.hpp"
#include "core/exchange/import/model_names.hpp"
#include "core/exchange/import/served_model.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace orrery {

const std::vector<IgnoredOption>& bridgeIgnored() {
    constexpr const char* checkpoints = "checkpoints are not simulated";
    constexpr const char* logging = "logging is not simulated";
    constexpr const char* data = "reading data is not simulated";
    constexpr const char* learning = "it changes what is learned, not how long it takes";
    constexpr const char* starting = "it tells processes how to start and to end";
    constexpr const char* usual = "the framework's profile holds what its fused kernels and buffers do";
    constexpr const char* modelKept = "it changes no size of the model";
    static const std::vector<IgnoredOption> ignored{
        {"checkpoint.*", checkpoints},
        {"logger.*", logging},
        {"profiling.*", logging},
        {"scheduler.*", learning},
        {"tokenizer.*", data},
        {"dataset.*", data},
        {"straggler.*", starting},
        {"nvrx-straggler.*", starting},
        {"ft.*", starting},
        {"inprocess-restart.*", starting},
        {"tensor-inspect.*", logging},
        {"env-vars.*", starting},
        {"adaptive-muon-*", learning},
        {"soap-*", learning},
        {"grad-norm-skip-threshold", learning},
        {"spiky-loss-factor", starting},
        {"check-optimizer-step-success", starting},
        {"skip-sync-grad-norm-across-mp", starting},
        {"model-family-name", "the recipe's name says the model"},
        {"config-variant", "the sizes given count"},
        {"cv", "the sizes given count"},
        {"max-step*", "the length of the run changes no iteration"},
        {"account", starting},
        {"partition", starting},
        {"container-image", starting},
        {"domain", starting},
        {"num-epochs", "the length of the run changes no iteration"},
        {"average-in-collective", usual},
        {"bucket-size", usual},
        {"num-buckets", usual},
        {"pad-buckets-for-high-nccl-busbw", usual},
        {"gradient-reduce-div-fusion", usual},
        {"reduce-scatter-with-fp32-accumulation", usual},
        {"param-name-patterns-for-fp32-local-accumulation", usual},
        {"megatron-fsdp-cuda-graph-mode", usual},
        {"megatron-fsdp-use-decoupled-grad", usual},
        {"pin-cpu-*", usual},
        {"store-param-remainders", usual},
        {"use-layer-wise-distributed-optimizer", usual},
        {"parallel-output", usual},
        {"scatter-embedding-sequence-parallel", usual},
        {"dense-grouped-gemm", usual},
        {"use-mamba-mem-eff-path", usual},
        {"use-arbitrary-attention-mask", usual},
        {"autocast-enabled", "the precision says it"},
        {"logit-dtype", "the precision says it"},
        {"fp32", "the precision says it"},
        {"enable-megatron-core-experimental", starting},
        {"external-gpu-device-mapping", starting},
        {"use-decentralized-pg", starting},
        {"hf-model-*", "it names files"},
        {"restore-modelopt-state", checkpoints},
        {"layernorm-zero-centered-gamma", modelKept},
        {"rope-scaling", modelKept},
        {"seq-len-interpolation-factor", modelKept},
        {"should-pad-vocab", "the vocabulary's size says it"},
        {"mtp-enabled", "the number of next-token modules says it"},
    };
    return ignored;
}

const std::vector<std::string>& megatronKnown() {
    static const std::vector<std::string> known{
        "num-layers",
        "hidden-size",
        "ffn-hidden-size",
        "num-attention-heads",
        "num-query-groups",
        "group-query-attention",
        "kv-channels",
        "seq-length",
        "max-position-embeddings",
        "position-embedding-type",
        "rotary-base",
        "normalization",
        "swiglu",
        "untie-embeddings-and-output-weights",
        "disable-bias-linear",
        "add-qkv-bias",
        "qk-layernorm",
        "multi-latent-attention",
        "vocab-size",
        "make-vocab-size-divisible-by",
        "num-experts",
        "moe-router-topk",
        "moe-ffn-hidden-size",
        "moe-shared-expert-intermediate-size",
        "moe-layer-freq",
        "mtp-num-layers",
        "tensor-model-parallel-size",
        "pipeline-model-parallel-size",
        "context-parallel-size",
        "expert-model-parallel-size",
        "expert-tensor-parallel-size",
        "num-layers-per-virtual-pipeline-stage",
        "num-virtual-stages-per-pipeline-rank",
        "sequence-parallel",
        "use-distributed-optimizer",
        "micro-batch-size",
        "global-batch-size",
        "bf16",
        "fp16",
        "fp8-format",
        "fp8-recipe",
        "recompute-granularity",
        "recompute-method",
        "recompute-num-layers",
        "recompute-activations",
        "recompute-modules",
        "use-flash-attn",
        "attention-backend",
        "overlap-grad-reduce",
        "overlap-param-gather",
        "tp-comm-overlap",
        "enable-cuda-graph",
        "cuda-graph-impl",
        "cuda-graph-scope",
        "moe-token-dispatcher-type",
        "moe-flex-dispatcher-backend",
        "moe-enable-deepep",
        "zero-stage",
        "deepspeed",
        "deepspeed-config",
    };
    return known;
}

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

bool looksLikeMegatron(const Launch& launch) {
    int hits = 0;
    for (const char* name : {"num-layers", "hidden-size", "num-attention-heads", "micro-batch-size", "seq-length", "tensor-model-parallel-size",
                             "pipeline-model-parallel-size", "global-batch-size", "max-position-embeddings"})
        if (launch.options.has(name)) ++hits;
    return hits >= 2 || (hits == 1 && launch.program.find("pretrain") != std::string::npos) || launch.program.find("pretrain_gpt") != std::string::npos;
}

namespace {

/// "llama31_8b", "qwen25_7b", "llama3.1_8B": a recipe's or a file's name as the catalogue's id.
std::string presetOfRecipe(const std::string& name) {
    std::string id;
    for (const char c : name) id += c == '_' ? '-' : lowered(c);
    const std::size_t digit = id.find_first_of("0123456789");
    if (digit == std::string::npos || digit == 0) return id;
    std::size_t end = digit;
    while (end < id.size() && std::isdigit(static_cast<unsigned char>(id[end]))) ++end;
    const std::string family = id.substr(0, digit);
    if (end - digit == 2 && (family == "llama" || family == "qwen" || family == "glm")) id.insert(digit + 1, "."); // 31 is 3.1
    return catalogueName(id);
}

/// A model that the text names and does not describe: of the catalogue.
std::optional<MegatronModel> nameMegatronModel(ScenarioDraft& draft, const ImportInput& input, OptionList& options) {
    const GivenOption* named = options.take("named-model");
    if (!input.options.model.empty()) draft.set("/model/preset", input.options.model);
    else draft.assume("/model/preset", presetOfRecipe(named ? named->value() : std::string()), "the catalogue's name of " + (named ? named->value() : std::string()), "Name another model if that is not it.");
    MegatronModel model;
    model.experts = true; // what is said of experts counts where it has some
    if (const auto length = options.has("seq-length") ? draft.number(options, "seq-length") : std::nullopt) model.sequenceLength = *length;
    else {
        constexpr std::int64_t usualLength = 4096;
        model.sequenceLength = usualLength;
        draft.noteAssumed("/workload/sequence_length", std::to_string(usualLength) + " was taken: the text says none.", "Add --seq-length, or set it in the scenario.");
    }
    options.take("max-position-embeddings");
    return model;
}

} // namespace

namespace {

/// Programs above Megatron that read the model's sizes from a checkpoint of Hugging Face's: ms-swift's `megatron sft --model`, slime's
/// `--hf-checkpoint`.
void nameByCheckpoint(OptionList& options) {
    if (options.has("named-model")) return;
    for (const char* name : {"model", "hf-checkpoint", "hf-model-path"}) {
        const GivenOption* given = options.take(name);
        if (!given || given->values.empty() || leftOpen(given->values.front())) continue;
        GivenOption option = *given;
        option.name = "named-model";
        option.values.front() = servedModel(option.values.front()).preset;
        option.used = false;
        options.add(std::move(option));
        return;
    }
}

} // namespace

void importMegatron(ScenarioDraft& draft, ImportInput& input) {
    OptionList& options = input.launch.options;
    writeOutAbbreviations(options, megatronKnown(), megatronIgnored());
    mergeDeepSpeedConfig(draft, input, options);
    const LaunchSize size = launchSize(input.launch, input.script.variables);
    PlanDegrees degrees = readMegatronDegrees(draft, options);
    const bool described = (options.has("num-layers") || options.has("encoder-num-layers") || options.has("hybrid-layer-pattern")) && options.has("hidden-size");
    if (!described) nameByCheckpoint(options);
    const bool named = !described && (options.has("named-model") || !input.options.model.empty());
    const auto model = named ? nameMegatronModel(draft, input, options) : readMegatronModel(draft, options, degrees.tensor);
    options.take("named-model");
    const bool placed = placeOnCluster(draft, size, degrees, input.options);
    if (!model || !placed) return;
    readMegatronWorkload(draft, options, degrees, *model);
    readMegatronSharding(draft, options, degrees);
    readMegatronPipeline(draft, options, degrees, *model);
    readMegatronExecution(draft, options, degrees, *model);
    reportLeftOptions(draft, options, megatronIgnored(), megatronKnown(), megatronRefused());
    reportLauncherOptions(draft, input.launch.launcher);
}

} // namespace orrery
