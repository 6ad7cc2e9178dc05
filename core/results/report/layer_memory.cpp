// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/layer_memory.hpp"

#include "core/results/report/memory_holders.hpp"

#include <map>
#include <numeric>
#include <tuple>

namespace orrery {
namespace {

int placeOf(const std::string& piece) {
    if (piece == "embedding") return 0;
    if (piece == "layer") return 1;
    return piece == "head" ? 3 : 2;
}

} // namespace

double LayerMemory::total() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

std::vector<LayerMemory> memoryByLayer(const Result& result) {
    std::map<std::tuple<int, int, int, std::string>, LayerMemory> layers; // in the model's order
    for (const StageMemory& stage : result.memory.stages)
        for (const MemoryHolder& holder : holdersAt(result, stage.stage, stage.peakTime)) {
            if (holder.piece.empty()) continue;
            LayerMemory& layer = layers[{placeOf(holder.piece), holder.layer, stage.stage, holder.piece}];
            layer.piece = holder.piece;
            layer.layer = holder.layer;
            layer.stage = stage.stage;
            layer.bytes[static_cast<std::size_t>(holder.kind)] += holder.bytes;
        }
    std::vector<LayerMemory> list;
    for (auto& [key, layer] : layers) list.push_back(std::move(layer));
    return list;
}

} // namespace orrery
