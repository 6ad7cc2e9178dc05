// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that would take more memory than they may have: refused before they begin, with a mend that runs.
#include "core/scenario/edits.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <chrono>

namespace orrery::test {
namespace {

Json vast(int batch) {
    Json document = soundDocument();
    document["model"]["preset"] = "llama-3-8b";
    document["cluster"]["nodes"] = 1;
    document["parallelism"] = {{"tensor", 1}, {"pipeline", 1}, {"zero_stage", 3}};
    document["workload"]["global_batch_size"] = batch;
    document["execution"] = {{"framework", "torchtitan-2025"}, {"recompute", "auto"}};
    return document;
}

Outcome runBelow(const Json& document, double ceiling) {
    RunControl control;
    control.memoryCeiling = ceiling;
    return simulate(sound(document), control);
}

TEST(RunCeiling, ARunBeyondItIsRefusedAtOnceWithAMendThatRuns) {
    for (const int batch : {800'000, 8'000'000}) {
        const Json document = vast(batch);
        const auto begin = std::chrono::steady_clock::now();
        const Outcome outcome = simulate(sound(document));
        EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 2) << batch;
        EXPECT_FALSE(outcome.result);
        ASSERT_EQ(outcome.problems.size(), 1u) << batch;
        const Problem& problem = outcome.problems.front();
        EXPECT_EQ(problem.code, "run-too-large");
        EXPECT_EQ(problem.severity, Severity::error);
        EXPECT_EQ(problem.pointer, "/workload/global_batch_size");
        EXPECT_NE(problem.message.find("By estimate an iteration takes"), std::string::npos) << problem.message;
        EXPECT_EQ(problem.message.find("e+"), std::string::npos) << problem.message; // numbers as people write them
        EXPECT_NE(problem.mend.find("Show fewer micro-batches"), std::string::npos) << problem.mend;
    }
    const Json small = vast(8'000);
    const Outcome refused = runBelow(small, 1e6);
    ASSERT_EQ(refused.problems.size(), 1u);
    const Outcome mended = runBelow(edited(small, refused.problems.front().edits), 1e6);
    EXPECT_TRUE(mended.result) << listed(mended.problems);
    EXPECT_TRUE(runBelow(small, 1e9).result);
}

/// Stages that share links above their hosts take longer than their estimate, nobody knows by how much.
TEST(RunCeiling, TheEstimateIsALowerBoundWhereStagesShareLinks) {
    Json shared = vast(8'000);
    shared["cluster"]["nodes"] = 4;
    shared["cluster"]["scale_out"] = {{"oversubscription", 4}};
    const Outcome outcome = runBelow(shared, 1e6);
    ASSERT_EQ(outcome.problems.size(), 1u);
    EXPECT_NE(outcome.problems.front().message.find("By estimate an iteration takes at least "), std::string::npos) << outcome.problems.front().message;
}

/// The estimate that stands in for the run: as long as a run of fewer micro-batches says, one by one.
TEST(RunCeiling, TheEstimateSaysWhatFewerMicroBatchesSay) {
    const auto seconds = [](const Outcome& outcome) {
        const std::string& words = outcome.problems.front().message;
        const std::string before = "takes ";
        return std::stod(words.substr(words.rfind(before) + before.size()));
    };
    const double of80 = runBelow(vast(640), 4e9).result->training()->iterationTime, of160 = runBelow(vast(1280), 4e9).result->training()->iterationTime;
    const double wanted = of80 + (of160 - of80) * (100'000.0 - 80) / 80;
    EXPECT_NEAR(seconds(simulate(sound(vast(800'000)))) / wanted, 1, 0.02);
}

TEST(RunCeiling, AMendKeepsToWhatTheScheduleAsksFor) {
    for (const auto& [schedule, chunks] : {std::pair("interleaved", 2), std::pair("dualpipe", 1), std::pair("1f1b", 1), std::pair("zb-h1", 1), std::pair("zb-v", 2)}) {
        Json document = smallScenario(1, 4, 2, 64);
        document["parallelism"]["schedule"] = schedule;
        if (chunks > 1) document["parallelism"]["virtual_pipeline"] = chunks;
        const ScenarioReading reading = read(document);
        if (!reading.scenario) continue;
        RunControl control;
        control.memoryCeiling = 5e5;
        const Outcome refused = simulate(*reading.scenario, control);
        ASSERT_EQ(refused.problems.size(), 1u) << schedule;
        ASSERT_FALSE(refused.problems.front().edits.empty()) << schedule;
        const ScenarioReading mended = read(edited(document, refused.problems.front().edits));
        ASSERT_TRUE(mended.scenario) << schedule << listed(mended.problems);
        EXPECT_TRUE(simulate(*mended.scenario, control).result) << schedule;
    }
}

} // namespace
} // namespace orrery::test
