// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace orrery {

/// The number that four hexadecimal digits stand for; nothing where there are no four before `end`.
inline std::optional<std::uint32_t> fourHexDigits(const char* at, const char* end) {
    constexpr int digits = 4, letters = 10;
    if (end - at < digits) return std::nullopt;
    std::uint32_t number = 0;
    for (int i = 0; i < digits; ++i) {
        const char c = *at++;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + letters
                                                       : c >= 'A' && c <= 'F'   ? c - 'A' + letters
                                                                                : -1;
        if (digit < 0) return std::nullopt;
        number = number * 16 + static_cast<std::uint32_t>(digit);
    }
    return number;
}

/// Whether the number is the first, or the second, half of a letter beyond 16 bits.
inline bool isFirstHalf(std::uint32_t number) { return number >= 0xD800 && number <= 0xDBFF; }
inline bool isSecondHalf(std::uint32_t number) { return number >= 0xDC00 && number <= 0xDFFF; }
inline std::uint32_t joinedHalves(std::uint32_t first, std::uint32_t second) { return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00); }

/// Adds a letter by its number, as UTF-8.
inline void addLetter(std::string& text, std::uint32_t letter) {
    const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (letter < 0x80) return add(letter);
    if (letter < 0x800) add(0xC0 | letter >> 6);
    else if (letter < 0x10000) {
        add(0xE0 | letter >> 12);
        add(0x80 | (letter >> 6 & 0x3F));
    } else {
        add(0xF0 | letter >> 18);
        add(0x80 | (letter >> 12 & 0x3F));
        add(0x80 | (letter >> 6 & 0x3F));
    }
    add(0x80 | (letter & 0x3F));
}

} // namespace orrery
