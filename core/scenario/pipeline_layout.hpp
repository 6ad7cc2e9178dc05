// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
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
/// `fillBefore`: the framework fills chunks from the front instead of the last rule, and so many modules (multi-token prediction)
/// follow the layers on the last chunk, each as long as a layer, as does the loss.
PipelineLayout defaultPipelineLayout(std::int64_t layers, std::int64_t chunks, std::optional<std::int64_t> fillBefore = std::nullopt);

} // namespace orrery
