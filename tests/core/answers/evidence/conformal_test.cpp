// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/bar_width.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace orrery {
namespace {

TEST(ConformalQuantile, WithEqualWeightsIsTheOrderStatisticOfLeiEtAl) {
    // With n scores it is the ⌈level (n + 1)⌉-th smallest.
    for (const int n : {9, 10, 19, 20, 99, 137}) {
        std::vector<WeightedScore> scores;
        for (int i = n; i >= 1; --i) scores.push_back({double(i), 1});
        const std::optional<double> quantile = conformalQuantile(scores, 0.9);
        ASSERT_TRUE(quantile) << n;
        EXPECT_DOUBLE_EQ(*quantile, std::ceil(0.9 * (n + 1) - 1e-9)) << n;
    }
}

TEST(ConformalQuantile, TooFewScoresCannotTell) {
    EXPECT_FALSE(conformalQuantile({}, 0.9));
    EXPECT_FALSE(conformalQuantile(std::vector<WeightedScore>(8, {1, 1}), 0.9));
    EXPECT_TRUE(conformalQuantile(std::vector<WeightedScore>(9, {1, 1}), 0.9));
    // Many scores of few groups are few.
    EXPECT_FALSE(conformalQuantile(std::vector<WeightedScore>(800, {1, 0.01}), 0.9));
}

TEST(ConformalQuantile, DoesNotDependOnTheOrderOfScores) {
    std::mt19937 random(7);
    std::vector<WeightedScore> scores;
    for (int i = 0; i < 60; ++i) scores.push_back({double(random() % 12), 1.0 / double(1 + random() % 5)});
    const std::optional<double> quantile = conformalQuantile(scores, 0.9);
    for (int i = 0; i < 20; ++i) {
        std::shuffle(scores.begin(), scores.end(), random);
        EXPECT_EQ(conformalQuantile(scores, 0.9), quantile);
    }
}

/// The share of fresh draws within the quantile of `n` draws, over many repetitions: at least 0.9 and below 0.9 + 1/(n + 1).
TEST(ConformalQuantile, CoversExchangeableScoresWhateverTheirDistribution) {
    std::mt19937_64 random(11);
    std::cauchy_distribution<double> heavy;
    std::exponential_distribution<double> light;
    for (const bool cauchy : {false, true}) {
        constexpr int n = 29, repetitions = 20000;
        int covered = 0;
        for (int r = 0; r < repetitions; ++r) {
            const auto draw = [&] { return std::abs(cauchy ? heavy(random) : light(random)); };
            std::vector<WeightedScore> scores;
            for (int i = 0; i < n; ++i) scores.push_back({draw(), 1});
            if (draw() <= *conformalQuantile(scores, 0.9)) ++covered;
        }
        const double share = double(covered) / repetitions;
        const double noise = 4 * std::sqrt(0.09 / repetitions);
        EXPECT_GE(share, 0.9 - noise);
        EXPECT_LE(share, 0.9 + 1.0 / (n + 1) + noise);
    }
}

/// Runs of one machine share its bias: counted singly they promise too much, counted by machine they hold for a new one.
TEST(ConformalQuantile, CoversARunOfANewGroupWhenGroupsCountOnce) {
    std::mt19937_64 random(13);
    std::normal_distribution<double> normal;
    constexpr int groups = 20, repetitions = 8000;
    int byGroup = 0, singly = 0;
    for (int r = 0; r < repetitions; ++r) {
        // Few groups have most of the runs, the evidence is like that too.
        std::vector<WeightedScore> weighted, plain;
        const auto draw = [&](double bias) { return std::abs(bias + 0.2 * normal(random)); };
        for (int g = 0; g < groups; ++g) {
            const double bias = normal(random);
            const int runs = g < 2 ? 100 : 2;
            for (int i = 0; i < runs; ++i) {
                const double score = draw(bias);
                weighted.push_back({score, 1.0 / runs});
                plain.push_back({score, 1});
            }
        }
        const double fresh = draw(normal(random));
        if (fresh <= *conformalQuantile(weighted, 0.9)) ++byGroup;
        if (fresh <= *conformalQuantile(plain, 0.9)) ++singly;
    }
    const double noise = 4 * std::sqrt(0.09 / repetitions);
    EXPECT_GE(double(byGroup) / repetitions, 0.9 - noise);
    EXPECT_LE(double(byGroup) / repetitions, 0.97);
    EXPECT_LT(double(singly) / repetitions, 0.85);
}

} // namespace
} // namespace orrery
