// SPDX-License-Identifier: GPL-3.0-or-later
// A test that no program is built of runs nowhere, and nobody misses it.
#include "tests/core/house/build_files.hpp"
#include "tests/support/folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery::test {
namespace {

/// Whether a build file says the path as a word of its own.
bool names(std::string_view buildFile, std::string_view path) {
    constexpr std::string_view ends = " \n\t()\"";
    for (std::size_t at = buildFile.find(path); at != std::string_view::npos; at = buildFile.find(path, at + 1)) {
        const std::size_t after = at + path.size();
        const bool begins = at == 0 || ends.find(buildFile[at - 1]) != std::string_view::npos;
        if (begins && (after == buildFile.size() || ends.find(buildFile[after]) != std::string_view::npos)) return true;
    }
    return false;
}

/// Tests that no CMakeLists.txt of their folder or of one above it names.
std::vector<std::string> unbuilt(const SourceTree& tree) {
    std::vector<std::string> found;
    for (const auto& [path, text] : tree) {
        if (!path.ends_with("_test.cpp")) continue;
        bool built = false;
        for (std::string folder = folderOf(path); !built && !folder.empty(); folder = folderOf(folder)) {
            const auto buildFile = tree.find(folder + "/CMakeLists.txt");
            built = buildFile != tree.end() && names(buildFile->second, path.substr(folder.size() + 1));
        }
        if (!built) found.push_back(path);
    }
    return found;
}

TEST(BuiltTests, AreAllThatLieInTheFolders) {
    const SourceTree tree = readSourceTree(sourcePath(""), {"tests"});
    const auto sources = std::count_if(tree.begin(), tree.end(), [](const auto& file) { return file.first.ends_with("_test.cpp"); });
    EXPECT_GT(sources, 200);
    for (const std::string& path : unbuilt(tree)) ADD_FAILURE() << path << " is in no CMakeLists.txt.";
}

TEST(BuiltTests, AreMissedWhereNoBuildFileNamesThem) {
    const SourceTree tree{{"tests/CMakeLists.txt", "add_executable(a core/one_test.cpp)\n"},
                          {"tests/core/one_test.cpp", ""},
                          {"tests/core/other_one_test.cpp", ""},
                          {"tests/cli/CMakeLists.txt", "add_executable(b two_test.cpp)\n"},
                          {"tests/cli/two_test.cpp", ""}};
    EXPECT_EQ(unbuilt(tree), std::vector<std::string>{"tests/core/other_one_test.cpp"});
}

} // namespace
} // namespace orrery::test
