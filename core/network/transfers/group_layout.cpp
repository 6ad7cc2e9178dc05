// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/group_layout.hpp"

#include "core/base/expect.hpp"
#include "core/catalog/collectives/library.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

namespace orrery {

GroupLayout layoutOf(const Fabric& fabric, const std::vector<int>& ranks) {
    ORRERY_EXPECT(!ranks.empty());
    GroupLayout layout;
    layout.ranks = static_cast<int>(ranks.size());
    std::unordered_map<std::uint32_t, std::size_t> place;
    for (const int rank : ranks) {
        // Without a scale-up fabric every rank is by itself.
        const std::uint32_t domain = fabric.hasScaleUp() ? fabric.seat(rank).domain : static_cast<std::uint32_t>(rank);
        const auto [entry, added] = place.emplace(domain, layout.domains.size());
        if (added) layout.domains.emplace_back();
        layout.domains[entry->second].push_back(rank);
    }
    std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;
    for (const std::vector<int>& members : layout.domains) {
        least = std::min(least, members.size());
        most = std::max(most, members.size());
    }
    layout.members = layout.domains.empty() ? 0 : static_cast<int>(least);
    layout.even = least == most;
    return layout;
}

double interfaceBandwidth(const Fabric& fabric, const std::vector<int>& ranks) {
    double least = std::numeric_limits<double>::infinity();
    std::unordered_map<const Attachment*, int> owners;
    for (const int rank : ranks) {
        const Fabric::Range own = fabric.ownAttachments(rank);
        const std::vector<Attachment>& all = fabric.attachments(fabric.seat(rank).host);
        for (std::uint32_t i = own.first; i < own.first + own.count; ++i) ++owners[&all[i]];
    }
    for (const int rank : ranks) {
        const Fabric::Range own = fabric.ownAttachments(rank);
        const std::vector<Attachment>& all = fabric.attachments(fabric.seat(rank).host);
        double sum = 0;
        for (std::uint32_t i = own.first; i < own.first + own.count; ++i) {
            if (all[i].out != Attachment::noLink) {
                sum += fabric.links()[all[i].out].capacity / owners.at(&all[i]);
            } else {
                // A host that forwards has no interface of its own: its thickest cable serves.
                double thickest = 0;
                for (const Fabric::Edge* edge = fabric.edgesBegin(all[i].vertex); edge != fabric.edgesEnd(all[i].vertex); ++edge)
                    thickest = std::max(thickest, fabric.links()[edge->link].capacity);
                sum += thickest / owners.at(&all[i]);
            }
        }
        least = std::min(least, sum);
    }
    return ranks.empty() ? 0 : least;
}

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
