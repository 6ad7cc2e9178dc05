// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Symmetric matrix, dense; a fit has some hundred unknowns.
class Matrix {
public:
    explicit Matrix(std::size_t size) : size_(size), values_(size * size, 0) {}
    double& operator()(std::size_t row, std::size_t column) { return values_[row * size_ + column]; }
    double operator()(std::size_t row, std::size_t column) const { return values_[row * size_ + column]; }
    std::size_t size() const { return size_; }

private:
    std::size_t size_;
    std::vector<double> values_;
};

/// Lower triangle of Cholesky's factor; the matrix is positive definite by its priors.
Matrix factor(const Matrix& matrix) {
    Matrix lower(matrix.size());
    for (std::size_t i = 0; i < matrix.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix(i, j);
            for (std::size_t k = 0; k < j; ++k) sum -= lower(i, k) * lower(j, k);
            lower(i, j) = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / lower(j, j);
        }
    return lower;
}

std::vector<double> solve(const Matrix& lower, std::vector<double> right) {
    const std::size_t size = lower.size();
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t k = 0; k < i; ++k) right[i] -= lower(i, k) * right[k];
        right[i] /= lower(i, i);
    }
    for (std::size_t i = size; i-- > 0;) {
        for (std::size_t k = i + 1; k < size; ++k) right[i] -= lower(k, i) * right[k];
        right[i] /= lower(i, i);
    }
    return right;
}

class Search {
public:
    Search(const std::vector<Unknown>& unknowns, const std::vector<double>& weights, const Residuals& residuals, const LeastSquaresOptions& options)
        : unknowns_(unknowns), weights_(weights), residuals_(residuals), options_(options) {}

    LeastSquaresFit run() {
        LeastSquaresFit fit;
        for (const Unknown& unknown : unknowns_) fit.unknowns.push_back(std::clamp(unknown.start, unknown.low, unknown.high));
        double damping = 1e-3;
        std::vector<Residual> rows = residuals_(fit.unknowns, true);
        fit.objective = objective(rows, fit.unknowns);
        while (fit.iterations < options_.iterations) {
            ++fit.iterations;
            bool better = false;
            double fall = 0;
            for (int attempt = 0; attempt < 6 && !better; ++attempt) {
                const std::vector<double> next = step(rows, fit.unknowns, damping);
                const double reached = objective(residuals_(next, false), next);
                if (reached < fit.objective) {
                    better = true;
                    fall = (fit.objective - reached) / fit.objective;
                    fit.unknowns = next;
                    fit.objective = reached;
                    damping = std::max(1e-6, damping / 5);
                } else {
                    damping *= 8;
                }
            }
            if (!better || fall < options_.enough) break;
            rows = residuals_(fit.unknowns, true);
        }
        fit.determined = determined(rows);
        return fit;
    }

private:
    double objective(const std::vector<Residual>& rows, const std::vector<double>& at) const {
        double sum = 0;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const double size = std::abs(rows[row].value), h = options_.huber;
            sum += weights_[row] * (size <= h ? size * size : h * (2 * size - h));
        }
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double off = (at[i] - unknowns_[i].prior) / unknowns_[i].spread;
            sum += options_.priorWeight * off * off;
        }
        return sum;
    }

    double rowWeight(const std::vector<Residual>& rows, std::size_t row) const {
        const double size = std::abs(rows[row].value);
        return weights_[row] * (size <= options_.huber ? 1 : options_.huber / size);
    }

    double priorCurvature(std::size_t i) const { return options_.priorWeight / (unknowns_[i].spread * unknowns_[i].spread); }

    void addRows(const std::vector<Residual>& rows, Matrix& curvature, std::vector<double>* pull) const {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const double weight = rowWeight(rows, row);
            for (const auto& [i, slope] : rows[row].slopes) {
                if (pull) (*pull)[i] -= weight * slope * rows[row].value;
                for (const auto& [j, other] : rows[row].slopes) curvature(i, j) += weight * slope * other;
            }
        }
    }

    std::vector<double> step(const std::vector<Residual>& rows, const std::vector<double>& at, double damping) const {
        const std::size_t size = at.size();
        Matrix curvature(size);
        std::vector<double> pull(size, 0);
        addRows(rows, curvature, &pull);
        for (std::size_t i = 0; i < size; ++i) {
            curvature(i, i) += priorCurvature(i);
            pull[i] -= priorCurvature(i) * (at[i] - unknowns_[i].prior);
        }
        std::vector<bool> held(size, false);
        // Each round holds those at their bounds that still want out; a step that crosses a bound ends there.
        std::vector<double> next = at;
        for (std::size_t round = 0; round <= size; ++round) {
            Matrix damped(size);
            std::vector<double> right(size);
            for (std::size_t i = 0; i < size; ++i) {
                for (std::size_t j = 0; j < size; ++j) damped(i, j) = held[i] || held[j] ? 0 : curvature(i, j);
                damped(i, i) = held[i] ? 1 : curvature(i, i) * (1 + damping);
                right[i] = held[i] ? 0 : pull[i];
            }
            const std::vector<double> move = solve(factor(damped), right);
            bool more = false;
            for (std::size_t i = 0; i < size; ++i) {
                next[i] = std::clamp(at[i] + move[i], unknowns_[i].low, unknowns_[i].high);
                const bool outward = (at[i] <= unknowns_[i].low && move[i] < 0) || (at[i] >= unknowns_[i].high && move[i] > 0);
                if (outward && !held[i]) held[i] = more = true;
            }
            if (!more) break;
        }
        return next;
    }

    std::vector<double> determined(const std::vector<Residual>& rows) const {
        const std::size_t size = unknowns_.size();
        Matrix curvature(size);
        addRows(rows, curvature, nullptr);
        for (std::size_t i = 0; i < size; ++i) curvature(i, i) += priorCurvature(i);
        const Matrix lower = factor(curvature);
        std::vector<double> shares(size);
        for (std::size_t i = 0; i < size; ++i) {
            std::vector<double> unit(size, 0);
            unit[i] = 1;
            shares[i] = std::clamp(1 - solve(lower, unit)[i] * priorCurvature(i), 0.0, 1.0);
        }
        return shares;
    }

    const std::vector<Unknown>& unknowns_;
    const std::vector<double>& weights_;
    const Residuals& residuals_;
    const LeastSquaresOptions& options_;
};

} // namespace

LeastSquaresFit leastSquares(const std::vector<Unknown>& unknowns, const std::vector<double>& weights, const Residuals& residuals,
                             const LeastSquaresOptions& options) {
    return Search(unknowns, weights, residuals, options).run();
}

} // namespace orrery
