// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/rules/rules.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace orrery {

void checkToyRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    for (const char* key : {"tensor", "context", "expert", "expert_tensor"}) {
        const std::string pointer = std::string("/parallelism/") + key;
        if (document.integer(pointer, 1) <= 1) continue;
        problems.push_back(error("toy-not-split", pointer, "A toy's layers are whole: they have stated times and no matrices, heads or experts that " + std::string(key) + " ranks could share.")
                               .mend("Use 1.")
                               .edit(pointer, 1));
    }
    const Json* layers = document.find("/model/toy/stages_layers");
    if (!layers || !layers->is_array() || std::int64_t(layers->size()) == plan.chunks()) return;
    problems.push_back(error("toy-stages", "/model/toy/stages_layers",
                             "The toy lists " + counted(std::int64_t(layers->size()), "chunk") + " of layers, and the plan has " + counted(plan.chunks(), "chunk") + " (stages × chunks of a stage).")
                           .mend("Give a number for each chunk, or the number of all layers."));
}

namespace {

constexpr const char* globalAt = "/workload/global_batch_size";
constexpr const char* microAt = "/workload/micro_batch_size";
constexpr const char* lengthAt = "/workload/sequence_length";
constexpr std::int64_t mostTasks = 10'000'000; ///< within the memory that a run may usually have (usualMemoryCeiling)
constexpr std::int64_t tasksOfLayer = 70;      ///< and micro-batch, forward and backward: as sizeOfRun counts them of a dense layer
constexpr const char* precisionAt = "/workload/precision";

void checkBatch(const PlanNumbers& plan, Problems& problems) {
    if (!ranksFit(plan)) return; // nobody knows the data ranks then
    if (!batchSplits(plan)) {
        const std::int64_t step = plan.microBatch * plan.data();
        const std::string numbers = "A global batch of " + counted(plan.globalBatch, "sequence") + " does not split over micro-batch " +
                                    std::to_string(plan.microBatch) + " × data " + std::to_string(plan.data()) + " = " +
                                    std::to_string(step) + ".";
        // The micro-batch is the smaller change where it alone can mend it.
        if (plan.globalBatch % plan.data() == 0) {
            const auto mended = nearestWorking(plan, &PlanNumbers::microBatch, plan.globalBatch / plan.data(), batchSplits).value_or(1);
            problems.push_back(error("batch-not-divisible", microAt, numbers)
                                   .mend("Use a micro-batch of " + std::to_string(mended) + ".")
                                   .edit(microAt, mended));
        } else {
            // Whole groups of micro-batches, so that an interleaved schedule runs too.
            const std::int64_t group = plan.chunksPerStage > 1 ? step * plan.pipeline : step;
            const std::int64_t mended = std::max(group, (plan.globalBatch + group / 2) / group * group);
            problems.push_back(error("batch-not-divisible", globalAt, numbers)
                                   .mend("Use a global batch of " + std::to_string(mended) + ".")
                                   .edit(globalAt, mended));
        }
        return;
    }
    if (!sizeIsFeasible(plan)) {
        // Whole groups of micro-batches, so that every schedule runs.
        const std::int64_t layers = plan.model ? std::max<std::int64_t>(1, plan.model->layers) : 1;
        const std::int64_t ofPieces = mostPieces / (2 * plan.chunks() * plan.pipeline), ofTasks = mostTasks / (tasksOfLayer * layers * 2 * plan.pipeline);
        const std::int64_t groups = std::max<std::int64_t>(1, std::min(ofPieces, ofTasks));
        const std::int64_t feasible = 2 * plan.pipeline * groups * plan.microBatch * plan.data();
        problems.push_back(error("too-many-micro-batches", microAt,
                                 counted(plan.microBatches(), "micro-batch") + " in " + counted(plan.chunks(), "chunk") +
                                     " are more than can be simulated event by event.")
                               .mend("Use larger micro-batches, or a smaller global batch, such as " + std::to_string(feasible) + ".")
                               .edit(globalAt, feasible));
    }
}

/// Zigzag halves of every rank's part balance the causal mask, so a sequence is cut into twice as many pieces as ranks.
void checkContext(const PlanNumbers& plan, Problems& problems) {
    const char* contextAt = "/parallelism/context";
    const auto nearest = [&](PlanRule rule) { return nearestWorking(plan, &PlanNumbers::context, plan.accelerators, rule).value_or(1); };
    if (!contextSplits(plan)) {
        const std::int64_t mended = nearest(contextSplits);
        problems.push_back(error("context-not-divisible", contextAt,
                                 "A sequence of " + counted(plan.sequenceLength, "token") + " does not split into the " + std::to_string(2 * plan.context) +
                                     " pieces that " + counted(plan.context, "context rank") + " take.")
                               .mend("Use context " + std::to_string(mended) + ".")
                               .edit(contextAt, mended));
    } else if (!contextHeadsSplit(plan)) {
        const std::string each = counted(plan.model->heads / plan.tensor, "attention head");
        problems.push_back(error("context-heads", "/parallelism/context_method",
                                 counted(plan.context, "context rank") + " cannot exchange tokens for the " + each + " of a tensor rank.")
                               .mend("Use " + std::string(wordOf(ContextMethod::ring)) + " or " + std::string(wordOf(ContextMethod::all_gather)) + ", or context " + std::to_string(nearest(contextHeadsSplit)) + ".")
                               .edit("/parallelism/context_method", wordOf(ContextMethod::ring)));
    }
}

void checkDocuments(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    const char* documentAt = "/workload/document_length";
    const std::int64_t length = document.integer(documentAt, 0);
    if (length <= plan.sequenceLength) return;
    problems.push_back(error("document-longer-than-sequence", documentAt,
                             "Documents of " + counted(length, "token") + " do not fit into a sequence of " + std::to_string(plan.sequenceLength) + ".")
                           .mend("Use up to " + std::to_string(plan.sequenceLength) + ".")
                           .edit(documentAt, plan.sequenceLength));
}

/// Modules are named as in Megatron's --recompute-modules.
void checkRecomputeModules(const FilledDocument& document, Problems& problems) {
    const std::string at = "/execution/recompute/modules";
    const Json* modules = document.find(at);
    if (!modules) return;
    const std::vector<std::string> known = textWords<RecomputeModule>();
    for (std::size_t i = 0; i < modules->size(); ++i) {
        const std::string name = (*modules)[i].get<std::string>();
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const auto near = nearestWord(name, known);
        problems.push_back(error("unknown-module", at + "/" + std::to_string(i), "No module is called \"" + name + "\".")
                               .mend("Use " + near->word + ".")
                               .edit(at + "/" + std::to_string(i), near->word));
    }
}

void checkPrecision(const FilledDocument& document, const Accelerator& accelerator, Problems& problems) {
    // Frozen weights are multiplied in 16 bit.
    const Precision asked = document.word(precisionAt, Precision::bf16);
    const Precision precision = traitsOf(asked).freezesWeights ? Precision::bf16 : asked;
    const auto has = [&](Precision one) {
        const auto found = accelerator.peakDense.find(std::string(traitsOf(one).peak));
        return found != accelerator.peakDense.end() && found->second > 0;
    };
    // Scales of blocks in software are a recipe of fp8.
    const bool lacksBlocks = precision == Precision::mxfp8 && !scalesBlocks(accelerator);
    if (has(precision) && !lacksBlocks) return;
    const Precision otherFormat = precision == Precision::bf16 ? Precision::fp16 : lacksBlocks && has(Precision::fp8) ? Precision::fp8
                                                                                                                      : Precision::bf16;
    const std::string other(wordOf(otherFormat));
    Problem problem = error("precision-not-on-accelerator", precisionAt,
                            (accelerator.name.empty() ? "The accelerator" : accelerator.name) +
                                (lacksBlocks ? " has no matrix units that scale blocks of 32 elements, as " + std::string(wordOf(precision)) + " wants."
                                             : " states no dense peak for " + std::string(wordOf(precision)) + "."))
                          .mend("Choose another accelerator.");
    if (has(otherFormat)) {
        problem.mend = "Use " + other + ".";
        problem.edits.push_back({precisionAt, other});
    }
    problems.push_back(std::move(problem));
}

/// Which kernels of fused attention were written for the accelerator, and which of them multiply in 8 bit.
void checkAttention(const FilledDocument& document, const Accelerator& accelerator, Problems& problems) {
    const std::string at = "/execution/attention", precision = "/execution/attention_precision";
    const AttentionKind kind = document.word(at, AttentionKind::flash);
    const std::string chip = accelerator.name.empty() ? "The accelerator" : accelerator.name;
    const bool nvidia = accelerator.vendor == "NVIDIA", blackwell = accelerator.asynchronousMatrixUnits && scalesBlocks(accelerator);
    const bool unknown = accelerator.vendor.empty();
    struct Need {
        AttentionKind kind;
        bool met;
        const char* name;
        const char* on;
    };
    for (const Need& need : {Need{AttentionKind::fa2, unknown || nvidia || accelerator.vendor == "AMD", "FlashAttention-2", "accelerators of NVIDIA and AMD"},
                             Need{AttentionKind::fa3, nvidia && accelerator.asynchronousMatrixUnits && !blackwell, "FlashAttention-3", "Hopper"},
                             Need{AttentionKind::fa4, nvidia && blackwell, "FlashAttention-4", "Blackwell"}, Need{AttentionKind::cudnn, nvidia, "cuDNN", "accelerators of NVIDIA"}})
        if (need.kind == kind && !need.met)
            problems.push_back(error("attention-not-on-accelerator", at, chip + " has no kernels of " + need.name + ", which are for " + need.on + ".").mend("Use flash.").edit(at, wordOf(AttentionKind::flash)));
    if (!document.says(precision, AttentionPrecision::fp8)) return;
    const bool sixteenAlone = kind == AttentionKind::unfused || kind == AttentionKind::fa2 || kind == AttentionKind::fa4;
    if (sixteenAlone)
        problems.push_back(error("attention-not-in-8-bit", precision, std::string(wordOf(kind)) + " attention has no kernels in 8 bit.").mend("Leave attention_precision out.").edit(precision, nullptr));
    const auto peak = accelerator.peakDense.find("fp8");
    if (peak == accelerator.peakDense.end() || peak->second <= 0)
        problems.push_back(error("attention-not-in-8-bit", precision, chip + " states no dense peak for fp8.").mend("Leave attention_precision out.").edit(precision, nullptr));
}

/// What is offloaded travels over the link to the host.
void checkOffload(const FilledDocument& document, const Accelerator& accelerator, Problems& problems) {
    if (accelerator.hostLinkBandwidth > 0) return;
    for (const char* what : {"weights", "activations", "optimizer"}) {
        const std::string at = std::string("/execution/offload/") + what;
        if (document.number(at) <= 0) continue;
        problems.push_back(error("offload-without-host-link", at, "The accelerator states no bandwidth of its link to the host.")
                               .mend("Use 0, or give host_link.")
                               .edit(at, 0));
    }
}

} // namespace

