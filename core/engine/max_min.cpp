// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/max_min.hpp"

#include "core/engine/progressive_filling.hpp"

namespace orrery {

std::vector<double> maxMinRates(const std::vector<double>& capacities, const std::vector<FlowDemand>& demands) {
    std::vector<DemandView> views;
    views.reserve(demands.size());
    for (const FlowDemand& demand : demands) views.push_back({demand.uses.data(), demand.uses.size(), demand.cap});
    std::vector<double> rates(demands.size());
    ProgressiveFilling filling(capacities);
    filling.solve(views, rates);
    return rates;
}

} // namespace orrery
