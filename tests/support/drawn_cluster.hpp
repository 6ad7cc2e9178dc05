// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/network/cluster.hpp"

#include <string>
#include <utility>
#include <vector>

namespace orrery::test {

inline TopologyNode hostNode(std::string id, int accelerators, int replicas = 1, std::string domain = "") {
    TopologyNode node;
    node.id = std::move(id);
    node.accelerator = "any";
    node.count = accelerators;
    node.replicas = replicas;
    node.domain = std::move(domain);
    return node;
}

inline TopologyNode switchNode(std::string id, int replicas = 1) {
    TopologyNode node;
    node.id = std::move(id);
    node.kind = NodeKind::switch_;
    node.replicas = replicas;
    return node;
}

inline TopologyLink cable(std::string from, std::string to, double bandwidth, double latency, int count = 1) {
    TopologyLink link;
    link.from = std::move(from);
    link.to = std::move(to);
    link.bandwidth = bandwidth;
    link.latency = latency;
    link.count = count;
    return link;
}

inline LinkChange linkDown(std::string from, std::string to = "", int nic = -1, int replica = -1) {
    LinkChange change;
    change.from = std::move(from);
    change.to = std::move(to);
    change.nic = nic;
    change.replica = replica;
    change.down = true;
    return change;
}

inline Cluster drawn(std::vector<TopologyNode> nodes, std::vector<TopologyLink> links, double upBandwidth = 450e9, double upLatency = 0.8e-6) {
    Cluster cluster;
    cluster.nodes = std::move(nodes);
    cluster.links = std::move(links);
    cluster.scaleUpBandwidth = upBandwidth;
    cluster.scaleUpLatency = upLatency;
    cluster.drawn = true;
    return cluster;
}

/// Hosts on one switch that never blocks, `nics` interfaces each (0: one an accelerator).
inline Cluster oneSwitch(int hosts, int accelerators, double nicBandwidth = 50e9, double latency = 2e-6, int nics = 0) {
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (int h = 0; h < hosts; ++h) {
        nodes.push_back(hostNode("h" + std::to_string(h), accelerators));
        links.push_back(cable(nodes.back().id, "switch", nicBandwidth, latency, nics > 0 ? nics : accelerators));
    }
    nodes.push_back(switchNode("switch"));
    return drawn(std::move(nodes), std::move(links));
}

/// Interface i of every host on switch i; no switch is joined to another unless a spine is asked for.
inline Cluster rails(int hosts, int accelerators, double nicBandwidth = 50e9, double latency = 2e-6, bool spine = false) {
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (int h = 0; h < hosts; ++h) nodes.push_back(hostNode("h" + std::to_string(h), accelerators));
    for (int rail = 0; rail < accelerators; ++rail) {
        nodes.push_back(switchNode("rail" + std::to_string(rail)));
        for (int h = 0; h < hosts; ++h) links.push_back(cable("h" + std::to_string(h), nodes.back().id, nicBandwidth, latency));
        if (spine) links.push_back(cable(nodes.back().id, "spine", nicBandwidth, latency, hosts));
    }
    if (spine) nodes.push_back(switchNode("spine"));
    return drawn(std::move(nodes), std::move(links));
}

/// A cable between every two hosts and no switch: the link that a flow takes names its two ends.
inline Cluster fullMesh(int hosts, int accelerators, double bandwidth = 50e9, double latency = 2e-6) {
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (int h = 0; h < hosts; ++h) nodes.push_back(hostNode("h" + std::to_string(h), accelerators));
    for (int a = 0; a < hosts; ++a)
        for (int b = a + 1; b < hosts; ++b) links.push_back(cable("h" + std::to_string(a), "h" + std::to_string(b), bandwidth, latency));
    return drawn(std::move(nodes), std::move(links));
}

/// A topology in the drawn form as the inner one, without the scenario's reader. `latency` is for links that state none.
inline Cluster clusterOf(const Json& topology, double latency = 1e-6) {
    Cluster cluster = drawn({}, {});
    for (const Json& from : topology.at("nodes")) {
        TopologyNode node = from.at("kind") == "host" ? hostNode(from.at("id"), from.at("count"), from.value("replicas", 1), from.value("domain", std::string()))
                                                      : switchNode(from.at("id"), from.value("replicas", 1));
        node.group = from.value("group", std::string());
        node.coordinates = from.value("coordinates", std::vector<int>());
        cluster.nodes.push_back(std::move(node));
    }
    for (const Json& from : topology.at("links"))
        cluster.links.push_back(cable(from.at("from"), from.at("to"), from.at("bandwidth_gb_s").get<double>() * 1e9,
                                      from.contains("latency_us") ? from.at("latency_us").get<double>() * 1e-6 : latency, from.value("count", 1)));
    const std::string routing = topology.value("routing", std::string("shortest"));
    cluster.routing = routing == "dimension_order" ? RoutingKind::dimension_order
                      : routing == "valiant"       ? RoutingKind::valiant
                                                   : RoutingKind::shortest;
    return cluster;
}

} // namespace orrery::test
