// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/group_layout.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace orrery {

GroupLayout layoutOf(const Fabric& fabric, const std::vector<int>& ranks) {
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

} // namespace orrery
