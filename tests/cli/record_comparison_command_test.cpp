// SPDX-License-Identifier: GPL-3.0-or-later
// `compare` of two recorded traces on the command line.
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery {
namespace {

using namespace test;

std::string recordOf(double product, int rank = 0, double wait = 0) {
    return Json{{"distributedInfo", {{"backend", "nccl"}, {"rank", rank}, {"world_size", 2}}},
                {"traceEvents",
                 {{{"ph", "X"}, {"cat", "kernel"}, {"name", "gemm"}, {"ts", 0}, {"dur", product}, {"pid", 0}, {"tid", 7}},
                  {{"ph", "X"}, {"cat", "kernel"}, {"name", "ncclDevKernel_AllReduce"}, {"ts", product}, {"dur", 100 + wait}, {"pid", 0}, {"tid", 9}}}}}
        .dump();
}

TEST(CompareRecordsCommand, saysWhyOneIsSlower) {
    const ScratchFolder folder;
    const std::string a = folder.write("a.json", recordOf(200)), b = folder.write("b.json", recordOf(300));
    const ProcessResult run = runCli({"compare", a, b, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json comparison = printedBy(run);
    EXPECT_EQ(comparison["format"], "orrery-comparison/1");
    EXPECT_EQ(comparison["metric"], "device_span_s");
    EXPECT_NEAR(comparison["difference"].get<double>(), 100e-6, 1e-15);
    ASSERT_EQ(comparison["parts"].size(), 1U);
    EXPECT_EQ(comparison["parts"][0]["name"], "kernels.slower");
    EXPECT_NEAR(comparison["parts"][0]["delta"].get<double>(), 100e-6, 1e-15);
    EXPECT_EQ(comparison["causes"][0]["name"], "gemm");
    const ProcessResult text = runCli({"compare", a, b});
    EXPECT_NE(text.out.find("gemm takes 1.50 times as long"), std::string::npos) << text.out;
}

TEST(CompareRecordsCommand, saysNothingOfOneFileTwice) {
    const ScratchFolder folder;
    const std::string a = folder.write("a.json", recordOf(200));
    const Json comparison = printedBy(runCli({"compare", a, a, "--json"}));
    EXPECT_EQ(comparison["difference"], 0);
    EXPECT_TRUE(comparison["parts"].empty());
    EXPECT_EQ(runCli({"compare", a, a}).out, "Nothing differs.\n");
}

TEST(CompareRecordsCommand, takesFoldersOfRanks) {
    const ScratchFolder folder;
    std::filesystem::create_directories(folder.path("a"));
    std::filesystem::create_directories(folder.path("b"));
    folder.write("a/rank0.json", recordOf(200, 0)), folder.write("a/rank1.json", recordOf(200, 1)), folder.write("a/notes.txt", "no trace");
    folder.write("b/rank0.json", recordOf(200, 0, 80)), folder.write("b/rank1.json", recordOf(280, 1));
    const Json comparison = printedBy(runCli({"compare", folder.path("a"), folder.path("b"), "--json"}));
    EXPECT_EQ(comparison["ranks"], 2);
    EXPECT_NEAR(comparison["difference"].get<double>(), 80e-6, 1e-15);
    std::map<std::string, double> parts;
    for (const Json& part : comparison["parts"]) parts[part["name"].get<std::string>()] = part["delta"].get<double>();
    EXPECT_EQ(parts.size(), 2U);
    EXPECT_NEAR(parts["waits.peers"], 40e-6, 1e-15);
    EXPECT_NEAR(parts["kernels.slower"], 40e-6, 1e-15);
}

TEST(CompareRecordsCommand, refusesWhatCannotBeCompared) {
    const ScratchFolder folder;
    const std::string record = folder.write("a.json", recordOf(200)), scenario = folder.write("s.json", smallScenario().dump());
    const std::string idle = folder.write("idle.json", R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 2, "pid": 0, "tid": 7}]})");
    const std::string broken = folder.write("broken.json", R"({"traceEvents": [)");
    std::filesystem::create_directories(folder.path("empty"));
    const auto codeOf = [&](const std::string& a, const std::string& b) {
        const ProcessResult run = runCli({"compare", a, b, "--json"});
        EXPECT_EQ(run.status, 2);
        const Json problem = printedBy(run)["problems"][0];
        EXPECT_FALSE(problem["mend"].get<std::string>().empty());
        return problem["code"].get<std::string>();
    };
    EXPECT_EQ(codeOf(record, scenario), "not-comparable");
    EXPECT_EQ(codeOf(scenario, record), "not-comparable");
    EXPECT_EQ(codeOf(record, idle), "no-kernels");
    EXPECT_EQ(codeOf(record, broken), "broken-json");
    EXPECT_EQ(codeOf(folder.path("empty"), record), "no-trace");
    EXPECT_EQ(runCli({"compare", record, record, "--metric", "/mfu"}).status, 2);
}

TEST(CompareRecordsCommand, readsPackedRecordsOfRealJobs) {
    ORRERY_REQUIRE_SHARED("traces/hta/trace_diff");
    const ProcessResult run = runCli({"compare", sharedPath("traces/hta/trace_diff/control/control.json.gz"), sharedPath("traces/hta/trace_diff/test/test.json.gz"), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json comparison = printedBy(run);
    double sum = 0;
    for (const Json& part : comparison["parts"]) sum += part["delta"].get<double>();
    EXPECT_NEAR(sum, comparison["difference"].get<double>(), 1e-9 * std::abs(comparison["difference"].get<double>()));
}

} // namespace
} // namespace orrery
