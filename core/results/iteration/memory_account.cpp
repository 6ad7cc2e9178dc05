// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/assemble.hpp"
#include "core/results/report/memory_holders.hpp"
#include "core/results/report/memory_report.hpp"
#include "core/training/memory/static_memory.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/replica_policy/replica_policy.hpp"
#include "core/training/stage_memory/fragmentation.hpp"
#include "core/training/stage_memory/stage_memory.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace orrery {

/// What `holdersAt` needs of the whole iteration, but for works, buffers and constants of the stages.
MemoryDetail memoryDetail(const Scenario& scenario, const Iteration& iteration, const ModelChunks& chunks);

std::vector<StageWork> worksOf(const std::vector<PlacedWork>& order);

/// Bytes of a stage's weights and what belongs to them.
struct StateSums {
    double weights = 0, gradients = 0, optimizerStates = 0;
};
StateSums sumOfStates(const MemoryDetail& detail, std::size_t stage);

// What lies behind the memory account: states by operator, tensors by segment, units and work by stage.

namespace {

PieceStates statesOf(const Scenario& scenario, const PieceWork& piece) {
    const ReplicaPolicy policy(scenario);
    PieceStates states;
    states.name = piece.graph.name;
    for (const StateShare& share : stateShares(piece)) {
        const double ranks = share.routed ? policy.expertReplicas() : policy.sharders();
        StateBytes bytes = stateBytes(scenario, policy, ranks, share.momentsAsAdam);
        if (policy.unshardsWeights()) bytes.gradients = 0; // they come and go: see `UnitBuffers`
        const double copies = share.quantised ? quantisedExtraBytes(scenario, policy, ranks) : 0;
        states.tensors.push_back({share.name, share.elements * bytes.weights + share.elements * copies, share.elements * bytes.gradients,
                                  share.elements * bytes.optimizerStates});
    }
    const bool isLayer = piece.graph.name != "embedding" && piece.graph.name != "head";
    if (piece.frozenElements > 0) states.tensors.push_back({piece.graph.name + ".frozen", piece.frozenElements * frozenBytes(scenario, policy, isLayer), 0, 0});
    return states;
}

SegmentMemory segmentOf(const RankWork& work, int piece, const PieceMemory& memory, std::uint32_t segment, const Graph& graph) {
    SegmentMemory made;
    made.piece = piece;
    made.operators = issueOrder(work.segments[segment]);
    made.tensors.reserve(memory.lives.size());
    for (const TensorLife& life : memory.lives) {
        const auto id = static_cast<std::size_t>(life.tensor);
        made.tensors.push_back({graph.tensors[id].name, memory.kept[id] ? MemoryKind::activations : MemoryKind::temporary, life.bytes, life.tensor,
                                life.first, life.last, life.keptAfter});
    }
    return made;
}

} // namespace

MemoryDetail memoryDetail(const Scenario& scenario, const Iteration& iteration, const ModelChunks& chunks) {
    MemoryDetail detail;
    const RankWork& work = iteration.work;
    const std::vector<const PieceWork*> pieces = piecesOf(work);
    detail.segments.resize(work.segments.size());
    for (const PieceWork* piece : pieces) {
        const int index = static_cast<int>(detail.pieces.size());
        detail.pieces.push_back(statesOf(scenario, *piece));
        const auto add = [&](std::uint32_t segment, const PieceMemory& memory) {
            detail.segments[segment] = segmentOf(work, index, memory, segment, piece->graph);
        };
        add(piece->forwardSegment, piece->forwardMemory);
        add(piece->backwardSegment, piece->backwardMemory);
        if (piece->backwardInputSegment == piece->backwardWeightSegment) continue; // one whole backward
        add(piece->backwardInputSegment, piece->backwardInputMemory);
        add(piece->backwardWeightSegment, piece->backwardWeightMemory);
    }
    for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
        std::vector<StageUnit>& units = detail.units.emplace_back();
        for (const int chunk : chunks.heldBy(stage))
            for (const Unit& unit : chunks.units(chunk))
                units.push_back({static_cast<int>(std::find(pieces.begin(), pieces.end(), unit.piece) - pieces.begin()), unit.layer});
    }
    return detail;
}

std::vector<StageWork> worksOf(const std::vector<PlacedWork>& order) {
    std::vector<StageWork> works;
    works.reserve(order.size());
    for (const PlacedWork& placed : order) {
        StageWork work;
        work.count = 0;
        for (const UnitPass& pass : placed)
            work.passes[static_cast<std::size_t>(work.count++)] = {segmentOf(pass), pass.step.microBatch, pass.unit->layer, pass.step.chunk};
        works.push_back(work);
    }
    return works;
}

