#include "tests/cli/process.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/cli/scratch_folder.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>

namespace orrery {
namespace {

TEST(ValidateCommand, ReadsAndListsEveryReferenceCase) {
    ORRERY_REQUIRE_SHARED("reference/training.json");
    const std::string path = test::sharedPath("reference/training.json");
    const auto begin = std::chrono::steady_clock::now();
    const ProcessResult run = runCli({"validate", path, "--json"});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_LT(elapsed.count(), 50);

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

} // namespace
} // namespace orrery
