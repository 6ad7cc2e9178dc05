// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace orrery {
namespace {

/// A home of this test's own, so that nothing of a developer's stands in it and nothing is left behind.
class OwnMeasurements : public testing::Test {
protected:
    void SetUp() override { ::setenv("XDG_DATA_HOME", folder.path("data").c_str(), 1); }
    void TearDown() override { ::unsetenv("XDG_DATA_HOME"); }

    ScratchFolder folder;
};

Json operation(const Json& result, const std::string& kind, const std::string& phase) {
    for (const Json& row : result.at("operations"))
        if (row.at("kind") == kind && row.at("phase") == phase) return row;
    ADD_FAILURE() << "no " << kind;
    return {};
}

Json simulated() {
    const ProcessResult run = runCli({"simulate", test::sourcePath("resources/examples/llama-3-8b-dgx-h100.orrery.json"), "--json"});
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out);
}

TEST_F(OwnMeasurements, CountBeforeThePredictor) {
    const Json before = operation(simulated(), "mlp.down", "forward");
    EXPECT_EQ(before.at("source"), "predicted");

    // mlp.down of Llama-3-8B over one sequence of 8,192 tokens, as slow as nobody would predict.
    constexpr double measuredMicroseconds = 5000;
    std::ofstream(folder.path("gemm.csv")) << "dtype,m,n,k,latency_us\nbf16,8192,4096,14336," << measuredMicroseconds << "\n";
    const ProcessResult import = runCli({"operators", "import", folder.path("gemm.csv"), "--accelerator", "h100-sxm5-80gb"});
    ASSERT_EQ(import.status, 0) << import.err;

    const Json after = operation(simulated(), "mlp.down", "forward");
    EXPECT_EQ(after.at("source"), "measured");
    EXPECT_GT(after.at("time_s").get<double>(), 2 * before.at("time_s").get<double>());
    EXPECT_GE(after.at("time_s").get<double>(), after.at("count").get<double>() * measuredMicroseconds * 1e-6 * (1 - 1e-9));
}

TEST_F(OwnMeasurements, WhatIsNoMeasurementOfAKernelIsRefusedWithItsLine) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"bf16,8192,4096,14336,1e308", "1e308"}, {"bf16,8192,4096,14336,1e-30", "1e-30"}, {"bf16,1.5,4096,14336,50", "whole number for m"}, {"bf16,8192,1e300,14336,50", "no size for n"}, {"bf16,8192,4096,0,50", "no size for k"}, {"bf16,8192,4096,14336,nan", "no time"}, {"bf16,8192,4096,14336,-3", "no time"}};
    for (const auto& [row, words] : wrong) {
        std::ofstream(folder.path("gemm.csv")) << "dtype,m,n,k,latency_us\nbf16,8192,4096,14336,50\n"
                                               << row << "\n";
        const ProcessResult import = runCli({"operators", "import", folder.path("gemm.csv"), "--accelerator", "h100-sxm5-80gb", "--json"});
        EXPECT_EQ(import.status, 2) << row;
        const Json problem = Json::parse(import.out)["problems"][0];
        EXPECT_EQ(problem["line"], 3) << problem;
        EXPECT_NE(problem["message"].get<std::string>().find(words), std::string::npos) << problem;
    }
}

TEST_F(OwnMeasurements, ATableOfASpreadsheetBeginsWithAByteOrderMark) {
    for (const char* name : {"gemm.csv", "measured.csv"}) { // the operator known by the file's name, or by its columns
        std::ofstream(folder.path(name)) << "\xef\xbb\xbf"
                                         << "dtype,m,n,k,latency_us\r\nbf16,8192,4096,14336,500\r\n";
        const ProcessResult import = runCli({"operators", "import", folder.path(name), "--accelerator", "h100-sxm5-80gb", "--json"});
        ASSERT_EQ(import.status, 0) << import.err;
        EXPECT_EQ(Json::parse(import.out)["operator"], "gemm");
        EXPECT_EQ(Json::parse(import.out)["rows"], 1);
    }
}

} // namespace
} // namespace orrery
