// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/model/config_reader.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// What each of a model's layers is, before equal ones are put together.
using LayerList = std::vector<LayerKind>;

inline LayerList sameLayers(const Architecture& a, const LayerKind& kind = {}) {
    return LayerList(static_cast<std::size_t>(a.layers), kind);
}

/// Attention by layer: from the config's `layer_types` where it has them, else full in every `fullEvery`-th layer (0: in none)
/// and limited in the others. `span` is the window's or chunk's length. Types of layers that aren't known become problems.
void limitReach(const ConfigReader& config, LayerList& layers, AttentionReach limited, std::int64_t span, std::int64_t fullEvery);

/// Puts experts into the layers for which `hasExperts(index)` holds.
template <class HasExperts> void placeExperts(LayerList& layers, HasExperts hasExperts) {
    for (std::size_t i = 0; i < layers.size(); ++i) layers[i].experts = hasExperts(static_cast<std::int64_t>(i));
}

/// Sets `kinds` and `kindByLayer`.
void setLayers(Architecture& a, const LayerList& layers);

} // namespace orrery
