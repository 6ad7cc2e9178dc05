// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/pipeline_layout.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Full chunks from the front; the last has what remains beside the loss and `after` modules that follow the layers. Where that
/// is less than nothing, the first gives.
PipelineLayout fullChunksFirst(std::int64_t layers, std::int64_t chunks, std::int64_t after) {
    const std::int64_t each = (layers + after + 1 + chunks - 1) / chunks;
    PipelineLayout layout{std::vector<int>(static_cast<std::size_t>(chunks), static_cast<int>(each)), ""};
    const std::int64_t last = layers - each * (chunks - 1);
    layout.layers.back() = static_cast<int>(std::max<std::int64_t>(0, last));
    for (std::size_t i = 0, lacking = static_cast<std::size_t>(std::max<std::int64_t>(0, -last)); i < layout.layers.size() && lacking > 0; ++i)
        for (; lacking > 0 && layout.layers[i] > 1; --lacking) --layout.layers[i];
    return layout;
}

} // namespace

PipelineLayout defaultPipelineLayout(std::int64_t layers, std::int64_t chunks, std::optional<std::int64_t> fillBefore) {
    const auto size = static_cast<std::size_t>(chunks);
    const auto divided = [&](std::int64_t count) { return std::vector<int>(size, static_cast<int>(count / chunks)); };
    const std::string numbers = counted(layers, "layer") + " over " + counted(chunks, "chunk");
    if (layers % chunks == 0) return {divided(layers), numbers + ": even"};
    if ((layers + 2) % chunks == 0) {
        PipelineLayout layout{divided(layers + 2), numbers + ": embedding and loss count as a layer each"};
        --layout.layers.front();
        --layout.layers.back();
        return layout;
    }
    if (fillBefore && layers > chunks) {
        PipelineLayout layout = fullChunksFirst(layers, chunks, *fillBefore);
        layout.why = numbers + ": full chunks, the last with what remains beside the loss";
        return layout;
    }
    PipelineLayout layout{divided(layers), ""};
    const std::int64_t spare = layers % chunks;
    const std::int64_t first = (chunks - spare) / 2;
    for (std::int64_t i = first; i < first + spare; ++i) ++layout.layers[static_cast<std::size_t>(i)];
    layout.why = numbers + ": the " + counted(spare, "spare layer") + " go one each to the middle chunks";
    return layout;
}

} // namespace orrery
