// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/routing/bisection.hpp"

#include <algorithm>
#include <vector>

namespace orrery {

bool hasFullBisection(RoutedFabric& routed) {
    constexpr double rounding = 1e-9;
    const Fabric& fabric = routed.fabric();
    const int ranks = fabric.ranks();
    std::vector<double> crossings(fabric.links().size());
    std::vector<std::vector<FlowLink>> outside; // links between hosts, by sender
    for (int rank = 0; rank < ranks; ++rank) {
        const Way way = routed.router().way(rank, (rank + ranks / 2) % ranks);
        if (!way.found) return false;
        std::vector<FlowLink>& own = outside.emplace_back();
        for (const WayLink& part : way.links) {
            crossings[part.link] += part.share;
            if (fabric.groups()[fabric.links()[part.link].group].kind != LinkKind::scale_up) own.push_back(part.link);
        }
    }
    const auto rateOn = [&](FlowLink link) { return routed.capacities()[link] / crossings[link]; };
    return std::all_of(outside.begin(), outside.end(), [&](const std::vector<FlowLink>& way) {
        if (way.empty()) return true;
        const double own = std::min(rateOn(way.front()), rateOn(way.back())); // out of the sender's interface, into the receiver's
        return std::all_of(way.begin(), way.end(), [&](FlowLink link) { return rateOn(link) >= own * (1 - rounding); });
    });
}

} // namespace orrery
