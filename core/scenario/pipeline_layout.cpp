#include "core/scenario/pipeline_layout.hpp"

#include "core/base/text.hpp"

namespace orrery {

PipelineLayout defaultPipelineLayout(std::int64_t layers, std::int64_t chunks) {
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
    PipelineLayout layout{divided(layers), ""};
    const std::int64_t spare = layers % chunks;
    const std::int64_t first = (chunks - spare) / 2;
    for (std::int64_t i = first; i < first + spare; ++i) ++layout.layers[static_cast<std::size_t>(i)];
    layout.why = numbers + ": the " + counted(spare, "spare layer") + " go one each to the middle chunks";
    return layout;
}

} // namespace orrery
