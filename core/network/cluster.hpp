#pragma once

#include "core/catalog/catalog.hpp"

#include <string>
#include <vector>

namespace orrery {

enum class NodeKind { host, switch_ };

/// A host or a switch of the drawn topology. A host with `replicas` stands for that many identical hosts.
struct TopologyNode {
    std::string id;
    NodeKind kind = NodeKind::host;
    std::string accelerator; ///< id; hosts only
    int count = 0;           ///< accelerators in one host
    int replicas = 1;
    std::string domain; ///< hosts with the same text share a scale-up fabric; empty: one fabric per host
};

/// Both directions of a cable (or `count` parallel ones) between two nodes; a replicated host has it once per replica.
struct TopologyLink {
    std::string from;
    std::string to;
    double bandwidth = 0; ///< bytes/s per link and direction
    double latency = 0;   ///< s, one way
    int count = 1;
};

/// The cluster in its one inner form: the short form is expanded into the same hosts, switches and links.
struct Cluster {
    Accelerator accelerator; ///< all hosts carry the same kind in this version
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    double scaleUpBandwidth = 0; ///< bytes/s per accelerator and direction, inside a scale-up domain
    double scaleUpLatency = 0;   ///< s, one way, per hop
    double oversubscription = 1;

    int hosts() const;        ///< replicas counted
    int accelerators() const; ///< over all hosts
    bool drawn = false;       ///< false: came from the short form
};

} // namespace orrery
