// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/own_cluster.hpp"
#include "core/base/boxed_json.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace orrery {

/// What a figure was to the fit.
enum class FigureUse {
    fitted,   ///< the constants were fitted to it
    left_out, ///< the same figure, by constants that were fitted to the other runs
    beside,   ///< of a run that was fitted to, but not this figure: a percentile, a rate
};
const char* wordOf(FigureUse use);

/// A measured figure with what was predicted of it; errors as `validate` counts them, + is too slow.
struct CalibratedFigure {
    std::size_t run = 0; ///< in the given order
    std::string metric;
    FigureUse use = FigureUse::fitted;
    double measured = 0, before = 0, after = 0;
    double errorBefore = 0, errorAfter = 0; ///< percent
};

/// Mean absolute errors, percent.
struct CalibrationErrors {
    double before = 0, after = 0;
    int count = 0;
};
CalibrationErrors errorsOf(const std::vector<CalibratedFigure>& figures, FigureUse use);

/// Constants fitted to measured figures, and how far off predictions are with them and without.
struct ProfileFit {
    std::vector<AdjustedConstant> constants; ///< those that the runs say something of
    std::vector<CalibratedFigure> figures;
    /// The errors on what was not fitted: of each run by the constants of the others; where there is one run, of the figures beside.
    FigureUse notFitted = FigureUse::left_out;
    BoxedJson profile; ///< a document of the format orrery-profile/1
    Problems problems;
};

/// `figures` and `errors` of a profile: what was measured, what was predicted of it, and the errors on what was fitted apart from those on the rest.
/// `rest` says what that is.
void describeFigures(Json& profile, const std::vector<CalibratedFigure>& figures, FigureUse notFitted, const char* rest);

} // namespace orrery
