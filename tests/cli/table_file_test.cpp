// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as files: what is written is what programs that open them read back.
#include "app/common/table_file.hpp"
#include "tests/support/workbook_cells.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

PlainTable mixed() {
    PlainTable table{"Points & plans", {}};
    table.rows.push_back({std::string("/parallelism/tensor"), std::string("mfu"), std::string("fits")});
    table.rows.push_back({8.0, 0.1 + 0.2, true});
    table.rows.push_back({std::string("a,b"), PlainCell(), false});
    table.rows.push_back({std::string("=1+1"), 1e-300, std::string("3 does not divide 8, <so> \"none\".")});
    return table;
}

TEST(TableFile, AWorkbookReadsBackCellByCell) {
    std::string error;
    const auto bytes = tableBytes(TableFormat::xlsx, {mixed(), {"Not simulated", {{std::string("rule")}, {std::string("unfit")}}}}, error);
    ASSERT_TRUE(bytes) << error;
    const std::vector<test::ReadSheet> sheets = test::readWorkbook(*bytes);
    ASSERT_EQ(sheets.size(), 2U);
    EXPECT_EQ(sheets[0].name, "Points & plans");
    EXPECT_EQ(sheets[1].name, "Not simulated");
    auto cells = sheets[0].cells;
    EXPECT_EQ(cells["A1"], "\"/parallelism/tensor\"");
    EXPECT_EQ(cells["A2"], "8");
    EXPECT_NEAR(std::stod(cells["B2"]), 0.3, 1e-15);
    EXPECT_EQ(cells["C2"], "TRUE");
    EXPECT_EQ(cells["C3"], "FALSE");
    EXPECT_FALSE(cells.contains("B3")) << "what is not known is an empty cell";
    EXPECT_EQ(cells["A4"], "\"=1+1\"") << "a text is never a formula";
    EXPECT_EQ(cells["C4"], "\"3 does not divide 8, <so> \"none\".\"");
    EXPECT_EQ(sheets[1].cells.at("A2"), "\"unfit\"");
}

TEST(TableFile, TheSameTablesAreTheSameBytes) {
    std::string error;
    EXPECT_EQ(tableBytes(TableFormat::xlsx, {mixed()}, error), tableBytes(TableFormat::xlsx, {mixed()}, error));
    EXPECT_EQ(tableBytes(TableFormat::csv, {mixed()}, error), "/parallelism/tensor,mfu,fits\n8,0.30000000000000004,true\n\"a,b\",,false\n\"'=1+1\",1e-300,\"3 does not divide 8, <so> \"\"none\"\".\"\n");
}

TEST(TableFile, MoreRowsThanASheetHoldsAreRefusedBeforeAnyIsWritten) {
    PlainTable table{"Points", std::vector<std::vector<PlainCell>>(1048577)};
    std::string error;
    EXPECT_FALSE(tableBytes(TableFormat::xlsx, {table}, error));
    EXPECT_NE(error.find("1048576 rows"), std::string::npos) << error;
}

TEST(TableFile, TheEndingSaysTheFormat) {
    EXPECT_EQ(tableFormatOf("a/b.xlsx"), TableFormat::xlsx);
    EXPECT_EQ(tableFormatOf("B.CSV"), TableFormat::csv);
    for (const char* name : {"points", "points.xls", "points.csv.gz", ".xlsx"}) EXPECT_FALSE(tableFormatOf(name)) << name;
}

} // namespace
} // namespace orrery
