// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/manual/manual.hpp"
#include "core/base/json.hpp"
#include "resources/resources.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace orrery {
namespace {

using namespace test;

/// The pages as the program writes them, by file name, that of the commands among them.
const std::map<std::string, std::string>& writtenPages() {
    static const std::map<std::string, std::string> pages = [] {
        const ScratchFolder folder;
        EXPECT_EQ(runProcess({ORRERY_CLI, "manual", "--out", folder.path("pages")}).status, 0);
        std::map<std::string, std::string> read;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path("pages"))) {
            std::ifstream file(entry.path());
            std::ostringstream text;
            text << file.rdbuf();
            read[entry.path().filename().string()] = text.str();
        }
        return read;
    }();
    return pages;
}

struct CodeBlock {
    std::string language, text;
};

std::vector<CodeBlock> codeBlocks(const std::string& page) {
    std::vector<CodeBlock> blocks;
    std::istringstream lines(page);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("```", 0) == 0) {
            if (!inside) blocks.push_back({line.substr(3), ""});
            inside = !inside;
        } else if (inside) blocks.back().text += line + "\n";
    }
    EXPECT_FALSE(inside) << "a block of code does not end";
    return blocks;
}

std::string withoutCode(const std::string& page) {
    std::string words;
    std::istringstream lines(page);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("```", 0) == 0) inside = !inside;
        else if (!inside) words += line + "\n";
    }
    return words;
}

std::vector<std::string> headings(const std::string& page) {
    std::vector<std::string> found;
    std::istringstream lines(withoutCode(page));
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("#", 0) == 0) found.push_back(line.substr(line.find(' ') + 1));
    return found;
}

std::string withoutTicks(std::string heading) {
    heading.erase(std::remove(heading.begin(), heading.end(), '`'), heading.end());
    return heading;
}

bool hasHeading(const ManualPlace& place) {
    const auto page = writtenPages().find(place.page + ".md");
    if (page == writtenPages().end()) return false;
    for (const std::string& heading : headings(page->second))
        if (withoutTicks(heading) == place.heading) return true;
    return false;
}

/// Calls `seen` for every key of a JSON Schema, read here without our own table.
void forEachKey(const Json& schema, const std::string& at, const std::function<void(const std::string&)>& seen) {
    if (!schema.is_object()) return;
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, value] : properties.items()) {
        seen(at + "/" + key);
        forEachKey(value, at + "/" + key, seen);
    }
    for (const char* ways : {"oneOf", "anyOf", "allOf"})
        for (const Json& one : schema.value(ways, Json::array())) forEachKey(one, at, seen);
    for (const char* branch : {"then", "else"})
        if (schema.contains(branch)) forEachKey(schema[branch], at, seen);
    if (schema.contains("items")) forEachKey(schema["items"], at + "/0", seen);
    if (schema.contains("additionalProperties")) forEachKey(schema["additionalProperties"], at + "/some name", seen);
}

void forEachFigure(const Json& value, const std::string& at, const std::function<void(const std::string&)>& seen) {
    static const std::set<std::string> listed{"/format", "/made_by", "/assumed", "/warnings", "/explanations", "/passes"}; // say what they are in words
    if (listed.count(at) > 0) return;
    if (value.is_object())
        for (const auto& [key, member] : value.items()) forEachFigure(member, at + "/" + key, seen);
    else if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) forEachFigure(value[i], at + "/" + std::to_string(i), seen);
    else seen(at);
}

TEST(Manual, EveryKeyOfTheSchemaHasAnEntry) {
    const Json schema = Json::parse(runProcess({ORRERY_CLI, "schema"}).out);
    std::size_t keys = 0;
    forEachKey(schema, "", [&](const std::string& pointer) {
        ++keys;
        const auto place = placeOfKey(pointer);
        ASSERT_TRUE(place) << pointer;
        EXPECT_TRUE(hasHeading(*place)) << pointer << " is said to stand at " << place->page << ", " << place->heading;
        EXPECT_EQ(std::count(place->heading.begin(), place->heading.end(), '/'), std::count(pointer.begin(), pointer.end(), '/')) << pointer << " has no entry of its own, only " << place->heading;
    });
    EXPECT_GT(keys, 400U);
}

TEST(Manual, EveryFigureOfEveryExampleHasAnEntry) {
    std::set<std::string> unsaid;
    std::size_t figures = 0;
    for (const auto& entry : std::filesystem::directory_iterator(sourcePath("resources/examples"))) {
        const std::string path = entry.path().string();
        if (!path.ends_with(".orrery.json")) continue;
        const ProcessResult run = runProcess({ORRERY_CLI, "simulate", path, "--json"});
        const Json result = Json::parse(run.out, nullptr, false);
        ASSERT_FALSE(result.is_discarded()) << path << run.err;
        forEachFigure(result, "", [&](const std::string& pointer) {
            ++figures;
            const auto place = placeOfFigure(pointer);
            if (!place) unsaid.insert(pointer);
        });
    }
    EXPECT_GT(figures, 1000U);
    for (const std::string& pointer : unsaid) ADD_FAILURE() << pointer << " has no row in resources/manual/figures.json";
}

TEST(Manual, EveryFigureOfTheTableHasItsHeading) {
    const Json table = Json::parse(resourceText("manual/figures.json"));
    for (const Json& row : table["figures"]) EXPECT_TRUE(hasHeading({"figures", row["pointer"]})) << row["pointer"];
}

