// SPDX-License-Identifier: GPL-3.0-or-later
// What documents say of files is true: a path that they name is there, each wing says what it is, and the tour stays short.
#include "tests/core/house/build_files.hpp"
#include "tests/support/folders.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace orrery::test {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Words between back quotes that are a path or the name of a source.
std::vector<std::string> namedFiles(const std::string& text) {
    std::vector<std::string> named;
    for (std::size_t open = text.find('`'); open != std::string::npos;) {
        const std::size_t close = text.find('`', open + 1);
        if (close == std::string::npos) break;
        const std::string word = text.substr(open + 1, close - open - 1);
        if (word.find_first_of(" \n<>*{}()=:") == std::string::npos)
            for (const std::string_view begin : {"core/", "widgets/", "app/", "tests/", "resources/", "packaging/"})
                if (word.starts_with(begin)) named.push_back(word);
        if (word.find('/') == std::string::npos && word.find('*') == std::string::npos && (word.ends_with(".cpp") || word.ends_with(".hpp"))) named.push_back(word);
        open = text.find('`', close + 1);
    }
    return named;
}

/// Those that no file, folder or source with a header is called.
std::vector<std::string> missing(const std::vector<std::string>& named, const std::set<std::string>& fileNames) {
    std::vector<std::string> lacking;
    for (const std::string& word : named) {
        const bool isPath = word.find('/') != std::string::npos;
        const fs::path path = sourcePath(word);
        const bool isThere = isPath ? fs::exists(path) || fs::exists(path.string() + ".hpp") || fs::exists(path.string() + ".cpp") : fileNames.contains(word);
        if (!isThere) lacking.push_back(word);
    }
    return lacking;
}

std::vector<fs::path> documents() {
    std::vector<fs::path> found;
    for (const char* name : {"ARCHITECTURE.md", "RECIPES.md", "widgets/README.md", "app/README.md"}) found.emplace_back(sourcePath(name));
    for (const auto& wing : fs::directory_iterator(sourcePath("core")))
        if (wing.is_directory()) found.push_back(wing.path() / "README.md");
    return found;
}

TEST(Documents, NameFilesThatAreThere) {
    std::set<std::string> fileNames;
    for (const auto& [path, text] : readSourceTree(sourcePath(""), {"app", "core", "resources", "tests", "widgets"})) fileNames.insert(fs::path(path).filename().string());
    std::size_t words = 0;
    for (const fs::path& document : documents()) {
        const auto named = namedFiles(textOf(document));
        words += named.size();
        for (const std::string& lacking : missing(named, fileNames)) ADD_FAILURE() << document << " names `" << lacking << "`, which is not there.";
    }
    EXPECT_GT(words, 250u);
}

TEST(Documents, EachWingSaysWhatComesInAndOutAndWhereToBegin) {
    std::size_t wings = 0;
    for (const auto& wing : fs::directory_iterator(sourcePath("core"))) {
        if (!wing.is_directory()) continue;
        ++wings;
        const std::string text = textOf(wing.path() / "README.md");
        for (const char* line : {"- Comes in: ", "- Goes out: ", "- Read first: "}) EXPECT_NE(text.find(line), std::string::npos) << wing.path() << ": README.md lacks \"" << line << "\".";
    }
    EXPECT_LE(wings, 16u) << "About a dozen rooms can be kept in mind.";
}

TEST(Documents, TheTourIsShort) {
    std::istringstream words(textOf(sourcePath("ARCHITECTURE.md")));
    EXPECT_LE(std::distance(std::istream_iterator<std::string>(words), {}), 1500);
}

TEST(Documents, AreMissedWhereTheyNameWhatIsGone) {
    EXPECT_EQ(missing(namedFiles("See `core/base/text.hpp`, `core/base/gone.hpp`, `gone_too.cpp`, `some words`."), {"text.hpp"}),
              (std::vector<std::string>{"core/base/gone.hpp", "gone_too.cpp"}));
}

} // namespace
} // namespace orrery::test
