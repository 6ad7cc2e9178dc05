// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_memory/step_memory.hpp"

#include <algorithm>

namespace orrery {

ChunkMemory chunkMemory(const std::vector<Unit>& units) {
    ChunkMemory memory;
    for (std::size_t kind = 0; kind < memory.size(); ++kind) {
        UnitPass pass;
        pass.step.kind = static_cast<PassKind>(kind);
        PassMemory& sum = memory[kind];
        for (std::size_t i = 0; i < units.size(); ++i) {
            pass.unit = pass.isForward() ? &units[i] : &units[units.size() - 1 - i];
            const PieceMemory& piece = memoryOf(pass);
            sum.peak = i == 0 ? piece.peak : std::max(sum.peak, sum.change + piece.peak);
            sum.change += piece.change;
        }
    }
    return memory;
}

double peakOfSteps(const std::vector<PipelineStep>& steps, const std::vector<ChunkMemory>& chunks) {
    double kept = 0, peak = 0;
    for (const PipelineStep& step : steps) {
        const PassMemory& pass = chunks[static_cast<std::size_t>(step.chunk)][static_cast<std::size_t>(step.kind)];
        peak = std::max(peak, kept + pass.peak);
        kept += pass.change;
    }
    return peak;
}

} // namespace orrery
