// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rules/rules.hpp"

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

} // namespace orrery
