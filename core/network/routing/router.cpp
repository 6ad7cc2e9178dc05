// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/routing/router.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t mostKeptEdges = 4'000'000; ///< of all kept nets: some 50 MB

} // namespace

Router::Router(const Fabric& fabric)
    : fabric_(fabric), fromStart_(fabric.vertices(), -1), toEnd_(fabric.vertices(), -1), groupOf_(fabric.vertices(), -1) {
    if (fabric.cluster().routing != RoutingKind::valiant) return;
    std::map<std::string_view, std::size_t> known;
    for (std::uint32_t v = 0; v < fabric.vertices(); ++v) {
        const TopologyNode& node = fabric.cluster().nodes[static_cast<std::size_t>(fabric.nodeOf(v))];
        if (node.group.empty() || node.kind == NodeKind::host) continue;
        const auto [entry, added] = known.emplace(node.group, groups_.size());
        if (added) groups_.emplace_back();
        groups_[entry->second].push_back(v);
        groupOf_[v] = static_cast<int>(entry->second);
    }
}

// --- shortest ways ------------------------------------------------------------------------------------------------------

const Router::Net& Router::net(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t key = (std::uint64_t{from} << 32) | to;
    const auto known = nets_.find(key);
    if (known != nets_.end()) return known->second;
    if (keptEdges_ > mostKeptEdges) {
        nets_.clear();
        keptEdges_ = 0;
    }
    Net found = search(from, to);
    keptEdges_ += found.edges.size() + found.place.size();
    return nets_.emplace(key, std::move(found)).first->second;
}

/// Breadth first from both ends, the smaller front first, until they meet: in a fat tree that sees two pods, not all.
Router::Net Router::search(std::uint32_t from, std::uint32_t to) {
    Net net;
    if (from == to) {
        net.length = 0;
        return net;
    }
    std::vector<std::uint32_t> ahead{from}, behind{to};
    fromStart_[from] = 0;
    toEnd_[to] = 0;
    seen_.assign({from, to});
    int done = 0;
    bool met = false;
    while (!met && !ahead.empty() && !behind.empty()) {
        const bool forwards = ahead.size() <= behind.size();
        std::vector<std::uint32_t>& front = forwards ? ahead : behind;
        std::vector<int>& mine = forwards ? fromStart_ : toEnd_;
        const std::vector<int>& other = forwards ? toEnd_ : fromStart_;
        std::vector<std::uint32_t> next;
        for (const std::uint32_t v : front)
            for (const Fabric::Edge* edge = fabric_.edgesBegin(v); edge != fabric_.edgesEnd(v); ++edge) {
                if (mine[edge->to] >= 0) continue;
                mine[edge->to] = mine[v] + 1;
                if (other[edge->to] >= 0) met = true;
                else seen_.push_back(edge->to);
                next.push_back(edge->to);
            }
        front = std::move(next);
        ++done;
    }
    if (met) keepShortest(net, from, to, done);
    for (const std::uint32_t v : seen_) fromStart_[v] = toEnd_[v] = -1;
    return net;
}

void Router::keepShortest(Net& net, std::uint32_t from, std::uint32_t to, int length) {
    net.length = length;
    // What only the forward search saw lies on a shortest way if one of its neighbours does: mark back from where they met.
    std::vector<std::uint32_t> marks;
    for (const std::uint32_t v : seen_)
        if (fromStart_[v] >= 0 && toEnd_[v] >= 0 && fromStart_[v] + toEnd_[v] == length) marks.push_back(v);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const std::uint32_t v = marks[i];
        for (const Fabric::Edge* edge = fabric_.edgesBegin(v); edge != fabric_.edgesEnd(v); ++edge) {
            if (fromStart_[edge->to] < 0 || fromStart_[edge->to] != fromStart_[v] - 1 || toEnd_[edge->to] >= 0) continue;
            toEnd_[edge->to] = toEnd_[v] + 1;
            marks.push_back(edge->to);
        }
    }
    std::vector<std::uint32_t> order{from};
    net.place.emplace(from, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t v = order[i];
        if (v != to) {
            for (const Fabric::Edge* edge = fabric_.edgesBegin(v); edge != fabric_.edgesEnd(v); ++edge) {
                if (toEnd_[edge->to] < 0 || toEnd_[edge->to] != toEnd_[v] - 1) continue;
                net.edges.push_back(*edge);
                if (net.place.emplace(edge->to, static_cast<std::uint32_t>(order.size())).second) order.push_back(edge->to);
            }
        }
        net.rowEnd.push_back(static_cast<std::uint32_t>(net.edges.size()));
    }
}

