#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// How many transformer layers each pipeline chunk holds, in model order.
struct PipelineLayout {
    std::vector<int> layers;
    std::string why; ///< which of the contract's rules gave it
};

/// The contract's layout for a scenario that gives none. With C chunks: even; if that does not divide, embedding and
/// loss count as a layer each (the first and last chunk hold one less); else the k spare layers go one each to the
/// chunks ⌊(C−k)/2⌋ onward, so that the ends, which also have the vocabulary's work, stay short.
/// Needs 1 ≤ chunks ≤ layers + 2; then only the first and the last chunk may be without a layer.
PipelineLayout defaultPipelineLayout(std::int64_t layers, std::int64_t chunks);

} // namespace orrery
