// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/scenario/scenario.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace orrery {

/// What one rank holds of a unit, or of several, before ZeRO shares anything out.
struct HeldWeights {
    double elements = 0;       ///< parameters it trains, without routed experts
    double frozenElements = 0; ///< that it holds and does not train (LoRA): no gradient, no optimizer state
    double expertElements = 0; ///< of its routed experts, trained
    int tensors = 0;           ///< that `elements` lie in
    double wideElements = 0;   ///< of `elements`, those of embedding and head: they travel in 16 bit where others do in 8

    HeldWeights& operator+=(const HeldWeights& more);
};

/// The same of a piece of the model, whatever else is known of it.
template <class Piece> HeldWeights weightsOf(const Piece& piece) {
    return {piece.elements, piece.frozenElements, piece.expertElements, piece.weightTensors, piece.wideElements};
}

/// When weights that ranks share out, or step over in shares, come over whole.
enum class GatherTime : std::uint8_t {
    never,
    once,      ///< an iteration: before a unit's first forward where traffic overlaps, else after the optimizer's step
    each_pass, ///< before every pass that reads them, and dropped after it
};

/// When gradients are reduced.
enum class ReduceTime : std::uint8_t {
    never,
    at_end,      ///< all of a stage together, after its last backward
    full_bucket, ///< of the last micro-batch, once a bucket is full or a chunk's backward has ended
    last_pass,   ///< added up whole over micro-batches; a unit's after its last backward
    each_pass,   ///< a unit's after each of its backwards; the shards are added up
};

/// What training holds for a parameter, in the order in which ZeRO's stages share it out.
enum class TrainingState : std::uint8_t { optimizer = 1,
                                          gradients = 2,
                                          weights = 3 };

/// One collective of ranks that hold the same weights.
struct ReplicaCollective {
    RankGroup group = RankGroup::none;
    CollectiveKind kind = CollectiveKind::none;
    double bytes = 0; ///< of the whole buffer, before a scatter or after a gather
};

/// What these ranks send each other for some weights, in this order.
struct ReplicaExchange {
    std::array<ReplicaCollective, 2> steps;   ///< of dense weights: each waits for the one before it
    std::size_t stepCount = 0;                ///< 0: there are no dense weights
    int repeats = 1;                          ///< how often these steps run: with equal bytes, for a tensor or for all of them
    double copySeconds = 0;                   ///< then shares are copied to or from their tensors
    std::optional<ReplicaCollective> experts; ///< of routed experts

    std::span<const ReplicaCollective> dense() const { return {steps.data(), stepCount}; }
};

/// What a replica of the model does besides computing: which weights it gathers and when, which gradients it reduces, in which numbers and
/// over which ranks, and what its optimizer steps over. The program of tasks (core/training/plan), the estimate (core/training/estimate) and the account
/// of memory (core/training/memory, core/training/stage_memory) all ask here.
///
/// ZeRO: Rajbhandari et al. 2020, section 5. HSDP (`shard_group`): Zhao et al. 2023, section 3.2.2. Routed experts are shared out over the
/// ranks that hold the same ones, which is Megatron's expert-data group.
///
/// A plain value: it copies what it needs from the scenario.
class ReplicaPolicy {
public:
    explicit ReplicaPolicy(const Scenario& scenario) : ReplicaPolicy(scenario, scenario.parallelism) {}
    /// The policy of the scenario with another number of replicas.
    ReplicaPolicy(const Scenario& scenario, const Parallelism& plan);

    // --- who ---

    /// Ranks that hold the same dense weights.
    int replicas() const { return replicas_; }
    /// Ranks over which ZeRO shares out what belongs to dense weights: all replicas, or one shard group.
    double sharders() const { return sharders_; }
    /// Ranks that hold the same routed experts; ZeRO shares out theirs over these.
    double expertReplicas() const { return expertReplicas_; }
    /// Whether several groups share out a copy each (HSDP).
    bool inGroups() const { return sharders_ < replicas_; }
    /// Ranks of a group that this policy sends over: data, shard, replicate or expert_data; otherwise 1.
    double ranksIn(RankGroup group) const;

    // --- when ---

    GatherTime gathers() const { return gathers_; }
    ReduceTime reduces() const { return reduces_; }
    /// Whether this traffic runs beside the computation. Otherwise computation waits for a reduction.
    bool overlaps() const { return overlaps_; }
    /// Whether a unit's weights are asked for while the unit before it runs; otherwise when that has ended.
    bool gathersAhead() const { return gathersAhead_; }
    /// Whether some of the traffic is sent between units, and not only before and behind all of them.
    bool sendsAmongUnits() const;
    /// Whether replicas wait for each other at every unit of every micro-batch.
    bool meetsAtEveryUnit() const { return gathers_ == GatherTime::each_pass || reduces_ == ReduceTime::each_pass; }
    /// Whether so many elements' gradients fill a bucket, which some frameworks make the larger the more ranks there are, so that steps of a
    /// ring stay as long.
    bool fillsBucket(double elements) const { return bucketBytes_ > 0 && reduceBytes(elements) >= bucketBytes_ && elements >= bucketElements_; }
    /// Whether weights that come over once, before their first forward, come over now: with those of their bucket, or with their unit where
    /// units are wrapped one by one (FSDP).
    bool fillsGather(const HeldWeights& held) const { return wrapsUnits() || fillsBucket(held.elements + held.expertElements); }
    /// Whether a unit's weights come over by themselves.
    bool wrapsUnits() const { return unshards_ || (bucketBytes_ <= 0 && zeroStage_ >= 2); }

