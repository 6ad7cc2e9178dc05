// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/folders.hpp"

namespace orrery::test {

std::string sharedPath(std::string_view below) { return std::string(ORRERY_SHARED_DIR "/").append(below); }

std::string sourcePath(std::string_view below) { return std::string(ORRERY_SOURCE_DIR "/").append(below); }

} // namespace orrery::test
