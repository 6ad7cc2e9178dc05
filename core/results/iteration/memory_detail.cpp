// SPDX-License-Identifier: GPL-3.0-or-later
// What lies behind the memory account: states by operator, tensors by segment, units and work by stage.
#include "core/results/iteration/memory_detail.hpp"

#include "core/training/memory/static_memory.hpp"
#include "core/training/replica_policy/replica_policy.hpp"
#include "core/training/stage_memory/state_shares.hpp"

#include <algorithm>

namespace orrery {
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

} // namespace orrery
