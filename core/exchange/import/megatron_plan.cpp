// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/megatron_layers.hpp"
#include "core/exchange/import/megatron_parts.hpp"

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

constexpr const char* planAt = "/parallelism/";

void setDegree(ScenarioDraft& draft, const char* key, std::int64_t degree) {
    if (degree > 1) draft.set(std::string(planAt) + key, degree);
}

void readContext(ScenarioDraft& draft, OptionList& options, PlanDegrees& degrees) {
    degrees.context = draft.number(options, "context-parallel-size").value_or(1);
    std::string method;
    if (const auto ulysses = draft.number(options, "ds-sequence-parallel-size"); ulysses && *ulysses > 1) {
        degrees.context = *ulysses; // DeepSpeed-Ulysses: heads exchanged for sequence
        method = "all_to_all";
    }
    setDegree(draft, "context", degrees.context);
    if (const auto type = draft.text(options, "cp-comm-type")) {
        if (*type == "p2p") method = "ring";
        else if (*type == "a2a") method = "all_to_all";
        else if (*type == "allgather" || *type == "all_gather") method = "all_gather";
        else
            draft.warn(lineOf(options, "cp-comm-type"), "option-not-understood", "--cp-comm-type " + *type + " is not known; it has no effect.",
                       "Use p2p, all_gather or a2a.");
    }
    if (degrees.context > 1 && !method.empty()) draft.set("/parallelism/context_method", method);
}

/// The first of several names for one number.
std::optional<std::int64_t> firstOf(ScenarioDraft& draft, OptionList& options, std::initializer_list<const char*> names) {
    std::optional<std::int64_t> value;
    for (const char* name : names) {
        const auto given = options.has(name) ? draft.number(options, name, 0) : std::nullopt;
        if (!value) value = given;
    }
    return value;
}

/// --decoder-first-pipeline-num-layers and its twin: what remains is spread evenly.
std::optional<Json> layoutWithOddEnds(std::int64_t layers, std::int64_t stages, std::optional<std::int64_t> first, std::optional<std::int64_t> last) {
    const std::int64_t inner = stages - (first ? 1 : 0) - (last ? 1 : 0);
    const std::int64_t rest = layers - first.value_or(0) - last.value_or(0);
    if (stages > 100'000 || inner < 0 || rest < 0 || (inner == 0 ? rest != 0 : rest % inner != 0)) return std::nullopt;
    Json layout = Json::array();
    if (first) layout.push_back(*first);
    for (std::int64_t i = 0; i < inner; ++i) layout.push_back(rest / inner);
    if (last) layout.push_back(*last);
    return layout;
}

/// The chunks of a layout, whose number says how many a stage has.
void placeChunks(ScenarioDraft& draft, const std::vector<std::int64_t>& chunks, const PlanDegrees& degrees) {
    const auto count = static_cast<std::int64_t>(chunks.size());
    if (count % degrees.pipeline != 0) {
        draft.warn(0, "layout-not-understood", "A layout of " + std::to_string(count) + " chunks does not go onto " + std::to_string(degrees.pipeline) + " stages; layers were split by default.",
                   "Set the scenario's pipeline_layout.");
        return;
    }
    if (count > degrees.pipeline) draft.set("/parallelism/virtual_pipeline", count / degrees.pipeline);
    draft.set("/parallelism/pipeline_layout", chunks);
}

/// `--pipeline-model-parallel-layout`: which layers each chunk holds, and how many chunks there are.
void readWholeLayout(ScenarioDraft& draft, const GivenOption& option, const PlanDegrees& degrees, const MegatronModel& model) {
    const auto layout = layersOfLayout(option.value());
    const std::int64_t layers = layout ? std::accumulate(layout->layers.begin(), layout->layers.end(), std::int64_t(0)) : 0;
    if (!layout || (model.layers > 0 && layers != model.layers)) {
        draft.warn(option.line, "layout-not-understood",
                   "--pipeline-model-parallel-layout " + option.value() + (layout ? " has " + std::to_string(layers) + " layers and the model " + std::to_string(model.layers) : " is no layout of E, t, m and L") + "; layers were split by default.",
                   "Write a t for each layer: \"Et*7|t*9|t*9|t*7L\".");
        return;
    }
    if (layout->predictsInside)
        draft.note(option.line, "approximated", "Next-token modules (m) were taken in the last chunk of the pipeline, whichever the layout names.");
    placeChunks(draft, layout->layers, degrees);
}

void readLayout(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees, std::int64_t chunksPerStage, const MegatronModel& model) {
    const bool embedding = options.flag("account-for-embedding-in-pipeline-split");
    const bool loss = options.flag("account-for-loss-in-pipeline-split");
    const auto first = firstOf(draft, options, {"decoder-first-pipeline-num-layers", "num-layers-in-first-pipeline-stage"});
    const auto last = firstOf(draft, options, {"decoder-last-pipeline-num-layers", "num-layers-in-last-pipeline-stage"});
    const GivenOption* partition = options.take("pp-partition-method");
    const GivenOption* whole = options.take("pipeline-model-parallel-layout");
    const bool byType = partition && partition->value().find("transformer|embedding") != std::string::npos;
    if (degrees.pipeline < 2) return;
    if (whole && !whole->values.empty()) return readWholeLayout(draft, *whole, degrees, model);
    if (!model.layersOfStage.empty()) return placeChunks(draft, model.layersOfStage, degrees);
    std::optional<Json> layout;
    if (first || last) {
        layout = chunksPerStage == 1 ? layoutWithOddEnds(model.layers, degrees.pipeline, first, last) : std::nullopt;
    } else if (embedding || loss || byType) {
        layout = layoutWithEnds(model.layers, degrees.pipeline * chunksPerStage, embedding || byType, loss || byType);
    } else {
        if (partition)
            draft.warn(partition->line, "option-not-understood", "--pp-partition-method " + partition->value() + " is not known; layers were split evenly.",
                       "Set the layers of each stage in the scenario's pipeline_layout.");
        return;
    }
    if (layout) {
        draft.set("/parallelism/pipeline_layout", *layout);
    } else {
        draft.warn(0, "layout-not-understood", "The layers of the pipeline's ends leave no whole number for the other stages; they were split by default.",
                   "Set the scenario's pipeline_layout.");
    }
}

} // namespace

