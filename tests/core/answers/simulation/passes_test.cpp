// SPDX-License-Identifier: GPL-3.0-or-later
// Passes switched off one by one: each takes away what it adds and nothing else.
#include "core/base/json.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>

namespace orrery {
namespace {

Json plan() {
    Json document = test::smallScenario(4, 2, 2, 8);
    document["parallelism"]["sequence"] = true;
    document["execution"]["attention"] = "flash";
    document["execution"]["recompute"] = "full";
    document["execution"]["overlap"] = {{"data", true}, {"tensor", true}, {"pipeline", true}};
    return document;
}

ResultPtr without(const char* pass) {
    Json document = plan();
    document["execution"]["passes"] = {{pass, false}};
    return test::run(document);
}

bool runs(const Result& result, const std::string& name) {
    return std::any_of(result.operations.begin(), result.operations.end(),
                       [&](const OperationRow& row) { return row.kind.find(name) != std::string::npos; });
}

bool recomputes(const Result& result) {
    return std::any_of(result.operations.begin(), result.operations.end(),
                       [](const OperationRow& row) { return row.phase == "recompute"; });
}

TEST(Passes, WithoutFusionAttentionIsItsFourKernels) {
    EXPECT_TRUE(runs(*test::run(plan()), "attention.core"));
    const ResultPtr unfused = without("fusion");
    EXPECT_FALSE(runs(*unfused, "attention.core"));
    EXPECT_TRUE(runs(*unfused, "attention.softmax"));
}

TEST(Passes, WithoutTensorNothingIsSharedOut) {
    const ResultPtr whole = without("tensor");
    EXPECT_FALSE(runs(*whole, ".reduce"));
    EXPECT_GT(whole->memory.peakBytes, test::run(plan())->memory.peakBytes);
}

TEST(Passes, WithoutSequenceEveryRankKeepsAllTokens) {
    Json document = plan();
    document["parallelism"]["sequence"] = false;
    Json off = plan();
    off["execution"]["passes"] = {{"sequence", false}};
    EXPECT_EQ(test::run(off)->memory.stages[0].bytes, test::run(document)->memory.stages[0].bytes);
}

TEST(Passes, WithoutRecomputeNothingRunsTwice) {
    EXPECT_TRUE(recomputes(*test::run(plan())));
    EXPECT_FALSE(recomputes(*without("recompute")));
}

TEST(Passes, WithoutOverlapTheSwitchesOfTheExecutionSayNothing) {
    Json document = plan();
    document["execution"]["overlap"] = {{"data", false}, {"tensor", false}, {"pipeline", false}};
    const double turns = without("overlap")->training()->iterationTime;
    EXPECT_GE(turns, test::run(document)->training()->iterationTime) << "what the profile overlaps by itself takes turns too";
    EXPECT_LT(test::run(plan())->training()->iterationTime, turns);
    document["execution"]["passes"] = {{"overlap", false}};
    EXPECT_EQ(test::run(document)->training()->iterationTime, turns);
}

TEST(Passes, OnByNameIsTheSameAsNotNamed) {
    Json document = plan();
    for (const char* pass : {"fusion", "tensor", "sequence", "recompute", "overlap"}) document["execution"]["passes"][pass] = true;
    EXPECT_EQ(toJson(*test::run(document)).dump(), toJson(*test::run(plan())).dump());
}

} // namespace
} // namespace orrery
