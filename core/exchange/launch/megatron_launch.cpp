// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/bridge_launch.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/scenario/expert_dispatcher.hpp"
#include "core/scenario/scenario_words.hpp"

#include <algorithm>
#include <functional>
#include <string>

// Megatron-LM's arguments (megatron/training/arguments.py of core 0.14), and Megatron-Bridge's configuration keys.

namespace orrery {
namespace {

std::string numberText(double value) { return Json(value).dump(); }

void addActivation(LaunchOptions& options, const Architecture& model) {
    const bool silu = model.activation == ActivationKind::silu;
    options.flag("swiglu", model.gatedMlp && silu);
    options.flag("geglu", model.gatedMlp && !silu);
    options.flag("squared-relu", !model.gatedMlp && model.activation == ActivationKind::squared_relu);
}

void addExperts(LaunchOptions& options, const Architecture& model) {
    const Experts& experts = *model.experts;
    options.add("num-experts", experts.count);
    options.add("moe-router-topk", experts.perToken);
    options.add("moe-ffn-hidden-size", experts.ffn);
    if (experts.sharedFfn > 0) options.add("moe-shared-expert-intermediate-size", experts.sharedFfn);
    if (experts.groups > 1) {
        options.add("moe-router-num-groups", experts.groups);
        options.add("moe-router-group-topk", experts.groupsPerToken);
    }
    std::int64_t dense = 0;
    while (dense < model.layers && !model.kindOf(dense).experts) ++dense;
    if (dense > 0 && dense < model.layers) options.add("moe-layer-freq", "\"([0]*" + std::to_string(dense) + "+[1]*" + std::to_string(model.layers - dense) + ")\"");
}

void addLatent(LaunchOptions& options, const LatentAttention& latent) {
    options.flag("multi-latent-attention");
    if (latent.queryRank > 0) options.add("q-lora-rank", latent.queryRank);
    options.add("kv-lora-rank", latent.keyValueRank);
    options.add("qk-head-dim", latent.plainDim);
    options.add("qk-pos-emb-head-dim", latent.rotaryDim);
    options.add("v-head-dim", latent.valueDim);
}

const char* positionWord(PositionKind kind) {
    switch (kind) {
    case PositionKind::none: return "none";
    case PositionKind::learned: return "learned_absolute";
    case PositionKind::rotary: return "rope";
    case PositionKind::alibi: return "alibi";
    }
    return "rope";
}

void addModel(LaunchOptions& options, const Scenario& scenario) {
    const Architecture& model = scenario.model;
    options.add("num-layers", model.layers);
    options.add("hidden-size", model.hidden);
    options.add("num-attention-heads", model.heads);
    if (model.ffn > 0) options.add("ffn-hidden-size", model.ffn);
    if (!model.latent && model.kvHeads != model.heads) {
        options.flag("group-query-attention");
        options.add("num-query-groups", model.kvHeads);
    }
    if (!model.latent && model.headDim * model.heads != model.hidden) options.add("kv-channels", model.headDim);
    addActivation(options, model);
    options.add("position-embedding-type", positionWord(model.positions));
    options.add("normalization", model.norm == NormKind::rms_norm ? "RMSNorm" : "LayerNorm");
    options.flag("qk-layernorm", model.qkNorm != QkNorm::none);
    options.flag("untie-embeddings-and-output-weights", !model.tiedEmbedding);
    options.flag("disable-bias-linear", !model.mlpBias);
    options.flag("add-qkv-bias", !model.mlpBias && model.qkvBias);
    options.add("attention-dropout", numberText(model.attentionDropout));
    options.add("hidden-dropout", numberText(model.hiddenDropout));
    options.add("padded-vocab-size", model.vocabulary);
    if (model.maxPositions > 0) options.add("max-position-embeddings", model.maxPositions);
    if (model.latent) addLatent(options, *model.latent);
    if (model.experts) addExperts(options, model);
    if (model.nextTokenModules > 0) options.add("mtp-num-layers", model.nextTokenModules);
}

/// Layers of chunks that are not alike, which Megatron does not split by itself: "Et*7|t*8|t*8|t*7mL", in quotes for the shell. It says how
/// many chunks there are as well. Empty where all chunks are alike.
std::string layoutText(const Scenario& scenario) {
    const std::vector<int>& layers = scenario.parallelism.layout;
    if (scenario.parallelism.pipeline == 1 || std::adjacent_find(layers.begin(), layers.end(), std::not_equal_to<>()) == layers.end()) return {};
    std::string text;
    for (std::size_t chunk = 0; chunk < layers.size(); ++chunk) {
        text += chunk == 0 ? "E" : "|";
        if (layers[chunk] > 0) text += layers[chunk] == 1 ? "t" : "t*" + std::to_string(layers[chunk]);
    }
    for (std::int64_t module = 0; module < scenario.model.nextTokenModules; ++module) text += "m";
    return "\"" + text + "L\"";
}

void addPlan(LaunchOptions& options, const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    options.add("tensor-model-parallel-size", plan.tensor);
    options.flag("sequence-parallel", plan.sequence && plan.tensor > 1);
    options.add("pipeline-model-parallel-size", plan.pipeline);
    if (const std::string layout = layoutText(scenario); !layout.empty()) options.add("pipeline-model-parallel-layout", layout);
    else if (plan.pipeline > 1 && plan.virtualPipeline > 1) options.add("num-virtual-stages-per-pipeline-rank", plan.virtualPipeline);
    if (plan.context > 1) {
        options.add("context-parallel-size", plan.context);
        options.add("cp-comm-type", plan.contextMethod == ContextMethod::ring ? "p2p" : plan.contextMethod == ContextMethod::all_to_all ? "a2a"
                                                                                                                                        : "all_gather");
    }
    if (plan.expert > 1) options.add("expert-model-parallel-size", plan.expert);
    // Left out it is the dense layers' tensor degree.
    if (plan.expertTensor > 1 || (scenario.model.experts && plan.tensor > 1)) options.add("expert-tensor-parallel-size", plan.expertTensor);
    options.flag("use-tp-pp-dp-mapping", plan.order == "tp-cp-ep-pp-dp");
    options.flag("use-distributed-optimizer", plan.zeroStage > 0);
    if (plan.zeroStage > 1) {
        options.flag("use-megatron-fsdp");
        options.add("data-parallel-sharding-strategy", plan.zeroStage == 2 ? "optim_grads" : "optim_grads_params");
    }
}

void addWorkload(LaunchOptions& options, const Scenario& scenario) {
    const TrainingWorkload& workload = scenario.training();
    options.add("seq-length", workload.sequenceLength);
    options.add("micro-batch-size", workload.microBatch);
    options.add("global-batch-size", workload.globalBatch);
    options.flag(workload.precision == Precision::fp16 ? "fp16" : "bf16");
    const bool mx = workload.precision == Precision::mxfp8;
    if (mx || workload.precision == Precision::fp8) {
        options.add("fp8-format", mx ? "e4m3" : "hybrid");
        options.add("fp8-recipe", mx ? "mxfp8" : workload.fp8Recipe == Fp8Recipe::block ? "blockwise"
                                                                                        : "tensorwise");
    }
    if (workload.precision == Precision::nvfp4) options.add("fp4-format", "e2m1");
    if (workload.optimizer != OptimizerKind::adam) options.add("optimizer", workload.optimizer == OptimizerKind::muon ? "muon" : "sgd");
}

void addRecompute(LaunchOptions& options, const Execution& execution) {
    const bool full = execution.recompute == RecomputeKind::full;
    if (full || execution.recompute == RecomputeKind::every) {
        options.add("recompute-granularity", "full");
        options.add("recompute-method", "uniform");
        options.add("recompute-num-layers", 1);
    }
    if (execution.recompute == RecomputeKind::selective) options.add("recompute-granularity", "selective");
    if (execution.recompute == RecomputeKind::modules) {
        options.add("recompute-granularity", "selective");
        std::string modules;
        for (const std::string& module : execution.recomputeModules) modules += (modules.empty() ? "" : " ") + module;
        options.add("recompute-modules", modules);
    }
}

void addDispatcher(LaunchOptions& options, const Scenario& scenario) {
    if (!scenario.model.experts) return;
    const ExpertDispatcher dispatcher = dispatcherOf(scenario.execution.profile.experts);
    const bool flex = dispatcher == ExpertDispatcher::deepep || dispatcher == ExpertDispatcher::hybridep;
    options.add("moe-token-dispatcher-type", flex ? "flex" : std::string(wordOf(dispatcher)));
    if (flex) options.add("moe-flex-dispatcher-backend", std::string(wordOf(dispatcher)));
}

void addGraphs(LaunchOptions& options, const Execution& execution) {
    options.add("cuda-graph-impl", !execution.cudaGraphs ? "none" : execution.graphParts.empty() ? "local"
                                                                                                 : "transformer_engine");
    if (execution.graphsHoldIteration) options.add("cuda-graph-scope", std::string(wordOf(GraphsHeld::full_iteration)));
    std::string parts;
    for (const GraphPart part : execution.graphParts)
        parts += (parts.empty() ? "" : " ") + (part == GraphPart::attention ? std::string("attn") : std::string(wordOf(part)));
    if (!parts.empty()) options.add("cuda-graph-scope", parts);
}

void addExecution(LaunchOptions& options, const Scenario& scenario) {
    const Execution& execution = scenario.execution;
    addRecompute(options, execution);
    options.add("attention-backend", execution.attention == AttentionKind::unfused ? "unfused" : execution.attention == AttentionKind::cudnn ? "fused"
                                                                                                                                             : "flash");
    options.flag("overlap-grad-reduce", execution.overlap.data);
    options.flag("overlap-param-gather", execution.overlap.data && scenario.parallelism.zeroStage > 0);
    options.flag("tp-comm-overlap", execution.overlap.tensor && scenario.parallelism.tensor > 1);
    if (scenario.parallelism.pipeline > 1) options.flag(execution.overlap.pipeline ? "overlap-p2p-communication" : "no-overlap-p2p-communication");
    options.flag("overlap-moe-expert-parallel-comm", execution.overlap.expert);
    if (scenario.model.experts && execution.expertCapacity > 0) options.add("moe-expert-capacity-factor", numberText(execution.expertCapacity));
    addDispatcher(options, scenario);
    addGraphs(options, execution);
    if (execution.offload.optimizer > 0) {
        options.flag("optimizer-cpu-offload");
        options.flag("use-precision-aware-optimizer"); // whose code offloading shares
        options.add("optimizer-offload-fraction", numberText(execution.offload.optimizer));
    }
}

} // namespace

LaunchOptions megatronOptions(const Scenario& scenario) {
    LaunchOptions options;
    addPlan(options, scenario);
    addModel(options, scenario);
    addWorkload(options, scenario);
    addExecution(options, scenario);
    return options;
}

std::string commandText(const std::string& command, const LaunchOptions& options) {
    std::string text = command;
    for (const LaunchOption& option : options.all()) text += " \\\n    --" + option.name + (option.value.empty() ? "" : " " + option.value);
    return text + "\n";
}

std::string torchrunOf(const Scenario& scenario) {
    const Cluster& cluster = scenario.cluster;
    return "torchrun --nnodes " + std::to_string(cluster.hosts()) + " --nproc_per_node " + std::to_string(cluster.accelerators() / cluster.hosts());
}

std::string megatronText(const Scenario& scenario) { return commandText(torchrunOf(scenario) + " pretrain_gpt.py", megatronOptions(scenario)); }

std::string bridgeText(const Scenario& scenario) {
    std::string text = torchrunOf(scenario) + " scripts/training/run_recipe.py";
    const LaunchOptions options = megatronOptions(scenario);
    for (const LaunchOption& option : options.all()) {
        const bool words = option.value.find(' ') != std::string::npos;
        text += " \\\n    " + bridgeKeyOf(option.name) + "=" + (option.value.empty() ? (bridgeKeyIsOpposite(option.name) ? "false" : "true") : words ? '"' + option.value + '"'
                                                                                                                                                     : option.value);
    }
    return text + "\n";
}

} // namespace orrery
