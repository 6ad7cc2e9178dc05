// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <vector>

namespace orrery {

/// A layer, the embedding or the head of one chunk, one after the other on the compute stream.
struct Unit {
    const PieceWork* piece = nullptr;
    int layer = -1; ///< in the model; -1 for embedding and head
};

/// The model's chunks as the stages of a pipeline hold them. Refers to the work it was made of.
class ModelChunks {
public:
    ModelChunks(const Scenario& scenario, const RankWork& work, const Placement& placement);

    /// In the order in which a forward runs them.
    const std::vector<Unit>& units(int chunk) const { return units_[static_cast<std::size_t>(chunk)]; }
    int count() const { return static_cast<int>(units_.size()); }
    /// By slot; DualPipe's stages hold the chunks of both ways.
    const std::vector<int>& heldBy(int stage) const { return held_[static_cast<std::size_t>(stage)]; }
    /// Over all chunks of a stage.
    double sumOver(int stage, double PieceWork::*what) const;

private:
    std::vector<std::vector<Unit>> units_; ///< by chunk of the model
    std::vector<std::vector<int>> held_;
};

} // namespace orrery
