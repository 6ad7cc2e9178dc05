// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/routing/fabric.hpp"

#include "core/base/expect.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace orrery {
namespace {

bool isHost(const TopologyNode& node) { return node.kind == NodeKind::host; }

/// What the what-ifs leave of one copy of a link.
struct Remains {
    double factor = 1;
    bool down = false;
    double addedLatency = 0;
};

/// `replicas` are those of the link's `from` and `to` end, `parallel` the number among parallel links.
Remains remainsOf(const std::vector<LinkChange>& changes, const TopologyLink& link, int fromReplica, int toReplica, int parallel) {
    Remains remains;
    for (const LinkChange& change : changes) {
        const bool forward = change.from == link.from && (change.to.empty() || change.to == link.to);
        const bool backward = change.from == link.to && (change.to.empty() || change.to == link.from);
        if (!forward && !backward) continue;
        if (change.nic >= 0 && change.nic != parallel) continue;
        // The replica is the named node's, or of a link the one of the end that has replicas.
        if (change.replica >= 0) {
            const int own = forward ? fromReplica : toReplica;
            const int other = forward ? toReplica : fromReplica;
            if (change.replica != own && (change.to.empty() || change.replica != other)) continue;
        }
        remains.factor *= change.factor;
        remains.down = remains.down || change.down;
        remains.addedLatency += change.addedLatency;
    }
    return remains;
}

} // namespace

Fabric::Fabric(const Cluster& cluster) : cluster_(&cluster) {
    addVertices();
    addCables();
    addEdges();
    addScaleUp();
    addPcie();
}

FlowLink Fabric::addLink(double capacity, double latency, std::uint32_t group) {
    ORRERY_EXPECT(capacity >= 0 && latency >= 0, capacity, latency);
    links_.push_back({capacity, latency, group});
    groups_[group].capacity += capacity;
    ++groups_[group].copies;
    return static_cast<FlowLink>(links_.size()) - 1;
}

std::uint32_t Fabric::addGroup(LinkKind kind, const std::string& from, const std::string& to, int drawn, bool backward) {
    ReportLink group;
    group.kind = kind;
    group.from = from;
    group.to = to;
    group.drawn = drawn;
    group.backward = backward;
    groups_.push_back(std::move(group));
    return static_cast<std::uint32_t>(groups_.size()) - 1;
}

void Fabric::addVertices() {
    std::unordered_map<std::string_view, std::uint32_t> shared;
    for (std::size_t i = 0; i < cluster_->nodes.size(); ++i) {
        const TopologyNode& node = cluster_->nodes[i];
        firstVertex_.push_back(static_cast<std::uint32_t>(nodeOf_.size()));
        for (int replica = 0; replica < node.replicas; ++replica) {
            nodeOf_.push_back(static_cast<int>(i));
            firstRank_.push_back(isHost(node) ? static_cast<int>(seats_.size()) : -1);
            if (!isHost(node)) continue;
            std::uint32_t domain = domains_;
            if (!node.domain.empty()) domain = shared.emplace(node.domain, domains_).first->second;
            if (domain == domains_) ++domains_;
            const auto host = static_cast<std::uint32_t>(nodeOf_.size()) - 1;
            for (int slot = 0; slot < node.count; ++slot) seats_.push_back({host, slot, domain});
        }
    }
}