void checkWorkloadRules(const PlanNumbers& plan, const FilledDocument& document, const Accelerator& accelerator, Problems& problems) {
    checkBatch(plan, problems);
    checkContext(plan, problems);
    checkDocuments(plan, document, problems);
    checkRecomputeModules(document, problems);
    checkPrecision(document, accelerator, problems);
    checkAttention(document, accelerator, problems);
    checkOffload(document, accelerator, problems);
    if (plan.model && plan.model->maxPositions > 0 && plan.sequenceLength > plan.model->maxPositions) {
        problems.push_back(warning("sequence-beyond-positions", lengthAt,
                                   "A sequence of " + counted(plan.sequenceLength, "token") + " is longer than the model's " +
                                       counted(plan.model->maxPositions, "position") + ".")
                               .mend("Use up to " + std::to_string(plan.model->maxPositions) + " unless the positions are extended.")
                               .edit(lengthAt, plan.model->maxPositions));
    }
}

namespace {

/// A key whose value asks for something that is not there yet.
struct Limit {
    const char* pointer;
    std::function<bool(const Json&)> beyond;
    std::string what;    ///< "Context parallelism"
    std::string wouldDo; ///< "Use context 1."
    Json instead;        ///< what the mend puts there; null removes the key
};

bool moreThanOne(const Json& value) { return value.is_number() && value.get<double>() > 1; }

std::function<bool(const Json&)> noneOf(std::vector<std::string> words) {
    return [words = std::move(words)](const Json& value) {
        if (!value.is_string()) return false;
        for (const std::string& word : words)
            if (value.get_ref<const std::string&>() == word) return false;
        return true;
    };
}

/// Null, false, 0 and empty containers of the what-ifs mean that nothing is asked for.
bool asksForSomething(const Json& value) {
    if (value.is_null() || value == Json(false)) return false;
    if (value.is_number()) return value.get<double>() != 0;
    return !(value.is_structured() && value.empty());
}

const std::vector<Limit>& trainingLimits() {
    static const std::vector<Limit> limits{
        {"/workload/precision", noneOf(precisionWords(PrecisionUse::training)), "Training in this precision", "Use bf16.", wordOf(Precision::bf16)},
        {"/parallelism/attention_data", moreThanOne, "Data-parallel attention in training", "Leave it out.", nullptr},
        {"/beside", asksForSomething, "A training iteration with other jobs beside it", "Put the training job beside a serving scenario, or leave it out.", nullptr},
        {"/hybrid", asksForSomething, "Replaying recorded ranks", "Leave hybrid out.", nullptr},
    };
    return limits;
}

} // namespace

void refuseUnsupported(const Json& document, Problems& problems) {
    const Json* kind = valueAt(document, "/workload/kind");
    const bool trains = !kind || *kind == Json(wordOf(WorkloadKind::training));
    for (const Limit& limit : trainingLimits()) {
        if (!trains && std::string_view(limit.pointer) != "/hybrid") continue;
        const Json* value = valueAt(document, limit.pointer);
        if (!value || !limit.beyond(*value)) continue;
        const bool tellsValue = value->is_string() || value->is_number();
        problems.push_back(error("not-supported-yet", limit.pointer,
                                 limit.what + (tellsValue ? " (" + shown(*value) + ")" : "") + " is not supported yet.")
                               .mend(limit.wouldDo)
                               .edit(limit.pointer, limit.instead));
    }
}

} // namespace orrery
