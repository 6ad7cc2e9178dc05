// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/replica_policy/replica_policy.hpp"
#include "core/scenario/rank_groups.hpp"

#include <algorithm>

namespace orrery {
namespace {

GatherTime gatherTime(int zeroStage, double sharders, bool keepsGathered) {
    if (zeroStage < 1 || sharders <= 1) return GatherTime::never;
    return zeroStage >= 3 && !keepsGathered ? GatherTime::each_pass : GatherTime::once;
}

ReduceTime reduceTime(int zeroStage, int replicas, bool addsUpWhole, bool overlaps) {
    if (replicas == 1) return ReduceTime::never;
    if (zeroStage >= 2) return addsUpWhole ? ReduceTime::last_pass : ReduceTime::each_pass;
    return overlaps ? ReduceTime::full_bucket : ReduceTime::at_end;
}

} // namespace

HeldWeights& HeldWeights::operator+=(const HeldWeights& more) {
    elements += more.elements;
    frozenElements += more.frozenElements;
    expertElements += more.expertElements;
    tensors += more.tensors;
    wideElements += more.wideElements;
    return *this;
}

ReplicaPolicy::ReplicaPolicy(const Scenario& scenario, const Parallelism& plan)
    : zeroStage_(plan.zeroStage), replicas_(plan.replicas()), sharders_(plan.sharders()),
      expertReplicas_(double(plan.tensor) * plan.replicas() / (double(plan.expert) * plan.expertTensor)) {
    const FrameworkProfile& profile = scenario.execution.profile;
    weightOnWire_ = profile.gatheredWeightBytes;
    gradientOnWire_ = profile.gradientReduceBytes;
    bucketBytes_ = profile.gradientBucketBytes;
    bucketElements_ = profile.bucketElementsEachRank * replicas_;
    shareCopy_ = profile.shareCopy;
    eachTensor_ = profile.reducesEachTensor;
    // ZeRO-1 as some frameworks do it beside gradients in fp32: nothing is reduced before the last backward has ended, and whole
    // gradients are all-reduced although a rank steps over its share alone.
    reducesAfterBackward_ = profile.shardedStepWaits && zeroStage_ == 1;
    overlaps_ = scenario.execution.overlap.data && !reducesAfterBackward_;
    gathersAhead_ = overlaps_ && profile.prefetchesWeights;
    scatters_ = zeroStage_ >= 1 && !reducesAfterBackward_;
    keepsGathered_ = zeroStage_ >= 3 && plan.pipeline > 1 && profile.keepsGatheredInPipeline;
    addsUpWhole_ = zeroStage_ >= 3 && (keepsGathered_ || profile.accumulatesWholeGradients);
    // Beside tensor parallelism fully_shard is wrapped round a single rank too, so that all parameters are DTensors
    // (KempnerForge, kempnerforge/distributed/setup.py).
    const bool wrapsOne = profile.accumulatesWholeGradients && plan.tensor > 1;
    unshards_ = zeroStage_ >= 3 && (sharders_ > 1 || wrapsOne);
    gathers_ = gatherTime(zeroStage_, sharders_, keepsGathered_);
    reduces_ = reduceTime(zeroStage_, replicas_, addsUpWhole_, overlaps_);
}

double ReplicaPolicy::ranksIn(RankGroup group) const {
    switch (group) {
    case RankGroup::data: return replicas_;
    case RankGroup::shard: return std::min<double>(sharders_, replicas_);
    case RankGroup::replicate: return std::max(1.0, double(replicas_) / sharders_);
    case RankGroup::expert_data: return std::max(1.0, expertReplicas_);
    default: return 1;
    }
}

bool ReplicaPolicy::sendsAmongUnits() const {
    return overlaps_ || gathers_ == GatherTime::each_pass || reduces_ == ReduceTime::each_pass || reduces_ == ReduceTime::last_pass;
}

/// Frozen weights are whole on every rank, unless weights are shared out.
double ReplicaPolicy::gatheredElements(const HeldWeights& held) const {
    return held.elements + (sharesOut(TrainingState::weights) ? held.frozenElements : 0) + (expertReplicas_ > 1 ? held.expertElements : 0);
}

double ReplicaPolicy::wideBytes(const HeldWeights& held) const {
    constexpr double sixteenBit = 2;
    return std::max(0.0, sixteenBit - weightOnWire_) * held.wideElements;
}

int ReplicaPolicy::gathersOf(int tensors) const { return eachTensor_ && sharesOut(TrainingState::weights) ? std::max(1, tensors) : 1; }

/// After the backward they lie in one buffer.
int ReplicaPolicy::reductionsOf(int tensors) const { return eachTensor_ && !reducesAfterBackward_ ? std::max(1, tensors) : 1; }

ReplicaExchange ReplicaPolicy::gather(const HeldWeights& held) const {
    ReplicaExchange exchange;
    const double elements = held.elements + (sharesOut(TrainingState::weights) ? held.frozenElements : 0);
    if (elements > 0) {
        exchange.repeats = gathersOf(held.tensors);
        exchange.steps[exchange.stepCount++] = {inGroups() ? RankGroup::shard : RankGroup::data, CollectiveKind::all_gather,
                                                (gatherBytes(elements) + wideBytes(held)) / exchange.repeats};
        exchange.copySeconds = shareCopies(held.tensors);
    }
    if (held.expertElements > 0 && expertReplicas_ > 1)
        exchange.experts = {RankGroup::expert_data, CollectiveKind::all_gather, gatherBytes(held.expertElements)};
    return exchange;
}

ReplicaExchange ReplicaPolicy::reduce(const HeldWeights& held) const {
    ReplicaExchange exchange;
    const CollectiveKind kind = gradientCollective();
    if (held.elements > 0) {
        exchange.repeats = reductionsOf(held.tensors);
        const double elements = held.elements / exchange.repeats;
        if (scatters_ && inGroups()) {
            // Within the group, then each rank's shard with those that hold the same one.
            if (sharders_ > 1) exchange.steps[exchange.stepCount++] = {RankGroup::shard, kind, reduceBytes(elements)};
            exchange.steps[exchange.stepCount++] = {RankGroup::replicate, CollectiveKind::all_reduce, reduceBytes(elements / sharders_)};
        } else {
            exchange.steps[exchange.stepCount++] = {RankGroup::data, kind, reduceBytes(elements)};
        }
        if (scatters_) exchange.copySeconds = shareCopies(held.tensors);
    }
    if (held.expertElements > 0 && expertReplicas_ > 1) exchange.experts = {RankGroup::expert_data, kind, reduceBytes(held.expertElements)};
    return exchange;
}

double ReplicaPolicy::optimizedElements(const HeldWeights& held) const {
    if (!sharesOut(TrainingState::optimizer)) return held.elements + held.expertElements;
    return held.elements / sharders_ + held.expertElements / expertReplicas_;
}

double ReplicaPolicy::ownElements(const HeldWeights& held) const {
    const double ranks = sharesOut(TrainingState::weights) ? sharders_ : 1;
    return (held.elements + held.frozenElements) / ranks + held.expertElements;
}

HostStep hostStep(const Scenario& scenario, double elements) {
    const FrameworkProfile& profile = scenario.execution.profile;
    return {elements, profile.gradientBytes, profile.gatheredWeightBytes, elements * acceleratorsPerHost(scenario.cluster) / scenario.kernels.physics.hostAdamParametersPerSecond};
}

double weightsFromHost(const Scenario& scenario, const ReplicaPolicy& policy, const HeldWeights& held) {
    return scenario.execution.offload.weights * policy.ownElements(held) * scenario.execution.profile.gatheredWeightBytes;
}

StagePairs stagePairs(const Scenario& scenario, bool twoWay, int firstStage, int lastStage) {
    if (twoWay) return StagePairs::mirrored;
    return scenario.model.tiedEmbedding && firstStage != lastStage ? StagePairs::tied_embedding : StagePairs::none;
}

double wordEmbeddingElements(const Scenario& scenario) {
    return double(scenario.model.vocabulary) * double(scenario.model.embeddingWidth) / scenario.parallelism.tensor;
}

} // namespace orrery