void Fabric::addCables() {
    std::unordered_map<std::string_view, int> index;
    for (std::size_t i = 0; i < cluster_->nodes.size(); ++i) index.emplace(cluster_->nodes[i].id, static_cast<int>(i));
    std::vector<bool> seesSwitch(cluster_->nodes.size(), false);
    const auto ends = [&](const TopologyLink& link) -> std::pair<int, int> {
        const auto from = index.find(link.from);
        const auto to = index.find(link.to);
        if (from == index.end() || to == index.end() || from == to) return {-1, -1}; // checkTopology names these
        return {from->second, to->second};
    };
    const auto node = [&](int i) -> const TopologyNode& { return cluster_->nodes[static_cast<std::size_t>(i)]; };
    for (const TopologyLink& link : cluster_->links) {
        const auto [from, to] = ends(link);
        if (from < 0) continue;
        if (!isHost(node(to))) seesSwitch[static_cast<std::size_t>(from)] = true;
        if (!isHost(node(from))) seesSwitch[static_cast<std::size_t>(to)] = true;
    }
    forwards_.resize(nodeOf_.size());
    for (std::size_t v = 0; v < nodeOf_.size(); ++v)
        forwards_[v] = !isHost(node(nodeOf_[v])) || !seesSwitch[static_cast<std::size_t>(nodeOf_[v])];

    for (std::size_t i = 0; i < cluster_->links.size(); ++i) {
        const TopologyLink& link = cluster_->links[i];
        const auto [from, to] = ends(link);
        if (from < 0) continue;
        const std::uint32_t forward = addGroup(LinkKind::cable, link.from, link.to, static_cast<int>(i), false);
        const std::uint32_t backward = addGroup(LinkKind::cable, link.to, link.from, static_cast<int>(i), true);
        const int a = node(from).replicas, b = node(to).replicas;
        const bool paired = a == b && a > 1;
        // Parallel links between switches are one thick pipe; those of a host are interfaces that accelerators own.
        const bool pipe = forwards_[vertex(from, 0)] && forwards_[vertex(to, 0)];
        const int parts = pipe ? 1 : link.count;
        const int perPart = pipe ? link.count : 1;
        for (int i0 = 0; i0 < a; ++i0)
            for (int i1 = paired ? i0 : 0; i1 < (paired ? i0 + 1 : b); ++i1)
                for (int part = 0; part < parts; ++part) {
                    double capacity = 0, latency = link.latency;
                    for (int k = 0; k < perPart; ++k) {
                        const Remains remains = remainsOf(cluster_->changes, link, i0, i1, pipe ? k : part);
                        if (!remains.down) capacity += link.bandwidth * remains.factor;
                        latency = std::max(latency, link.latency + remains.addedLatency);
                    }
                    if (capacity <= 0) {
                        cables_.push_back({vertex(from, i0), vertex(to, i1), Attachment::noLink, Attachment::noLink});
                        continue;
                    }
                    const FlowLink out = addLink(capacity, latency, forward);
                    const FlowLink in = addLink(capacity, latency, backward);
                    cables_.push_back({vertex(from, i0), vertex(to, i1), out, in});
                }
    }
}

void Fabric::addEdges() {
    attachments_.resize(nodeOf_.size());
    firstEdge_.assign(nodeOf_.size() + 1, 0);
    const auto isEdge = [&](const Cable& cable) { return forwards_[cable.a] && forwards_[cable.b] && cable.ab != Attachment::noLink; };
    for (const Cable& cable : cables_) {
        if (!isEdge(cable)) continue;
        ++firstEdge_[cable.a + 1];
        ++firstEdge_[cable.b + 1];
    }
    for (std::size_t v = 1; v < firstEdge_.size(); ++v) firstEdge_[v] += firstEdge_[v - 1];
    edges_.resize(firstEdge_.back());
    std::vector<std::uint32_t> next(firstEdge_.begin(), firstEdge_.end() - 1);
    struct Place {
        std::uint32_t peer, host, index;
    };
    std::vector<Place> places;
    constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    interfaces_.assign(nodeOf_.size(), 0);
    std::vector<bool> isPeer(nodeOf_.size(), false);
    const auto attach = [&](std::uint32_t host, std::uint32_t peer, FlowLink out, FlowLink in) {
        places.push_back({peer, host, static_cast<std::uint32_t>(attachments_[host].size())});
        attachments_[host].push_back({peer, out, in, 0, interfaces_[host]++});
    };
    const auto attachCable = [&](std::uint32_t host, std::uint32_t peer, FlowLink out, FlowLink in) {
        if (out == Attachment::noLink) {
            places.push_back({peer, host, nowhere}); // the others' positions, and so their ways, stay what they are
            ++interfaces_[host];
            return;
        }
        attach(host, peer, out, in);
        isPeer[peer] = true;
    };
    for (const Cable& cable : cables_) {
        if (isEdge(cable)) {
            edges_[next[cable.a]++] = {cable.b, cable.ab};
            edges_[next[cable.b]++] = {cable.a, cable.ba};
        } else {
            if (!forwards_[cable.a]) attachCable(cable.a, cable.b, cable.ab, cable.ba);
            if (!forwards_[cable.b]) attachCable(cable.b, cable.a, cable.ba, cable.ab);
        }
    }
    for (std::uint32_t v = 0; v < nodeOf_.size(); ++v)
        if (forwards_[v] && firstRank_[v] >= 0 && (firstEdge_[v] < firstEdge_[v + 1] || isPeer[v]))
            attach(v, v, Attachment::noLink, Attachment::noLink);
    // Neighbours on one switch get neighbouring positions: a shift of ranks then spreads evenly over equal ways.
    std::stable_sort(places.begin(), places.end(), [](const Place& x, const Place& y) { return x.peer < y.peer; });
    for (std::uint32_t i = 0; i < places.size(); ++i)
        if (places[i].index != nowhere) attachments_[places[i].host][places[i].index].position = i;
}

