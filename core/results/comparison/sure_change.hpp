// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// How sure a change of one figure is.
struct SureChange {
    double low = 0, high = 0;                           ///< share of the figure before, B/A − 1, between which it lies in 9 of 10 such comparisons
    std::string basis;                                  ///< one sentence: which measured runs say so
    bool isSure() const { return low > 0 || high < 0; } ///< "no change" lies outside
};

/// Says how sure a change is of the figure at `pointer` (a RESULT POINTER), which is `a` in the result before and `b` in the one after. Errors that both results share cancel
/// (core/answers/evidence/difference_bars.hpp). Nothing where no measured run has the figure, where nothing differs, and of recorded graphs.
std::optional<SureChange> sureChange(const Result& before, const Result& after, std::string_view pointer, double a, double b);

} // namespace orrery
