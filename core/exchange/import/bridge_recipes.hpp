// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery {

/// What a recipe of Megatron-Bridge sets beside its model and its number format.
struct BridgeRecipe {
    std::string_view name;  ///< "llama3_8b_pretrain_2gpu_h100_bf16"
    std::string_view older; ///< its name before release 26.06, "llama3_8b_pretrain"; empty: none
    std::string_view model; ///< as on Hugging Face, without the publisher
    std::int64_t accelerators;
    std::int64_t tensor, pipeline, chunks, context, expert, expertTensor; ///< 0: the program's own
    bool sequence;
    std::int64_t length, micro, global;
    std::string_view recompute; ///< "full" (every layer), modules between commas, or empty
};

/// The recipe of that name, with or without `_config` behind it; nullptr: none of these.
const BridgeRecipe* bridgeRecipe(std::string_view name);

} // namespace orrery