StateSums sumOfStates(const MemoryDetail& detail, std::size_t stage) {
    std::vector<StateSums> byPiece(detail.pieces.size());
    for (std::size_t piece = 0; piece < byPiece.size(); ++piece)
        for (const StateTensor& tensor : detail.pieces[piece].tensors) {
            byPiece[piece].weights += tensor.weights;
            byPiece[piece].gradients += tensor.gradients;
            byPiece[piece].optimizerStates += tensor.optimizerStates;
        }
    StateSums sums;
    for (const StageUnit& unit : detail.units[stage]) {
        const StateSums& piece = byPiece[static_cast<std::size_t>(unit.piece)];
        sums.weights += piece.weights;
        sums.gradients += piece.gradients;
        sums.optimizerStates += piece.optimizerStates;
    }
    return sums;
}

namespace {

/// Writes a stage's samples: the most that each piece of work needs while it runs, and what it leaves.
void writeSamples(const std::vector<WorkMemory>& works, StageTimeline& stage) {
    const std::vector<Span>& spans = stage.streams[static_cast<std::size_t>(StreamKind::compute)].spans;
    stage.memory.reserve(2 * spans.size());
    for (std::size_t i = 0; i < works.size(); ++i) {
        const WorkMemory& work = works[i];
        stage.memory.push_back({spans[i].start, work.kept, work.temporary + work.buffers});
        stage.memory.push_back({spans[i].end, work.after, work.buffersAfter});
    }
    // The optimizer's step needs nothing of its own.
    for (std::size_t i = works.size(); i < spans.size(); ++i) stage.memory.push_back({spans[i].start, works.back().after, works.back().buffersAfter});
}

/// Transformer Engine keeps one 16-bit stand-in for the weight gradients of each shape (get_dummy_wgrad in
/// transformer_engine/pytorch/module/base.py); the router's and the output layer's products are not its.
double standInBytes(const Scenario& scenario, const ModelChunks& chunks, int stage) {
    if (!scenario.execution.profile.cachesWeightGradients || ReplicaPolicy(scenario).unshardsWeights()) return 0;
    std::set<std::pair<double, double>> shapes;
    std::set<const PieceWork*> seen;
    for (const int chunk : chunks.heldBy(stage))
        for (const Unit& unit : chunks.units(chunk))
            if (unit.layer >= 0 && seen.insert(unit.piece).second)
                for (const auto& shape : weightGradientShapes(*unit.piece)) shapes.insert(shape);
    double elements = 0;
    for (const auto& [n, k] : shapes) elements += n * k;
    return 2 * elements;
}

/// When the highest moment of a piece of work begins.
double peakTime(const MemoryDetail& detail, const Timeline& timeline, const StageWork& work, const WorkMemory& memory, const Span& span) {
    double latest = span.start;
    for (int pass = 0; pass < work.count; ++pass) {
        const auto at = static_cast<std::size_t>(pass);
        if (memory.peakOperator[at] < 0) continue;
        const std::vector<double> turns = operatorTurns(timeline.segments[span.segment], detail.segments[work.passes[at].segment].operators);
        if (!turns.empty()) latest = std::max(latest, span.start + turns[static_cast<std::size_t>(memory.peakOperator[at])]);
    }
    return latest;
}

} // namespace

