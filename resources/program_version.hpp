// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// Which program this is, as one would cite it. Two builds of one commit say the same.
struct ProgramVersion {
    std::string_view version;   ///< of the release, as CMake's project() states it
    std::string_view commit;    ///< first twelve digits of git's, with '+' where sources differed from it; "unknown" outside a clone
    std::string_view catalogue; ///< first sixteen digits of what `cd resources/catalog && LC_ALL=C sha256sum * | sha256sum` prints
};

const ProgramVersion& programVersion();

/// "0.1.0 (commit 06a2d832e1f0, catalogue 93b1c02f5d7e8a64)"
std::string versionWords();

} // namespace orrery
