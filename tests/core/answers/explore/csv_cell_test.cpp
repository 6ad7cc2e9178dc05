// SPDX-License-Identifier: GPL-3.0-or-later
// Cells that a spreadsheet would take for formulas, and files that a scenario names.
#include "core/answers/explore/plain_table.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/named_files.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(CsvCells, TextsThatBeginAFormulaAreQuoted) {
    for (const char* text : {"=1+1", "=HYPERLINK(\"http://x\")", "+1+1", "@SUM(1)", "-2+3", "\t=1", "\r=1", " =1", "=cmd|' /C calc'!A0"}) {
        const std::string cell = csvCell(text);
        EXPECT_TRUE(cell.starts_with("\"'") && cell.ends_with("\"")) << cell;
        EXPECT_EQ(csvWithoutFormulas(cell + "," + std::string("x\n")), cell + ",x\n") << "written again it stays as it is";
    }
    for (const char* text : {"-2.5", "+3", "-1e-9", "llama-3-8b", "a=b", "", "-inf"}) EXPECT_EQ(csvCell(text), text);
    EXPECT_EQ(csvCell("a,\"b\""), "\"a,\"\"b\"\"\"");
}

TEST(CsvCells, OfATableAndOfAWholeFile) {
    EXPECT_EQ(csvText({"", {{std::string("=1+1"), -2.5}}}), "\"'=1+1\",-2.5\n");
    EXPECT_EQ(csvWithoutFormulas("name,x\n\"@a,b\",-1\nplain,\"two\nlines\"\n"), "name,x\n\"'@a,b\",-1\nplain,\"two\nlines\"\n");
    EXPECT_EQ(csvWithoutFormulas("=1"), "\"'=1\"");
    EXPECT_EQ(csvWithoutFormulas(""), "");
}

TEST(NamedFiles, AreFoundWhereverAScenarioMayNameThem) {
    const Json document = {{"name", "/etc/passwd"}, {"model", {{"config_file", "../config.json"}}}, {"workload", {{"requests", {{"file", "/var/log/x"}}}}}, {"beside", {{{"scenario", "a/../b.json"}}}}, {"hybrid", {{"ranks", {{"0", "r0.json"}}}}}, {"view", {{"file", "/etc/x"}}}};
    std::vector<std::string> outside, all;
    for (const NamedFile& file : namedFiles(document)) {
        all.push_back(file.path);
        if (leadsOutside(file.path)) outside.push_back(file.pointer);
    }
    EXPECT_EQ(all.size(), 4U);
    EXPECT_EQ(outside, (std::vector<std::string>{"/model/config_file", "/workload/requests/file"}));
    for (const char* path : {"/a", "..", "a/../../b", "C:\\x", "\\\\host\\x"}) EXPECT_TRUE(leadsOutside(path)) << path;
    for (const char* path : {"a", "./a", "a/../b", "a/b/../../c", "..a", ""}) EXPECT_FALSE(leadsOutside(path)) << path;
}

} // namespace
} // namespace orrery
