// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rules/rules.hpp"

#include <algorithm>

namespace orrery {

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
