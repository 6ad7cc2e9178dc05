// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/conformal.hpp"
#include "core/answers/evidence/novelty.hpp"

#include <array>
#include <optional>
#include <vector>

namespace orrery {

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

} // namespace orrery
