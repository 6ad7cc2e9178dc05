// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/rank_work/rank_work.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/training/rank_work/graph_passes.hpp"
#include "core/training/rank_work/optimizer_work.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/replica_policy/replica_policy.hpp"
#include "core/training/segments/segment_placement.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

std::uint32_t WorkTables::addSingle(std::string name, TimedOperator timed, StreamKind stream) {
    Segment segment;
    segment.name = std::move(name);
    segment.phase = timed.op.phase;
    segment.duration = timed.time;
    segment.entries = {{static_cast<std::uint32_t>(operators.size()), 0, timed.time, stream}};
    SegmentParts singleParts;
    if (segment.phase == Phase::optimizer) singleParts.optimizer = timed.time;
    operators.push_back(std::move(timed));
    segments.push_back(std::move(segment));
    parts.push_back(singleParts);
    return static_cast<std::uint32_t>(segments.size()) - 1;
}

std::uint32_t WorkTables::add(BuiltSegment built) {
    segments.push_back(std::move(built.segment));
    parts.push_back(built.parts);
    return static_cast<std::uint32_t>(segments.size()) - 1;
}

namespace {

TokenShape tokenShape(const Scenario& scenario) {
    return {double(scenario.training().microBatch), double(scenario.training().sequenceLength), double(scenario.training().documentLength), scenario.training().images};
}

/// The backward's two parts, of the operators that the whole one has already timed from `first` on.
void splitBackward(RankWork& work, PieceWork& piece, std::uint32_t first, const SegmentOptions& options) {
    std::array<std::vector<std::uint32_t>, 2> parts;
    for (std::uint32_t i = 0; i < piece.graph.backward.size(); ++i) parts[piece.graph.backward[i].weightPart ? 1 : 0].push_back(first + i);
    const auto add = [&](const std::vector<std::uint32_t>& part) {
        return work.add(buildSegment(piece.graph.name, Phase::backward, part, piece.graph.tensors.size(), options, work.operators));
    };
    piece.backwardInputSegment = add(parts[0]);
    piece.backwardWeightSegment = add(parts[1]);
    const SplitBackwardMemory memory = splitBackwardMemory(piece.graph);
    piece.backwardInputMemory = memory.input;
    piece.backwardWeightMemory = memory.weight;
}

double elementsOf(const Graph& graph, bool experts) {
    double elements = 0;
    for (const Operator& op : graph.forward)
        if ((op.kind == OperatorKind::grouped_gemm) == experts) elements += op.weights + op.replicatedWeights;
    return elements;
}

/// A matrix or a vector of a norm each, and one more where there is a bias.
int weightTensorsOf(const Graph& graph, const Architecture& model) {
    int tensors = 0;
    for (const Operator& op : graph.forward) {
        const double elements = op.weights + op.replicatedWeights;
        if (elements <= 0 || op.kind == OperatorKind::grouped_gemm) continue;
        const bool bias = op.kind == OperatorKind::norm ? model.normBias : op.kind == OperatorKind::gemm && elements > op.shape.n * op.shape.k;
        tensors += bias ? 2 : 1;
    }
    return tensors;
}

} // namespace

SegmentOptions segmentOptions(const Scenario& scenario) {
    SegmentOptions options;
    options.chunkedOverlap = scenario.execution.overlap.tensor;
    options.chunks = scenario.parallelism.tensor;
    options.overlapSlowdown = overlapSlowdown(scenario).collective;
    options.eagerLaunch = scenario.execution.profile.hostLaunch;
    options.hostLaunch = scenario.execution.cudaGraphs ? 0 : options.eagerLaunch;
    options.backwardHostShare = scenario.kernels.physics.backwardHostShare;
    options.collectiveLaunches = scenario.kernels.physics.collectiveHostLaunches;
    // One kernel of all experts is one launch.
    options.expertHost = scenario.execution.profile.experts.loopsProducts ? scenario.execution.profile.expertHost : 0;
    options.quantisedExpertHost = options.expertHost * scenario.execution.profile.quantisedExpertHost;
    options.synchronousLaunches = scenario.execution.profile.synchronousLaunches && options.hostLaunch > 0;
    // A host that waits for each kernel can't launch one beside another.
    options.asyncCollectives = scenario.execution.profile.asyncTensorCollectives && !options.synchronousLaunches;
    // DualPipe's authors fit their order to each model; Megatron-Core's program has one for all (model_chunk_schedule_plan.py).
    options.choosesPairOrder = traitsOf(scenario.parallelism.schedule).pairsPasses;
    options.waitsForTensor = laysOutGathers(scenario); // before what came is put into order
    return options;
}