PlanDegrees readMegatronDegrees(ScenarioDraft& draft, OptionList& options) {
    PlanDegrees degrees;
    degrees.tensor = draft.number(options, "tensor-model-parallel-size").value_or(draft.number(options, "model-parallel-size").value_or(1));
    degrees.pipeline = draft.number(options, "pipeline-model-parallel-size").value_or(1);
    setDegree(draft, "tensor", degrees.tensor);
    setDegree(draft, "pipeline", degrees.pipeline);
    readContext(draft, options, degrees);
    const std::int64_t expert = draft.number(options, "expert-model-parallel-size").value_or(draft.number(options, "moe-expert-parallel-size").value_or(1));
    const std::int64_t expertTensor = draft.number(options, "expert-tensor-parallel-size").value_or(1);
    setDegree(draft, "expert", expert);
    setDegree(draft, "expert_tensor", expertTensor);
    degrees.expert = expert * std::min(expertTensor, ScenarioDraft::mostNumber / expert + 1);
    if (options.flag("sequence-parallel") && degrees.tensor > 1) draft.set("/parallelism/sequence", true);
    if (options.flag("use-tp-pp-dp-mapping")) draft.set("/parallelism/order", "tp-cp-ep-pp-dp");
    return degrees;
}

void readMegatronPipeline(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees, const MegatronModel& model) {
    const auto perChunk = draft.number(options, "num-layers-per-virtual-pipeline-stage");
    const auto perRank = draft.number(options, "num-virtual-stages-per-pipeline-rank");
    std::int64_t chunks = perRank.value_or(1);
    if (perChunk && model.layers == 0) {
        draft.warn(lineOf(options, "num-layers-per-virtual-pipeline-stage"), "option-not-understood", "--num-layers-per-virtual-pipeline-stage has no effect: the text does not say how many layers the model has.", "Set the scenario's virtual_pipeline.");
    } else if (perChunk) {
        const std::int64_t product = degrees.pipeline * *perChunk;
        chunks = std::max<std::int64_t>(1, model.layers / product);
        if (model.layers % product != 0)
            draft.warn(lineOf(options, "num-layers-per-virtual-pipeline-stage"), "chunks-do-not-divide",
                       std::to_string(model.layers) + " layers do not split into " + std::to_string(degrees.pipeline) + " stages with chunks of " +
                           std::to_string(*perChunk) + "; " + std::to_string(chunks) + " a stage were taken.",
                       "Set the scenario's virtual_pipeline and pipeline_layout.");
    }
    if (chunks > 1 && degrees.pipeline > 1) draft.set("/parallelism/virtual_pipeline", chunks);
    readLayout(draft, options, degrees, degrees.pipeline > 1 ? chunks : 1, model);
    // Megatron hides the sends of interleaved stages unless told otherwise.
    const bool shows = options.flag("no-overlap-p2p-communication") || options.flag("no-overlap-p2p-comm");
    const bool hides = options.flag("overlap-p2p-communication") || options.flag("overlap-p2p-comm") || options.flag("overlap-p2p-communication-warmup-flush");
    if (shows || hides) draft.set("/execution/overlap/pipeline", hides && !shows);
}

