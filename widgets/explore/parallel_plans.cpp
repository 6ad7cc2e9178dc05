// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/parallel_plans.hpp"

#include "core/base/json.hpp"

#include <algorithm>

namespace orrery {

std::size_t ParallelPlans::simulated() const {
    return static_cast<std::size_t>(std::count_if(plans.begin(), plans.end(), [](const Plan& plan) { return !plan.isFallen(); }));
}

bool isWithin(const ParallelPlans::Plan& plan, const Brushes& brushes) {
    for (std::size_t i = 0; i < brushes.size(); ++i)
        if (brushes[i] && (i >= plan.at.size() || !plan.at[i] || !brushes[i]->holds(*plan.at[i]))) return false;
    return true;
}

bool areSameAxes(const std::vector<ParallelAxis>& a, const std::vector<ParallelAxis>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ParallelAxis& one, const ParallelAxis& other) { return one.pointer == other.pointer && one.values == other.values; });
}

} // namespace orrery
