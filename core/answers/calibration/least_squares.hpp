// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace orrery {

inline constexpr double slopeStep = 0.02; ///< of an unknown: by how much it is moved to see what the rows make of it

/// One unknown of a fit, as a logarithm, with what is expected of it.
struct Unknown {
    double start = 0;
    double low = 0, high = 0;
    double prior = 0;
    double spread = 1; ///< standard deviation of what is expected
};

/// What the measurement `row` makes of the unknowns: its residual now, and by how much it moves a unit of each unknown that it
/// depends on (ascending, each once).
struct Residual {
    double value = 0;
    std::vector<std::pair<std::size_t, double>> slopes;
};

/// Residuals of all rows at a point; with slopes or without. Must not depend on what was asked before.
using Residuals = std::function<std::vector<Residual>(const std::vector<double>& unknowns, bool withSlopes)>;

struct LeastSquaresOptions {
    double huber = 0.12;       ///< residuals beyond count linearly
    double priorWeight = 1e-4; ///< of ((unknown − prior)/spread)² beside the rows' squares
    int iterations = 12;
    double enough = 1e-4; ///< relative fall of the objective at which to stop
};

struct LeastSquaresFit {
    std::vector<double> unknowns;
    std::vector<double> determined; ///< by unknown, 0 to 1: how much the rows say of it, 1 − variance with them/variance of the prior
    double objective = 0;
    int iterations = 0;
};

/// Levenberg and Marquardt's method for Σ weight ρ(residual) + prior, ρ Huber's, within bounds: an unknown that wants out stays at its
/// bound. Sums run in the order of the rows, so the outcome is the same bytes every time.
LeastSquaresFit leastSquares(const std::vector<Unknown>& unknowns, const std::vector<double>& weights, const Residuals& residuals,
                             const LeastSquaresOptions& options);

} // namespace orrery