Fabric::Range Fabric::ownAttachments(int rank) const {
    const Seat& where = seat(rank);
    const std::vector<Attachment>& all = attachments_[where.host];
    const std::uint32_t ports = interfaces_[where.host];
    const auto count = static_cast<std::uint32_t>(cluster_->nodes[static_cast<std::size_t>(nodeOf_[where.host])].count);
    const auto slot = static_cast<std::uint32_t>(where.slot);
    if (all.empty()) return {};
    const std::uint32_t first = slot * ports / count;
    const std::uint32_t last = ports < count ? first + 1 : (slot + 1) * ports / count;
    if (all.size() == ports) return {first, last - first};
    const auto from = [&](std::uint32_t number) {
        const auto place = std::lower_bound(all.begin(), all.end(), number, [](const Attachment& a, std::uint32_t n) { return a.number < n; });
        return static_cast<std::uint32_t>(place - all.begin());
    };
    const std::uint32_t begin = from(first), end = from(last);
    if (begin < end) return {begin, end - begin};
    return {begin < all.size() ? begin : 0, 1};
}

void Fabric::addScaleUp() {
    scaleUp_ = cluster_->scaleUpBandwidth > 0;
    upBase_ = static_cast<FlowLink>(links_.size());
    if (!scaleUp_) return;
    std::uint32_t out = 0, in = 0;
    int lastNode = -1;
    for (const Seat& where : seats_) {
        const int index = nodeOf_[where.host];
        if (index != lastNode) {
            const std::string& id = cluster_->nodes[static_cast<std::size_t>(index)].id;
            out = addGroup(LinkKind::scale_up, id, id, -1, false);
            in = addGroup(LinkKind::scale_up, id, id, -1, true);
            lastNode = index;
        }
        const TopologyNode& node = cluster_->nodes[static_cast<std::size_t>(index)];
        const bool own = node.scaleUpBandwidth > 0;
        const double bandwidth = own ? node.scaleUpBandwidth : cluster_->scaleUpBandwidth, latency = own ? node.scaleUpLatency : cluster_->scaleUpLatency;
        addLink(bandwidth, latency, out);
        addLink(bandwidth, latency, in);
    }
}

void Fabric::addPcie() {
    pcie_.assign(seats_.size(), Attachment::noLink);
    std::uint32_t out = 0, in = 0;
    int lastNode = -1;
    for (std::size_t rank = 0; rank < seats_.size(); ++rank) {
        const Seat& where = seats_[rank];
        const TopologyNode& node = cluster_->nodes[static_cast<std::size_t>(nodeOf_[where.host])];
        if (node.pcieBandwidth <= 0) continue;
        if (nodeOf_[where.host] != lastNode) {
            out = addGroup(LinkKind::pcie, node.id, node.id, -1, false);
            in = addGroup(LinkKind::pcie, node.id, node.id, -1, true);
            lastNode = nodeOf_[where.host];
        }
        if (where.slot % std::max(1, node.acceleratorsPerPcieSwitch) == 0) {
            pcie_[rank] = addLink(node.pcieBandwidth, 0, out);
            addLink(node.pcieBandwidth, 0, in);
        } else {
            pcie_[rank] = pcie_[rank - 1];
        }
    }
}

FlowLink Fabric::pcieIn(int rank) const {
    const FlowLink out = pcieOut(rank);
    return out == Attachment::noLink ? out : out + 1;
}

std::vector<double> Fabric::capacities() const {
    std::vector<double> capacities(links_.size());
    for (std::size_t i = 0; i < links_.size(); ++i) capacities[i] = links_[i].capacity;
    return capacities;
}

} // namespace orrery
