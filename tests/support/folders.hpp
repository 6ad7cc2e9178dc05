// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace orrery::test {

/// A file or folder below the folder of measured reference data.
std::string sharedPath(std::string_view below);

/// A file or folder of the project itself: "resources/examples".
std::string sourcePath(std::string_view below);

} // namespace orrery::test
