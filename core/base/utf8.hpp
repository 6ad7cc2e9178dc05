// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

/// Bytes of the well-formed UTF-8 sequence at `at` (1 to 4), or 0 when there is none (overlong forms, surrogates and
/// code points above U+10FFFF are not well-formed).
std::size_t utf8SequenceLength(std::string_view text, std::size_t at);

/// Appends a Unicode scalar value.
void appendUtf8(std::string& text, std::uint32_t code);

/// A place in a text, both from 1. Columns count characters, not bytes.
struct TextPlace {
    int line = 1;
    int column = 1;
};

TextPlace placeAt(std::string_view text, std::size_t byteOffset);

} // namespace orrery
