// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded traces on the command line.
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace orrery {
namespace {

using namespace test;

/// A rank that computes for `work` µs, then meets the others in a collective that ends at 1000.
std::string recordedRank(int rank, double work, bool named = true) {
    Json trace = {{"traceEvents",
                   {{{"ph", "X"}, {"cat", "kernel"}, {"name", "gemm"}, {"ts", 0}, {"dur", work}, {"pid", 0}, {"tid", 7}},
                    {{"ph", "X"}, {"cat", "kernel"}, {"name", "ncclKernel_AllReduce"}, {"ts", work}, {"dur", 1000 - work}, {"pid", 0}, {"tid", 9}}}}};
    if (named) trace["distributedInfo"] = {{"backend", "nccl"}, {"rank", rank}, {"world_size", 2}};
    return trace.dump();
}

TEST(TraceInfoCommand, NamesEachFileAndRefusesWhatIsNone) {
    const ScratchFolder folder;
    const std::string trace = folder.write("rank0.json", R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "nccl", "ts": 1.5, "dur": 2, "pid": 0, "tid": 7}]})");
    const ProcessResult run = runCli({"trace", "info", trace, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json figures = printedBy(run)["traces"][trace];
    EXPECT_EQ(figures["kind"], "kineto");
    EXPECT_EQ(figures["comm_union_us"], 2);
    const ProcessResult broken = runCli({"trace", "info", trace, folder.write("cut.json", R"({"traceEvents": [)"), "--json"});
    EXPECT_EQ(broken.status, 2);
    EXPECT_EQ(printedBy(broken)["problems"][0]["code"], "broken-json");
}

TEST(TraceReplayCommand, SplitsACollectiveIntoWaitingAndTransit) {
    const ScratchFolder folder;
    const std::string early = folder.write("rank0.json", recordedRank(0, 100)), late = folder.write("rank1.json", recordedRank(1, 900));
    const ProcessResult run = runCli({"trace", "replay", early, late, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json report = printedBy(run);
    EXPECT_EQ(report["span_us"], 900); // from the early one's arrival at 100
    EXPECT_EQ(report["ranks"][0]["waiting_us"], 800);
    EXPECT_EQ(report["ranks"][1]["waiting_us"], 0);
    EXPECT_EQ(report["ranks"][0]["transit_us"], 100);
    EXPECT_EQ(report["collectives"][0]["last_to_arrive"], 1);
    EXPECT_NE(runCli({"trace", "replay", early, late}).out.find("900.0 µs replayed"), std::string::npos);
}

TEST(TraceReplayCommand, AsksWhichRankRatherThanGuess) {
    const ScratchFolder folder;
    const std::string one = folder.write("a.json", recordedRank(0, 100, false)), other = folder.write("b.json", recordedRank(1, 900));
    const ProcessResult run = runCli({"trace", "replay", one, other, "--json"});
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(printedBy(run)["problems"][0]["code"], "rank-not-known");
    EXPECT_EQ(runCli({"trace", "replay", "0=" + one, other, "--json"}).status, 0);
    const ProcessResult twice = runCli({"trace", "replay", "1=" + one, other, "--json"});
    EXPECT_EQ(printedBy(twice)["problems"][0]["code"], "rank-twice");
}

TEST(TraceHybridCommand, NeedsNoModelWhereEveryRankIsRecorded) {
    const ScratchFolder folder;
    folder.write("rank0.json", recordedRank(0, 100));
    folder.write("rank1.json", recordedRank(1, 900));
    const std::string scenario = folder.write("s.json", R"({"format": "orrery-scenario/1", "hybrid": {"ranks": {"0": "rank0.json", "1": "rank1.json"},
        "delays": [{"rank": 0, "us": 850}]}})");
    const ProcessResult run = runCli({"trace", "hybrid", scenario, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json result = printedBy(run);
    EXPECT_DOUBLE_EQ(result["iteration_time_s"].get<double>(), 950e-6); // the early one waited 800 of the 850
    EXPECT_EQ(result["ranks"][0]["source"], "recorded");
    EXPECT_DOUBLE_EQ(result["ranks"][1]["waiting_s"].get<double>(), 50e-6);
    const ProcessResult missing = runCli({"trace", "hybrid", folder.write("t.json", R"({"hybrid": {"ranks": {"0": "nowhere.json"}}})"), "--json"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_EQ(printedBy(missing)["problems"][0]["code"], "cannot-read-file");
}

TEST(TraceSimulateCommand, WritesRanksThatAHybridOfThePlanTakes) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    scenario["execution"] = {{"recompute", "none"}, {"jitter", {{"sigma", 0.01}, {"seed", 3}}}};
    const ProcessResult run = runCli({"trace", "simulate", folder.write("s.json", scenario.dump()), "--out", folder.path("traces"), "--ranks", "0,4", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json simulated = printedBy(run);
    EXPECT_EQ(simulated["world_size"], 8);
    scenario["hybrid"]["ranks"] = {{"0", "traces/rank0.json"}, {"4", "traces/rank4.json"}};
    const ProcessResult hybrid = runCli({"trace", "hybrid", folder.write("h.json", scenario.dump()), "--json"});
    ASSERT_EQ(hybrid.status, 0) << hybrid.err;
    const Json result = printedBy(hybrid);
    EXPECT_NEAR(result["iteration_time_s"].get<double>() / simulated["iteration_time_s"].get<double>(), 1, 0.006);
    EXPECT_EQ(result["world_size"], 8);
    EXPECT_EQ(result["ranks"].size(), 8U);
    EXPECT_EQ(result["ranks"][0]["source"], "recorded");
    EXPECT_EQ(result["ranks"][1]["source"], "class");
    EXPECT_GT(result["moved_bytes"].get<double>(), 0);
    // The same records do not fit another plan: then they are replayed by themselves, and say why that can't be.
    scenario["model"]["config"]["n_layer"] = 14;
    const ProcessResult other = runCli({"trace", "hybrid", folder.write("o.json", scenario.dump()), "--json"});
    EXPECT_TRUE(other.status == 2 || printedBy(other)["method"] == "hybrid replay from recorded traces") << other.out;
}

TEST(TraceHybridCommand, AsksWhatIfOfAPlan) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    scenario["execution"] = {{"recompute", "none"}};
    ASSERT_EQ(runCli({"trace", "simulate", folder.write("s.json", scenario.dump()), "--out", folder.path("traces"), "--ranks", "0,4", "--json"}).status, 0);
    const Json ranks = {{"0", "traces/rank0.json"}, {"4", "traces/rank4.json"}};
    int status = 0;
    const auto asked = [&](Json hybrid) {
        hybrid["ranks"] = ranks;
        scenario["hybrid"] = std::move(hybrid);
        const ProcessResult run = runCli({"trace", "hybrid", folder.write("h.json", scenario.dump()), "--json"});
        status = run.status;
        return printedBy(run);
    };
    const Json plain = asked(Json::object());
    EXPECT_EQ(plain["pruned"], Json({{"tasks", 0}, {"ranks", 0}, {"iteration_time_of", "all ranks"}}));
    const double time = plain["iteration_time_s"].get<double>();
    EXPECT_EQ(asked({{"prune", false}}), plain);

    const Json late = asked({{"delays", {{{"rank", 2}, {"us", 7000}}}}});
    EXPECT_NEAR(late["iteration_time_s"].get<double>() - time, 7e-3, 1e-6);
    EXPECT_GT(late["ranks"][0]["waiting_s"].get<double>(), plain["ranks"][0]["waiting_s"].get<double>() + 6e-3); // in the other pipeline

    const Json stopped = asked({{"stops", {{{"rank", 2}, {"before_collective", 3}}}}});
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(stopped["iteration_time_s"].is_null());
    EXPECT_EQ(stopped["hang"]["collective"], 3);
    EXPECT_EQ(stopped["hang"]["missing"], Json({2}));
    EXPECT_EQ(stopped["hang"]["waiting"], Json({6}));
    EXPECT_EQ(stopped["hang"]["blocked"], Json({0, 1, 3, 4, 5, 7}));
    EXPECT_GT(stopped["pruned"]["tasks"], 0);
    Json whole = asked({{"prune", false}, {"stops", {{{"rank", 2}, {"before_collective", 3}}}}});
    for (const std::size_t rank : {0, 4}) EXPECT_EQ(whole["ranks"][rank], stopped["ranks"][rank]);
    EXPECT_NE(runCli({"trace", "hybrid", folder.path("h.json")}).out.find("Collective 3 of rank 2"), std::string::npos);

    EXPECT_LT(asked({{"scale_kernels", {{{"match", "mlp"}, {"factor", 0.5}}}}})["iteration_time_s"].get<double>(), 0.95 * time);
    EXPECT_EQ(asked({{"scale_kernels", {{{"match", "mlp"}, {"factor", 1}}}}}), plain);
    Json idle = asked({{"scale_kernels", {{{"match", "mlp"}, {"factor", 1}}, {{"match", "no such kernel"}, {"factor", 2}}}}});
    EXPECT_EQ(status, 0);
    ASSERT_EQ(idle["warnings"].size(), 1U);
    EXPECT_NE(idle["warnings"][0].get<std::string>().find("no such kernel"), std::string::npos);
    EXPECT_EQ(idle["iteration_time_s"], plain["iteration_time_s"]);

    Json byRank = asked({{"classes", {{"stage 0", 0}}}}), byFile = asked({{"classes", {{"stage 0", "traces/rank0.json"}}}});
    EXPECT_EQ(byRank, byFile);
    EXPECT_EQ(byRank["iteration_time_s"], plain["iteration_time_s"]); // the only record of its class
    EXPECT_EQ(byRank["ranks"][1]["file"], "traces/rank0.json");
    EXPECT_EQ(asked({{"classes", {{"stage 7", 0}}}})["problems"][0]["code"], "unknown-class");
    EXPECT_EQ(asked({{"delays", {{{"rank", 8}, {"us", 1}}}}})["problems"][0]["pointer"], "/hybrid/delays/0/rank");

    const double peak = plain["peak_bytes"].get<double>();
    const Json beyond = asked({{"vram_bytes", peak - 1e6}});
    EXPECT_EQ(status, 3);
    EXPECT_FALSE(beyond["fits"].get<bool>());
    const Json& event = beyond["ranks"][beyond["out_of_memory"]["rank"].get<std::size_t>()]["beyond_memory"];
    EXPECT_GT(event["reserved_bytes"].get<double>(), peak - 1e6);
    EXPECT_EQ(event["event"], beyond["out_of_memory"]["event"]);
    const Json enough = asked({{"vram_bytes", peak + 1e6}});
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(enough["fits"].get<bool>() && enough["ranks"][0]["beyond_memory"].is_null() && !enough.contains("out_of_memory"));
}

TEST(TraceBesideCommand, FindsNoErrorBesideItsOwnExportAndCalibratesAnother) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    scenario["execution"] = {{"recompute", "none"}};
    const std::string file = folder.write("s.json", scenario.dump());
    ASSERT_EQ(runCli({"trace", "simulate", file, "--out", folder.path("traces"), "--ranks", "4"}).status, 0);
    const ProcessResult own = runCli({"trace", "beside", file, folder.path("traces/rank4.json"), "--json"});
    ASSERT_EQ(own.status, 0) << own.err;
    const Json exact = printedBy(own);
    EXPECT_EQ(exact["stage"], 1);
    for (const Json& one : exact["classes"]) {
        if (one["class"] == "communication") continue; // recorded with its waiting
        EXPECT_NEAR(one["error_percent"].get<double>(), 0, 0.1) << one;
        EXPECT_EQ(one["recorded_kernels"], one["simulated_kernels"]) << one;
    }
    // A machine whose products are slower: the calibration that is found brings them nearer.
    scenario["execution"]["calibration"] = {{"gemm_rate_of_peak", 0.4}};
    const std::string slow = folder.write("slow.json", scenario.dump());
    ASSERT_EQ(runCli({"trace", "simulate", slow, "--out", folder.path("slow"), "--ranks", "0"}).status, 0);
    const ProcessResult beside = runCli({"trace", "beside", file, folder.path("slow/rank0.json"), "--json"});
    ASSERT_EQ(beside.status, 0) << beside.err;
    const Json document = printedBy(beside);
    const double before = document["classes"][0]["error_percent"].get<double>();
    EXPECT_LT(before, -1);
    ASSERT_FALSE(document["calibration"].is_null()) << document;
    EXPECT_LT(std::abs(document["calibration"]["error_percent"].get<double>()), std::abs(before));
}

TEST(TraceScenarioCommand, ClosesTheLoopFromARecordToItsErrors) {
    const std::string record = "traces/tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz";
    ORRERY_REQUIRE_SHARED(record);
    const ScratchFolder folder;
    const ProcessResult asked = runCli({"trace", "scenario", sharedPath(record), "--json"});
    EXPECT_EQ(asked.status, 2);
    EXPECT_EQ(printedBy(asked)["problems"][0]["mend"], "Give --world N.");
    const ProcessResult made = runCli({"trace", "scenario", sharedPath(record), "--world", "1"});
    ASSERT_EQ(made.status, 0) << made.err;
    const ProcessResult beside = runCli({"trace", "beside", folder.write("s.json", made.out), sharedPath(record), "--json"});
    ASSERT_EQ(beside.status, 0) << beside.err;
    const Json classes = printedBy(beside)["classes"];
    EXPECT_EQ(classes[0]["class"], "matrix products");
    EXPECT_GT(classes[0]["recorded_s"].get<double>(), 0);
    EXPECT_GT(classes[0]["simulated_s"].get<double>(), 0);
    EXPECT_GT(classes[1]["recorded_kernels"], 0); // attention
    // The recorded graph takes as long as the kernels did.
    const ProcessResult graph = runCli({"trace", "scenario", sharedPath(record), "--world", "1", "--graph"});
    const Json result = printedBy(runCli({"simulate", folder.write("g.json", graph.out), "--json"}));
    const double recorded = printedBy(runCli({"trace", "beside", folder.path("g.json"), sharedPath(record), "--json"}))["recorded_span_s"].get<double>();
    EXPECT_NEAR(result["iteration_time_s"].get<double>() / recorded, 1, 0.2); // the device is idle for a part of it
    EXPECT_EQ(classes[1]["recorded_kernels"], 24);                            // a layer each; those of the step before, of whose launches there is no record, don't count
    EXPECT_EQ(printedBy(runCli({"import", sharedPath(record), "--set", "WORLD_SIZE=1"})), printedBy(made));
}

TEST(TraceScenarioCommand, PutsSeveralRanksIntoTheHybrid) {
    ORRERY_REQUIRE_SHARED("traces/dlrm/kineto");
    const ScratchFolder folder;
    std::vector<std::string> arguments{"trace", "scenario"};
    for (const auto& entry : std::filesystem::directory_iterator(sharedPath("traces/dlrm/kineto"))) arguments.push_back(entry.path().string());
    const ProcessResult made = runCli(arguments);
    ASSERT_EQ(made.status, 0) << made.err;
    const ProcessResult hybrid = runCli({"trace", "hybrid", folder.write("s.json", made.out), "--json"});
    ASSERT_EQ(hybrid.status, 0) << hybrid.err;
    EXPECT_NEAR(printedBy(hybrid)["iteration_time_s"].get<double>(), 16033e-6, 1e-9);
    arguments.push_back(arguments.back());
    arguments.push_back("--json");
    EXPECT_EQ(printedBy(runCli(arguments))["problems"][0]["code"], "rank-twice");
}

TEST(TracePlanCommand, NamesARankOfEveryClassAndHowToRecordIt) {
    const ScratchFolder folder;
    const ProcessResult run = runCli({"trace", "plan", folder.write("s.json", smallScenario().dump()), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json plan = printedBy(run);
    std::int64_t ranks = 0;
    for (const Json& one : plan["classes"]) ranks += one["count"].get<std::int64_t>();
    EXPECT_EQ(plan["ranks"], ranks);
    EXPECT_EQ(plan["record"].size(), plan["classes"].size());
    EXPECT_NE(plan["snippet"].get<std::string>().find("torch.profiler"), std::string::npos);
}

} // namespace
} // namespace orrery
