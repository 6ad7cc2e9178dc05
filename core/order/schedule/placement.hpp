// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace orrery {

/// How the model's chunks lie on the stages.
enum class PlacementKind : std::uint8_t {
    loop,    ///< chunk c on stage c mod p (Narayanan et al. 2021; one chunk a stage is the plain pipeline)
    vee,     ///< two chunks a stage, down and back up: c on stage c, then on stage 2p − 1 − c (Qi et al. 2023, ZB-V; V-Half, V-Min)
    two_way, ///< the model twice, once from either end (DualPipe): c on stage c for the first half of the micro-batches, on p − 1 − c for
             ///< the rest
};

struct Placement {
    PlacementKind kind = PlacementKind::loop;
    int stages = 1;
    int chunksPerStage = 1; ///< held by a stage: 2 for `vee` and `two_way`
    int microBatches = 1;   ///< of one iteration

    /// Chunks a micro-batch passes on its way forward.
    int modelChunks() const { return kind == PlacementKind::two_way ? stages : stages * chunksPerStage; }

    /// Where `chunk` of `microBatch` runs; both in range.
    int stageOf(int chunk, int microBatch) const {
        if (kind == PlacementKind::loop) return chunk % stages;
        if (kind == PlacementKind::vee) return chunk < stages ? chunk : 2 * stages - 1 - chunk;
        return entersLast(microBatch) ? stages - 1 - chunk : chunk;
    }

    /// Which of the chunks its stage holds this is, from 0.
    int slotOf(int chunk, int microBatch) const {
        return kind == PlacementKind::two_way ? static_cast<int>(entersLast(microBatch)) : chunk / stages;
    }

    /// Two-way: the micro-batch enters at the last stage. The first half of the numbers enter at stage 0.
    bool entersLast(int microBatch) const { return kind == PlacementKind::two_way && microBatch >= microBatches / 2; }

    /// The activations one micro-batch leaves in a chunk, as a part of those it leaves in a stage of the plain p-stage pipeline.
    double chunkShare() const { return static_cast<double>(stages) / modelChunks(); }

    friend bool operator==(const Placement&, const Placement&) = default;
};

} // namespace orrery
