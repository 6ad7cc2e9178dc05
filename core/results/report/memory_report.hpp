// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/memory/liveness.hpp"
#include "core/training/memory/static_memory.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

struct StageMemory {
    int stage = 0;
    std::array<double, memoryKindCount> bytes{}; ///< alive at the stage's peak
    double peakTime = 0;                         ///< s into the iteration
    double peakBytes = 0;                        ///< sum of `bytes`

    double& of(MemoryKind kind) { return bytes[static_cast<std::size_t>(kind)]; }
};

/// Weights of one operator of a piece of the model and what belongs to them, in bytes on a rank.
struct StateTensor {
    std::string name; ///< the operator's: "mlp.gate_up"
    double weights = 0;
    double gradients = 0;
    double optimizerStates = 0;
};

/// A tensor at work in a segment. What one segment keeps and another of the same unit and micro-batch frees has the same `tensor`.
struct SegmentTensor {
    std::string name;
    MemoryKind kind = MemoryKind::temporary;
    double bytes = 0;
    std::int32_t tensor = 0;
    std::int32_t first = 0; ///< operator of the segment from which on it is alive; -1: it is alive when the segment begins
    std::int32_t last = 0;
    bool keptAfter = false; ///< stays when the segment is done
    bool isAliveAt(std::int32_t index) const { return first <= index && (keptAfter || index <= last); }
};

/// What running a segment of the model does to memory.
struct SegmentMemory {
    int piece = -1;                       ///< index into MemoryDetail::pieces; -1: none of the model's pieces
    std::vector<std::uint32_t> operators; ///< of Timeline::operators, in their order of issue
    std::vector<SegmentTensor> tensors;
};

/// One pass of a unit: a piece of the model for a micro-batch.
struct StagePass {
    std::uint32_t segment = 0; ///< index into MemoryDetail::segments
    std::int32_t microBatch = -1;
    std::int32_t layer = -1;
    std::int16_t chunk = 0; ///< of the model
};

/// What runs at once on a stage's compute stream: a pass, or a forward and a backward together.
struct StageWork {
    std::array<StagePass, 2> passes;
    int count = 1;
};

struct PieceStates {
    std::string name; ///< "embedding", "layer", "head", "next_token"
    std::vector<StateTensor> tensors;
};

/// A layer, the embedding or the head on a stage.
struct StageUnit {
    int piece = 0;
    int layer = -1;
};

/// What holds memory from the beginning of the iteration to its end, beside the units' states.
struct ConstantHolder {
    MemoryKind kind = MemoryKind::framework;
    std::string name;
    double bytes = 0;
};

/// What `holdersAt` (memory_holders.hpp) needs to tell what lies behind the sums.
struct MemoryDetail {
    std::vector<PieceStates> pieces;
    std::vector<SegmentMemory> segments;                ///< by segment of the model
    std::vector<std::vector<StageUnit>> units;          ///< by stage
    std::vector<std::vector<StageWork>> works;          ///< by stage: what its compute stream's first spans are
    std::vector<std::vector<BufferLife>> buffers;       ///< by stage
    std::vector<std::vector<ConstantHolder>> constants; ///< by stage
};

struct MemoryReport {
    double capacityBytes = 0;
    double peakBytes = 0; ///< what the device would report, largest over ranks
    double allocatedPeakBytes = 0;
    double reservedPeakBytes = 0;
    std::vector<StageMemory> stages;
    MemoryDetail detail;
};

/// What forward keeps for backward, without what only the running operator needs: the papers' "activation memory".
struct StoredActivations {
    double layerBytes = 0;              ///< of one layer and micro-batch; the mean over the model's layers
    std::vector<double> stagePeakBytes; ///< by stage: the most that is kept at any one moment
};

} // namespace orrery
