// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/least_squares.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace orrery::test {
namespace {

/// Rows a·x − b, linear in the unknowns.
Residuals linear(std::vector<std::vector<double>> a, std::vector<double> b) {
    return [a = std::move(a), b = std::move(b)](const std::vector<double>& x, bool) {
        std::vector<Residual> rows;
        for (std::size_t row = 0; row < a.size(); ++row) {
            Residual residual;
            residual.value = -b[row];
            for (std::size_t i = 0; i < x.size(); ++i) {
                residual.value += a[row][i] * x[i];
                if (a[row][i] != 0) residual.slopes.emplace_back(i, a[row][i]);
            }
            rows.push_back(std::move(residual));
        }
        return rows;
    };
}

LeastSquaresOptions quadratic() {
    LeastSquaresOptions options;
    options.huber = 1e9;
    options.enough = 1e-14;
    options.iterations = 60;
    return options;
}

TEST(LeastSquares, OneUnknownIsTheWeighedMeanOfRowsAndPrior) {
    // Minimum of 2 (x − 1)² + 1 (x − 4)² + 0.5 ((x − 10)/2)²: (2·1 + 4 + 10·0.125)/(2 + 1 + 0.125).
    LeastSquaresOptions options = quadratic();
    options.priorWeight = 0.5;
    const LeastSquaresFit fit = leastSquares({{0, -100, 100, 10, 2}}, {2, 1}, linear({{1}, {1}}, {1, 4}), options);
    EXPECT_NEAR(fit.unknowns[0], 7.25 / 3.125, 1e-9);
    EXPECT_NEAR(fit.determined[0], 1 - 0.125 / 3.125, 1e-12);
}

TEST(LeastSquares, FindsTheMinimumOfRandomProblems) {
    // At the minimum the gradient Σ w r ∂r + λ (x − prior)/spread² is zero: held from outside the method.
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (int problem = 0; problem < 20; ++problem) {
        const std::size_t size = 6, count = 30;
        std::vector<std::vector<double>> a(count, std::vector<double>(size));
        std::vector<double> b(count), weights(count);
        for (std::size_t row = 0; row < count; ++row) {
            for (double& value : a[row]) value = normal(random);
            b[row] = normal(random);
            weights[row] = 0.1 + std::abs(normal(random));
        }
        std::vector<Unknown> unknowns;
        for (std::size_t i = 0; i < size; ++i) unknowns.push_back({normal(random), -50, 50, normal(random), 0.5 + std::abs(normal(random))});
        const Residuals residuals = linear(a, b);
        const LeastSquaresFit fit = leastSquares(unknowns, weights, residuals, quadratic());
        const std::vector<Residual> rows = residuals(fit.unknowns, true);
        for (std::size_t i = 0; i < size; ++i) {
            double gradient = quadratic().priorWeight * (fit.unknowns[i] - unknowns[i].prior) / (unknowns[i].spread * unknowns[i].spread);
            for (std::size_t row = 0; row < count; ++row) gradient += weights[row] * rows[row].value * a[row][i];
            EXPECT_NEAR(gradient, 0, 1e-6);
        }
    }
}

TEST(LeastSquares, AnUnknownStaysAtTheBoundItWantsToCross) {
    // The free minimum is (5, −5); with x ≤ 2 the other follows: y minimises (y − x + 10)² + (y + 5)² at x = 2, so −6.5.
    const LeastSquaresFit fit = leastSquares({{0, -1, 2, 0, 1e6}, {0, -100, 100, 0, 1e6}}, {1, 1, 1},
                                             linear({{1, 0}, {-1, 1}, {0, 1}}, {5, -10, -5}), quadratic());
    EXPECT_DOUBLE_EQ(fit.unknowns[0], 2);
    EXPECT_NEAR(fit.unknowns[1], -6.5, 1e-6);
}

TEST(LeastSquares, WhatNoRowSpeaksOfGoesToItsPrior) {
    const LeastSquaresFit fit = leastSquares({{0, -10, 10, 0, 1}, {3, -10, 10, 1.5, 1}}, {1}, linear({{1, 0}}, {2}), quadratic());
    EXPECT_NEAR(fit.unknowns[1], 1.5, 1e-6);
    EXPECT_NEAR(fit.determined[1], 0, 1e-12);
    EXPECT_GT(fit.determined[0], 0.99);
}

TEST(LeastSquares, OneRowFarOffDoesNotDragTheOthersAlong) {
    std::vector<std::vector<double>> a(11, {1.0});
    std::vector<double> b(10, 1.0);
    b.push_back(50);
    LeastSquaresOptions options = quadratic();
    const double mean = leastSquares({{0, -100, 100, 0, 1e6}}, std::vector<double>(11, 1), linear(a, b), options).unknowns[0];
    options.huber = 0.12;
    const double robust = leastSquares({{0, -100, 100, 0, 1e6}}, std::vector<double>(11, 1), linear(a, b), options).unknowns[0];
    EXPECT_NEAR(mean, 60.0 / 11, 1e-6);
    EXPECT_NEAR(robust, 1 + 0.12 / 10, 1e-6); // the ten pull back with 10 (x − 1) what the one pulls with 0.12
}

} // namespace
} // namespace orrery::test
