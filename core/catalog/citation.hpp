// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// A value's origin as the catalogue files state it.
struct Citation {
    std::string source;                  ///< free text: data sheet, repository and commit
    std::string url;                     ///< may be empty
    std::vector<std::string> fromMemory; ///< fields no source was seen for
};

/// Which measured runs a constant was fitted to.
enum class FittedOn : std::uint8_t {
    own,    ///< those of the same generation or profile
    others, ///< none of these: it is the middle of the other generations or profiles
};

} // namespace orrery
