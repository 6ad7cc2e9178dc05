// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/stage_memory/stage_memory.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace orrery {

/// Peaks of an allocator that has run over some work.
struct AllocatorRun {
    double allocated = 0, reserved = 0;
};

/// Runs PyTorch's allocator over a stage's work: every tensor and every buffer. `capacity` in bytes, 0: no limit; nothing when the device
/// has not enough.
std::optional<AllocatorRun> replayAllocator(const Scenario& scenario, const RankWork& work, const ModelChunks& chunks, int stage,
                                            const std::vector<PlacedWork>& order, double capacity);

/// What PyTorch's caching allocator reserves beyond what is allocated, found by running it (core/training/memory/caching_allocator.hpp) over a
/// stage cut short: of equal layers in a row two stand for all, one or two micro-batches for those in flight. What the rest keeps
/// has the same sizes, and takes blocks of just its size; holes come from what is freed within a layer, the head and the embedding.
class FragmentationModel {
public:
    FragmentationModel(const Scenario& scenario, const RankWork& work, const ModelChunks& chunks)
        : scenario_(scenario), work_(work), chunks_(chunks) {}

    /// Bytes for a stage that holds `inFlight` micro-batches at most. `room`: what the device has left beyond what is allocated; when
    /// that is less, cached memory is given back as the allocator does, as far as it can be.
    double bytes(int stage, int inFlight, double room);

private:
    std::vector<PlacedWork> shortened(int stage, int inFlight) const;
    double gatherBlock(int stage, const std::vector<const PieceWork*>& pieces) const;
    double outrunBlocks(int stage) const;

    const Scenario& scenario_;
    const RankWork& work_;
    const ModelChunks& chunks_;
    std::map<std::pair<std::vector<const PieceWork*>, int>, AllocatorRun> known_; ///< without a limit, by pieces and micro-batches
};

} // namespace orrery