void Router::walk(Way& way, std::uint32_t from, std::uint32_t to, std::uint32_t position, double share) {
    if (from == to) return;
    const bool ordered = fabric_.cluster().routing == RoutingKind::dimension_order;
    const Net& ways = net(from, to);
    const auto coordinates = [&](std::uint32_t v) -> const std::vector<int>& {
        return fabric_.cluster().nodes[static_cast<std::size_t>(fabric_.nodeOf(v))].coordinates;
    };
    std::uint32_t digits = position;
    for (std::uint32_t at = from; at != to;) {
        const std::uint32_t row = ways.place.at(at);
        const Fabric::Edge* begin = ways.edges.data() + (row ? ways.rowEnd[row - 1] : 0);
        const Fabric::Edge* end = ways.edges.data() + ways.rowEnd[row];
        const Fabric::Edge* chosen = begin;
        if (ordered) {
            std::size_t lowest = ~std::size_t{0};
            for (const Fabric::Edge* edge = begin; edge != end; ++edge) {
                const std::vector<int>&here = coordinates(at), &there = coordinates(edge->to);
                std::size_t dimension = 0;
                while (dimension < std::min(here.size(), there.size()) && here[dimension] == there[dimension]) ++dimension;
                if (dimension >= lowest) continue;
                lowest = dimension;
                chosen = edge;
            }
        } else {
            const auto choices = static_cast<std::uint32_t>(end - begin);
            chosen = begin + digits % choices;
            digits /= choices;
        }
        addLink(way, chosen->link, share);
        at = chosen->to;
    }
}

std::uint32_t Router::detour(std::uint32_t from, std::uint32_t to, std::uint32_t position) const {
    const int a = groupOf_[from], b = groupOf_[to];
    if (a < 0 || b < 0 || a == b || groups_.size() < 3) return from;
    // Among the other groups in turn, so that neighbours take different ones.
    std::size_t step = position % (groups_.size() - 2);
    std::size_t group = 0;
    for (;; ++group) {
        if (static_cast<int>(group) == a || static_cast<int>(group) == b) continue;
        if (step-- == 0) break;
    }
    return groups_[group][position / (groups_.size() - 2) % groups_[group].size()];
}

// --- from rank to rank --------------------------------------------------------------------------------------------------

void Router::addLink(Way& way, FlowLink link, double share) const { way.links.push_back({link, share}); }

void Router::addScaleUp(Way& way, int from, int to) const {
    addLink(way, fabric_.scaleUpOut(from), 1);
    addLink(way, fabric_.scaleUpIn(to), 1);
    way.latency += fabric_.links()[fabric_.scaleUpOut(from)].latency;
}

int Router::distance(const Attachment& from, const Attachment& to) {
    // The two ends of one cable between hosts: its directions are numbered one after the other.
    if (from.out != Attachment::noLink && (from.out ^ 1U) == to.out) return 1;
    if (!fabric_.forwards(from.vertex) || !fabric_.forwards(to.vertex)) return -1;
    const int length = net(from.vertex, to.vertex).length;
    if (length < 0) return -1;
    return length + (from.out != Attachment::noLink ? 1 : 0) + (to.in != Attachment::noLink ? 1 : 0);
}

void Router::append(Way& way, const Attachment& from, const Attachment& to, double share) {
    if (from.out != Attachment::noLink) addLink(way, from.out, share);
    if (from.out != Attachment::noLink && (from.out ^ 1U) == to.out) return;
    if (fabric_.cluster().routing == RoutingKind::valiant) {
        const std::uint32_t middle = detour(from.vertex, to.vertex, to.position);
        if (net(from.vertex, middle).length >= 0 && net(middle, to.vertex).length >= 0) {
            walk(way, from.vertex, middle, to.position, share);
            walk(way, middle, to.vertex, to.position, share);
        } else {
            walk(way, from.vertex, to.vertex, to.position, share);
        }
    } else {
        walk(way, from.vertex, to.vertex, to.position, share);
    }
    if (to.in != Attachment::noLink) addLink(way, to.in, share);
}

void Router::appendPart(Way& way, const Attachment& from, const Attachment& to, double share) {
    const std::size_t first = way.links.size();
    append(way, from, to, share);
    double latency = 0;
    for (std::size_t i = first; i < way.links.size(); ++i) latency += fabric_.links()[way.links[i].link].latency;
    way.latency = std::max(way.latency, latency);
    way.hops = std::max(way.hops, static_cast<int>(way.links.size() - first));
}

