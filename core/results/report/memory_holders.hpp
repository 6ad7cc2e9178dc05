// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <string>
#include <vector>

namespace orrery {

/// One holder of a rank's memory at a moment.
struct MemoryHolder {
    MemoryKind kind = MemoryKind::weights;
    std::string piece;         ///< "layer", "embedding", "head", "next_token"; empty: belongs to none
    std::string tensor;        ///< "context"; of weights, gradients and optimizer states their operator: "mlp.gate_up"
    int layer = -1;            ///< of the model; -1: none
    int microBatch = -1;       ///< -1: none
    double count = 1;          ///< tensors of this name, layer and micro-batch
    double bytes = 0;          ///< all of them
    std::string firstOperator; ///< that writes it; empty: it is there from the beginning
    std::string lastOperator;  ///< that needs it last; empty: it stays to the end
    double from = 0;           ///< s into the iteration: when its writer's turn comes
    double to = 0;             ///< when the turn of the next operator after the last that needs it comes
};

/// When the turn of each of a segment's `operators` comes, in s after its start: memory changes in their order of issue, so none
/// before those issued before it. `operators` are of Timeline::operators; the segment may hold others as well.
std::vector<double> operatorTurns(const Segment& segment, const std::vector<std::uint32_t>& operators);

/// The slot of a stage's work in which it runs operator `index` of its first pass (see `BufferLife`). A pair has one slot.
std::int32_t slotOf(const MemoryDetail& detail, const StageWork& work, std::size_t place, std::int32_t index);

/// Memory of a stage's rank at a moment by kind. Between the start and the end of a piece's work it is what the operator then
/// running needs; the result's samples are the highest of it over the piece. At a stage's `peakTime` it is the stage's account.
std::array<double, memoryKindCount> memoryAt(const Result& result, int stage, double time);

/// What holds that memory, down to the tensor: by kind as `MemoryKind` is ordered, then in model order. Sums by kind to
/// `memoryAt`. `time` in seconds from the iteration's start; outside of it nothing but what stays is alive. Empty for
/// recorded graphs, whose tensors the simulator has not planned.
std::vector<MemoryHolder> holdersAt(const Result& result, int stage, double time);

} // namespace orrery
