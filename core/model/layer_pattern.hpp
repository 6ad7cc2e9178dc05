// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// What each of a model's layers is, before equal ones are put together.
using LayerList = std::vector<LayerKind>;

inline LayerList sameLayers(const Architecture& a, const LayerKind& kind = {}) {
    return LayerList(static_cast<std::size_t>(a.layers), kind);
}

/// Puts experts into the layers for which `hasExperts(index)` holds.
template <class HasExperts> void placeExperts(LayerList& layers, HasExperts hasExperts) {
    for (std::size_t i = 0; i < layers.size(); ++i) layers[i].experts = hasExperts(static_cast<std::int64_t>(i));
}

/// Sets `kinds` and `kindByLayer`.
void setLayers(Architecture& a, const LayerList& layers);

} // namespace orrery
