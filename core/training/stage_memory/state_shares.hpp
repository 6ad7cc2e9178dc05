// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/rank_work/rank_work.hpp"

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

} // namespace orrery
