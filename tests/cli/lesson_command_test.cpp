// SPDX-License-Identifier: GPL-3.0-or-later
// `lesson`: the contract's documents, several learners at once, answer sheets, and what it refuses.
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orrery {
namespace {

/// The toy pipeline of the lesson on bubbles with so many micro-batches, as a learner left it.
std::string stateWith(const ScratchFolder& folder, int microBatches) {
    std::ifstream in(test::sourcePath("resources/lessons/06-the-bubble.orrery-lesson.json"));
    Json scenario = Json::parse(in)["scenarios"]["06-toy-pipeline"];
    scenario["workload"]["global_batch_size"] = microBatches;
    const std::string file = folder.path("state" + std::to_string(microBatches) + ".orrery.json");
    std::ofstream(file) << scenario;
    return file;
}

TEST(LessonCommand, ListsTheLessons) {
    const Json list = Json::parse(runCli({"lesson", "list", "--json"}).out);
    ASSERT_EQ(list["lessons"].size(), 12u);
    EXPECT_EQ(list["lessons"][5]["id"], "the-bubble");
    EXPECT_NE(runCli({"lesson", "list"}).out.find("The bubble"), std::string::npos);
}

TEST(LessonCommand, JudgesAState) {
    const ScratchFolder folder;
    const ProcessResult few = runCli({"lesson", "check", "the-bubble", stateWith(folder, 16), "--step", "3", "--json"});
    ASSERT_EQ(few.status, 0) << few.err;
    const Json failed = Json::parse(few.out);
    EXPECT_EQ(failed["format"], "orrery-lesson-check/1");
    EXPECT_EQ(failed["passed"], false);
    EXPECT_EQ(failed["clauses"][0]["pointer"], "/bubble_fraction");
    EXPECT_NEAR(failed["clauses"][0]["value"].get<double>(), 3.0 / 19, 1e-3);
    EXPECT_EQ(failed["clauses"][0]["passed"], false);
    EXPECT_FALSE(failed["clauses"][0]["hint"].get<std::string>().empty());
    const Json passed = Json::parse(runCli({"lesson", "check", "6", stateWith(folder, 27), "--step", "3", "--json"}).out);
    EXPECT_EQ(passed["passed"], true);
}

TEST(LessonCommand, JudgesAClassAsOneTable) {
    const ScratchFolder folder;
    const ProcessResult run = runCli({"lesson", "check", "6", stateWith(folder, 16), stateWith(folder, 27), "--step", "3"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.out.starts_with("scenario,passed,hint\n"));
    EXPECT_NE(run.out.find("state16.orrery.json,false,"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("state27.orrery.json,true,"), std::string::npos) << run.out;
}

TEST(LessonCommand, ReadsAnswersFromASheet) {
    const ScratchFolder folder;
    const std::string sheet = folder.path("answers.json");
    const auto passes = [&](double answer) {
        std::ofstream(sheet) << Json{{"format", "orrery-answers/1"}, {"lesson", "the-bubble"}, {"steps", {{{"step", 2}, {"answer", answer}}}}};
        const ProcessResult run = runCli({"lesson", "check", "6", stateWith(folder, 8), "--step", "2", "--answers", sheet, "--json"});
        return Json::parse(run.out)["passed"];
    };
    EXPECT_EQ(passes(27.3), true);
    EXPECT_EQ(passes(37.5), false);
}

TEST(LessonCommand, RefusesWhatIsNoLesson) {
    const ScratchFolder folder;
    const std::string state = stateWith(folder, 8), file = folder.path("none.orrery-lesson.json");
    std::ofstream(file) << "{\"format\": \"orrery-lesson/2\"}";
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"lesson", "check", "no-lesson", state}, {"lesson", "check", "6", state, "--step", "9"}, {"lesson", "check", file, state}, {"lesson", "check", "6", folder.path("missing.json")}, {"lesson", "check", "6", state, "--answers", state}}) {
        const ProcessResult run = runCli(arguments);
        EXPECT_EQ(run.status, 2) << run.out;
        EXPECT_FALSE(run.err.empty());
    }
}

} // namespace
} // namespace orrery