TEST(Manual, EveryLinkLeadsToAPageAndAHeading) {
    const std::regex link(R"(\]\(([^)]+)\))");
    std::size_t links = 0;
    for (const auto& [name, text] : writtenPages()) {
        const std::string words = withoutCode(text);
        for (std::sregex_iterator at(words.begin(), words.end(), link), end; at != end; ++at) {
            ++links;
            const std::string target = (*at)[1], page = target.substr(0, target.find('#'));
            ASSERT_EQ(writtenPages().count(page.empty() ? name : page), 1U) << name << " links to " << target;
            if (target.find('#') == std::string::npos) continue;
            std::set<std::string> slugs;
            for (const std::string& heading : headings(writtenPages().at(page.empty() ? name : page))) slugs.insert(slugOf(heading));
            EXPECT_EQ(slugs.count(target.substr(target.find('#') + 1)), 1U) << name << " links to " << target;
        }
    }
    EXPECT_GT(links, 30U);
}

TEST(Manual, EveryPageIsLinkedFromTheFirstOrFromOneBehindIt) {
    const std::regex link(R"(\]\(([^)#]+)[^)]*\))");
    std::set<std::string> reached{"index.md"};
    std::vector<std::string> open{"index.md"};
    while (!open.empty()) {
        const std::string text = writtenPages().at(open.back());
        open.pop_back();
        for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at)
            if (writtenPages().count((*at)[1]) > 0 && reached.insert((*at)[1]).second) open.push_back((*at)[1]);
    }
    for (const auto& [name, text] : writtenPages()) EXPECT_EQ(reached.count(name), 1U) << name;
}

TEST(Manual, EveryPanelHasAHeading) {
    std::ifstream file(sourcePath("app/desktop/frame/window_layout.cpp"));
    std::ostringstream text;
    text << file.rdbuf();
    const std::string source = text.str();
    std::set<std::string> slugs;
    for (const std::string& heading : headings(writtenPages().at("panels.md"))) slugs.insert(slugOf(heading));
    const std::regex panel("addPanel\\(\"([a-z]+)\"");
    std::size_t panels = 0;
    for (std::sregex_iterator at(source.begin(), source.end(), panel), end; at != end; ++at, ++panels) EXPECT_EQ(slugs.count((*at)[1]), 1U) << (*at)[1];
    EXPECT_GT(panels, 10U);
}

TEST(Manual, TopicsArePrintedAndUnknownOnesRefused) {
    EXPECT_NE(runProcess({ORRERY_CLI, "manual", "/workload/sequence_length"}).out.find("Tokens of one sequence"), std::string::npos);
    EXPECT_NE(runProcess({ORRERY_CLI, "manual", "/ttft_s/p99"}).out.find("Time to first token"), std::string::npos);
    EXPECT_NE(runProcess({ORRERY_CLI, "manual"}).out.find("figures"), std::string::npos);
    const ProcessResult wrong = runProcess({ORRERY_CLI, "manual", "sereve"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("\"serve\""), std::string::npos) << wrong.err;
    EXPECT_EQ(runProcess({ORRERY_CLI, "manual", "/no_such_thing"}).status, 2);
}

/// One page: its blocks run one after another in a folder that has the examples, as a reader would type them.
class ManualPageRuns : public testing::TestWithParam<std::string> {};

TEST_P(ManualPageRuns, ToTheEnd) {
    const ScratchFolder folder;
    const std::string place = folder.path("here");
    std::filesystem::create_directories(place + "/bin");
    std::filesystem::create_directory_symlink(sourcePath("resources/examples"), place + "/examples");
    std::filesystem::create_symlink(ORRERY_CLI, place + "/bin/orrery-cli");
#ifdef ORRERY_WINDOW
    std::filesystem::create_symlink(ORRERY_WINDOW, place + "/bin/orrery");
#endif
    int number = 0;
    for (const CodeBlock& block : codeBlocks(std::string(resourceText("manual/" + GetParam() + ".md")))) {
        ++number;
        if (block.language == "sh") {
            std::string script = "set -e\ncd '" + place + "'\nPATH=\"$PWD/bin:$PATH\"\n" + block.text;
#ifndef ORRERY_WINDOW
            script = std::regex_replace(script, std::regex("\n(orrery [^\n]*|orrery-cli reproduce [^\n]*)"), "\n# \\1"); // this build has no window
#endif
            const ProcessResult run = runProcess({"/bin/sh", "-c", script});
            EXPECT_EQ(run.status, 0) << GetParam() << ", block " << number << ":\n"
                                     << block.text << run.out.substr(0, 500) << run.err;
        } else if (block.language == "json") {
            const ProcessResult run = runProcess({ORRERY_CLI, "simulate", folder.write("scenario.json", block.text)});
            EXPECT_EQ(run.status, 0) << GetParam() << ", block " << number << ": " << run.err;
        } else if (block.language == "python") {
#ifdef ORRERY_PYTHON_FOLDER
            const std::string script = "set -e\ncd '" + place + "'\nPYTHONPATH='" ORRERY_PYTHON_FOLDER "' exec '" ORRERY_PYTHON "' -B '" + folder.write("block.py", block.text) + "'\n";
            const ProcessResult run = runProcess({"/bin/sh", "-c", script});
            EXPECT_EQ(run.status, 0) << GetParam() << ", block " << number << ":\n"
                                     << block.text << run.out.substr(0, 500) << run.err;
#endif
        } else {
            EXPECT_EQ(block.language, "text") << GetParam() << ", block " << number << " says not what it is";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Of, ManualPageRuns, testing::Values("index", "tour", "tour.zh", "plan", "serve", "compare", "records", "live", "machine", "teach", "report", "script", "panels", "assumptions"),
                         [](const testing::TestParamInfo<std::string>& page) { return std::regex_replace(page.param, std::regex("[^a-z]"), "_"); });

} // namespace
} // namespace orrery