MemoryReport accountMemory(const Scenario& scenario, const Iteration& iteration, Timeline& timeline) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const ModelChunks chunks(scenario, iteration.work, iteration.schedule.placement);
    MemoryReport report;
    report.capacityBytes = scenario.cluster.accelerator.memoryBytes;
    report.detail = memoryDetail(scenario, iteration, chunks);
    const OverheadMemory overhead = overheadMemory(scenario);
    FragmentationModel fragmented(scenario, iteration.work, chunks);
    for (StageTimeline& stage : timeline.stages) {
        const auto index = static_cast<std::size_t>(stage.stage);
        const std::vector<PlacedWork> order = stageOrder(iteration.schedule.stages[index], chunks);
        const UnitBuffers buffers(scenario, iteration.work, chunks, stage.stage, order);
        const std::vector<WorkMemory> works = stageMemory(scenario, iteration.work, iteration.pairs, order, buffers);
        report.detail.works.push_back(worksOf(order));
        report.detail.buffers.push_back(buffers.lives());
        writeSamples(works, stage);

        const auto highest = std::max_element(works.begin(), works.end(), [](const WorkMemory& a, const WorkMemory& b) { return a.peak() < b.peak(); });
        const auto at = static_cast<std::size_t>(highest - works.begin());
        StageMemory account;
        account.stage = stage.stage;
        account.peakTime = peakTime(report.detail, timeline, report.detail.works[index][at], *highest,
                                    stage.streams[static_cast<std::size_t>(StreamKind::compute)].spans[at]);
        const StateSums states = sumOfStates(report.detail, index);
        account.of(MemoryKind::weights) = states.weights;
        account.of(MemoryKind::gradients) = states.gradients;
        account.of(MemoryKind::optimizer_states) = states.optimizerStates;
        const double standIns = standInBytes(scenario, chunks, stage.stage);
        account.of(MemoryKind::gradients) += standIns;
        account.of(MemoryKind::activations) = highest->kept;
        account.of(MemoryKind::temporary) = highest->temporary;
        const std::int32_t slot = slotOf(report.detail, report.detail.works[index][at], at, highest->peakOperator[0]);
        for (const BufferLife& life : buffers.lives())
            if (life.first <= slot && slot <= life.last) account.of(life.kind) += life.bytes;
        account.of(MemoryKind::temporary) += profile.workspaceBytes;
        account.of(MemoryKind::communication_buffers) += profile.bucketBufferBytes;
        double allocated = 0;
        for (double bytes : account.bytes) allocated += bytes;
        const double room = report.capacityBytes - allocated - overhead.communicators - overhead.framework;
        const double fragmentation = profile.fragmentationFraction * allocated +
                                     (profile.cachingAllocator ? fragmented.bytes(stage.stage, iteration.schedule.mostInFlight[index], room) : 0);
        account.of(MemoryKind::fragmentation) = fragmentation;
        account.of(MemoryKind::communication_buffers) += overhead.communicators;
        account.of(MemoryKind::framework) = overhead.framework;
        for (double bytes : account.bytes) account.peakBytes += bytes;
        stage.staticBytes = account.peakBytes - highest->peak();
        report.detail.constants.push_back({{MemoryKind::gradients, "stand-ins for weight gradients", standIns},
                                           {MemoryKind::temporary, "workspaces of products", profile.workspaceBytes},
                                           {MemoryKind::communication_buffers, "gradient bucket", profile.bucketBufferBytes},
                                           {MemoryKind::communication_buffers, "communicators", overhead.communicators},
                                           {MemoryKind::fragmentation, "allocator", fragmentation},
                                           {MemoryKind::framework, "context, libraries, workspaces", overhead.framework}});

        report.peakBytes = std::max(report.peakBytes, account.peakBytes);
        report.allocatedPeakBytes = std::max(report.allocatedPeakBytes, allocated);
        report.reservedPeakBytes = std::max(report.reservedPeakBytes, allocated + fragmentation);
        report.stages.push_back(account);
    }
    return report;
}

namespace {

/// By segment: what it adds to what is kept.
std::vector<double> changeBySegment(const Iteration& iteration) {
    const RankWork& work = iteration.work;
    std::vector<double> change(work.segments.size());
    const auto add = [&change](const PieceWork& piece) {
        change[piece.forwardSegment] = piece.forwardMemory.saved;
        change[piece.backwardSegment] = -piece.forwardMemory.saved;
        if (piece.backwardInputSegment == piece.backwardWeightSegment) return; // one whole backward
        change[piece.backwardInputSegment] = piece.backwardInputMemory.change;
        change[piece.backwardWeightSegment] = piece.backwardWeightMemory.change;
    };
    add(work.embedding);
    add(work.head);
    for (const PieceWork& layer : work.layers) add(layer);
    if (work.nextToken) add(*work.nextToken);
    for (const auto& [both, pair] : iteration.pairs) change[pair] = change[both.first] + change[both.second];
    for (const auto& [segment, slow] : iteration.slow) change[segment] = change[slow.like];
    return change;
}

} // namespace

StoredActivations storedActivations(const Iteration& iteration) {
    StoredActivations stored;
    const RankWork& work = iteration.work;
    for (const int kind : work.kindOfLayer) stored.layerBytes += work.layers[static_cast<std::size_t>(kind)].forwardMemory.saved;
    if (!work.kindOfLayer.empty()) stored.layerBytes /= static_cast<double>(work.kindOfLayer.size());

    const std::vector<double> change = changeBySegment(iteration);
    stored.stagePeakBytes.resize(iteration.stageElements.size());
    std::vector<double> kept(stored.stagePeakBytes.size());
    // Tasks of a stage's compute stream are listed in the order they run in.
    for (const TaskInfo& task : iteration.tasks) {
        if (!iteration.isShown(task) || task.stream != StreamKind::compute) continue;
        const auto stage = static_cast<std::size_t>(task.stage);
        kept[stage] += change[task.segment];
        stored.stagePeakBytes[stage] = std::max(stored.stagePeakBytes[stage], kept[stage]);
    }
    return stored;
}

} // namespace orrery