std::array<Graph, 3> plannedGraphs(const Scenario& scenario, RecomputeKind recompute) {
    ModelGraphs graphs = buildModelGraphs(scenario.model, tokenShape(scenario));
    return {plannedGraph(std::move(graphs.embedding), scenario, recompute).graph, plannedGraph(std::move(graphs.layer), scenario, recompute).graph,
            plannedGraph(std::move(graphs.head), scenario, recompute).graph};
}

OperatorTime collectiveTime(JobTraffic& traffic, const TrafficKind& kind, const Operator& op) {
    const double bytes = op.messageBytes / op.kernels;
    const JobTraffic::Id patterns = traffic.patterns(kind, bytes);
    const AloneTime alone = traffic.alone(patterns, bytes);
    OperatorTime result;
    result.time = op.kernels * alone.time;
    result.bound = alone.latency > alone.transfer ? Bound::latency : Bound::network;
    result.source = traffic.at(patterns).predicted ? Source::predicted : Source::roofline;
    return result;
}

TimedOperator timedCollective(JobTraffic& traffic, const TrafficKind& kind, Operator op) {
    const OperatorTime time = collectiveTime(traffic, kind, op);
    return {std::move(op), time.time, time.bound, time.source};
}

RankWork makeRankWork(const Scenario& scenario, RecomputeKind recompute, const CostModel& cost, JobTraffic& traffic) {
    RankWork work;
    SegmentOptions options = segmentOptions(scenario);
    const TimeOperator timeOperator = [&](const Operator& op) -> TimedOperator {
        if (scenario.model.toy) return {op, toySeconds(*scenario.model.toy, op), Bound::compute, Source::given};
        if (op.kind == OperatorKind::collective) return timedCollective(traffic, {op.group, op.collective, 0, 0}, op);
        const OperatorTime time = operatorTime(cost, op);
        return {op, time.time, time.bound, time.source};
    };
    const ModelPieces pieces = buildModelPieces(scenario.model, tokenShape(scenario));
    const auto addPiece = [&](const Graph& model, RecomputeKind kind) {
        PieceWork piece;
        PlannedGraph planned = plannedGraph(model, scenario, kind);
        piece.graph = std::move(planned.graph);
        piece.frozenElements = planned.frozenElements;
        const auto add = [&](Phase phase, const std::vector<Operator>& operators) {
            BuiltSegment built = buildSegment(piece.graph.name, phase, operators, piece.graph.tensors.size(), options,
                                              timeOperator, work.operators);
            return work.add(std::move(built));
        };
        piece.forwardSegment = add(Phase::forward, piece.graph.forward);
        const auto firstOfBackward = static_cast<std::uint32_t>(work.operators.size());
        piece.backwardSegment = add(Phase::backward, piece.graph.backward);
        if (traitsOf(scenario.parallelism.schedule).splitsBackward) splitBackward(work, piece, firstOfBackward, options);
        piece.forwardMemory = forwardMemory(piece.graph);
        piece.backwardMemory = backwardMemory(piece.graph);
        piece.elements = elementsOf(piece.graph, false);
        piece.expertElements = elementsOf(piece.graph, true);
        if (piece.graph.name == "embedding" || piece.graph.name == "head") piece.wideElements = piece.elements;
        piece.weightTensors = weightTensorsOf(piece.graph, scenario.model);
        if (scenario.training().optimizer == OptimizerKind::muon) piece.orthogonalFlops = orthogonalFlops(piece.graph);
        return piece;
    };
    work.embedding = addPiece(pieces.embedding, recompute);
    options.repeats = true; // layer follows layer
    // Every n-th layer recomputed: each kind of layer in two ways.
    const bool every = recompute == RecomputeKind::every;
    for (const Graph& layer : pieces.layers) {
        work.layers.push_back(addPiece(layer, every ? RecomputeKind::none : recompute));
        if (every) work.layers.push_back(addPiece(layer, RecomputeKind::full));
    }
    for (int layer = 0; layer < static_cast<int>(scenario.model.layers); ++layer) {
        const int kind = static_cast<int>(pieces.layerKindOf(layer));
        work.kindOfLayer.push_back(every ? 2 * kind + (layer % scenario.execution.recomputeEvery == 0 ? 1 : 0) : kind);
    }
    options.repeats = false;
    if (pieces.nextToken) work.nextToken = addPiece(*pieces.nextToken, every ? RecomputeKind::none : recompute);
    work.head = addPiece(pieces.head, every ? RecomputeKind::none : recompute);
    // A tied output matrix is the embedding's; on a last stage without the embedding it is a copy (Megatron's shared weight).
    const bool endsMeet = scenario.parallelism.pipeline == 1 || traitsOf(scenario.parallelism.schedule).endsMeet();
    if (!scenario.model.tiedEmbedding || endsMeet) return work;
    work.head.elements += wordEmbeddingElements(scenario);
    return work;
}

} // namespace orrery
