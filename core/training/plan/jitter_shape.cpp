// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/jitter_shape.hpp"
#include "core/engine/jitter_model.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/training/rank_work/model_chunks.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace orrery {

double StepStretch::ofTask(int stage, double slowdown, std::uint32_t segment, std::uint64_t index) const {
    const double factor = ofStage.at(slowdown)[static_cast<std::size_t>(stage)];
    if (segment >= ofSegment.size()) return factor;
    const LogNormal& own = ofSegment[segment];
    return factor * std::exp(own.mu + own.sigma * normalDraw(seed, static_cast<std::uint64_t>(stage), 2 * index));
}

namespace {

/// Variance of a log-normal factor of mean 1.
double varianceOf(double sigma) { return std::expm1(sigma * sigma); }

double sigmaOf(const Scenario& scenario, JitterClass which) { return scenario.jitter.sigma[static_cast<std::size_t>(which)]; }

/// `plan`: the scenario's, with another number of replicas.
bool gathersLayers(const Scenario& scenario, const Parallelism& plan) { return ReplicaPolicy(scenario, plan).gathers() == GatherTime::each_pass; }

/// Ranks that meet in a group's collective. Ranks of a tensor group have met before those of a context group do.
double membersOf(const Scenario& scenario, const Parallelism& plan, RankGroup group) {
    switch (group) {
    case RankGroup::tensor: return plan.tensor;
    case RankGroup::context: return plan.tensor * plan.context;
    case RankGroup::expert: return plan.expert * plan.expertTensor;
    case RankGroup::expert_tensor: return plan.expertTensor;
    case RankGroup::pipeline:
    case RankGroup::embedding: return 2;
    default: return ReplicaPolicy(scenario, plan).ranksIn(group);
    }
}

/// Walks a segment's operators in time, and closes the account at every collective.
class SegmentWaits {
public:
    SegmentWaits(const Scenario& scenario, const Parallelism& plan, const RankWork& work) : scenario_(scenario), plan_(plan), work_(work) {}

    Moments of(std::uint32_t index) {
        const Segment& segment = work_.segments[index];
        const SegmentParts& parts = work_.parts[index];
        Moments kernels, sum;
        double communicated = 0, computed = 0;
        for (const SegmentEntry& entry : segment.entries) (entry.stream == StreamKind::within ? communicated : computed) += timeOf(entry);
        // Collectives count as far as they are exposed, kernels as far as the launching host does not wait for itself.
        const double exposed = parts.tensorExposed + parts.contextExposed + parts.expertExposed;
        const double share = communicated > 0 ? exposed / communicated : 0;
        std::vector<Interval> intervals;
        for (const SegmentEntry& entry : segment.entries) {
            const TimedOperator& timed = work_.operators[entry.op];
            if (entry.stream != StreamKind::within) {
                add(kernels, timed, 1);
                continue;
            }
            Moments sent;
            add(sent, timed, share);
            intervals.push_back({kernels, sent, membersOf(scenario_, plan_, timed.op.group)});
            kernels = {};
        }
        if (intervals.empty()) {
            sum = kernels;
        } else {
            // What comes after the last collective ends at the first of the next layer.
            intervals.front().kernels.mean += kernels.mean;
            intervals.front().kernels.variance += kernels.variance;
        }
        for (const Interval& interval : intervals) {
            const Moments slowest = largestOf(interval.kernels, interval.members), sent = largestOf(interval.sent, interval.members);
            sum.mean += slowest.mean + sent.mean;
            sum.variance += slowest.variance + sent.variance;
        }
        sum.mean += segment.duration - computed - exposed; // host and whatever else stands still
        return sum;
    }

private:
    struct Interval {
        Moments kernels, sent;
        double members;
    };

    double timeOf(const SegmentEntry& entry) const { return work_.operators[entry.op].time; }

