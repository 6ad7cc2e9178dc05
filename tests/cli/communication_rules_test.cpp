// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of what counts as communication on the command line and in a scenario's hybrid.
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace orrery {
namespace {

using namespace test;

std::vector<std::string> dlrmFiles() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(sharedPath("traces/dlrm/kineto"))) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

/// The shipped rules, and before them one by which sends and receives compute.
std::string rulesWithoutSends() {
    Json rules = printedBy(runCli({"trace", "rules"}));
    rules.insert(rules.begin(), Json{{"match", "SENDRECV"}, {"communication", false}});
    return rules.dump();
}

std::int64_t nanoseconds(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1e3); }

/// The time that at least one of an exported trace's kernels takes whose name `counts`.
std::int64_t covered(const Json& trace, const std::function<bool(const std::string&)>& counts) {
    std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
    for (const Json& event : trace["traceEvents"])
        if (event.value("cat", "") == "kernel" && counts(event["name"].get<std::string>())) intervals.emplace_back(nanoseconds(event["ts"]), nanoseconds(event["ts"]) + nanoseconds(event["dur"]));
    std::sort(intervals.begin(), intervals.end());
    std::int64_t sum = 0, until = 0;
    for (const auto& [start, end] : intervals) {
        sum += std::max<std::int64_t>(0, end - std::max(start, until));
        until = std::max(until, end);
    }
    return sum;
}

TEST(CommunicationRules, ARuleMovesItsKernelsTimeFromOneSumToTheOther) {
    ORRERY_REQUIRE_SHARED("traces/dlrm/kineto");
    const ScratchFolder folder;
    const std::string file = dlrmFiles().front(), rules = folder.write("rules.json", rulesWithoutSends());
    const Json before = printedBy(runCli({"trace", "info", file, "--json"}))["traces"][file];
    const ProcessResult run = runCli({"trace", "info", file, "--communication", rules, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json after = printedBy(run)["traces"][file];
    ASSERT_EQ(runCli({"trace", "export", file, "--out", folder.path("plain.json"), "--communication", rules}).status, 0);
    const Json plain = Json::parse(readWholeFile(folder.path("plain.json")));
    const auto isSend = [](const std::string& name) { return name.find("SendRecv") != std::string::npos; };
    const auto isCollective = [](const std::string& name) { return name.find("ncclKernel") != std::string::npos; };
    const std::int64_t sends = covered(plain, isSend);
    ASSERT_GT(sends, 0);
    EXPECT_EQ(before["comm_kernels"].get<int>() - after["comm_kernels"].get<int>(), 5);
    EXPECT_EQ(nanoseconds(before["comm_union_us"]) - nanoseconds(after["comm_union_us"]), sends); // one stream: collectives don't overlap
    EXPECT_EQ(nanoseconds(after["compute_union_us"]), covered(plain, [&](const std::string& name) { return isSend(name) || !isCollective(name); }));
    for (const char* same : {"kernels", "busy_us", "kernel_time_sum_us", "gpu_span_us"}) EXPECT_EQ(before[same], after[same]) << same;
    // The export says which of its kernels count.
    for (const Json& event : plain["traceEvents"])
        if (event.value("cat", "") == "kernel") {
            const std::string name = event["name"].get<std::string>();
            EXPECT_EQ(event["args"].contains("communication"), isCollective(name) && !isSend(name)) << name;
        }
    // Without any rule all of it is computation.
    const Json none = printedBy(runCli({"trace", "info", file, "--communication", folder.write("none.json", "[]"), "--json"}))["traces"][file];
    EXPECT_EQ(none["comm_kernels"], 0);
    EXPECT_EQ(none["compute_union_us"], none["busy_us"]);
    // The shipped ones, given, change nothing.
    EXPECT_EQ(printedBy(runCli({"trace", "info", file, "--communication", folder.write("shipped.json", runCli({"trace", "rules"}).out), "--json"}))["traces"][file], before);
}

TEST(CommunicationRules, TheHybridOfARecordedJobKeepsThem) {
    ORRERY_REQUIRE_SHARED("traces/dlrm/kineto");
    const ScratchFolder folder;
    const std::string rules = folder.write("rules.json", rulesWithoutSends());
    std::vector<std::string> replay{"trace", "replay"}, scenario{"trace", "scenario"};
    for (const std::string& file : dlrmFiles())
        for (auto* arguments : {&replay, &scenario}) arguments->push_back(file);
    for (auto* arguments : {&replay, &scenario}) arguments->insert(arguments->end(), {"--communication", rules});
    replay.emplace_back("--json");
    const Json report = printedBy(runCli(replay));
    EXPECT_EQ(report["collectives"].size(), 3U); // of eight, five were sends
    const ProcessResult made = runCli(scenario);
    ASSERT_EQ(made.status, 0) << made.err;
    Json document = Json::parse(made.out);
    EXPECT_EQ(document["hybrid"]["communication"], Json::parse(rulesWithoutSends()));
    const auto timeOf = [&folder](const Json& hybrid) {
        const ProcessResult run = runCli({"trace", "hybrid", folder.write("s.json", hybrid.dump()), "--json"});
        EXPECT_EQ(run.status, 0) << run.err;
        return printedBy(run)["iteration_time_s"].get<double>();
    };
    EXPECT_NEAR(timeOf(document), report["span_us"].get<double>() * 1e-6, 1e-9); // from the first arrival at a collective, which is another one
    document["hybrid"].erase("communication");
    EXPECT_NEAR(timeOf(document), 16033e-6, 1e-9);
    // One file makes no hybrid.
    EXPECT_FALSE(Json::parse(runCli({"trace", "scenario", dlrmFiles().front(), "--communication", rules}).out).contains("hybrid"));
}

TEST(CommunicationRules, ARecordIsHeldAgainstASimulationByThem) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    scenario["execution"] = {{"recompute", "none"}};
    const std::string file = folder.write("s.json", scenario.dump());
    ASSERT_EQ(runCli({"trace", "simulate", file, "--out", folder.path("traces"), "--ranks", "0"}).status, 0);
    const auto communicationOf = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"trace", "beside", file, folder.path("traces/rank0.json"), "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Json classes = printedBy(runCli(arguments))["classes"];
        const auto found = std::find_if(classes.begin(), classes.end(), [](const Json& one) { return one["class"] == "communication"; });
        return found == classes.end() ? 0 : (*found)["recorded_kernels"].get<int>();
    };
    EXPECT_GT(communicationOf({}), 0);
    EXPECT_EQ(communicationOf({"--communication", folder.write("none.json", "[]")}), 0);
}

