// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/report/compare.hpp"

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

TEST(Compare, NamesTheSideThatIsNoResult) {
    Problems problems;
    EXPECT_FALSE(compareResults(resultWith({{"forward", 2}}), Json{{"format", "orrery-scenario/1"}}, problems));
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].message.rfind("B ", 0), 0u) << problems[0].message;
}

} // namespace
} // namespace orrery
