// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/plan_numbers.hpp"

#include "core/order/schedule/schedule_traits.hpp"

#include <algorithm>

namespace orrery {

bool headsSplit(const PlanNumbers& plan) { return !plan.model || plan.model->heads % plan.tensor == 0; }

bool keyValueHeadsSplit(const PlanNumbers& plan) {
    if (plan.model && plan.model->compressed) return true; // its one head of keys is every tensor rank's, as a latent is
    // Fewer key-value heads than ranks are repeated, each for a whole number of ranks, by software that does so.
    return !plan.model || plan.model->kvHeads % plan.tensor == 0 || (plan.copiesKeyHeads && plan.tensor % plan.model->kvHeads == 0);
}

bool feedForwardSplits(const PlanNumbers& plan) { return !plan.model || plan.model->ffn % plan.tensor == 0; }

bool ranksFit(const PlanNumbers& plan) {
    return plan.modelRanks() <= plan.accelerators && plan.accelerators % plan.modelRanks() == 0;
}

bool expertsSplit(const PlanNumbers& plan) {
    if (!ranksFit(plan)) return true;
    const std::int64_t ranks = plan.accelerators / plan.pipeline, group = plan.expert * plan.expertTensor;
    if (group > ranks || ranks % group != 0) return false;
    if (!plan.model) return true;
    if (!plan.model->experts) return plan.expert == 1;
    return plan.model->experts->count % plan.expert == 0 && plan.model->experts->ffn % plan.expertTensor == 0;
}

bool layersSplit(const PlanNumbers& plan) {
    // The first and the last chunk may hold the embedding and the loss alone: Llama-3.1-405B runs its 126 layers in 128 chunks.
    return !plan.model || plan.chunks() == 1 || plan.chunks() <= plan.model->layers + 2;
}

bool batchSplits(const PlanNumbers& plan) { return ranksFit(plan) && plan.globalBatch % (plan.microBatch * plan.data()) == 0; }

bool sequenceSplits(const PlanNumbers& plan) { return !plan.sequence || plan.sequenceLength % plan.tensor == 0; }

bool contextSplits(const PlanNumbers& plan) { return plan.context == 1 || plan.sequenceLength % (2 * plan.context) == 0; }

bool contextHeadsSplit(const PlanNumbers& plan) {
    return !plan.exchangesHeads || plan.context == 1 || !plan.model || !headsSplit(plan) || plan.model->heads / plan.tensor % plan.context == 0;
}

bool shardGroupFits(const PlanNumbers& plan) {
    if (plan.shardGroup == 0 || !ranksFit(plan)) return true;
    return plan.data() * plan.context % plan.shardGroup == 0;
}

std::optional<ShapeRefusal> scheduleRefusal(const PlanNumbers& plan) {
    if (!batchSplits(plan) || !layersSplit(plan)) return std::nullopt;
    return refusalOf(plan.schedule, {static_cast<int>(plan.pipeline), static_cast<int>(plan.microBatches()), static_cast<int>(plan.chunksPerStage)});
}

bool scheduleFits(const PlanNumbers& plan) {
    return traitsOf(plan.schedule).takesChunks(plan.chunksPerStage) && (plan.chunksPerStage == 1 || plan.pipeline > 1) && !scheduleRefusal(plan);
}

bool sizeIsFeasible(const PlanNumbers& plan) {
    return !batchSplits(plan) || plan.microBatches() <= mostPieces / std::max<std::int64_t>(1, plan.chunks());
}

namespace {

/// How far a mend may lie from a mistake; keeps the search instant for absurd numbers.
constexpr std::int64_t searchReach = 100'000;

bool everyRule(const PlanNumbers& plan) {
    return headsSplit(plan) && keyValueHeadsSplit(plan) && feedForwardSplits(plan) && ranksFit(plan) && expertsSplit(plan) && layersSplit(plan) &&
           batchSplits(plan) && sequenceSplits(plan) && contextSplits(plan) && contextHeadsSplit(plan) && shardGroupFits(plan) &&
           scheduleFits(plan) && sizeIsFeasible(plan);
}

} // namespace

std::optional<std::int64_t> nearestWorking(const PlanNumbers& plan, std::int64_t PlanNumbers::*number, std::int64_t most,
                                           PlanRule rule) {
    const std::int64_t present = std::max<std::int64_t>(1, plan.*number);
    const auto search = [&](auto&& accepts) -> std::optional<std::int64_t> {
        // Candidates below and above the present value; compared by ratio, as plans are made of factors.
        PlanNumbers trial = plan;
        const auto works = [&](std::int64_t value) {
            trial.*number = value;
            return accepts(trial);
        };
        std::int64_t lower = std::min(present, most);
        const std::int64_t lowest = std::max<std::int64_t>(1, lower - searchReach);
        while (lower >= lowest && !works(lower)) --lower;
        std::int64_t upper = present + 1;
        const std::int64_t highest = std::min(most, present + searchReach);
        while (upper <= highest && !works(upper)) ++upper;
        const bool hasLower = lower >= lowest;
        const bool hasUpper = upper <= highest;
        if (!hasLower && !hasUpper) return std::nullopt;
        if (!hasLower) return upper;
        if (!hasUpper) return lower;
        // present/lower against upper/present, without division.
        return static_cast<double>(present) * static_cast<double>(present) <= static_cast<double>(lower) * static_cast<double>(upper)
                   ? lower
                   : upper;
    };
    if (auto best = search([&](const PlanNumbers& trial) { return rule(trial) && everyRule(trial); })) return best;
    return search([&](const PlanNumbers& trial) { return rule(trial); });
}

} // namespace orrery
