// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/stage_memory/stage_memory.hpp"

#include <array>
#include <vector>

namespace orrery {

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