TEST(CommunicationRules, WhatIsNoRuleIsRefusedWithItsPlace) {
    const ScratchFolder folder;
    const std::string trace = folder.write("rank0.json", R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "nccl", "ts": 1.5, "dur": 2, "pid": 0, "tid": 7}]})");
    const auto problemOf = [&](const std::string& rules) {
        const ProcessResult run = runCli({"trace", "info", trace, "--communication", rules, "--json"});
        EXPECT_EQ(run.status, 2) << run.out;
        return printedBy(run)["problems"][0];
    };
    const std::string wrong = folder.write("wrong.json", R"([{"match": "nccl"}, {"mach": "rccl"}])");
    EXPECT_EQ(problemOf(wrong)["file"], wrong);
    EXPECT_NE(problemOf(wrong)["message"].get<std::string>().find("Rule 2"), std::string::npos);
    EXPECT_EQ(problemOf(folder.path("nowhere.json"))["code"], "cannot-read-file");
    EXPECT_EQ(problemOf(folder.write("cut.json", "[{"))["file"], folder.path("cut.json"));
    const auto hybridProblem = [&folder](const Json& communication) {
        const Json document{{"format", "orrery-scenario/1"}, {"hybrid", {{"ranks", {{"0", "rank0.json"}}}, {"communication", communication}}}};
        const ProcessResult run = runCli({"trace", "hybrid", folder.write("h.json", document.dump()), "--json"});
        EXPECT_EQ(run.status, 2) << run.out;
        return printedBy(run)["problems"][0];
    };
    EXPECT_EQ(hybridProblem("nccl")["pointer"], "/hybrid/communication");
    EXPECT_EQ(hybridProblem({{{"match", std::string(201, 'a')}}})["pointer"], "/hybrid/communication/0/match");
    EXPECT_EQ(hybridProblem({{{"match", "a"}}, {{"communication", true}}})["code"], "missing-key");
}

} // namespace
} // namespace orrery
