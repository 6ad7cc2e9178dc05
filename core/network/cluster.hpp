// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/catalog/accelerator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

enum class NodeKind { host,
                      switch_ };

/// A host or a switch of the drawn topology. A host with `replicas` stands for that many identical hosts.
struct TopologyNode {
    std::string id;
    NodeKind kind = NodeKind::host;
    std::string accelerator; ///< id; hosts only
    int count = 0;           ///< accelerators in one host
    int replicas = 1;
    std::string domain;       ///< hosts with the same text share a scale-up fabric; empty: one fabric per host
    double pcieBandwidth = 0; ///< bytes/s per direction of a PCIe switch, between its accelerators and the network; 0: no limit
    int acceleratorsPerPcieSwitch = 1;
    double scaleUpBandwidth = 0, scaleUpLatency = 0; ///< where they are not the cluster's, for its accelerator is another; 0: the cluster's
    std::vector<int> coordinates;                    ///< place in a torus or mesh; empty: none
    std::string group;                               ///< of a dragonfly; empty: none
};

/// Both directions of a cable (or `count` parallel ones) between two nodes; a replicated host has it once per replica.
struct TopologyLink {
    std::string from;
    std::string to;
    double bandwidth = 0; ///< bytes/s per link and direction
    double latency = 0;   ///< s, one way
    int count = 1;
};

/// How flows find their way over the drawn links.
enum class RoutingKind {
    shortest,        ///< a shortest way by hops; where several are equal, the destination's position chooses
    dimension_order, ///< in a torus one dimension after the other (Dally, Seitz 1987)
    valiant,         ///< by way of another group, to spread load (Valiant 1982; on dragonflies Kim et al. 2008)
};

/// A what-if: something drawn that does not work as drawn.
struct LinkChange {
    std::string from;  ///< id of a node
    std::string to;    ///< id of the other end; empty: every link of `from`, a whole switch or host
    int nic = -1;      ///< of parallel links the one with this number; -1: all
    int replica = -1;  ///< of a replicated end the one with this number; -1: all
    double factor = 1; ///< of the bandwidth that is left
    bool down = false;
    double addedLatency = 0; ///< s, one way
};

/// A second job's traffic that the links carry all the time: what it asks for, not what it gets.
struct TrafficDemand {
    std::string name;
    std::string from; ///< id of a host or switch
    std::string to;
    double bandwidth = 0; ///< bytes/s
};

/// The cluster in its one inner form: the short form is expanded into the same hosts, switches and links.
struct Cluster {
    Accelerator accelerator; ///< that hosts carry, but for those of a served workload's pools that have another
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    double scaleUpBandwidth = 0;    ///< bytes/s per accelerator and direction, inside a scale-up domain
    double scaleUpLatency = 0;      ///< s, one way, per hop
    double usualScaleUpLatency = 0; ///< s, of the accelerator's usual platform: what the communication library's measured steps hold of it
    double oversubscription = 1;
    RoutingKind routing = RoutingKind::shortest;
    std::vector<LinkChange> changes;
    std::vector<TrafficDemand> traffic;

    int hosts() const;              ///< replicas counted
    int accelerators() const;       ///< over all hosts
    bool mixesAccelerators = false; ///< some hosts carry another than `accelerator`: those of a served workload's pools
    bool drawn = false;             ///< false: came from the short form
};

} // namespace orrery

// The words of a drawn topology.

namespace orrery {

template <> struct WordsOf<NodeKind> {
    static constexpr std::array table{Word{NodeKind::host, "host"}, Word{NodeKind::switch_, "switch"}};
};

template <> struct WordsOf<RoutingKind> {
    static constexpr std::array table{Word{RoutingKind::shortest, "shortest"}, Word{RoutingKind::dimension_order, "dimension_order"},
                                      Word{RoutingKind::valiant, "valiant"}};
};

/// What a link of a report is.
enum class LinkKind : std::uint8_t {
    cable,    ///< a link of the drawing
    scale_up, ///< the ports of a host's accelerators into their scale-up fabric
    pcie,     ///< between a host's accelerators and its network interfaces
};

/// One direction of a link of the drawing with all its copies: parallel links, and the replicas of its ends.
struct ReportLink {
    LinkKind kind = LinkKind::cable;
    std::string from;      ///< id of the node that sends
    std::string to;        ///< id of the node that receives; for a fabric inside a host the host again
    int drawn = -1;        ///< cable: index into Cluster::links
    bool backward = false; ///< cable: from its `to` end to its `from` end; scale-up, PCIe: into the accelerators
    double capacity = 0;   ///< bytes/s of all copies together
    int copies = 0;        ///< links that share nothing: network interfaces, ports, replicas
};

} // namespace orrery
