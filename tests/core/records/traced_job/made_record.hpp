// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"

#include <cstdint>
#include <string>

namespace orrery::test {

/// A decoder whose training or prompt is recorded.
struct MadeDecoder {
    std::int64_t layers = 2, hidden = 64, heads = 4, kvHeads = 2, headDim = 16, ffn = 96, vocabulary = 1000;
    std::int64_t batch = 2, tokens = 32, microBatches = 1;
    bool gated = true, fusedQueries = false, queryBias = false;
    bool training = true, recomputed = false, layerNorm = false;
    std::int64_t positions = 0; ///< rows of a learned table
    Json distributed = {{"backend", "nccl"}, {"rank", 0}, {"world_size", 1}};
    std::string device = "NVIDIA H100 80GB HBM3";
    int devices = 1;
    bool reducesGradients = false; ///< an all-reduce at the end of the backward
    bool reducesInForward = false; ///< an all-reduce in every layer
};

/// What PyTorch's profiler would have written of it: operators with shapes, launches, kernels one after another; from the published structure of a decoder, not from Orrery's.
Json madeRecord(const MadeDecoder& decoder);

} // namespace orrery::test
