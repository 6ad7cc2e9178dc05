// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/results/comparison/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace orrery {
namespace {

Json resultWith(const std::vector<std::pair<std::string, double>>& parts) {
    Json breakdown = Json::object();
    double sum = 0;
    for (const auto& [name, value] : parts) {
        breakdown[name] = value;
        sum += value;
    }
    return Json{{"format", "orrery-result/1"}, {"iteration_time_s", sum}, {"time_breakdown_s", breakdown}};
}

TEST(Compare, PartsAreDeltasFromAToB) {
    Problems problems;
    const auto comparison = compareResults(resultWith({{"forward", 2}, {"bubble", 1}}), resultWith({{"forward", 2}, {"bubble", 4}}), problems);
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->metric, "iteration_time_s");
    EXPECT_DOUBLE_EQ(comparison->a, 3);
    EXPECT_DOUBLE_EQ(comparison->b, 6);
    EXPECT_DOUBLE_EQ(comparison->difference, 3);
    ASSERT_EQ(comparison->parts.size(), 2u);
    EXPECT_EQ(comparison->parts[1].name, "bubble");
    EXPECT_DOUBLE_EQ(comparison->parts[1].delta, 3);
}

/// Of 9 in 10 differences the ratio lies within the factor; half of the others lie on the better side.
TEST(Compare, SaysHowSureTheDifferenceIs) {
    Problems problems;
    auto slower = compareResults(resultWith({{"forward", 2}}), resultWith({{"forward", 2.2}}), problems);
    ASSERT_TRUE(slower);
    EXPECT_FALSE(slower->interval()) << "nobody said";
    EXPECT_TRUE(toJson(*slower)["probability_a_better"].is_null());
    slower->sureness = DifferenceBar{0.9, 1.1, 100, "measured pairs"};
    EXPECT_NEAR(slower->interval()->low, 0, 1e-12);
    EXPECT_NEAR(slower->interval()->high, 0.42, 1e-12);
    EXPECT_NEAR(*slower->probabilityABetter(), 0.95, 1e-12);
    EXPECT_NEAR(toJson(*slower)["difference_interval_90"]["high"].get<double>(), 0.42, 1e-12);
    // From the other side, and of a rate.
    auto faster = compareResults(resultWith({{"forward", 2.2}}), resultWith({{"forward", 2}}), problems);
    faster->sureness = slower->sureness;
    EXPECT_NEAR(*faster->probabilityABetter(), 1 - *slower->probabilityABetter(), 1e-12);
    slower->lessIsBetter = false;
    EXPECT_NEAR(*slower->probabilityABetter(), 0.05, 1e-12);
    // What is surely alike has no better side.
    auto same = compareResults(resultWith({{"forward", 2}}), resultWith({{"forward", 2}}), problems);
    same->sureness = DifferenceBar{0.9, 1, 0, "nothing differs"};
    EXPECT_EQ(same->interval()->low, 0);
    EXPECT_EQ(same->interval()->high, 0);
    EXPECT_FALSE(same->probabilityABetter());
}

TEST(Compare, KnowsWhichFiguresAreBetterWhenTheyAreMore) {
    Json a = resultWith({{"forward", 2}}), b = resultWith({{"forward", 3}});
    a["mfu"] = 0.4, b["mfu"] = 0.3;
    a["memory"] = {{"peak_bytes", 10.0}}, b["memory"] = {{"peak_bytes", 11.0}};
    Problems problems;
    EXPECT_FALSE(compareResults(a, b, problems, "/mfu")->lessIsBetter);
    EXPECT_EQ(compareResults(a, b, problems, "/mfu")->errors, std::vector{ErrorOf::time});
    EXPECT_TRUE(compareResults(a, b, problems, "/iteration_time_s")->lessIsBetter);
    EXPECT_EQ(compareResults(a, b, problems, "/memory/peak_bytes")->errors, std::vector{ErrorOf::memory});
    EXPECT_TRUE(compareResults(a, b, problems, "/time_breakdown_s/forward")->errors.empty()) << "no run was measured by its parts";
}

TEST(Compare, PartThatOnlyOneSideHasIsKept) {
    Problems problems;
    const auto comparison = compareResults(resultWith({{"forward", 2}}), resultWith({{"forward", 2}, {"recompute", 1}}), problems);
    ASSERT_TRUE(comparison);
    ASSERT_EQ(comparison->parts.size(), 2u);
    EXPECT_EQ(comparison->parts[1].name, "recompute");
    EXPECT_DOUBLE_EQ(comparison->parts[1].delta, 1);
}

TEST(Compare, PartsSumToTheDifferenceAlsoWhenItIsTiny) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> seconds(0, 10);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::pair<std::string, double>> parts;
        for (int i = 0; i < 11; ++i) parts.emplace_back("part" + std::to_string(i), seconds(random));
        const Json a = resultWith(parts);
        parts[3].second += 1e-9 * seconds(random); // nanoseconds among seconds
        const Json b = resultWith(parts);
        Problems problems;
        const auto comparison = compareResults(a, b, problems);
        ASSERT_TRUE(comparison);
        double sum = 0;
        for (const auto& part : comparison->parts) sum += part.delta;
        EXPECT_NEAR(sum, comparison->difference, 1e-9 * std::abs(comparison->difference) + 1e-24);
    }
}

double sumOf(const Comparison& comparison) {
    double sum = 0;
    for (const auto& part : comparison.parts) sum += part.delta;
    return sum;
}

