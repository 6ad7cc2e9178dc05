// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace orrery {
namespace {

TEST(ValidateCommand, ReadsAndListsEveryReferenceCase) {
    ORRERY_REQUIRE_SHARED("reference/training.json");
    const std::string path = test::sharedPath("reference/training.json");
    const ProcessResult run = runCli({"validate", path, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;

    const Json cases = Json::parse(test::readWholeFile(path))["cases"];
    std::set<std::pair<std::string, std::string>> expected;
    for (const Json& one : cases) {
        for (const auto& [metric, value] : one["measured"].items()) expected.emplace(one["id"], metric);
    }
    const Json document = Json::parse(run.out);
    EXPECT_EQ(document["format"], "orrery-validation/1");
    std::set<std::pair<std::string, std::string>> listed;
    std::set<std::string> ids;
    for (const Json& row : document["cases"]) {
        listed.emplace(row["id"], row["metric"]);
        ids.insert(row["id"].get<std::string>());
        const std::string status = row["status"];
        if (status == "ok") {
            EXPECT_FALSE(row["predicted"].is_null()) << row;
        } else {
            EXPECT_EQ(status, "rejected") << row;
            EXPECT_FALSE(row["message"].get<std::string>().empty()) << row;
        }
    }
    EXPECT_EQ(ids.size(), 430u);
    EXPECT_EQ(listed, expected);
    EXPECT_EQ(document["cases"].size(), expected.size());
}

TEST(ValidateCommand, ScoresAgainstWhatSimulateSays) {
    const ScratchFolder folder;
    const Json scenario = smallScenario();
    std::ofstream(folder.path("s.json")) << scenario.dump();
    const double time = Json::parse(runCli({"simulate", folder.path("s.json"), "--json"}).out)["iteration_time_s"];
    const Json one{{"id", "a"}, {"group", "g"}, {"scenario", scenario}, {"measured", {{"iteration_time_s", time / 2}}}};
    Json unsupported = one;
    unsupported["id"] = "b";
    unsupported["scenario"]["parallelism"]["attention_data"] = 2;
    std::ofstream(folder.path("cases.json")) << Json{{"format", "orrery-cases/1"}, {"cases", {one, unsupported}}}.dump();
    const ProcessResult run = runCli({"validate", folder.path("cases.json"), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json document = Json::parse(run.out);
    EXPECT_NEAR(document["cases"][0]["error_percent"].get<double>(), 100, 1e-9);
    EXPECT_EQ(document["cases"][1]["status"], "rejected");
    EXPECT_TRUE(document["cases"][1]["error_percent"].is_null());
    EXPECT_EQ(document["summary"]["iteration_time_s"]["count"], 2);
    EXPECT_EQ(document["summary"]["iteration_time_s"]["scored"], 1);
    // Nothing of a case but its scenario may reach the numbers.
    EXPECT_EQ(runCli({"validate", folder.path("cases.json"), "--json", "--threads", "1"}).out, run.out);
    // Without its one group nothing is left to fit to: the same cases, by what the catalogue says.
    const ProcessResult leftOut = runCli({"validate", folder.path("cases.json"), "--json", "--leave-out-group"});
    ASSERT_EQ(leftOut.status, 0) << leftOut.err;
    const Json without = Json::parse(leftOut.out);
    EXPECT_EQ(without["cases"].size(), document["cases"].size());
    EXPECT_EQ(without["cases"][1], document["cases"][1]);
    EXPECT_TRUE(without["constants"]["left_out"]["g"]["fitted"].empty());
    EXPECT_EQ(runCli({"validate", folder.path("cases.json")}).status, 0);
}

/// 24 runs of 12 models measured a little off what is predicted, each model a source of its own.
Json manyCases(const std::string& folder) {
    Json cases = Json::array();
    for (int layers = 2; layers < 14; ++layers) {
        Json scenario = smallScenario();
        scenario["model"] = {{"config", {{"model_type", "gpt2"}, {"n_layer", 2 * layers}, {"n_embd", 1024}, {"n_head", 16}, {"n_positions", 2048}, {"vocab_size", 51200}}}};
        scenario["workload"]["sequence_length"] = 1024;
        std::ofstream(folder + "/s.json") << scenario.dump();
        const Json result = Json::parse(runCli({"simulate", folder + "/s.json", "--json"}).out);
        const double time = result.at("iteration_time_s");
        for (const double off : {1.05, 0.9})
            cases.push_back({{"id", std::to_string(layers) + (off > 1 ? "a" : "b")}, {"group", "g" + std::to_string(layers)}, {"scenario", scenario}, {"measured", {{"iteration_time_s", time * off}}}, {"source", "made up " + std::to_string(layers)}, {"source_url", "https://example.org/" + std::to_string(layers)}});
    }
    return Json{{"format", "orrery-cases/1"}, {"cases", cases}};
}

TEST(ValidateCommand, WritesEvidenceAndJudgesErrorBars) {
    const ScratchFolder folder;
    const Json cases = manyCases(folder.path(""));
    std::ofstream(folder.path("cases.json")) << cases.dump();
    // Left-out predictions come from a file as well.
    Json leftOut{{"format", "orrery-validation/1"}, {"cases", Json::array()}};
    const double measured = cases["cases"][0]["measured"]["iteration_time_s"];
    leftOut["cases"].push_back({{"id", "2a"}, {"metric", "iteration_time_s"}, {"predicted", measured}});
    std::ofstream(folder.path("left.json")) << leftOut.dump();
    const std::string evidence = folder.path("evidence.json");
    const ProcessResult run = runCli({"validate", folder.path("cases.json"), "--evidence", evidence, "--left-out", folder.path("left.json"), "--coverage", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json coverage = Json::parse(run.out).at("coverage").at("time").at("summary");
    EXPECT_EQ(coverage["count"], 24);
    // Each pair has one run 5 % and one 11 % off: the nine in ten reach the worse of them. Bars follow the runs around: those nearest to the one that
    // was met exactly are a little narrower, the others wider.
    EXPECT_GE(coverage["coverage_percent"].get<double>(), 90);
    EXPECT_NEAR(coverage["mean_half_width_percent"].get<double>(), 100 * (1 / 0.9 - 0.9) / 2, 0.1);
    const Json written = Json::parse(test::readWholeFile(evidence));
    EXPECT_EQ(written["format"], "orrery-evidence/1");
    ASSERT_EQ(written["cases"].size(), 24u);
    EXPECT_NEAR(written["cases"][0]["predicted_left_out"]["iteration_time_s"].get<double>(), measured, 1e-5 * measured);
    EXPECT_FALSE(written["cases"][1].contains("predicted_left_out"));
    EXPECT_EQ(written["sources"][0]["text"], "made up 2");

    EXPECT_EQ(runCli({"validate", folder.path("cases.json"), "--evidence", "/proc/nowhere/e.json"}).status, 2);
    EXPECT_EQ(runCli({"validate", folder.path("cases.json"), "--coverage", "--left-out", folder.path("cases.json")}).status, 2);
}

TEST(AccuracyCommand, SumsUpTheShippedEvidence) {
    const ProcessResult run = runCli({"accuracy", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json document = Json::parse(run.out);
    EXPECT_EQ(document["format"], "orrery-accuracy/1");
    const std::size_t all = document["time"]["all"]["runs"];
    EXPECT_GE(all, 600u);
    for (const char* by : {"by_accelerator", "by_model", "by_framework", "by_collection"}) {
        std::size_t sum = 0;
        for (const Json& row : document["time"][by]) sum += row["runs"].get<std::size_t>();
        EXPECT_EQ(sum, all) << by;
    }
    EXPECT_FALSE(document["time"]["without_evidence"]["accelerator"].empty());
    EXPECT_EQ(runCli({"accuracy"}).status, 0);
}

TEST(AccuracyCommand, WritesItsReportWhereItIsTold) {
    const ScratchFolder folder;
    const std::string path = folder.path("accuracy.html");
    const ProcessResult run = runCli({"accuracy", "--html", path});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.out.empty());
    const std::string page = test::readWholeFile(path);
    EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
    EXPECT_NE(page.find("</html>"), std::string::npos);
    const ProcessResult refused = runCli({"accuracy", "--html", "/proc/nowhere/accuracy.html"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("/proc/nowhere/accuracy.html"), std::string::npos) << refused.err;
}

} // namespace
} // namespace orrery
