// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/evidence/conformal.hpp"
#include "core/evidence/novelty.hpp"

#include <array>
#include <optional>
#include <vector>

namespace orrery {

/// What the width of an error bar is made of: the mean error of the most alike runs, what is extrapolated, a constant part, and one
/// where requests wait in a queue, which makes much of little.
using WidthTerms = std::array<double, 8>;
WidthTerms widthTerms(double nearError, const Novelty& novelty, bool queued = false);

/// How far off a run was whose prediction knew only part of the evidence.
struct WidthRow {
    WidthTerms terms{};
    double error = 0;         ///< |ln(measured/predicted)|
    std::size_t source = 0;   ///< runs of one source are no independent evidence of each other
    std::size_t pair = 0;     ///< of model and accelerator
    bool sourceIsOut = false; ///< the terms are those of evidence without the run's whole source; else without its pair
};

/// Half-widths of intervals in the logarithm: the terms' errors add up, each by a factor that is not negative (least squares on the
/// rows' errors, sources with the same weight), and the sum is stretched until 9 of 10 rows lie inside (conformalised regression: Lei
/// et al. 2018, section 5.2; with the weights of each source adding up to 1 it holds for a run of a new source, Lee, Barber, Willett 2023).
/// Where there are too few sources for that, pairs take their place.
class WidthModel {
public:
    WidthModel() = default;
    /// `pairMargin`: share of runs aimed at beyond the level where pairs take the sources' place, for new sources differ more than pairs do.
    WidthModel(const std::vector<WidthRow>& rows, double level, double pairMargin = 0);

    /// Nothing where there was too little evidence.
    std::optional<double> halfWidth(const WidthTerms& terms) const;
    const WidthTerms& factors() const { return factors_; }
    std::optional<double> stretch() const { return stretch_; }

private:
    double sum(const WidthTerms& terms) const;
    std::optional<double> stretchFor(const std::vector<WidthRow>& rows, double level, bool sourceIsOut, bool byPair) const;

    WidthTerms factors_{};
    std::optional<double> stretch_;
};

} // namespace orrery
