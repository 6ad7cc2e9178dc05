// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/folders.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace orrery::test {

inline bool haveShared(std::string_view below) { return std::filesystem::exists(sharedPath(below)); }

/// On a continuous integration machine the reference data must be there; elsewhere a test may do without.
inline bool sharedDataIsRequired() {
    const char* value = std::getenv("CI");
    return value != nullptr && std::string_view(value) == "true";
}

/// The whole file; fails the test when it cannot be read.
inline std::string readWholeFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        ADD_FAILURE() << "cannot read " << path;
        return {};
    }
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

} // namespace orrery::test

/// Ends the test (in its own body, not in a helper) when the reference data is missing: skipped on a developer's
/// machine, failed where CI=true.
#define ORRERY_REQUIRE_SHARED(below)                                                            \
    do {                                                                                        \
        if (!::orrery::test::haveShared(below)) {                                               \
            if (::orrery::test::sharedDataIsRequired())                                         \
                FAIL() << "reference data is missing: " << ::orrery::test::sharedPath(below);   \
            GTEST_SKIP() << "reference data is missing: " << ::orrery::test::sharedPath(below); \
        }                                                                                       \
    } while (false)
