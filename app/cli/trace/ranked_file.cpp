// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace/ranked_file.hpp"

#include <algorithm>
#include <charconv>

namespace orrery {

RankedFile rankedFile(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::int64_t rank = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + std::min(equals, text.size()), rank);
    if (equals == std::string::npos || wrong != std::errc() || end != text.data() + equals || rank < 0) return {text, std::nullopt};
    return {text.substr(equals + 1), rank};
}

} // namespace orrery
