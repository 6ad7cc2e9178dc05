// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rules/rules.hpp"

#include <numeric>

namespace orrery {

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

} // namespace orrery
