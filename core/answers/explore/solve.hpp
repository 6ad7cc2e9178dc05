// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"
#include "core/answers/explore/trials.hpp"
#include "core/answers/explore/value_list.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// "Which value of this key makes the result say that?"
struct SolveQuestion {
    std::string pointer; ///< a number of the scenario
    ValueRange range;
    Measure measure;
    double target = 0;
};

/// A value that was tried. `figure`: nothing where the scenario is not sound with it, or its result has no such number.
struct SolveTrial {
    double value = 0;
    std::optional<double> figure;
};

struct Solution {
    double value = 0;              ///< of the key
    double figure = 0;             ///< what the result then says
    double low = 0, high = 0;      ///< the answer lies between these
    std::vector<SolveTrial> curve; ///< all that was tried, by value
};

struct SolveRun {
    std::optional<Solution> solution;
    Problems problems; ///< why there is none: the figure's range where nothing reaches the target
    bool cancelled = false;
};

/// The value nearest to the range's lower end at which the figure crosses the target. Some values over the range are tried first, then the
/// two between which the crossing lies close in on it: by regula falsi (Illinois, as in Ford 1995, "Improved algorithms of Illinois-type") while
/// that halves them fast enough, else in the middle. Where the key takes whole numbers alone, it is the first one at which the target is reached or
/// passed.
SolveRun solve(const Trials& trials, const SolveQuestion& question, const RunControl& control = {});

/// The contract's `orrery-solution/1`, with the curve.
Json solutionDocument(const SolveQuestion& question, const Solution& solution);

} // namespace orrery
