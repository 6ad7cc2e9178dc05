// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <cstdint>

namespace orrery {

/// What stages of one pipeline hold alike, two by two, and add up the gradients of.
enum class StagePairs : std::uint8_t {
    none,
    tied_embedding, ///< the first stage and the last share the word embedding (Narayanan et al. 2021, section 2.2)
    mirrored,       ///< DualPipe's stages hold the same chunks: the shards of them that ZeRO leaves to a rank
};

/// `twoWay`: micro-batches run through the stages both ways. The model's first chunk is on `firstStage`, its last on `lastStage`.
StagePairs stagePairs(const Scenario& scenario, bool twoWay, int firstStage, int lastStage);

/// Parameters of the word embedding on one tensor rank.
double wordEmbeddingElements(const Scenario& scenario);

} // namespace orrery
