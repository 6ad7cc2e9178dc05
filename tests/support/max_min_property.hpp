// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/max_min.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace orrery::test {

/// What keeps `rates` from being max-min fair; empty when nothing does. Rates are max-min fair if and only if no link carries
/// more than its capacity and every flow has its cap or a bottleneck: a full link on which nobody gets more than it does
/// (Bertsekas, Gallager: Data Networks, section 6.5.2). Says nothing about how the rates were found.
inline std::string whyNotMaxMin(const std::vector<double>& capacities, const std::vector<FlowDemand>& demands,
                                const std::vector<double>& rates, double tolerance = 1e-9) {
    std::ostringstream why;
    if (rates.size() != demands.size()) return "not one rate a demand";
    std::vector<double> load(capacities.size(), 0), highest(capacities.size(), 0);
    for (std::size_t d = 0; d < demands.size(); ++d)
        for (const FlowUse& use : demands[d].uses) {
            load[use.link] += use.flows * rates[d];
            highest[use.link] = std::max(highest[use.link], rates[d]);
        }
    for (std::size_t link = 0; link < capacities.size(); ++link)
        if (!(load[link] <= capacities[link] * (1 + tolerance)))
            why << "link " << link << " carries " << load[link] << " of " << capacities[link] << "\n";
    for (std::size_t d = 0; d < demands.size(); ++d) {
        if (!(rates[d] >= 0)) why << "demand " << d << " has the rate " << rates[d] << "\n";
        if (!(rates[d] <= demands[d].cap)) why << "demand " << d << " gets " << rates[d] << " above its cap " << demands[d].cap << "\n";
        if (rates[d] >= demands[d].cap * (1 - tolerance)) continue;
        const bool stopped = std::any_of(demands[d].uses.begin(), demands[d].uses.end(), [&](const FlowUse& use) {
            return load[use.link] >= capacities[use.link] * (1 - tolerance) && rates[d] >= highest[use.link] * (1 - tolerance);
        });
        if (!stopped) why << "demand " << d << " could have more than " << rates[d] << "\n";
    }
    return why.str();
}

} // namespace orrery::test
