// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace orrery {

/// A value's origin as the catalogue files state it.
struct Citation {
    std::string source;                  ///< free text: data sheet, repository and commit
    std::string url;                     ///< may be empty
    std::vector<std::string> fromMemory; ///< fields no source was seen for
};

} // namespace orrery
