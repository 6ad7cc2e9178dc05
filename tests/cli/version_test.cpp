// SPDX-License-Identifier: GPL-3.0-or-later
// Which program it is stands once in the sources, and in everything that leaves the program.
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

namespace orrery {
namespace {

using namespace test;

std::string sourceText(const std::string& path) {
    std::ifstream file(sourcePath(path));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// What the first group matches first.
std::string found(const std::string& text, const std::string& pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : std::string("nothing");
}

std::string statedVersion() { return found(sourceText("CMakeLists.txt"), R"(project\(Orrery VERSION ([0-9.]+))"); }

/// A tool that everybody has computes it, not ours.
std::string sumOfCatalogue() {
    const ProcessResult sums = runProcess({"/bin/sh", "-c", "cd '" + sourcePath("resources/catalog") + "' && LC_ALL=C sha256sum * | sha256sum"});
    EXPECT_EQ(sums.status, 0) << sums.err;
    return sums.out.substr(0, 16);
}

TEST(Version, SaysVersionCommitAndTheCataloguesHash) {
    const std::string line = runCli({"--version"}).out;
    EXPECT_EQ(found(line, R"(^orrery-cli ([0-9.]+) \()"), statedVersion()) << line;
    EXPECT_EQ(found(line, R"(, catalogue ([0-9a-f]+)\)\n$)"), sumOfCatalogue()) << line;
    EXPECT_TRUE(std::regex_search(line, std::regex(R"(commit ([0-9a-f]{12}\+?|unknown),)"))) << line;
}

TEST(Version, IsTheSameInEveryFileThatStatesIt) {
    const std::string version = statedVersion(), date = found(sourceText("CITATION.cff"), "\ndate-released: ([0-9-]+)\n");
    EXPECT_EQ(found(sourceText("CITATION.cff"), "\nversion: ([0-9.]+)\n"), version);
    EXPECT_EQ(found(sourceText("CHANGELOG.md"), "\n## ([0-9.]+ – [0-9-]+)\n"), version + " – " + date);
    EXPECT_EQ(found(sourceText("packaging/org.orrery.Orrery.metainfo.xml"), "<release version=\"([^/]+)/>"), version + "\" date=\"" + date + "\"");
}

TEST(Version, StandsInWhatACommandPrints) {
    const ScratchFolder folder;
    const std::string file = folder.write("s.json", smallScenario().dump());
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"simulate", file, "--json"}, {"memory", file, "--json"}, {"sweep", file, "--vary", "/parallelism/tensor=1,2", "--json"}, {"compare", file, file, "--json"}}) {
        const Json document = printedBy(runCli(command));
        ASSERT_TRUE(document.contains("made_by")) << command[0];
        EXPECT_EQ(document["made_by"]["version"], statedVersion()) << command[0];
        EXPECT_EQ(document["made_by"]["catalogue"], sumOfCatalogue()) << command[0];
        EXPECT_TRUE(document["made_by"].contains("commit")) << command[0];
    }
}

TEST(Version, StandsInNoDocumentThatIsReadAsInput) {
    const ScratchFolder folder;
    const std::string script = folder.write("run.sh", "torchrun pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --micro-batch-size 4 --global-batch-size 64\n");
    const Json scenario = printedBy(runCli({"import", script}));
    EXPECT_EQ(scenario.value("format", ""), "orrery-scenario/1");
    EXPECT_FALSE(scenario.contains("made_by"));
    const Json error = printedBy(runCli({"simulate", folder.path("none.json"), "--json"}));
    EXPECT_EQ(error.size(), 2U) << error;
}

TEST(Version, StandsInTracesAndDatabases) {
    const ScratchFolder folder;
    const std::string file = folder.write("s.json", smallScenario().dump()), trace = folder.path("t.json"), database = folder.path("t.sqlite");
    ASSERT_EQ(runCli({"simulate", file, "--trace", trace}).status, 0);
    std::ifstream written(trace);
    const Json document = Json::parse(written);
    EXPECT_EQ(document["otherData"]["version"], statedVersion());
    EXPECT_FALSE(document["traceEvents"].empty());
    ASSERT_EQ(runCli({"trace", "export", file, "--sqlite", database}).status, 0);
    std::ifstream bytes(database, std::ios::binary);
    std::ostringstream whole;
    whole << bytes.rdbuf();
    EXPECT_NE(whole.str().find(sumOfCatalogue()), std::string::npos);
}

} // namespace
} // namespace orrery
