// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>

namespace orrery {

/// A step of a JSON pointer as a place in a list of `size`; nothing for what is no number or lies beyond it.
inline std::optional<std::size_t> placeIn(const std::string& token, std::size_t size) {
    std::size_t place = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), place);
    if (error != std::errc{} || end != token.data() + token.size() || place >= size) return std::nullopt;
    return place;
}

} // namespace orrery
