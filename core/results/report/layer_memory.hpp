// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <array>
#include <string>
#include <vector>

namespace orrery {

/// What a rank holds of one layer, of the embedding or of the head, when the stage that they lie on holds most.
struct LayerMemory {
    std::string piece; ///< "embedding", "layer", "next_token", "head"
    int layer = -1;    ///< of the model; -1: no layer
    int stage = 0;
    std::array<double, memoryKindCount> bytes{};

    double total() const;
};

/// Every layer of the model in its order, by kind: states, and of all micro-batches under way what forward keeps and what is at work. A tied
/// embedding stands once for each stage that holds it. With what belongs to no layer (communicators, software, what the allocator loses) they sum
/// to a stage's peak. Empty where the simulator has planned no tensors: recorded graphs, and engines, which serve from one account.
std::vector<LayerMemory> memoryByLayer(const Result& result);

} // namespace orrery
