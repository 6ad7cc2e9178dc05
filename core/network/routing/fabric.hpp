// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/max_min.hpp"
#include "core/network/cluster.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// One direction of a physical link.
struct FabricLink {
    double capacity = 0;     ///< bytes/s
    double latency = 0;      ///< s
    std::uint32_t group = 0; ///< index into Fabric::groups()
};

/// Where an accelerator's traffic enters the network between hosts: a network interface and the node at its other end.
struct Attachment {
    std::uint32_t vertex = 0;           ///< node at the other end; of a host that forwards the host itself
    FlowLink out = noLink, in = noLink; ///< of the interface; none for a host that forwards
    std::uint32_t position = 0;         ///< among all attachments, by the place in the file of what they lead to
    std::uint32_t number = 0;           ///< among the interfaces of its host as drawn, those that are down counted
    static constexpr FlowLink noLink = ~FlowLink{0};
};

/// The cluster as single machines: every replica, every network interface and every accelerator's port is there by itself.
///
/// Vertices are the nodes of the file in its order, replica after replica, so nothing depends on names. A node with replicas
/// stands for that many; a link between two nodes of equally many replicas joins them pairwise, any other link is there once
/// for each replica. Switches forward. A host forwards only when all its cables lead to hosts, as in a torus.
/// What-ifs are applied: a link that is down is not there.
class Fabric {
public:
    struct Edge {
        std::uint32_t to = 0; ///< vertex
        FlowLink link = 0;
    };
    struct Seat {
        std::uint32_t host = 0; ///< vertex
        int slot = 0;           ///< accelerator within the host
        std::uint32_t domain = 0;
    };

    explicit Fabric(const Cluster& cluster);

    const Cluster& cluster() const { return *cluster_; }
    std::size_t vertices() const { return nodeOf_.size(); }
    int nodeOf(std::uint32_t vertex) const { return nodeOf_[vertex]; } ///< index into Cluster::nodes
    std::uint32_t vertex(int node, int replica) const { return firstVertex_[static_cast<std::size_t>(node)] + static_cast<std::uint32_t>(replica); }

    const std::vector<FabricLink>& links() const { return links_; }
    std::vector<double> capacities() const;
    const std::vector<ReportLink>& groups() const { return groups_; }

    bool forwards(std::uint32_t vertex) const { return forwards_[vertex]; }

    /// Ways on from a vertex that forwards: to vertices that forward, in the order of the file.
    const Edge* edgesBegin(std::uint32_t vertex) const { return edges_.data() + firstEdge_[vertex]; }
    const Edge* edgesEnd(std::uint32_t vertex) const { return edges_.data() + firstEdge_[vertex + 1]; }

    int ranks() const { return static_cast<int>(seats_.size()); }
    const Seat& seat(int rank) const { return seats_[static_cast<std::size_t>(rank)]; }
    std::uint32_t domains() const { return domains_; }
    int firstRank(std::uint32_t host) const { return firstRank_[host]; } ///< of a host's vertex

    /// All of a host's attachments in the order of the file, and which of them are a rank's own: interfaces are dealt out
    /// evenly, in order, as drawn. One that is down leaves the others where they are; a rank that loses all of its own shares
    /// the next one's.
    const std::vector<Attachment>& attachments(std::uint32_t host) const { return attachments_[host]; }
    struct Range {
        std::uint32_t first = 0, count = 0;
    };
    Range ownAttachments(int rank) const;

    bool hasScaleUp() const { return scaleUp_; }
    FlowLink scaleUpOut(int rank) const { return upBase_ + 2 * static_cast<FlowLink>(rank); }
    FlowLink scaleUpIn(int rank) const { return upBase_ + 2 * static_cast<FlowLink>(rank) + 1; }
    /// Attachment::noLink where PCIe sets no limit.
    FlowLink pcieOut(int rank) const { return pcie_[static_cast<std::size_t>(rank)]; }
    FlowLink pcieIn(int rank) const;

private:
    struct Cable {
        std::uint32_t a, b; ///< vertices
        FlowLink ab, ba;    ///< noLink: down
    };

    void addVertices();
    void addCables();
    void addEdges();
    void addScaleUp();
    void addPcie();
    FlowLink addLink(double capacity, double latency, std::uint32_t group);
    std::uint32_t addGroup(LinkKind kind, const std::string& from, const std::string& to, int drawn, bool backward);

    const Cluster* cluster_;
    std::vector<int> nodeOf_;                ///< by vertex
    std::vector<std::uint32_t> firstVertex_; ///< by node
    std::vector<bool> forwards_;             ///< by vertex
    std::vector<FabricLink> links_;
    std::vector<ReportLink> groups_;
    std::vector<Cable> cables_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> firstEdge_;
    std::vector<Seat> seats_;
    std::vector<int> firstRank_; ///< by vertex; -1 for switches
    std::uint32_t domains_ = 0;
    std::vector<std::vector<Attachment>> attachments_; ///< by vertex
    std::vector<std::uint32_t> interfaces_;            ///< by vertex: as drawn, those that are down too
    bool scaleUp_ = false;
    FlowLink upBase_ = 0;
    std::vector<FlowLink> pcie_; ///< by rank: out; in is the next
};

} // namespace orrery