    /// An operator of k kernels in a row: k independent factors.
    void add(Moments& sum, const TimedOperator& timed, double share) const {
        const double time = timed.time * share, sigma = sigmaOf(scenario_, jitterClassOf(timed.op.kind));
        sum.mean += time;
        sum.variance += time * time * varianceOf(sigma) / std::max(1, timed.op.kernels);
    }

    const Scenario& scenario_;
    const Parallelism& plan_;
    const RankWork& work_;
};

/// Those who gather a layer's weights together wait for the slowest of them. Gathers beside computation run one layer ahead: then two layers in a
/// row are what nobody is ahead of the others by.
Moments slowestOfLayer(const Moments& layer, double members, bool ahead) {
    if (!ahead) return largestOf(layer, members);
    const Moments two = largestOf({2 * layer.mean, 2 * layer.variance}, members);
    return {two.mean / 2, two.variance / 2};
}

/// With delayed scaling every pass of a chunk ends with an all-reduce of its tensors' largest values over all replicas, without which the next one's scales
/// are not known (NVIDIA/TransformerEngine, pytorch/fp8.py, reduce_and_update_fp8_tensors, where reduce_amax is on; Megatron-LM, core/parallel_state.py,
/// get_amax_reduction_group: tensor, context and data ranks): then replicas wait for each other in every pass, not once an iteration.
bool meetsInEveryPass(const Scenario& scenario, const Parallelism& plan) {
    const TrainingWorkload& work = scenario.training();
    const bool tensorwise = work.precision == Precision::fp8 && work.fp8Recipe.value_or(Fp8Recipe::tensorwise) == Fp8Recipe::tensorwise;
    return tensorwise && scenario.execution.profile.tensorScaling == TensorScaling::delayed && plan.replicas() > 1;
}

/// What a layer takes where those who meet at the end of a pass of so many layers wait for the slowest.
Moments slowestOfPass(const Moments& layer, double members, double layers) {
    const Moments pass = largestOf({layers * layer.mean, layers * layer.variance}, members);
    return {pass.mean / layers, pass.variance / layers};
}

/// Segments that the schedule runs, by piece: those of whole backwards, or of backwards in two parts.
std::vector<std::uint32_t> passesOf(const PieceWork& piece, bool split) {
    if (split) return {piece.forwardSegment, piece.backwardInputSegment, piece.backwardWeightSegment};
    return {piece.forwardSegment, piece.backwardSegment};
}

/// By the order of the plan's ranks, on hosts of one size.
TeamPlaces placesBy(const Scenario& scenario, const Parallelism& plan) {
    const int cell = plan.tensor * plan.context, perHost = acceleratorsPerHost(scenario.cluster);
    int cells = 1; // of one stage that meet in every layer
    if (scenario.model.experts && plan.expert * plan.expertTensor > cell) cells = plan.expert * plan.expertTensor / cell;
    if (gathersLayers(scenario, plan)) cells = std::max(cells, std::max(1, plan.sharders() / plan.context));
    cells = std::min(cells, plan.data);

    const RankGrid grid(plan);
    const auto host = [&](int tensor, int context, int data, int stage) { return grid.rank(tensor, context, data, stage) / perHost; };
    const int first = host(0, 0, 0, 0);
    std::set<int> ofTeam;
    for (int data = 0; data < cells; ++data)
        for (int context = 0; context < plan.context; ++context)
            for (int tensor = 0; tensor < plan.tensor; ++tensor) ofTeam.insert(host(tensor, context, data, 0));
    TeamPlaces places;
    places.teams = std::max(1, plan.data / cells);
    places.hostsPerStage = static_cast<int>(ofTeam.size());
    for (places.sharing = 0; places.sharing < places.teams && host(0, 0, places.sharing * cells, 0) == first;) ++places.sharing;
    for (places.stagesTogether = 0; places.stagesTogether < plan.pipeline && host(0, 0, 0, places.stagesTogether) == first;) ++places.stagesTogether;
    return places;
}

/// Share of the other stages' rounds that filling and draining the pipeline adds (ReplicaShape::fill).
double fillOf(const ScheduleTraits& traits, int chunksPerStage) { return traits.chunks.perStage == 0 ? traits.fill / chunksPerStage : traits.fill; }

} // namespace

