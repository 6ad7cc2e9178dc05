// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rules/rules_serving.hpp"
#include "core/scenario/scenario_words.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Elements that one scale of the weights covers along a side that ranks share; 0: no scale stands in the way.
std::int64_t blockOf(const FilledDocument& document) {
    constexpr std::int64_t softwareBlock = 128, mxBlock = 32, nvBlock = 16; // DeepSeek-V3, section 3.3.2; OCP MX 1.0; NVFP4
    switch (document.word("/workload/precision", Precision::bf16)) {
    case Precision::fp8: return document.says("/workload/fp8_recipe", Fp8Recipe::block) ? softwareBlock : 0;
    case Precision::mxfp8: return mxBlock;
    case Precision::nvfp4: return nvBlock;
    default: return 0;
    }
}

/// A side of a matrix that ranks share.
struct SharedSide {
    const char* what;
    std::int64_t whole = 0;
    std::int64_t ranks = 1;
    bool ofExperts = false;

    bool keepsBlocks(std::int64_t block) const { return ranks <= 1 || whole % ranks != 0 || whole / ranks % block == 0; }
};

std::vector<SharedSide> sharedSides(const InstanceNumbers& numbers, std::int64_t matrices) {
    const Architecture& model = *numbers.model;
    std::vector<SharedSide> sides;
    if (!model.latent) {
        sides.push_back({"the query heads", model.heads * model.headDim, numbers.tensor});
        sides.push_back({"the key heads", model.kvHeads * model.headDim, std::min(numbers.tensor, model.kvHeads)});
    }
    const bool hasDense = std::any_of(model.kinds.begin(), model.kinds.end(), [](const LayerKind& kind) { return !kind.experts; });
    if (hasDense) sides.push_back({"the feed-forward", model.ffn, numbers.tensor});
    if (!model.experts) return sides;
    sides.push_back({"an expert", model.experts->ffn, matrices, true});
    if (model.experts->sharedFfn > 0) sides.push_back({"the shared expert", model.experts->sharedFfn, numbers.tensor});
    return sides;
}

} // namespace

void checkServedBlocks(const InstanceNumbers& numbers, const FrameworkProfile& profile, const FilledDocument& document, Problems& problems) {
    const std::int64_t block = blockOf(document), ranks = numbers.tensor * numbers.attentionData;
    if (!numbers.model || block == 0 || (profile.line != "vllm" && profile.line != "sglang")) return;
    const std::int64_t matrices = numbers.expert > 0 && ranks % numbers.expert == 0 ? ranks / numbers.expert : 1;
    const std::vector<SharedSide> sides = sharedSides(numbers, matrices);
    const auto broken = std::find_if(sides.begin(), sides.end(), [&](const SharedSide& side) { return !side.keepsBlocks(block); });
    if (broken == sides.end()) return;
    const std::string message = std::to_string(broken->whole / broken->ranks) + ", the width of " + broken->what + " on each of " + counted(broken->ranks, "rank") +
                                ", is no multiple of the " + std::to_string(block) + " elements that a scale of the weights covers; " + profile.name + " refuses it.";
    const std::string expertAt = numbers.at(document, "expert"), tensorAt = numbers.at(document, "tensor");
    Problem problem = error("blocks-not-divisible", broken->ofExperts ? expertAt : tensorAt, message);
    if (broken->ofExperts && (numbers.expertSlots > 0 ? numbers.expertSlots : numbers.model->experts->count) % ranks == 0) {
        problem.mend = "Share experts whole: expert " + std::to_string(ranks) + ".";
        problem.edits = {{expertAt, ranks}, {numbers.at(document, "expert_tensor"), 1}};
    } else {
        std::int64_t tensor = numbers.tensor;
        InstanceNumbers fewer = numbers;
        do {
            fewer.tensor = --tensor;
            const std::int64_t left = fewer.tensor * fewer.attentionData;
            const std::vector<SharedSide> others = sharedSides(fewer, fewer.expert > 0 && left % fewer.expert == 0 ? left / fewer.expert : 1);
            if (numbers.tensor % std::max<std::int64_t>(1, tensor) == 0 && std::all_of(others.begin(), others.end(), [&](const SharedSide& side) { return side.keepsBlocks(block); })) break;
        } while (tensor > 1);
        problem.mend = "Use " + counted(std::max<std::int64_t>(1, tensor), "tensor rank") + ".";
        problem.edits = {{tensorAt, std::max<std::int64_t>(1, tensor)}};
    }
    problems.push_back(std::move(problem));
}

void checkDrafts(const EngineOptions& engine, const InstanceNumbers& numbers, Problems& problems) {
    if (!engine.drafts || !engine.drafts->model || !numbers.model) return;
    const std::string at = "/workload/engine/speculative/draft_model";
    const Architecture& draft = *engine.drafts->model;
    const bool shares = draft.heads % numbers.tensor == 0 && (draft.kvHeads % numbers.tensor == 0 || numbers.tensor % draft.kvHeads == 0);
    if (!shares)
        problems.push_back(error("draft-tensor-heads", at,
                                 "The drafting model runs over the " + counted(numbers.tensor, "tensor rank") + " of its target, which cannot share its " + counted(draft.heads, "attention head") +
                                     " and " + counted(draft.kvHeads, "key-value head") + ".")
                               .mend("Name a model whose heads they can share."));
    // Rows that only pad the vocabulary to a round number stand for no token.
    const auto [fewer, more] = std::minmax(draft.vocabulary, numbers.model->vocabulary);
    constexpr double padding = 0.01; // share of a vocabulary
    if (engine.drafts->method == DraftMethod::draft_model && double(more - fewer) > padding * double(more))
        problems.push_back(warning("draft-vocabulary", at,
                                   "The drafting model has " + counted(draft.vocabulary, "token") + " in its vocabulary and its target " + std::to_string(numbers.model->vocabulary) +
                                       ": engines take drafts of the target's own tokenizer alone.")
                               .mend("Name a smaller model of the same family."));
}

} // namespace orrery
