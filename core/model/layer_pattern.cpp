// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/layer_pattern.hpp"

#include <algorithm>
#include <optional>

namespace orrery {
namespace {

std::optional<AttentionReach> reachOf(const std::string& layerType) {
    if (layerType == "full_attention") return AttentionReach::all;
    if (layerType == "sliding_attention") return AttentionReach::window;
    if (layerType == "chunked_attention") return AttentionReach::chunk;
    return std::nullopt;
}

void setReach(LayerKind& layer, AttentionReach reach, std::int64_t span) {
    layer.reach = reach;
    layer.span = reach == AttentionReach::all ? 0 : span;
}

} // namespace

void limitReach(const ConfigReader& config, LayerList& layers, AttentionReach limited, std::int64_t span, std::int64_t fullEvery) {
    if (!config.has({"layer_types"})) {
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const bool full = span == 0 || (fullEvery > 0 && (static_cast<std::int64_t>(i) + 1) % fullEvery == 0);
            setReach(layers[i], full ? AttentionReach::all : limited, span);
        }
        return;
    }
    const std::optional<std::vector<std::string>> listed = config.texts({"layer_types"});
    if (!listed) return;
    const std::vector<std::string>& types = *listed;
    if (types.size() != layers.size()) {
        config.fail("list-length", "layer_types",
                    "The config's `layer_types` names " + std::to_string(types.size()) + " layers, but the model has " +
                        std::to_string(layers.size()) + ".",
                    "Give one type for each layer.");
        return;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
        const std::optional<AttentionReach> reach = reachOf(types[i]);
        if (!reach) {
            config.fail("unsupported-layer", "layer_types/" + std::to_string(i),
                        "Layers of type `" + types[i] + "` can't be simulated yet.",
                        "Choose a model whose layers are of the types full_attention, sliding_attention and chunked_attention.");
            return;
        }
        if (*reach != AttentionReach::all && span == 0) {
            config.missing(*reach == AttentionReach::window ? "sliding_window" : "attention_chunk_size");
            return;
        }
        setReach(layers[i], *reach, span);
    }
}

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
