// SPDX-License-Identifier: GPL-3.0-or-later
// `trace flight` on the command line.
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

std::string dumpOf(int calls) {
    Json dump = {{"version", "2.5"}, {"pg_config", {{"0", {{"name", "0"}, {"desc", "default_pg"}, {"ranks", "[0, 1]"}}}}}, {"entries", Json::array()}};
    for (int i = 1; i <= calls; ++i) dump["entries"].push_back({{"pg_id", 0}, {"process_group", Json::array({"0", "default_pg"})}, {"collective_seq_id", i}, {"profiling_name", "nccl:all_reduce"}, {"state", i < 3 ? "completed" : "scheduled"}});
    return dump.dump();
}

TEST(TraceFlightCommand, saysWhoIsMissing) {
    const ScratchFolder folder;
    std::filesystem::create_directories(folder.path("dumps"));
    const std::string zero = folder.write("dumps/nccl_trace_rank_0", dumpOf(3)), one = folder.write("dumps/nccl_trace_rank_1", dumpOf(2));
    const ProcessResult run = runCli({"trace", "flight", zero, one, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json job = printedBy(run);
    EXPECT_EQ(job["format"], "orrery-flight/1");
    EXPECT_EQ(job["stuck"][0]["in"], Json::array({0}));
    EXPECT_EQ(job["stuck"][0]["missing"], Json::array({1}));
    EXPECT_EQ(job["roots"], Json::array({1}));
    EXPECT_EQ(printedBy(runCli({"trace", "flight", folder.path("dumps"), "--json"})), job);
    EXPECT_NE(runCli({"trace", "flight", folder.path("dumps")}).out.find("rank 1 did not call it"), std::string::npos);
}

TEST(TraceFlightCommand, refusesWhatIsNoDump) {
    const ScratchFolder folder;
    std::filesystem::create_directories(folder.path("empty"));
    const auto codeOf = [&](const std::vector<std::string>& files) {
        std::vector<std::string> arguments{"trace", "flight", "--json"};
        arguments.insert(arguments.end(), files.begin(), files.end());
        const ProcessResult run = runCli(arguments);
        EXPECT_EQ(run.status, 2);
        return printedBy(run)["problems"][0]["code"].get<std::string>();
    };
    EXPECT_EQ(codeOf({folder.write("rank_0", R"({"traceEvents": []})")}), "no-flight-record");
    EXPECT_EQ(codeOf({folder.path("empty")}), "no-flight-record");
    EXPECT_EQ(codeOf({folder.path("nowhere")}), "cannot-read-file");
    EXPECT_EQ(codeOf({folder.write("dump", dumpOf(1))}), "rank-not-known");
    EXPECT_EQ(codeOf({"1=" + folder.path("dump"), folder.write("rank_1", dumpOf(1))}), "rank-twice");
}

} // namespace
} // namespace orrery
