// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace orrery {

/// A plan by what should be small of it.
struct Costs {
    double first = 0, second = 0;
};

/// Worse in one and better in neither.
inline bool isDominated(const Costs& plan, const Costs& by) {
    return by.first <= plan.first && by.second <= plan.second && (by.first < plan.first || by.second < plan.second);
}

/// Those that no other dominates (the Pareto front), by the first cost and then the second; equal ones in the order given.
std::vector<std::size_t> frontOf(const std::vector<Costs>& plans);

} // namespace orrery
