// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/drawn_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {

DrawnTraffic::DrawnTraffic(const ClusterDocument& document, const NodeNames& names, const NetworkReport& network)
    : links_(document.links().size()), insides_(document.nodes().size()) {
    const auto cablesOf = [&document](int link) {
        const DrawnLink& drawn = document.links()[static_cast<std::size_t>(link)];
        const auto& nodes = document.nodes();
        const int copies = std::max(nodes[static_cast<std::size_t>(drawn.from)].replicas, nodes[static_cast<std::size_t>(drawn.to)].replicas);
        return static_cast<double>(std::max(1, drawn.count)) * copies;
    };
    for (std::size_t i = 0; i < network.links.size(); ++i) {
        const ReportLink& link = network.links[i];
        const int reported = static_cast<int>(i);
        if (link.kind != LinkKind::cable) {
            const std::vector<int> hosts = names.cards(link.from);
            double replicas = 0;
            for (const int host : hosts) replicas += document.nodes()[static_cast<std::size_t>(host)].replicas;
            for (const int host : hosts) {
                Inside& inside = insides_[static_cast<std::size_t>(host)];
                (link.kind == LinkKind::scale_up ? inside.scaleUp : inside.pcie).push_back(reported);
                inside.part = document.nodes()[static_cast<std::size_t>(host)].replicas / std::max(1.0, replicas);
            }
            continue;
        }
        std::vector<NodeNames::Cable> cables = names.cables(link.from, link.to);
        // Among several between the same ends it is the one at the same place of the file.
        if (!document.isShortForm() && cables.size() > 1) {
            const auto same = std::find_if(cables.begin(), cables.end(), [&](const NodeNames::Cable& cable) {
                return document.links()[static_cast<std::size_t>(cable.link)].index == link.drawn;
            });
            if (same != cables.end()) cables = {*same};
        }
        double all = 0;
        for (const NodeNames::Cable& cable : cables) all += cablesOf(cable.link);
        for (const NodeNames::Cable& cable : cables) {
            Link& drawn = links_[static_cast<std::size_t>(cable.link)];
            // A cable between two alike nodes has its directions by the file's.
            const bool forward = link.from == link.to ? !link.backward : cable.forward;
            (forward ? drawn.forward : drawn.backward) = reported;
            drawn.part = cablesOf(cable.link) / all;
        }
    }
}

std::vector<int> DrawnTraffic::linksOf(int reported) const {
    std::vector<int> found;
    for (std::size_t l = 0; l < links_.size(); ++l)
        if (links_[l].forward == reported || links_[l].backward == reported) found.push_back(static_cast<int>(l));
    return found;
}

std::vector<int> DrawnTraffic::nodesOf(int reported) const {
    std::vector<int> found;
    for (std::size_t n = 0; n < insides_.size(); ++n)
        for (const std::vector<int>* kind : {&insides_[n].scaleUp, &insides_[n].pcie})
            if (std::find(kind->begin(), kind->end(), reported) != kind->end()) found.push_back(static_cast<int>(n));
    return found;
}

std::vector<double> DrawnTraffic::shares(const std::vector<LinkLoad>& loads) const {
    std::vector<double> shares(links_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t l = 0; l < links_.size(); ++l)
        for (const int reported : {links_[l].forward, links_[l].backward})
            if (reported >= 0 && static_cast<std::size_t>(reported) < loads.size()) {
                const double mean = loads[static_cast<std::size_t>(reported)].mean;
                shares[l] = std::isnan(shares[l]) ? mean : std::max(shares[l], mean);
            }
    return shares;
}

std::vector<double> DrawnTraffic::fabricShares(const std::vector<LinkLoad>& loads) const {
    std::vector<double> shares(insides_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t n = 0; n < insides_.size(); ++n)
        for (const int reported : insides_[n].scaleUp)
            if (static_cast<std::size_t>(reported) < loads.size()) {
                const double mean = loads[static_cast<std::size_t>(reported)].mean;
                shares[n] = std::isnan(shares[n]) ? mean : std::max(shares[n], mean);
            }
    return shares;
}

} // namespace orrery
