// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/expect.hpp"
#include "core/engine/jitter_model.hpp"
#include "core/engine/order_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Order statistics against closed forms and published tables.

namespace orrery::test {
namespace {

/// Harter's table of expected normal order statistics (Biometrika 48, 1961, to five decimals), and where those end Tippett's (1925).
TEST(LargestNormal, IsThatOfTheTables) {
    const std::vector<std::pair<int, double>> harter{{1, 0}, {2, 0.56419}, {3, 0.84628}, {4, 1.02938}, {5, 1.16296}, {6, 1.26721}, {7, 1.35218}, {8, 1.42360}, {9, 1.48501}, {10, 1.53875}, {15, 1.73591}, {20, 1.86748}, {25, 1.96531}, {30, 2.04276}, {40, 2.16078}, {50, 2.24907}, {100, 2.50759}};
    for (const auto& [n, mean] : harter) EXPECT_NEAR(largestNormal(n).mean, mean, 1e-5) << n;
    EXPECT_NEAR(largestNormal(1000).mean, 3.24144, 1e-5);
}

/// The largest of two: mean 1/√π, variance 1 − 1/π; of three: mean 3/(2√π), variance 1 + √3/(2π) − 9/(4π).
TEST(LargestNormal, HasClosedFormsForTwoAndThree) {
    const double pi = std::acos(-1.0);
    EXPECT_NEAR(largestNormal(2).mean, 1 / std::sqrt(pi), 1e-12);
    EXPECT_NEAR(largestNormal(2).variance, 1 - 1 / pi, 1e-12);
    EXPECT_NEAR(largestNormal(3).mean, 1.5 / std::sqrt(pi), 1e-12);
    EXPECT_NEAR(largestNormal(3).variance, 1 + std::sqrt(3.0) / (2 * pi) - 9 / (4 * pi), 1e-12);
}

/// Blom's formula errs by a twentieth for two and by less than two percent for more.
TEST(LargestNormal, IsNearBloms) {
    EXPECT_NEAR(blomLargestNormal(2), largestNormal(2).mean, 0.05 * largestNormal(2).mean);
    for (const double n : {4.0, 8.0, 64.0, 1024.0, 16384.0, 1e6}) EXPECT_NEAR(blomLargestNormal(n), largestNormal(n).mean, 0.02 * largestNormal(n).mean) << n;
}

/// (M − b)/a tends to Gumbel's law, whose mean is Euler's constant: b = Φ⁻¹(1 − 1/n), a = Φ⁻¹(1 − 1/(e n)) − b (David, Nagaraja 2003, 10.5),
/// no faster than 1/log n (Hall 1979).
TEST(LargestNormal, TendsToGumbels) {
    double before = 1;
    for (const double n : {1e2, 1e4, 1e6}) {
        const double b = normalQuantile(1 - 1 / n), a = normalQuantile(1 - 1 / (std::exp(1.0) * n)) - b;
        const double off = std::abs((largestNormal(n).mean - b) / a - 0.57721566490153286);
        EXPECT_LT(off, 0.5 / std::log(n));
        EXPECT_LT(off, before);
        before = off;
    }
}

TEST(NormalQuantile, IsTheInverse) {
    EXPECT_NEAR(normalQuantile(0.975), 1.959963984540054, 1e-12);
    EXPECT_NEAR(normalQuantile(0.5), 0, 1e-15);
    for (double x = -8; x <= 5; x += 0.125) EXPECT_NEAR(normalQuantile(normalCdf(x)), x, 1e-9) << x;
}

/// Uniform: n/(n + 1). Exponential: 1 + 1/2 + … + 1/n.
TEST(ExpectedLargest, HasClosedForms) {
    for (const int n : {1, 2, 5, 10, 100, 1000}) {
        EXPECT_NEAR(expectedLargest([](double x) { return x; }, n, 0, 1), double(n) / (n + 1), 1e-4) << n;
        double harmonic = 0;
        for (int i = 1; i <= n; ++i) harmonic += 1.0 / i;
        EXPECT_NEAR(expectedLargest([](double x) { return 1 - std::exp(-x); }, n, 0, 60), harmonic, 1e-4 * harmonic) << n;
        EXPECT_NEAR(expectedLargest(normalCdf, n, -9, 9), largestNormal(n).mean, 1e-4) << n;
    }
}

/// One draw at the level of the maximum is as good as the largest of n draws: same mean, same share below each decile.
TEST(LevelOfMaximum, DrawsTheLargestOfMany) {
    constexpr int n = 50, samples = 20000;
    double direct = 0, largest = 0;
    std::vector<int> below(10, 0);
    for (std::uint64_t i = 0; i < samples; ++i) {
        const double level = levelOfMaximum(uniformDraw(1, 0, i), n);
        direct += -std::log1p(-level);
        ++below[std::min<std::size_t>(9, static_cast<std::size_t>(10 * std::pow(level, n)))];
        double most = 0;
        for (std::uint64_t k = 0; k < n; ++k) most = std::max(most, -std::log1p(-uniformDraw(2, i, k)));
        largest += most;
    }
    const double error = 4 * std::sqrt(1.6251 / samples); // four standard errors: the variance is the sum of 1/i²
    EXPECT_NEAR(direct / samples, 4.499205, error);
    EXPECT_NEAR(largest / samples, 4.499205, error);
    for (const int count : below) EXPECT_NEAR(count, samples / 10.0, 5 * std::sqrt(samples * 0.09));
}

TEST(LargestOfLogNormals, AgreesWithItsDistribution) {
    for (const double sigma : {0.02, 0.1, 0.5})
        for (const int n : {2, 8, 64, 1024}) {
            const LogNormal one = logNormalOf({3, 9 * std::expm1(sigma * sigma)});
            EXPECT_NEAR(one.sigma, sigma, 1e-12);
            EXPECT_NEAR(one.mean(), 3, 1e-12);
            const double least = 3 * std::exp(-9 * sigma), most = 3 * std::exp(9 * sigma);
            const double expected = expectedLargest([&](double x) { return one.cdf(x); }, n, least, most);
            EXPECT_NEAR(largestOf({3, 9 * std::expm1(sigma * sigma)}, n).mean, expected, 2e-4 * expected) << sigma << " of " << n;
        }
}

/// Fenton–Wilkinson keeps mean and variance; of many terms the quantiles come out as well.
TEST(FentonWilkinson, StandsForASumOfLogNormals) {
    constexpr int terms = 20, samples = 20000;
    constexpr double sigma = 0.3;
    std::vector<double> sums;
    for (std::uint64_t i = 0; i < samples; ++i) {
        double sum = 0;
        for (std::uint64_t k = 0; k < terms; ++k) sum += double(1 + k % 3) * std::exp(sigma * normalDraw(3, i, 2 * k) - sigma * sigma / 2);
        sums.push_back(sum);
    }
    std::sort(sums.begin(), sums.end());
    double mean = 0, squares = 0;
    for (int k = 0; k < terms; ++k) {
        mean += 1 + k % 3;
        squares += (1 + k % 3) * (1 + k % 3);
    }
    const LogNormal whole = logNormalOf({mean, squares * std::expm1(sigma * sigma)});
    for (const double level : {0.05, 0.5, 0.95, 0.99})
        EXPECT_NEAR(sums[static_cast<std::size_t>(level * samples)], whole.quantile(level), 0.005 * mean) << level;
}

TEST(Expectations, NameThePlaceTheConditionAndWhatTheyFound) {
    EXPECT_NO_THROW(normalQuantile(0.5));
    try {
        normalQuantile(1.5);
        FAIL() << "no quantile is beyond all";
    } catch (const BrokenExpectation& broken) {
        const std::string what = broken.what();
        EXPECT_TRUE(what.starts_with("core/engine/order_statistics.cpp:")) << what;
        EXPECT_TRUE(what.ends_with("expected p > 0 && p < 1, found p = 1.5")) << what;
    }
}

} // namespace
} // namespace orrery::test
