// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/rank_work/model_chunks.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/stage_memory/unit_buffers.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// Trained weights of one operator of a piece, and how what belongs to them is held.
struct StateShare {
    std::string name;
    double elements = 0;
    bool routed = false;        ///< of routed experts: shared out over other ranks
    bool momentsAsAdam = false; ///< whatever the optimizer, Adam steps over them
    bool quantised = false;     ///< a copy in the products' format is held too, where the framework does
};

/// In the order of the piece's operators; a tied copy, which has no operator of its own, comes last.
std::vector<StateShare> stateShares(const PieceWork& piece);

/// Shapes of the weight gradients of a layer's matrix products: sorted, each once.
std::vector<std::pair<double, double>> weightGradientShapes(const PieceWork& layer);

/// What one piece of work does to a stage's memory, in bytes beside what stays all through the iteration.
struct WorkMemory {
    double kept = 0;      ///< at its peak: kept from forward to backward
    double temporary = 0; ///< at its peak: in use only inside it
    double buffers = 0;   ///< at its peak: see `UnitBuffers`
    double after = 0;     ///< kept when it is done
    double buffersAfter = 0;
    std::array<int, 2> peakOperator{}; ///< by pass: where it is at the peak; -1: not begun

    double peak() const { return kept + temporary + buffers; }
};

/// Segments of two that run together, by the two (`Iteration::pairs`).
using PairedSegments = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;

/// Memory of a stage as its work runs, by its order alone: no clock enters.
std::vector<WorkMemory> stageMemory(const Scenario& scenario, const RankWork& work, const PairedSegments& pairedSegments,
                                    const std::vector<PlacedWork>& order, const UnitBuffers& buffers);

/// A segment's operators as the host issues them: in the order of the table, whatever their times.
std::vector<std::uint32_t> issueOrder(const Segment& segment);

/// What a pass does to memory.
const PieceMemory& memoryOf(const UnitPass& pass);

/// What a pass of a whole chunk does to memory, in bytes relative to the moment before it.
struct PassMemory {
    double peak = 0;
    double change = 0;
};

/// By kind of pass (`PassKind::forward` to `PassKind::backward_weight`): a chunk's units one after the other.
using ChunkMemory = std::array<PassMemory, 4>;
ChunkMemory chunkMemory(const std::vector<Unit>& units);

/// The most that a stage's steps hold beside what stays, from their order alone: what `stageMemory` finds unit by unit, as long as no
/// buffers come and go (`UnitBuffers`) and no two passes run together. `chunks` by chunk of the model.
double peakOfSteps(const std::vector<PipelineStep>& steps, const std::vector<ChunkMemory>& chunks);

} // namespace orrery