namespace {

/// Copies of what the data ranks share out: HSDP's, of the optimizer alone or of gradients and weights too.
void readCopies(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees) {
    const auto copies = draft.number(options, "num-distributed-optimizer-instances");
    const int line = lineOf(options, "num-distributed-optimizer-instances");
    const auto outer = draft.text(options, "outer-dp-sharding-strategy");
    if (!copies || *copies < 2) return;
    const std::int64_t ranks = degrees.data * degrees.context;
    if (ranks % *copies != 0) {
        draft.warn(line, "cluster-does-not-fit", "--num-distributed-optimizer-instances " + std::to_string(*copies) + " does not divide the " + std::to_string(ranks) + " ranks that hold the same weights; one instance was taken.", "Set the nodes of your cluster.");
        return;
    }
    draft.set("/parallelism/shard_group", ranks / *copies);
    if (outer && *outer != "no_shard")
        draft.note(lineOf(options, "outer-dp-sharding-strategy"), "approximated", "Optimizer states that are shared out between the copies as well (--outer-dp-sharding-strategy " + *outer + ") were taken as held in each: memory will be too large by that.");
}

} // namespace

void readMegatronSharding(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees) {
    std::int64_t stage = options.flag("use-distributed-optimizer") ? 1 : 0;
    if (const auto strategy = draft.text(options, "data-parallel-sharding-strategy")) {
        stage = *strategy == "optim_grads_params" ? 3 : *strategy == "optim_grads" ? 2
                                                    : *strategy == "optim"         ? 1
                                                                                   : 0;
    } else if (options.has("use-megatron-fsdp") || options.has("use-torch-fsdp2") || options.has("use-custom-fsdp")) {
        stage = 3;
    }
    for (const char* name : {"use-megatron-fsdp", "use-torch-fsdp2", "use-custom-fsdp"}) options.take(name);
    if (options.flag("torch-fsdp2-no-reshard-after-forward")) stage = std::min<std::int64_t>(stage, 2);
    if (const auto given = draft.number(options, "zero-stage", 0)) stage = std::max(stage, *given);
    const bool deepSpeed = options.has("deepspeed") || options.has("deepspeed-config");
    if (deepSpeed && stage == 0 && options.has("bf16")) {
        stage = 1; // its BF16_Optimizer
        draft.noteAssumed("/parallelism/zero_stage", "1 was taken: with bf16 and stage 0, DeepSpeed's optimizer splits its states over the data ranks all the same.");
    }
    draft.set("/parallelism/zero_stage", std::min<std::int64_t>(stage, 3));
    readCopies(draft, options, degrees);
}

