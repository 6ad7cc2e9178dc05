// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/job_traffic/fabric_traffic.hpp"

#include <map>
#include <string>
#include <unordered_map>

namespace orrery {

std::vector<FlowDemand> backgroundTraffic(RoutedFabric& routed) {
    const Fabric& fabric = routed.fabric();
    const Cluster& cluster = fabric.cluster();
    std::vector<FlowDemand> demands;
    std::unordered_map<std::string, int> nodes;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) nodes.emplace(cluster.nodes[i].id, static_cast<int>(i));
    for (const TrafficDemand& demand : cluster.traffic) {
        const auto from = nodes.find(demand.from), to = nodes.find(demand.to);
        if (from == nodes.end() || to == nodes.end()) continue; // checkTopology names these
        const int fromReplicas = cluster.nodes[static_cast<std::size_t>(from->second)].replicas;
        const int toReplicas = cluster.nodes[static_cast<std::size_t>(to->second)].replicas;
        // Each replica sends: to its counterpart, to all of them in turn, or to another of the same node.
        for (int replica = 0; replica < fromReplicas; ++replica) {
            const int target = from->second == to->second ? (replica + 1) % toReplicas : replica % toReplicas;
            const Way way = routed.router().wayBetweenVertices(fabric.vertex(from->second, replica), fabric.vertex(to->second, target));
            if (way.links.empty()) continue;
            std::map<FlowLink, double> crossings;
            for (const WayLink& link : way.links) crossings[link.link] += link.share;
            FlowDemand flow;
            for (const auto& [link, share] : crossings) flow.uses.push_back({link, share});
            flow.cap = demand.bandwidth;
            demands.push_back(std::move(flow));
        }
    }
    return demands;
}

Problem noWay(const Fabric& fabric, const TransferPattern& pattern) {
    const auto host = [&](int rank) {
        return "\"" + fabric.cluster().nodes[static_cast<std::size_t>(fabric.nodeOf(fabric.seat(rank).host))].id + "\"";
    };
    const bool whatIf = !fabric.cluster().changes.empty();
    Problem problem;
    problem.code = "unreachable";
    problem.pointer = whatIf ? "/execution/degraded_links" : "/cluster/topology/links";
    problem.message = "No way leads from rank " + std::to_string(pattern.cutFrom) + " on " + host(pattern.cutFrom) + " to rank " +
                      std::to_string(pattern.cutTo) + " on " + host(pattern.cutTo) + ".";
    problem.mend = whatIf ? "Restore a link or switch between them." : "Join their switches by a link.";
    return problem;
}

} // namespace orrery
