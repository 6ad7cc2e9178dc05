// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/short_form.hpp"

#include <algorithm>

namespace orrery {
namespace {

TopologyLink link(std::string from, std::string to, double bandwidth, double latency, int count) {
    TopologyLink result;
    result.from = std::move(from);
    result.to = std::move(to);
    result.bandwidth = bandwidth;
    result.latency = latency;
    result.count = count;
    return result;
}

TopologyNode switchNode(std::string id, int replicas) {
    TopologyNode node;
    node.id = std::move(id);
    node.kind = NodeKind::switch_;
    node.replicas = replicas;
    return node;
}

} // namespace

std::vector<int> hostsByDomain(int hosts, int most) {
    const int domains = (hosts + most - 1) / std::max(1, most);
    std::vector<int> held;
    held.reserve(static_cast<std::size_t>(std::max(0, domains)));
    for (int domain = 0; domain < domains; ++domain) held.push_back(hosts / domains + (domain < hosts % domains ? 1 : 0));
    return held;
}

Cluster expandShortForm(const Accelerator& accelerator, int acceleratorsPerNode, int nodes, const ScaleUp& scaleUp,
                        const ScaleOut& scaleOut) {
    Cluster cluster;
    cluster.accelerator = accelerator;
    cluster.scaleUpBandwidth = scaleUp.bandwidth;
    cluster.scaleUpLatency = scaleUp.latency;
    cluster.oversubscription = std::max(1.0, scaleOut.oversubscription);
    const int perHost = std::clamp(scaleUp.domainSize, 1, acceleratorsPerNode);
    const int hosts = nodes * (acceleratorsPerNode / perHost);
    const int hostsPerDomain = std::max(1, scaleUp.domainSize / acceleratorsPerNode);
    const bool domains = hostsPerDomain > 1 && hosts > 1;
    const bool blocking = cluster.oversubscription > 1;
    const std::string top = blocking ? "spine" : "leaf";
    const std::vector<int> held = hostsByDomain(hosts, domains ? hostsPerDomain : hosts);
    for (std::size_t index = 0; index < held.size(); ++index) {
        const std::string suffix = domains ? "-" + std::to_string(index) : "";
        TopologyNode host;
        host.id = "node" + suffix;
        host.accelerator = accelerator.id;
        host.count = perHost;
        host.replicas = held[index];
        if (domains) host.domain = "domain" + suffix;
        if (hosts > 1) {
            const std::string below = blocking ? "leaf" + suffix : top;
            cluster.links.push_back(link(host.id, below, scaleOut.bandwidth, scaleOut.latency, perHost));
            if (blocking) {
                cluster.nodes.push_back(switchNode(below, host.replicas));
                cluster.links.push_back(link(below, top, scaleOut.bandwidth * perHost / cluster.oversubscription, scaleOut.latency, 1));
            }
        }
        cluster.nodes.push_back(std::move(host));
    }
    if (hosts > 1) cluster.nodes.push_back(switchNode(top, 1));
    return cluster;
}

} // namespace orrery