    // --- what ---

    /// Bytes of elements on the wire: of gathered weights, of gradients.
    double gatherBytes(double elements) const { return elements * weightOnWire_; }
    double reduceBytes(double elements) const { return elements * gradientOnWire_; }
    /// What gathers bring of the weights; with routed experts where those have replicas.
    double gatheredElements(const HeldWeights& held) const;
    double gatheredBytes(const HeldWeights& held) const { return gatherBytes(gatheredElements(held)) + wideBytes(held); }
    double reducedElements(const HeldWeights& held) const { return held.elements + (expertReplicas_ > 1 ? held.expertElements : 0); }
    /// Reduce-scatter where a rank steps over its share of the gradients, else all-reduce.
    CollectiveKind gradientCollective() const { return scatters_ ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce; }
    ReplicaExchange gather(const HeldWeights& held) const;
    ReplicaExchange reduce(const HeldWeights& held) const;
    /// Collectives that so many tensors take to be gathered or reduced: one together, or one each.
    int gathersOf(int tensors) const;
    int reductionsOf(int tensors) const;
    /// s in which every rank's share of so many tensors is copied out of what was gathered, or into what is scattered: lists of tensors
    /// that c10d's list collectives flatten, one kernel a share.
    double shareCopies(int tensors) const { return shareCopy_ * tensors * sharders_; }

    // --- states ---

    bool sharesOut(TrainingState state) const { return zeroStage_ >= static_cast<int>(state); }
    /// Whether weights lie in shards and are gathered to be used (ZeRO-3), be it round a single rank. Their gradients then come and go
    /// with the backward.
    bool unshardsWeights() const { return unshards_; }
    /// Whether such weights stay once they are gathered: a pipeline's stage gathers them before its first forward and keeps them until
    /// its last backward (PyTorch's fully_shard under torch.distributed.pipelining). Otherwise they are dropped after every pass (FSDP's
    /// reshard_after_forward; Megatron-FSDP's optim_grads_params).
    bool keepsGathered() const { return keepsGathered_; }
    /// Whether ranks share out gradients and not weights (ZeRO-2): a unit's gradients are whole until they are reduced.
    bool scattersUnits() const { return zeroStage_ == 2 && sharders_ > 1; }
    /// Whether ranks that share out weights add up the gradients of all micro-batches whole and reduce them once.
    bool addsUpWhole() const { return addsUpWhole_; }
    /// Parameters that a rank's optimizer steps over: its share of them from ZeRO-1 on.
    double optimizedElements(const HeldWeights& held) const;
    /// The rank's share of Muon's products.
    double optimizedFlops(double flops) const { return sharesOut(TrainingState::optimizer) ? flops / sharders_ : flops; }
    /// Parameters that come from a rank's host when its weights live there: its shard. Others' shards come over the network.
    double ownElements(const HeldWeights& held) const;

private:
    /// What of them is wider on the wire than the others, over those others' bytes.
    double wideBytes(const HeldWeights& held) const;

    int zeroStage_, replicas_;
    double sharders_, expertReplicas_;
    double weightOnWire_, gradientOnWire_, bucketBytes_, bucketElements_, shareCopy_;
    bool reducesAfterBackward_, overlaps_, gathersAhead_, scatters_, eachTensor_;
    bool unshards_, keepsGathered_, addsUpWhole_;
    GatherTime gathers_;
    ReduceTime reduces_;
};

/// The part of an optimizer's step that a rank leaves to its host: gradients go there, it steps, new weights come back.
struct HostStep {
    double elements = 0;             ///< parameters
    double gradientElementBytes = 0; ///< of each, sent there
    double weightElementBytes = 0;   ///< of each, sent back
    double seconds = 0;              ///< of the step itself; the host's ranks share its processors
};

/// `elements`: parameters of the rank that its host steps over.
HostStep hostStep(const Scenario& scenario, double elements);

/// Bytes that come from the host before a pass reads the weights (`execution.offload.weights`); 0: none.
double weightsFromHost(const Scenario& scenario, const ReplicaPolicy& policy, const HeldWeights& held);

/// What stages of one pipeline hold alike, two by two, and add up the gradients of.
enum class StagePairs : std::uint8_t {
    none,
    tied_embedding, ///< the first stage and the last share the word embedding (Narayanan et al. 2021, section 2.2)
    mirrored,       ///< DualPipe's stages hold the same chunks: the shards of them that ZeRO leaves to a rank
};

/// `twoWay`: micro-batches run through the stages both ways. The model's first chunk is on `firstStage`, its last on `lastStage`.
StagePairs stagePairs(const Scenario& scenario, bool twoWay, int firstStage, int lastStage);

/// Parameters of the word embedding on one tensor rank.
double wordEmbeddingElements(const Scenario& scenario);

} // namespace orrery