bool Router::wayBetween(Way& way, int from, int to) {
    const Fabric::Range mine = fabric_.ownAttachments(from), theirs = fabric_.ownAttachments(to);
    if (mine.count == 0 || theirs.count == 0) return false;
    const std::vector<Attachment>& here = fabric_.attachments(fabric_.seat(from).host);
    const std::vector<Attachment>& there = fabric_.attachments(fabric_.seat(to).host);
    const std::uint32_t parts = std::max(mine.count, theirs.count);
    struct Pair {
        const Attachment *from, *to;
    };
    std::vector<Pair> pairs;
    for (std::uint32_t i = 0; i < parts; ++i) {
        const Attachment& a = here[mine.first + i % mine.count];
        const Attachment& b = there[theirs.first + i % theirs.count];
        if (distance(a, b) >= 0) pairs.push_back({&a, &b});
    }
    if (pairs.empty()) {
        // Its own interfaces don't lead there: the host's shortest pair that does.
        int shortest = -1;
        for (const Attachment& a : here)
            for (const Attachment& b : there) {
                const int length = distance(a, b);
                if (length < 0 || (shortest >= 0 && length >= shortest)) continue;
                shortest = length;
                pairs.assign({{&a, &b}});
            }
        if (pairs.empty()) return false;
    }
    const double share = 1.0 / static_cast<double>(pairs.size());
    if (fabric_.pcieOut(from) != Attachment::noLink) addLink(way, fabric_.pcieOut(from), 1);
    const double before = std::exchange(way.latency, 0);
    for (const Pair& pair : pairs) appendPart(way, *pair.from, *pair.to, share);
    way.latency += before;
    if (fabric_.pcieIn(to) != Attachment::noLink) addLink(way, fabric_.pcieIn(to), 1);
    return true;
}

int Router::sender(int from, int to) {
    const Fabric::Range mine = fabric_.ownAttachments(from), theirs = fabric_.ownAttachments(to);
    if (!fabric_.hasScaleUp() || mine.count == 0 || theirs.count == 0) return from;
    const std::uint32_t host = fabric_.seat(from).host;
    const std::vector<Attachment>& here = fabric_.attachments(host);
    const Attachment& wanted = fabric_.attachments(fabric_.seat(to).host)[theirs.first];
    const auto onItsSwitch = [&](const Attachment& own) { return own.vertex == wanted.vertex; };
    const auto leadsThere = [&](const Attachment& own) { return distance(own, wanted) >= 0; };
    // The mate of the receiver's own slot if it can be, so that rails stay balanced.
    const int first = fabric_.firstRank(host), slot = fabric_.seat(to).slot;
    const int count = fabric_.cluster().nodes[static_cast<std::size_t>(fabric_.nodeOf(host))].count;
    const auto mate = [&](const auto& suits) {
        if (slot < count && suits(here[fabric_.ownAttachments(first + slot).first])) return first + slot;
        for (int other = first; other < first + count; ++other)
            if (suits(here[fabric_.ownAttachments(other).first])) return other;
        return -1;
    };
    if (onItsSwitch(here[mine.first])) return from;
    if (const int found = mate(onItsSwitch); found >= 0) return found;
    if (leadsThere(here[mine.first])) return from;
    const int found = mate(leadsThere);
    return found >= 0 ? found : from;
}

Way Router::way(int from, int to) {
    Way way;
    if (from == to) {
        way.found = true;
        return way;
    }
    const Fabric::Seat &source = fabric_.seat(from), &target = fabric_.seat(to);
    if (source.domain == target.domain && fabric_.hasScaleUp()) {
        addScaleUp(way, from, to);
        way.hops = 2;
        way.found = true;
        return way;
    }
    const int passedTo = sender(from, to);
    if (passedTo != from) addScaleUp(way, from, passedTo);
    way.found = wayBetween(way, passedTo, to);
    if (passedTo != from) way.hops += 2;
    if (!way.found) way = {};
    return way;
}

Way Router::wayBetweenVertices(std::uint32_t from, std::uint32_t to) {
    Way way;
    if (from == to) return way;
    const auto ends = [&](std::uint32_t v) {
        const std::vector<Attachment>& own = fabric_.attachments(v);
        return own.empty() ? std::vector<Attachment>{{v, Attachment::noLink, Attachment::noLink, v}} : own;
    };
    const std::vector<Attachment> here = ends(from), there = ends(to);
    std::vector<std::pair<const Attachment*, const Attachment*>> pairs;
    for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
        const Attachment &a = here[i % here.size()], &b = there[i % there.size()];
        if (distance(a, b) >= 0) pairs.emplace_back(&a, &b);
    }
    for (const auto& [a, b] : pairs) appendPart(way, *a, *b, 1.0 / static_cast<double>(pairs.size()));
    way.found = !pairs.empty();
    return way;
}

} // namespace orrery
