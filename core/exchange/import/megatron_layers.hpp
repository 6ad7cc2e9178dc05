// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/import/scenario_draft.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Megatron-LM's texts for layers: patterns of a hybrid model, and which layers a stage holds.

namespace orrery {

/// What a hybrid pattern of attention and feed-forward layers alone says: each pair is a transformer layer.
struct HybridLayers {
    std::vector<bool> experts;               ///< a layer has them
    std::vector<std::int64_t> layersOfStage; ///< between `|`; empty: the pattern says none
    std::int64_t nextTokenModules = 0;       ///< patterns behind `/`
    bool latent = false;                     ///< its attention is multi-latent
};

/// Takes `--hybrid-layer-pattern` and its older forms. Nothing where none is given; nothing with an error that names the kinds of layers
/// where the pattern has some that can't be simulated.
std::optional<HybridLayers> takeHybridLayers(ScenarioDraft& draft, OptionList& options);

/// Transformer layers of each chunk in model order: "Et*3|(tt|)*29m|L", or Python's list of lists of "embedding", "decoder", "mtp", "loss".
/// Nothing where the text is neither, or longer than any plan.
struct ChunkLayers {
    std::vector<std::int64_t> layers;
    bool predictsInside = false; ///< next-token modules stand before the last chunk
};
std::optional<ChunkLayers> layersOfLayout(const std::string& text);

/// Python's list of 0 and 1, with sums and products: "([0]*3+[1]*58)". Nothing where it is none, or not one entry a layer.
std::optional<std::vector<bool>> layersMarked(const std::string& text, std::int64_t layers);

} // namespace orrery
