// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/domain_ring.hpp"

#include "core/catalog/collectives/collective_words.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace orrery {

TransferPattern domainRing(Router& router, const GroupLayout& layout) {
    TransferPattern ring;
    ring.algorithm = wordOf(CollectiveWay::ring);
    PatternPhase phase;
    std::map<FlowLink, double> crossings;
    const std::size_t domains = layout.domains.size();
    for (std::size_t domain = 0; domains > 1 && domain < domains; ++domain) {
        const std::vector<int>& next = layout.domains[(domain + 1) % domains];
        for (std::size_t member = 0; member < layout.domains[domain].size(); ++member) {
            const int from = layout.domains[domain][member], to = next[member % next.size()];
            const Way way = router.way(from, to);
            if (!way.found) {
                if (ring.connected) ring.cutFrom = from, ring.cutTo = to;
                ring.connected = false;
            }
            ring.hops = std::max(ring.hops, way.hops);
            for (const WayLink& link : way.links) crossings[link.link] += link.share;
        }
    }
    PatternFlows flows;
    for (const auto& [link, count] : crossings) flows.uses.push_back({link, count});
    phase.flows.push_back(std::move(flows));
    ring.phases.push_back(std::move(phase));
    return ring;
}

double aloneRate(const TransferPattern& ring, const std::vector<double>& capacities) {
    double rate = std::numeric_limits<double>::infinity();
    for (const FlowUse& use : ring.phases.front().flows.front().uses) rate = std::min(rate, capacities[use.link] / use.flows);
    return rate;
}

} // namespace orrery