TEST(Compare, ARateIsSharedOutOverTheTimeItIsTakenOver) {
    Json a = resultWith({{"forward", 2}, {"bubble", 1}}), b = resultWith({{"forward", 2}, {"bubble", 4}});
    a["mfu"] = 0.6 / 3;
    b["mfu"] = 0.6 / 6; // the same work in twice the time
    Problems problems;
    const auto same = compareResults(a, b, problems, "/mfu");
    ASSERT_TRUE(same);
    EXPECT_NEAR(sumOf(*same), same->difference, 1e-15);
    // One unit of work takes 10 s instead of 5: 20/3 s of them in the bubble instead of 5/3, the others as before.
    for (const auto& part : same->parts) EXPECT_NEAR(part.delta, part.name == "bubble" ? -0.1 : 0, 1e-15) << part.name;
    b["mfu"] = 0.9 / 3; // half as much work more in the same time: each part takes a third less for a unit of it
    b["time_breakdown_s"]["bubble"] = 1;
    b["iteration_time_s"] = 3;
    const auto more = compareResults(a, b, problems, "/mfu");
    ASSERT_TRUE(more);
    for (const auto& part : more->parts) EXPECT_NEAR(part.delta, part.name == "bubble" ? 0.1 / 3 : 0.2 / 3, 1e-15) << part.name;
}

TEST(Compare, PeakMemoryIsDividedByKind) {
    const auto withMemory = [](double weights, double activations) {
        Json result = resultWith({{"forward", 2}});
        result["memory"] = {{"peak_bytes", weights + activations}, {"stages", {{{"peak_bytes", 1}, {"weights", 1}}, {{"peak_bytes", weights + activations}, {"weights", weights}, {"activations", activations}}}}};
        return result;
    };
    Problems problems;
    const auto comparison = compareResults(withMemory(10, 20), withMemory(10, 50), problems, "/memory/peak_bytes");
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->difference, 30);
    for (const auto& part : comparison->parts) EXPECT_EQ(part.delta, part.name == "activations" ? 30 : 0) << part.name;
}

TEST(Compare, TimesToTokensAreDividedByWhatTheResultSaysOfThem) {
    const auto served = [](double queue, double attention) {
        return Json{{"format", "orrery-result/1"}, {"kind", "serving"}, {"ttft_s", {{"mean", queue + attention}}}, {"tpot_s", {{"mean", attention / 10}}}, {"output_tokens_per_s_per_user", 10 / attention}, {"ttft_breakdown_s", {{"queue_cache", queue}, {"prefill_attention", attention}}}, {"tpot_breakdown_s", {{"decode_attention", attention / 10}}}};
    };
    const Json a = served(1, 2), b = served(4, 2.5);
    Problems problems;
    const auto first = compareResults(a, b, problems, "/ttft_s/mean");
    ASSERT_TRUE(first);
    ASSERT_EQ(first->parts.size(), 2U);
    for (const auto& part : first->parts) EXPECT_DOUBLE_EQ(part.delta, part.name == "queue_cache" ? 3 : 0.5) << part.name;
    const auto next = compareResults(a, b, problems, "/tpot_s/mean");
    ASSERT_EQ(next->parts.size(), 1U);
    EXPECT_EQ(next->parts[0].name, "decode_attention");
    EXPECT_DOUBLE_EQ(next->parts[0].delta, 0.05);
    const auto rate = compareResults(a, b, problems, "/output_tokens_per_s_per_user");
    ASSERT_EQ(rate->parts.size(), 1U);
    EXPECT_EQ(rate->parts[0].name, "decode_attention") << "tokens of a user come at one over the time per token";
    EXPECT_DOUBLE_EQ(rate->parts[0].delta, 4.0 - 5.0);
    for (const char* metric : {"/ttft_s/mean", "/tpot_s/mean"}) EXPECT_TRUE(compareResults(a, a, problems, metric)->parts.empty()) << metric;
}

TEST(Compare, AFigureThatNothingDividesIsOnePart) {
    Json a = resultWith({{"forward", 2}}), b = a;
    a["bubble_fraction"] = 0.1;
    b["bubble_fraction"] = 0.4;
    Problems problems;
    const auto comparison = compareResults(a, b, problems, "/bubble_fraction");
    ASSERT_TRUE(comparison);
    ASSERT_EQ(comparison->parts.size(), 1U);
    EXPECT_DOUBLE_EQ(comparison->parts[0].delta, 0.3);
}

TEST(Compare, EqualResultsHaveNoParts) {
    const Json a = resultWith({{"forward", 2}, {"bubble", 1}});
    Problems problems;
    EXPECT_TRUE(compareResults(a, a, problems)->parts.empty());
}

TEST(Compare, AFigureThatIsNotThereIsNamedWithItsSide) {
    Problems problems;
    EXPECT_FALSE(compareResults(resultWith({{"forward", 2}}), resultWith({{"forward", 2}}), problems, "/iteration_tim_s"));
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0].message.rfind("A: ", 0), 0U);
    EXPECT_NE(problems[0].mend.find("/iteration_time_s"), std::string::npos);
}

TEST(Compare, NamesTheSideThatIsNoResult) {
    Problems problems;
    EXPECT_FALSE(compareResults(resultWith({{"forward", 2}}), Json{{"format", "orrery-scenario/1"}}, problems));
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].message.rfind("B ", 0), 0u) << problems[0].message;
}

} // namespace
} // namespace orrery
