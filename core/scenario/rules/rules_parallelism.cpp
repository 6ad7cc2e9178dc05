// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rules/rules.hpp"

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

constexpr const char* tensorAt = "/parallelism/tensor";
constexpr const char* sequenceAt = "/parallelism/sequence";

std::string ranks(const PlanNumbers& plan) { return counted(plan.tensor, "tensor rank"); }

Problem tensorProblem(const PlanNumbers& plan, std::string code, std::string message, PlanRule rule) {
    Problem problem = error(std::move(code), tensorAt, std::move(message)).mend("Use 1 tensor rank.").edit(tensorAt, 1);
    if (const auto mended = nearestWorking(plan, &PlanNumbers::tensor, plan.accelerators, rule)) {
        problem.mend = "Use " + counted(*mended, "tensor rank") + ".";
        problem.edits.front().value = *mended;
    }
    return problem;
}

/// Every rule a tensor degree must pass on its own; a mend for one must not break another.
bool tensorSplits(const PlanNumbers& plan) {
    return headsSplit(plan) && keyValueHeadsSplit(plan) && feedForwardSplits(plan) && ranksFit(plan);
}

void checkSequence(const PlanNumbers& plan, Problems& problems) {
    if (!plan.sequence) return;
    if (plan.tensor == 1) {
        problems.push_back(warning("no-effect", sequenceAt, "Sequence parallelism splits over tensor ranks, and there is 1.")
                               .mend("Switch it off, or use more tensor ranks.")
                               .edit(sequenceAt, false));
        return;
    }
    if (sequenceSplits(plan)) return;
    problems.push_back(error("sequence-not-divisible", sequenceAt,
                             "A sequence of " + counted(plan.sequenceLength, "token") + " does not split over " + ranks(plan) + ".")
                           .mend("Switch sequence parallelism off, or use a sequence length that is a multiple of " +
                                 std::to_string(plan.tensor) + ".")
                           .edit(sequenceAt, false));
}

} // namespace

void checkTensorRules(const PlanNumbers& plan, Problems& problems) {
    if (headsSplit(plan)) checkSequence(plan, problems); // else the tensor ranks are the mistake
    if (!plan.model) return;
    if (!headsSplit(plan)) {
        problems.push_back(tensorProblem(plan, "tensor-heads",
                                         ranks(plan) + " cannot share " + counted(plan.model->heads, "attention head") + ".", tensorSplits));
    } else if (!keyValueHeadsSplit(plan)) {
        problems.push_back(tensorProblem(plan, "tensor-key-value-heads",
                                         ranks(plan) + " cannot share " + counted(plan.model->kvHeads, "key-value head") +
                                             (plan.copiesKeyHeads ? ": one number must divide the other." : ": this software holds none of them several times, so that the ranks must divide them."),
                                         tensorSplits));
    } else if (!feedForwardSplits(plan)) {
        problems.push_back(tensorProblem(plan, "tensor-feed-forward",
                                         ranks(plan) + " cannot share a feed-forward width of " + std::to_string(plan.model->ffn) + ".",
                                         tensorSplits));
    }
}

namespace {

constexpr const char* expertAt = "/parallelism/expert";
constexpr const char* expertTensorAt = "/parallelism/expert_tensor";
constexpr const char* loadAt = "/execution/expert_load";

/// Expert groups are cut from the ranks of one stage, and hold whole experts.
void checkGroups(const PlanNumbers& plan, Problems& problems) {
    if (expertsSplit(plan)) return;
    const std::int64_t ranks = plan.accelerators / plan.pipeline;
    PlanNumbers oneRank = plan;
    oneRank.expertTensor = 1;
    const bool sharesMatrices = plan.expertTensor > 1 && expertsSplit(oneRank);
    const Experts& experts = *plan.model->experts;
    std::string why = "Expert " + std::to_string(plan.expert) + " × expert_tensor " + std::to_string(plan.expertTensor) +
                      " does not divide the " + counted(ranks, "rank") + " of a stage.";
    if (experts.count % plan.expert != 0) why = counted(experts.count, "expert") + " do not split over " + counted(plan.expert, "rank") + ".";
    else if (experts.ffn % plan.expertTensor != 0)
        why = counted(plan.expertTensor, "rank") + " cannot share an expert's width of " + std::to_string(experts.ffn) + ".";
    const char* pointer = sharesMatrices ? expertTensorAt : expertAt;
    const auto number = sharesMatrices ? &PlanNumbers::expertTensor : &PlanNumbers::expert;
    const std::int64_t mended = nearestWorking(plan, number, ranks, expertsSplit).value_or(1);
    Problem problem = error(sharesMatrices ? "expert-tensor-not-divisible" : "expert-not-divisible", pointer, why)
                          .mend(std::string("Use ") + (sharesMatrices ? "expert tensor parallelism " : "expert parallelism ") + std::to_string(mended) + ".")
                          .edit(pointer, mended);
    // Neither does alone.
    PlanNumbers tried = plan;
    tried.*number = mended;
    if (!expertsSplit(tried)) {
        problem.mend = "Use expert parallelism 1 and expert tensor parallelism 1.";
        problem.edits = {{expertAt, 1}, {expertTensorAt, 1}};
    }
    problems.push_back(std::move(problem));
}

void checkHistogram(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    const std::string at = std::string(loadAt) + "/histogram";
    const Json* histogram = document.find(at);
    if (!histogram) return;
    const auto loads = histogram->get<std::vector<double>>();
    const std::int64_t experts = plan.model->experts->count, listed = static_cast<std::int64_t>(loads.size());
    if (listed != experts) {
        problems.push_back(error("histogram-length", at, "The histogram has " + counted(listed, "load") + " for " + counted(experts, "expert") + ".")
                               .mend("List one for each expert, or use balanced.")
                               .edit(loadAt, wordOf(ExpertLoad::balanced)));
    } else if (std::accumulate(loads.begin(), loads.end(), 0.0) <= 0) {
        problems.push_back(error("histogram-empty", at, "No expert of the histogram has any load.")
                               .mend("Give one a load above 0, or use balanced.")
                               .edit(loadAt, wordOf(ExpertLoad::balanced)));
    }
}

/// What a model without experts has no use for; without it the plan is what it seems to be.
void checkDenseModel(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    if (plan.expert > 1)
        problems.push_back(error("expert-not-divisible", expertAt, "The model has no experts to share out over " + counted(plan.expert, "rank") + ".")
                               .mend("Use expert parallelism 1.")
                               .edit(expertAt, 1));
    if (plan.expertTensor > 1)
        problems.push_back(error("expert-tensor-not-divisible", expertTensorAt,
                                 "The model has no experts whose matrices " + counted(plan.expertTensor, "rank") + " could share.")
                               .mend("Use expert tensor parallelism 1.")
                               .edit(expertTensorAt, 1));
    const auto refuse = [&](const char* at, std::string_view plain, const char* what) {
        const Json* given = document.find(at);
        if (!given || *given == Json(plain)) return;
        problems.push_back(error("no-experts", at, std::string("The model has no experts ") + what + ".").mend("Leave it out.").edit(at, nullptr));
    };
    refuse("/execution/moe_dispatch", wordOf(ExpertDispatch::dropless), "whose room could be limited");
    refuse("/execution/moe_dispatcher", "", "to bring tokens to");
    refuse("/execution/fused_experts", "", "whose products could be one kernel");
    refuse(loadAt, wordOf(ExpertLoad::balanced), "to spread a load over");
}

} // namespace

void checkExpertRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    if (!plan.model) return;
    if (!plan.model->experts) {
        checkDenseModel(plan, document, problems);
        return;
    }
    checkGroups(plan, problems);
    checkHistogram(plan, document, problems);
}

namespace {

constexpr const char* recipeAt = "/workload/fp8_recipe";
constexpr const char* rankAt = "/workload/lora_rank";
constexpr const char* targetsAt = "/workload/lora_targets";
constexpr const char* everyAt = "/execution/recompute/every";

void checkRecipe(const FilledDocument& document, Problems& problems) {
    const std::string precision = document.text("/workload/precision");
    if (!document.has(recipeAt) || document.says("/workload/precision", Precision::fp8)) return;
    problems.push_back(error("recipe-without-fp8", recipeAt, "An FP8 recipe scales tensors of precision fp8, and the precision is " + precision + ".")
                           .mend("Leave it out, or use precision fp8.")
                           .edit(recipeAt, nullptr));
}

void checkAdapters(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    if (!document.has(rankAt)) return;
    const std::int64_t rank = document.integer(rankAt);
    const std::string task = document.text("/workload/task");
    if (!document.says("/workload/task", TaskKind::lora)) {
        // A rank may well wait for the task to be switched back.
        problems.push_back(warning("no-effect", rankAt, "Adapters of rank " + std::to_string(rank) + " are for task lora, and the task is " + task + ".")
                               .mend("Use task lora, or leave the rank out.")
                               .edit(rankAt, nullptr));
    } else if (plan.model && rank >= plan.model->hidden) {
        const std::int64_t mended = std::max<std::int64_t>(1, plan.model->hidden / 2);
        problems.push_back(error("lora-rank-too-large", rankAt,
                                 "Adapters of rank " + std::to_string(rank) + " are no thinner than the model's width of " + std::to_string(plan.model->hidden) + ".")
                               .mend("Use a rank below the width, such as " + std::to_string(mended) + ".")
                               .edit(rankAt, mended));
    }
}

/// Weights in 8 or 4 bit can't be stepped over: they are frozen, or nothing trains.
void checkFrozenWeights(const FilledDocument& document, Problems& problems) {
    const char* at = "/workload/precision";
    if (!traitsOf(document.word(at, Precision::bf16)).freezesWeights || document.says("/workload/task", TaskKind::lora)) return;
    problems.push_back(error("frozen-weights-trained", at, "Weights in " + document.text(at) + " can only be frozen, and task " + document.text("/workload/task") + " trains them.")
                           .mend("Use task lora, or precision bf16.")
                           .edit(at, wordOf(Precision::bf16)));
}

void checkTargets(const FilledDocument& document, Problems& problems) {
    if (!document.has(targetsAt) || document.says("/workload/task", TaskKind::lora)) return;
    problems.push_back(warning("no-effect", targetsAt, "Adapters' places are for task lora, and the task is " + document.text("/workload/task") + ".")
                           .mend("Use task lora, or leave them out.")
                           .edit(targetsAt, nullptr));
}

void checkRecomputedLayers(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    if (!plan.model || !document.has(everyAt)) return;
    const std::int64_t every = document.integer(everyAt);
    if (every <= plan.model->layers) return;
    problems.push_back(error("recompute-beyond-layers", everyAt,
                             "Every " + std::to_string(every) + "th layer is recomputed, but the model has " + counted(plan.model->layers, "layer") + ".")
                           .mend("Use up to " + std::to_string(plan.model->layers) + ".")
                           .edit(everyAt, plan.model->layers));
}

} // namespace

void checkStateRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    checkRecipe(document, problems);
    checkAdapters(plan, document, problems);
    checkFrozenWeights(document, problems);
    checkTargets(document, problems);
    checkRecomputedLayers(plan, document, problems);
}

} // namespace orrery
