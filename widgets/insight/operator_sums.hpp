// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <vector>

namespace orrery {

/// A part of the iteration. The whole of it over all stages is what `Result::operations` sums up.
struct OperatorScope {
    int stage = -1;  ///< -1: mean over the stages
    double from = 0; ///< s
    double to = 0;   ///< s; not after `from`: the whole iteration

    bool wholeTime() const { return !(to > from); }
    bool whole() const { return stage < 0 && wholeTime(); }
};

/// Operators by name and phase with their sums over the scope, mean per accelerator and before overlap, as
/// `Result::operations`. An operator that the scope's edge cuts counts with the part inside.
std::vector<OperationRow> operatorSums(const Result& result, const OperatorScope& scope);

/// Length of the scope, s: what shares are of.
double duration(const Result& result, const OperatorScope& scope);

} // namespace orrery
