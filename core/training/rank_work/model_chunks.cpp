// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/rank_work/model_chunks.hpp"

namespace orrery {

ModelChunks::ModelChunks(const Scenario& scenario, const RankWork& work, const Placement& placement) {
    const int chunks = placement.modelChunks();
    for (int chunk = 0, layer = 0; chunk < chunks; ++chunk) {
        std::vector<Unit>& units = units_.emplace_back();
        if (chunk == 0) units.push_back({&work.embedding, -1});
        for (int end = layer + scenario.parallelism.layout[static_cast<std::size_t>(chunk)]; layer < end; ++layer)
            units.push_back({&work.layer(layer), layer});
        if (chunk != chunks - 1) continue;
        for (std::int64_t i = 0; work.nextToken && i < scenario.model.nextTokenModules; ++i)
            units.push_back({&*work.nextToken, static_cast<int>(scenario.model.layers + i)});
        units.push_back({&work.head, -1});
    }
    held_.resize(static_cast<std::size_t>(placement.stages));
    for (std::vector<int>& held : held_) held.resize(static_cast<std::size_t>(placement.chunksPerStage));
    // DualPipe has two ways; the last micro-batch goes the second.
    for (const int microBatch : {0, placement.microBatches - 1})
        for (int chunk = 0; chunk < chunks; ++chunk)
            held_[static_cast<std::size_t>(placement.stageOf(chunk, microBatch))][static_cast<std::size_t>(placement.slotOf(chunk, microBatch))] = chunk;
}

double ModelChunks::sumOver(int stage, double PieceWork::*what) const {
    double sum = 0;
    for (const int chunk : heldBy(stage))
        for (const Unit& unit : units(chunk)) sum += unit.piece->*what;
    return sum;
}

} // namespace orrery
