#include "core/network/routes.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace orrery {
namespace {

// A search state is a node, and whether it is still the replica of the source's number (side 0) or another one (side 1).
constexpr int stateOf(int node, int side) { return 2 * node + side; }
constexpr int nodeOf(int state) { return state / 2; }
constexpr int sideOf(int state) { return state % 2; }

} // namespace

Routes::Routes(const Cluster& cluster) : cluster_(cluster), edges_(cluster.nodes.size()) {
    std::unordered_map<std::string_view, int> index;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) index.emplace(cluster.nodes[i].id, static_cast<int>(i));
    const auto addEdge = [&](int from, int to, const TopologyLink& link) {
        const TopologyNode& a = cluster.nodes[static_cast<std::size_t>(from)];
        const TopologyNode& b = cluster.nodes[static_cast<std::size_t>(to)];
        const bool paired = a.replicas == b.replicas && a.replicas > 1;
        edges_[static_cast<std::size_t>(from)].push_back(
            {to, link.bandwidth * link.count, link.latency, paired ? 1 : b.replicas, paired});
    };
    for (const TopologyLink& link : cluster.links) {
        const auto from = index.find(link.from);
        const auto to = index.find(link.to);
        if (from == index.end() || to == index.end() || from == to) continue; // checkTopology names these
        addEdge(from->second, to->second, link);
        addEdge(to->second, from->second, link);
    }

    const int unknown = std::numeric_limits<int>::max();
    height_.assign(cluster.nodes.size(), unknown);
    std::vector<int> queue;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
        if (cluster.nodes[i].kind == NodeKind::host) {
            height_[i] = 0;
            queue.push_back(static_cast<int>(i));
        }
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const Edge& edge : edges_[static_cast<std::size_t>(queue[next])]) {
            int& height = height_[static_cast<std::size_t>(edge.to)];
            if (height != unknown) continue;
            height = height_[static_cast<std::size_t>(queue[next])] + 1;
            queue.push_back(edge.to);
        }

    down_.assign(cluster.nodes.size(), 0);
    passed_.assign(cluster.nodes.size(), 1);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        double up = 0;
        for (const Edge& edge : edges_[i]) {
            const int other = height_[static_cast<std::size_t>(edge.to)];
            if (other < height_[i]) down_[i] += edge.bandwidth * edge.copies;
            if (other > height_[i]) up += edge.bandwidth * edge.copies;
        }
        if (cluster.nodes[i].kind == NodeKind::switch_ && up > 0 && down_[i] > 0) passed_[i] = std::min(1.0, up / down_[i]);
    }
}

double Routes::share(int host) const {
    double sum = 0;
    for (const Edge& edge : edges_[static_cast<std::size_t>(host)])
        if (cluster_.nodes[static_cast<std::size_t>(edge.to)].kind == NodeKind::switch_) sum += edge.bandwidth * edge.copies;
    return sum / std::max(1, cluster_.nodes[static_cast<std::size_t>(host)].count);
}

Route Routes::trace(const std::vector<Visit>& visits, int state, int host) const {
    const int target = nodeOf(state);
    Route route;
    route.hops = visits[static_cast<std::size_t>(state)].hops;
    if (route.hops == 1) {
        // Two hosts joined directly: only that cable counts.
        const Edge& cable = *visits[static_cast<std::size_t>(state)].edge;
        const int accelerators = std::max({1, cluster_.nodes[static_cast<std::size_t>(host)].count,
                                           cluster_.nodes[static_cast<std::size_t>(target)].count});
        route.latency = cable.latency;
        route.bandwidth = cable.bandwidth / accelerators;
        return route;
    }
    double rising = share(host), falling = share(target);
    double trunk = std::numeric_limits<double>::infinity(); // as a share of what an accelerator could send
    for (int at = state; visits[static_cast<std::size_t>(at)].parent >= 0; at = visits[static_cast<std::size_t>(at)].parent) {
        const Visit& visit = visits[static_cast<std::size_t>(at)];
        const auto to = static_cast<std::size_t>(nodeOf(at));
        const auto from = static_cast<std::size_t>(nodeOf(visit.parent));
        route.latency += visit.edge->latency;
        if (height_[from] == 0 || height_[to] == 0) continue;
        if (height_[to] > height_[from]) {
            rising *= passed_[from];
        } else if (height_[to] < height_[from]) {
            falling *= passed_[to];
        } else {
            double cables = 0;
            for (const Edge& edge : edges_[from])
                if (edge.to == static_cast<int>(to)) cables += edge.bandwidth * edge.copies;
            const double below = std::min(down_[from], down_[to]);
            if (below > 0) trunk = std::min(trunk, cables / below);
        }
    }
    route.bandwidth = std::min(rising, falling);
    if (trunk < 1) route.bandwidth *= trunk;
    return route;
}

std::vector<std::optional<Route>> Routes::from(int host) const {
    std::vector<Visit> visits(2 * cluster_.nodes.size());
    const int start = stateOf(host, cluster_.nodes[static_cast<std::size_t>(host)].replicas > 1 ? 0 : 1);
    visits[static_cast<std::size_t>(start)].hops = 0;
    std::vector<int> queue{start};
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const int at = queue[next];
        const int node = nodeOf(at);
        if (cluster_.nodes[static_cast<std::size_t>(node)].kind == NodeKind::host && at != start) continue;
        for (const Edge& edge : edges_[static_cast<std::size_t>(node)]) {
            const int side = sideOf(at) == 0 && edge.paired ? 0 : 1;
            Visit& visit = visits[static_cast<std::size_t>(stateOf(edge.to, side))];
            if (visit.hops >= 0) continue;
            visit = {visits[static_cast<std::size_t>(at)].hops + 1, at, &edge};
            queue.push_back(stateOf(edge.to, side));
        }
    }
    std::vector<std::optional<Route>> routes(cluster_.nodes.size());
    for (std::size_t i = 0; i < routes.size(); ++i) {
        const int state = stateOf(static_cast<int>(i), 1);
        if (cluster_.nodes[i].kind == NodeKind::host && visits[static_cast<std::size_t>(state)].hops > 0)
            routes[i] = trace(visits, state, host);
    }
    return routes;
}

} // namespace orrery