void readMegatronWorkload(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees, const MegatronModel& model) {
    draft.set("/workload/kind", "training");
    draft.set("/workload/sequence_length", model.sequenceLength);
    const auto micro = draft.number(options, "micro-batch-size");
    const auto old = draft.number(options, "batch-size"); // before 2021
    const auto global = draft.number(options, "global-batch-size");
    const auto accumulated = draft.number(options, "gradient-accumulation-steps");
    const std::int64_t microBatch = micro ? *micro : old.value_or(1);
    const std::int64_t oneStep = microBatch * degrees.data;
    if (global) draft.set("/workload/global_batch_size", *global);
    else draft.assume("/workload/global_batch_size", oneStep * std::min<std::int64_t>(accumulated.value_or(1), 1'000'000),
                      accumulated ? "micro-batch × data ranks × accumulated steps" : "no --global-batch-size, so one micro-batch on each data rank");
    if (micro || old) draft.set("/workload/micro_batch_size", microBatch);
    else draft.assume("/workload/micro_batch_size", 1, "no --micro-batch-size");
    if (const GivenOption* ramp = options.take("rampup-batch-size"))
        draft.note(ramp->line, "option-ignored", "--rampup-batch-size " + ramp->value() + " was ignored on purpose: the iteration after the ramp is what is simulated.");

    const bool bf16 = options.flag("bf16");
    const bool fp16 = options.flag("fp16");
    const auto fp8 = draft.text(options, "fp8-format");
    const auto fp4 = draft.text(options, "fp4-format");
    const bool oldFp8 = options.flag("fp8-hybrid") || options.flag("fp8-e4m3");
    const auto recipe = draft.text(options, "fp8-recipe");
    options.take("fp4-recipe");
    std::string precision = fp16 ? "fp16" : "bf16";
    if (fp8 || oldFp8) precision = recipe && *recipe == "mxfp8" ? "mxfp8" : "fp8";
    if (fp4) precision = "nvfp4";
    draft.set("/workload/precision", precision);
    if (precision == "fp8") draft.set("/workload/fp8_recipe", recipe && *recipe == "blockwise" ? "block" : "tensorwise"); // delayed scales are per tensor
    if (!bf16 && !fp16)
        draft.warn(0, "precision-assumed", "Neither --bf16 nor --fp16 is given, and training in fp32 is not simulated; bf16 was taken.", "Set the precision in the scenario.");

    const bool gradients16 = options.flag("grad-reduce-in-bf16");
    const bool gradients32 = options.flag("accumulate-allreduce-grads-in-fp32");
    if (gradients16) draft.set("/workload/gradient_precision", "bf16");
    else if (gradients32) draft.set("/workload/gradient_precision", "fp32");

    // Formats that its precision-aware optimizer has flags for; without that optimizer they have no effect there.
    const bool aware = options.flag("use-precision-aware-optimizer");
    const auto format = [&](const char* option) -> std::optional<std::string> {
        const int line = lineOf(options, option);
        const auto word = draft.text(options, option);
        if (!word) return std::nullopt;
        const auto known = torchFormat(*word);
        if (!aware) draft.note(line, "option-ignored", "--" + std::string(option) + " " + *word + " was ignored: it takes --use-precision-aware-optimizer to have an effect.");
        else if (!known) draft.warn(line, "option-not-understood", "--" + std::string(option) + " " + *word + " is not known; it has no effect.", "Use fp32, bf16 or fp16.");
        return aware ? known : std::nullopt;
    };
    const auto mainGradients = format("main-grads-dtype"), mainWeights = format("main-params-dtype");
    const auto firstMoment = format("exp-avg-dtype"), secondMoment = format("exp-avg-sq-dtype");
    if (mainGradients) draft.set("/workload/gradient_precision", *mainGradients);
    if (mainWeights && *mainWeights != "fp32")
        draft.warn(0, "option-not-understood", "A copy of the weights in " + *mainWeights + " beside them is not simulated; one in fp32 was taken.", "Set weight_precision for weights with no copy.");
    if (firstMoment || secondMoment) {
        draft.set("/workload/optimizer_precision", firstMoment.value_or("fp32"));
        if (firstMoment.value_or("fp32") != secondMoment.value_or("fp32"))
            draft.note(0, "approximated", "Both moments of the optimizer were taken in " + firstMoment.value_or("fp32") + ", the first one's format.");
    }

    // Megatron-FSDP keeps gradients and sends them in formats of its own.
    for (const auto& [option, key] : {std::pair{"megatron-fsdp-main-grads-dtype", "gradient_precision"}, std::pair{"megatron-fsdp-grad-comm-dtype", "gradient_reduce_precision"}})
        if (const auto word = options.has(option) ? draft.text(options, option) : std::nullopt; word && *word != "auto") {
            if (const auto known = torchFormat(*word)) draft.set(std::string("/workload/") + key, *known);
            else draft.warn(lineOf(options, option), "option-not-understood", std::string("--") + option + " " + *word + " is not known; it has no effect.", "Use fp32, bf16 or fp16.");
        }
    if (const auto word = options.has("megatron-fsdp-main-params-dtype") ? draft.text(options, "megatron-fsdp-main-params-dtype") : std::nullopt; word && *word != "fp32" && *word != "auto")
        draft.warn(lineOf(options, "megatron-fsdp-main-params-dtype"), "option-not-understood", "A copy of the weights in " + *word + " beside them is not simulated; one in fp32 was taken.", "Set weight_precision for weights with no copy.");
    if (options.flag("sft")) draft.set("/workload/task", "sft");

    readDeepSpeedStates(draft, options);
    if (const auto optimizer = draft.text(options, "optimizer")) {
        const std::string known = optimizer->find("adam") != std::string::npos ? "adam" : optimizer->find("muon") != std::string::npos ? "muon"
                                                                                      : *optimizer == "sgd"                            ? "sgd"
                                                                                                                                       : "";
        if (!known.empty()) draft.set("/workload/optimizer", known);
        else draft.warn(lineOf(options, "optimizer"), "option-not-understood", "--optimizer " + *optimizer + " is not known; adam was taken.", "Use adam, sgd or muon.");
    }
    const auto samples = draft.amount(options, "train-samples"); // may be beyond what a size may be
    const auto iterations = draft.amount(options, "train-iters");
    const auto tokens = options.take("train-tokens");
    std::optional<double> total = tokens && !tokens->values.empty() ? anyNumber(tokens->values.front()) : std::nullopt;
    const auto length = static_cast<double>(model.sequenceLength);
    if (!total && samples) total = *samples * length;
    if (!total && iterations) total = *iterations * static_cast<double>(global.value_or(oneStep)) * length;
    if (total && *total > 0 && *total <= 1e18) draft.set("/economics/tokens_total", *total);
}

} // namespace orrery
