// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/checks.hpp"
#include "core/network/short_form.hpp"
#include "resources/shipped_catalog.hpp"

#include <gtest/gtest.h>

namespace orrery::test {

inline const Accelerator& h100() {
    static const Catalog catalog = shippedCatalog();
    return *catalog.accelerator("h100-sxm5-80gb");
}

inline TopologyNode host(std::string id, int count, int replicas = 1, std::string domain = "") {
    TopologyNode node;
    node.id = std::move(id);
    node.accelerator = h100().id;
    node.count = count;
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

inline constexpr double upBandwidth = 450e9, upLatency = 0.8e-6;

inline Cluster drawn(std::vector<TopologyNode> nodes, std::vector<TopologyLink> links) {
    Cluster cluster;
    cluster.accelerator = h100();
    cluster.nodes = std::move(nodes);
    cluster.links = std::move(links);
    cluster.scaleUpBandwidth = upBandwidth;
    cluster.scaleUpLatency = upLatency;
    cluster.drawn = true;
    return cluster;
}

/// Nodes of eight with one network interface an accelerator.
inline Cluster shortForm(int nodes, double outBandwidth = 50e9, double outLatency = 2e-6, double oversubscription = 1, int domain = 8,
                         int perNode = 8) {
    return expandShortForm(h100(), perNode, nodes, ScaleUp{upBandwidth, upLatency, domain}, ScaleOut{outBandwidth, outLatency, oversubscription});
}

} // namespace orrery::test
