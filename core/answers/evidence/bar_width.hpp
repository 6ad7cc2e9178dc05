// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/novelty.hpp"
#include "core/results/report/result.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace orrery {

/// How far off one measured run was, and how much it counts.
struct WeightedScore {
    double score = 0;  ///< not negative
    double weight = 1; ///< positive
};

/// The smallest score that, with all smaller ones, weighs at least `level` of everything, the new run's own weight of 1 counted as
/// the largest score of all; nothing where the scores weigh too little for that.
///
/// With equal weights of 1 this is split conformal prediction: of exchangeable runs at least `level` lie within it (Vovk, Gammerman,
/// Shafer 2005; Lei et al. 2018, Theorem 2). With the weights of each group summing to 1 it holds for a run of a new group when
/// groups are exchangeable (Lee, Barber, Willett 2023, arXiv 2306.06342). Choosing the nearest runs as calibration costs at most
/// what those differ from exchangeable ones (Barber, Candès, Ramdas, Tibshirani 2023, Theorem 2).
std::optional<double> conformalQuantile(std::vector<WeightedScore> scores, double level);

/// What the width of an error bar is made of: how far off the runs around were, and what is extrapolated.
using WidthTerms = std::array<double, 8>;
WidthTerms widthTerms(double nearError, const Novelty& novelty);

/// How far off a run was whose prediction knew only part of the evidence.
struct WidthRow {
    WidthTerms terms{};
    double error = 0;         ///< |ln(measured/predicted)|
    std::size_t pair = 0;     ///< of model and accelerator: its runs are no independent evidence of each other
    bool sourceIsOut = false; ///< the terms are those of evidence without the run's whole source; else without its pair
    bool known = false;       ///< that evidence knew the run's stack (knowsStack())
    bool queued = false;
};

/// Half-widths of intervals in the logarithm: the error of the runs around, once, and what is new, each by a factor that is not negative; the
/// sum is stretched until `level` of the rows lie inside (conformalised regression: Lei et al. 2018, section 5.2), pairs with the same weight.
/// The factors come from least squares on the rows' errors. What the rows never or seldom extrapolated keeps the factor that is assumed for it.
class WidthModel {
public:
    WidthModel() = default;
    WidthModel(const std::vector<WidthRow>& rows, double level);

    /// Nothing where there was too little evidence.
    std::optional<double> halfWidth(const WidthTerms& terms) const;
    const WidthTerms& factors() const { return factors_; }
    std::optional<double> stretch() const { return stretch_; }

private:
    double sum(const WidthTerms& terms) const;

    WidthTerms factors_{};
    std::optional<double> stretch_;
};

/// Share of runs aimed at beyond the level. Constants were fitted to the runs of a known stack, so that others of it are a little further off; and a new
/// source differs more than a new pair of a source that is there.
struct WidthMargins {
    double known = 0;
    double unknown = 0;
};

/// Widths by what is new: a stack that constants were fitted to errs by what they could not fit, one without runs by what its own constants would have
/// been; what waits in a queue makes much of little. A class with too few pairs for widths of its own shares those of the next wider one.
class WidthModels {
public:
    WidthModels() = default;
    WidthModels(const std::vector<WidthRow>& rows, double level, const WidthMargins& margins);

    const WidthModel& of(bool known, bool queued) const { return models_[known ? 1 : 0][queued ? 1 : 0]; }

private:
    std::array<std::array<WidthModel, 2>, 2> models_;
};

/// How many times better than predicted a figure of the result can be at most, at least 1: an iteration can't do its FLOPs faster than the hardware's dense
/// peak, an accelerator can't hold less than weights and optimizer states, and a server can't answer faster than it is asked. Infinite where
/// nothing of the kind is known.
double fastestPossible(const Result& result, ErrorOf what);

/// Weighted least squares of a few factors that are not negative, row by row.
template <std::size_t terms> class LeastSquares {
public:
    using Row = std::array<double, terms>;

    void add(const Row& row, double value, double weight) {
        for (std::size_t i = 0; i < terms; ++i) {
            if (row[i] == 0) continue;
            right_[i] += weight * row[i] * value;
            for (std::size_t j = 0; j < terms; ++j) products_[i][j] += weight * row[i] * row[j];
        }
    }

    /// Coordinate descent on the normal equations finds the factors (Franc, Hlavac, Navara 2005). A factor that no row speaks of is 0.
    Row nonNegative() const {
        constexpr int sweeps = 400;
        Row solution{};
        for (int sweep = 0; sweep < sweeps; ++sweep)
            for (std::size_t i = 0; i < terms; ++i) {
                if (products_[i][i] <= 0) continue;
                double rest = right_[i];
                for (std::size_t j = 0; j < terms; ++j)
                    if (j != i) rest -= products_[i][j] * solution[j];
                solution[i] = std::max(0.0, rest / products_[i][i]);
            }
        return solution;
    }

private:
    std::array<Row, terms> products_{};
    Row right_{};
};

} // namespace orrery