JitterClass jitterClassOf(OperatorKind kind) {
    switch (kind) {
    case OperatorKind::gemm:
    case OperatorKind::batched_gemm:
    case OperatorKind::grouped_gemm:
    case OperatorKind::attention: return JitterClass::compute;
    case OperatorKind::collective:
    case OperatorKind::send_receive: return JitterClass::communication;
    default: return JitterClass::memory;
    }
}

JitterShape jitterShape(const Scenario& scenario, const RankWork& work, int data) {
    Parallelism plan = scenario.parallelism;
    plan.data = data;
    JitterShape shape;
    SegmentWaits waits(scenario, plan, work);
    const double cells = std::min(std::max(1, plan.sharders() / plan.context), data);
    std::vector<bool> known(work.segments.size(), false);
    shape.segments.resize(work.segments.size());
    for (std::size_t i = 0; i < shape.segments.size(); ++i) shape.segments[i] = {work.segments[i].duration, 0};
    const bool meets = meetsInEveryPass(scenario, plan);
    const double layersOfPass = std::max(1.0, scenario.model.layers / (double(plan.pipeline) * plan.virtualPipeline));
    const auto momentsOf = [&](std::uint32_t segment) -> const Moments& {
        if (!known[segment]) {
            known[segment] = true;
            Moments& own = shape.segments[segment] = waits.of(segment);
            if (gathersLayers(scenario, plan)) own = slowestOfLayer(own, cells, scenario.execution.overlap.data);
            else if (meets) own = slowestOfPass(own, plan.replicas(), layersOfPass);
        }
        return shape.segments[segment];
    };

    const ScheduleTraits& traits = traitsOf(plan.schedule);
    const Placement placement = placementOf(plan.schedule, {plan.pipeline, scenario.microBatches(), plan.virtualPipeline});
    const ModelChunks chunks(scenario, work, placement);
    shape.replica.microBatches = scenario.microBatches();
    shape.replica.fill = fillOf(traits, plan.virtualPipeline);
    // Stages that hold the chunks of both ways run each for half of the micro-batches.
    const double each = 1.0 / traits.weightCopies();
    for (int stage = 0; stage < plan.pipeline; ++stage) {
        double alone = 0;
        Moments round;
        for (const int chunk : chunks.heldBy(stage))
            for (const Unit& unit : chunks.units(chunk))
                for (const std::uint32_t segment : passesOf(*unit.piece, traits.splitsBackward)) {
                    const Moments& own = momentsOf(segment);
                    alone += each * work.segments[segment].duration;
                    round.mean += each * own.mean;
                    round.variance += each * own.variance;
                }
        shape.replica.alone.push_back(alone);
        shape.replica.rounds.push_back(round);
    }
    shape.places = placesBy(scenario, plan);
    shape.cellsOfTeam = plan.data / shape.places.teams;
    const int ranks = plan.ranks(), perHost = acceleratorsPerHost(scenario.cluster);
    shape.hosts = (ranks + perHost - 1) / perHost;
    return shape;
}

TeamPlaces JitterShape::placesOf(int cells) const {
    TeamPlaces fewer = places;
    fewer.teams = std::min(places.teams, (cells + cellsOfTeam - 1) / cellsOfTeam);
    return fewer;
}

double expectedTransferStretch(const Scenario& scenario, RankGroup group, int data) {
    Parallelism plan = scenario.parallelism;
    plan.data = data;
    const double sigma = sigmaOf(scenario, JitterClass::communication);
    return largestOf({1, varianceOf(sigma)}, membersOf(scenario, plan, group)).mean;
}

} // namespace orrery
