// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/machine_graph.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace orrery::test {

MachineGraph::MachineGraph(const Cluster& cluster) {
    std::map<std::string, std::pair<int, const TopologyNode*>> first;
    int count = 0;
    std::vector<const TopologyNode*> nodes;
    for (const TopologyNode& node : cluster.nodes) {
        first[node.id] = {count, &node};
        count += node.replicas;
        for (int r = 0; r < node.replicas; ++r) nodes.push_back(&node);
    }
    neighbours_.resize(static_cast<std::size_t>(count));
    for (const TopologyLink& link : cluster.links) {
        const auto [a, nodeA] = first.at(link.from);
        const auto [b, nodeB] = first.at(link.to);
        for (int i = 0; i < nodeA->replicas; ++i)
            for (int j = 0; j < nodeB->replicas; ++j) {
                if (nodeA->replicas == nodeB->replicas && i != j) continue;
                for (int k = 0; k < link.count; ++k) {
                    neighbours_[static_cast<std::size_t>(a + i)].push_back(b + j);
                    neighbours_[static_cast<std::size_t>(b + j)].push_back(a + i);
                    cables_.emplace_back(a + i, b + j);
                }
            }
    }
    for (int m = 0; m < count; ++m) {
        const auto isHost = [&](int machine) { return nodes[static_cast<std::size_t>(machine)]->kind == NodeKind::host; };
        const std::vector<int>& near = neighbours_[static_cast<std::size_t>(m)];
        forwards_.push_back(!isHost(m) || std::all_of(near.begin(), near.end(), isHost));
    }
}

int MachineGraph::hops(int from, int to) const {
    std::vector<int> distance(machines(), -1);
    std::vector<int> queue{from};
    distance[static_cast<std::size_t>(from)] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        if (queue[i] == to) return distance[static_cast<std::size_t>(to)];
        if (queue[i] != from && !forwards(queue[i])) continue;
        for (const int next : neighbours(queue[i])) {
            if (distance[static_cast<std::size_t>(next)] >= 0) continue;
            distance[static_cast<std::size_t>(next)] = distance[static_cast<std::size_t>(queue[i])] + 1;
            queue.push_back(next);
        }
    }
    return -1;
}

std::vector<std::pair<int, int>> linkEnds(const Fabric& fabric) {
    std::vector<std::pair<int, int>> ends(fabric.links().size(), {-1, -1});
    for (std::uint32_t v = 0; v < fabric.vertices(); ++v) {
        for (const Fabric::Edge* edge = fabric.edgesBegin(v); edge != fabric.edgesEnd(v); ++edge)
            ends[edge->link] = {static_cast<int>(v), static_cast<int>(edge->to)};
        for (const Attachment& attachment : fabric.attachments(v)) {
            if (attachment.out == Attachment::noLink) continue;
            ends[attachment.out] = {static_cast<int>(v), static_cast<int>(attachment.vertex)};
            ends[attachment.in] = {static_cast<int>(attachment.vertex), static_cast<int>(v)};
        }
    }
    return ends;
}

std::string whyNotAWay(const Fabric& fabric, const Way& way, int from, int to, bool own) {
    std::ostringstream why;
    if (!way.found) return "not found";
    const std::vector<std::pair<int, int>> ends = linkEnds(fabric);
    const auto kind = [&](const WayLink& link) { return fabric.groups()[fabric.links()[link.link].group].kind; };
    std::size_t at = 0;
    int sender = from;
    const auto samePort = [&](FlowLink link, FlowLink port) {
        if (link != port) why << "port " << link << " instead of " << port << "\n";
    };
    if (!way.links.empty() && kind(way.links[0]) == LinkKind::scale_up) {
        // Inside the domain: out of the own port, into a neighbour's.
        samePort(way.links[0].link, fabric.scaleUpOut(from));
        sender = -1;
        for (int mate = 0; mate < fabric.ranks(); ++mate)
            if (way.links.size() > 1 && way.links[1].link == fabric.scaleUpIn(mate)) sender = mate;
        if (sender < 0 || fabric.seat(sender).domain != fabric.seat(from).domain) return why.str() + "leaves the domain by a port";
        at = 2;
        if (sender == to && way.links.size() == 2) return why.str();
    }
    if (at < way.links.size() && kind(way.links[at]) == LinkKind::pcie) samePort(way.links[at++].link, fabric.pcieOut(sender));
    std::size_t end = way.links.size();
    if (end > at && kind(way.links[end - 1]) == LinkKind::pcie) samePort(way.links[--end].link, fabric.pcieIn(to));

    const auto source = static_cast<int>(fabric.seat(sender).host), target = static_cast<int>(fabric.seat(to).host);
    const auto isOwn = [&](int rank, FlowLink link, bool leaving) {
        const Fabric::Range range = fabric.ownAttachments(rank);
        const std::vector<Attachment>& all = fabric.attachments(fabric.seat(rank).host);
        for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
            if (all[i].out == Attachment::noLink || (leaving ? all[i].out : all[i].in) == link) return true;
        return false;
    };
    double shares = 0;
    while (at < end) {
        int place = source;
        const double share = way.links[at].share;
        if (own && !isOwn(sender, way.links[at].link, true)) why << "leaves by an interface of another rank\n";
        for (; at < end; ++at) {
            const auto [a, b] = ends[way.links[at].link];
            if (a != place) {
                why << "link " << way.links[at].link << " begins at " << a << " and not where the one before ends, " << place << "\n";
                return why.str();
            }
            if (a != source && !fabric.forwards(static_cast<std::uint32_t>(a))) why << "goes through host " << a << "\n";
            if (way.links[at].share != share) why << "a part changes its share\n";
            place = b;
            if (place == target) break;
        }
        if (place != target) return why.str() + "ends before the target";
        if (own && !isOwn(to, way.links[at].link, false)) why << "arrives at an interface of another rank\n";
        ++at;
        shares += share;
    }
    if (shares < 1 - 1e-12 || shares > 1 + 1e-12) why << "the parts carry " << shares << " of the flow\n";
    return why.str();
}

} // namespace orrery::test
