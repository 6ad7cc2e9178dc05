// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/torchtitan_parts.hpp"

#include <algorithm>

namespace orrery {

std::optional<std::vector<std::int64_t>> torchtitanParts(const std::string& text, std::int64_t layers) {
    std::vector<std::int64_t> parts;
    std::int64_t all = 0;
    int depth = 0;
    const bool listOfLists = text.find("[[") != std::string::npos || text.find("[ [") != std::string::npos;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[' && ++depth == (listOfLists ? 2 : 1)) parts.push_back(0);
        if (text[i] == ']') --depth;
        if (text.compare(i, 7, "layers.") != 0 || parts.empty()) continue;
        ++parts.back();
        ++all;
    }
    return all == layers && all > 0 ? std::optional(parts) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> torchtitanLayout(std::int64_t layers, std::int64_t chunks, std::int64_t before, std::int64_t behind) {
    constexpr std::int64_t mostChunks = 100'000;
    if (layers < 1 || chunks < 2 || chunks > mostChunks || before > layers || behind > layers) return std::nullopt;
    const std::int64_t counted = layers + before + behind, each = counted / chunks, over = counted % chunks;
    if (before > each || behind > each) return std::nullopt;
    std::vector<std::int64_t> layout;
    for (std::int64_t i = 0; i < chunks; ++i) layout.push_back(each + (i < over ? 1 : 0) - (i == 0 ? before : 0) - (i + 1 == chunks ? behind : 0));
    const bool even = std::all_of(layout.begin(), layout.end(), [&](std::int64_t one) { return one == layout.front(); });
    return even ? std::nullopt : std::optional(layout);
}

} // namespace orrery
