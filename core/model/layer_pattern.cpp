// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/layer_pattern.hpp"

#include <algorithm>

namespace orrery {

void setLayers(Architecture& a, const LayerList& layers) {
    a.kinds.clear();
    a.kindByLayer.clear();
    for (const LayerKind& layer : layers) {
        auto known = std::find(a.kinds.begin(), a.kinds.end(), layer);
        if (known == a.kinds.end()) known = a.kinds.insert(known, layer);
        a.kindByLayer.push_back(static_cast<std::uint32_t>(known - a.kinds.begin()));
    }
    if (a.kinds.size() == 1) a.kindByLayer.clear();
}

} // namespace orrery
