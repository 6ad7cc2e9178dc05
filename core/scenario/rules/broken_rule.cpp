// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/rules/broken_rule.hpp"

#include "core/order/schedule/schedule_traits.hpp"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

std::string_view ofTensor(const PlanNumbers& plan) {
    const bool heads = headsSplit(plan);
    if (heads && plan.sequence && plan.tensor > 1 && !sequenceSplits(plan)) return "sequence-not-divisible";
    if (!plan.model) return {};
    if (!heads) return "tensor-heads";
    if (!keyValueHeadsSplit(plan)) return "tensor-key-value-heads";
    return feedForwardSplits(plan) ? "" : "tensor-feed-forward";
}

std::string_view ofRanks(const PlanNumbers& plan, const PlanFacts& facts) {
    if (!ranksFit(plan)) return plan.modelRanks() > plan.accelerators ? "too-many-ranks" : "ranks-not-divisible";
    if (!shardGroupFits(plan)) return "shard-group-not-divisible";
    return facts.givenData != 0 && facts.givenData != plan.data() ? "data-mismatch" : "";
}

std::string_view ofNeed(const PlanNumbers& plan) {
    switch (traitsOf(plan.schedule).need) {
    case ShapeNeed::any: break;
    case ShapeNeed::whole_groups: return plan.chunksPerStage == 1 || scheduleFits(plan) ? "" : "interleaved-micro-batches";
    case ShapeNeed::both_ends: return scheduleRefusal(plan) ? "schedule-shape" : "";
    }
    return {};
}

std::string_view ofPipeline(const PlanNumbers& plan) {
    if (!layersSplit(plan)) return "too-few-layers";
    const ScheduleTraits& traits = traitsOf(plan.schedule);
    if (traits.chunks.perStage > 1 && plan.chunksPerStage != traits.chunks.perStage && plan.pipeline > 1) return traits.chunks.problem;
    if (plan.chunksPerStage == 1) return traits.withOneChunk == plan.schedule ? ofNeed(plan) : "";
    if (plan.pipeline < 2) return "chunks-without-pipeline";
    return traits.takesChunks(plan.chunksPerStage) ? ofNeed(plan) : "chunks-not-interleaved";
}

std::string_view ofWorkload(const PlanNumbers& plan, const PlanFacts& facts) {
    if (ranksFit(plan) && !batchSplits(plan)) return "batch-not-divisible";
    if (ranksFit(plan) && !sizeIsFeasible(plan)) return "too-many-micro-batches";
    if (!contextSplits(plan)) return "context-not-divisible";
    if (!contextHeadsSplit(plan)) return "context-heads";
    if (facts.unknownModule) return "unknown-module";
    return facts.offloadsWithoutLink ? "offload-without-host-link" : "";
}

std::string_view ofExperts(const PlanNumbers& plan) {
    if (!plan.model) return {};
    if (!plan.model->experts) return plan.expert > 1 ? "expert-not-divisible" : plan.expertTensor > 1 ? "expert-tensor-not-divisible"
                                                                                                      : "";
    if (expertsSplit(plan)) return {};
    if (plan.expertTensor == 1) return "expert-not-divisible";
    PlanNumbers oneRank = plan;
    oneRank.expertTensor = 1;
    return expertsSplit(oneRank) ? "expert-tensor-not-divisible" : "expert-not-divisible";
}

} // namespace

std::string_view brokenRule(const PlanNumbers& plan, const PlanFacts& facts) {
    std::string_view broken = ofTensor(plan);
    if (broken.empty()) broken = ofRanks(plan, facts);
    if (broken.empty()) broken = ofPipeline(plan);
    if (broken.empty()) broken = ofWorkload(plan, facts);
    if (broken.empty()) broken = ofExperts(plan);
    if (broken.empty() && plan.model && facts.recomputeEvery > plan.model->layers) broken = "recompute-beyond-layers";
    return broken;
}

bool isPlanRule(std::string_view code) {
    constexpr std::array codes{std::string_view("sequence-not-divisible"), std::string_view("tensor-heads"), std::string_view("tensor-key-value-heads"), std::string_view("tensor-feed-forward"),
                               std::string_view("too-many-ranks"), std::string_view("ranks-not-divisible"), std::string_view("shard-group-not-divisible"), std::string_view("data-mismatch"),
                               std::string_view("too-few-layers"), std::string_view("interleaved-micro-batches"), std::string_view("schedule-shape"), std::string_view("chunks-without-pipeline"),
                               std::string_view("chunks-not-interleaved"), std::string_view("batch-not-divisible"), std::string_view("too-many-micro-batches"), std::string_view("context-not-divisible"),
                               std::string_view("context-heads"), std::string_view("unknown-module"), std::string_view("offload-without-host-link"), std::string_view("expert-not-divisible"),
                               std::string_view("expert-tensor-not-divisible"), std::string_view("recompute-beyond-layers")};
    const auto isOfChunks = [&](const ScheduleTraits& traits) { return !traits.chunks.problem.empty() && traits.chunks.problem == code; };
    return std::find(codes.begin(), codes.end(), code) != codes.end() || std::any_of(scheduleTraits.begin(), scheduleTraits.end(), isOfChunks);
}

} // namespace orrery
