// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/routing/fabric.hpp"

#include <unordered_map>
#include <vector>

namespace orrery {

/// A link of a way and which part of the flow takes it: less than 1 where a flow is split over several interfaces.
struct WayLink {
    FlowLink link = 0;
    double share = 1;
};

/// How one rank's data reaches another.
struct Way {
    std::vector<WayLink> links; ///< in order, out of the first port into the last
    double latency = 0;         ///< s, the whole way; of split flows the slowest part
    int hops = 0;               ///< links that one part crosses
    bool found = false;
};

/// Finds ways over a fabric. Within a scale-up domain: out of one port, into the other. Between domains from the sender's own
/// network interface to the receiver's own, over a shortest way by hops. Where several ways are equally short, the receiver's position
/// in the file chooses, one digit of it at each step (D-mod-k: Zahavi 2012, "Fat-trees routing and node ordering providing
/// contention free traffic for MPI global collectives"), so that shifts of ranks meet on no link of a full fat tree, and names
/// mean nothing. Where the sender's own interface is on another rail than the receiver's and a neighbour in its domain sits on
/// the receiver's, data goes to that neighbour first (NCCL's PXN); so too where the own interface doesn't lead to the receiver's
/// at all and a neighbour's does, as on rails that meet nowhere.
///
/// Keeps what it found between pairs of switches: not for use by two threads at once.
class Router {
public:
    explicit Router(const Fabric& fabric);

    const Fabric& fabric() const { return fabric_; }
    /// Empty and found for a rank to itself; not found where no way leads.
    Way way(int from, int to);
    /// Between the nodes of a drawing, for traffic that ends at no accelerator in particular. A host's interfaces share it.
    Way wayBetweenVertices(std::uint32_t from, std::uint32_t to);

private:
    /// Every shortest way from one vertex to another: for each vertex on one the edges that lead on.
    struct Net {
        int length = -1;                                        ///< hops; -1: no way
        std::unordered_map<std::uint32_t, std::uint32_t> place; ///< vertex → its row
        std::vector<std::uint32_t> rowEnd;
        std::vector<Fabric::Edge> edges;
    };

    const Net& net(std::uint32_t from, std::uint32_t to);
    Net search(std::uint32_t from, std::uint32_t to);
    void keepShortest(Net& net, std::uint32_t from, std::uint32_t to, int length);
    int distance(const Attachment& from, const Attachment& to);
    /// Appends the part of a way between two attachments.
    void append(Way& way, const Attachment& from, const Attachment& to, double share);
    /// One of several parts that run side by side: the slowest and the longest count.
    void appendPart(Way& way, const Attachment& from, const Attachment& to, double share);
    void walk(Way& way, std::uint32_t from, std::uint32_t to, std::uint32_t position, double share);
    std::uint32_t detour(std::uint32_t from, std::uint32_t to, std::uint32_t position) const;
    void addLink(Way& way, FlowLink link, double share) const;
    void addScaleUp(Way& way, int from, int to) const;
    /// Who puts data for another domain on the network: the rank itself or a neighbour on its host.
    int sender(int from, int to);
    bool wayBetween(Way& way, int from, int to);

    const Fabric& fabric_;
    std::unordered_map<std::uint64_t, Net> nets_;
    std::size_t keptEdges_ = 0;
    std::vector<int> fromStart_, toEnd_;             ///< hops by vertex while a search is on; -1: not seen
    std::vector<std::uint32_t> seen_;                ///< vertices to clear after it
    std::vector<std::vector<std::uint32_t>> groups_; ///< dragonfly groups: switches by group, in the order of the file
    std::vector<int> groupOf_;                       ///< by vertex; -1: none
};

} // namespace orrery
