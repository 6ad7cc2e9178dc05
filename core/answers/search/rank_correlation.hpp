// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace orrery {

/// Spearman's: 1 where both members of the pairs put them in one order, -1 where in opposite ones; equal members share their ranks. Nothing for fewer
/// than three pairs, or where one member is the same in all.
std::optional<double> rankCorrelation(std::vector<std::pair<double, double>> pairs);

} // namespace orrery
