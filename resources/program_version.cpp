// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/program_version.hpp"

namespace orrery {

std::string versionWords() {
    const ProgramVersion& is = programVersion();
    std::string words(is.version);
    words.append(" (commit ").append(is.commit).append(", catalogue ").append(is.catalogue).append(")");
    return words;
}

} // namespace orrery
