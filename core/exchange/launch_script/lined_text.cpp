// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/lined_text.hpp"

#include <algorithm>
#include <cstddef>

namespace orrery {

LinedText LinedText::ofFile(std::string_view text) {
    LinedText lined;
    int line = 1;
    for (char character : text) {
        if (character == '\r') continue; // pasted from elsewhere
        lined.append(character, line);
        if (character == '\n') ++line;
    }
    return lined;
}

LinedText LinedText::part(std::size_t from, std::size_t to) const {
    to = std::min(to, size());
    from = std::min(from, to);
    LinedText piece;
    piece.text_ = text_.substr(from, to - from);
    piece.lines_.assign(lines_.begin() + static_cast<std::ptrdiff_t>(from), lines_.begin() + static_cast<std::ptrdiff_t>(to));
    return piece;
}

} // namespace orrery
