// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_topology.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::test {
namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

const std::vector<double> realCapacities = {12.5e9, 25e9, 50e9, 100e9, 200e9, 400e9, 450e9};

/// Lays cables, in some topologies every fourth of them degraded.
class Builder {
public:
    Builder(Topology& topology, RandomSource& random)
        : topology_(topology), random_(random), degradedShare_(random.chance(0.5) ? 0.25 : 0) {}

    void cable(std::size_t a, std::size_t b, double capacity) {
        topology_.addCable(a, b, random_.chance(degradedShare_) ? capacity * random_.between(0.2, 1.0) : capacity);
    }

private:
    Topology& topology_;
    RandomSource& random_;
    double degradedShare_;
};

Topology withHosts(std::string name, std::size_t hosts) {
    Topology topology;
    topology.name = std::move(name);
    topology.hosts = hosts;
    topology.addNodes(hosts);
    return topology;
}

/// Three levels of k-port switches (Al-Fares et al., SIGCOMM 2008), thinner towards the top by `taper` a level.
Topology fatTree(std::size_t wanted, RandomSource& random) {
    std::size_t k = 4;
    while ((k + 2) * (k + 2) * (k + 2) / 4 <= wanted) k += 2;
    const std::size_t half = k / 2;
    Topology topology = withHosts("fat tree, k = " + std::to_string(k), k * half * half);
    const std::size_t edges = topology.hosts, middles = edges + k * half, cores = middles + k * half;
    topology.addNodes(2 * k * half + half * half);
    Builder build(topology, random);
    const double capacity = random.pick(realCapacities);
    const double taper = random.pick(std::vector<double>{1, 1, 1.5, 2, 4});
    for (std::size_t host = 0; host < topology.hosts; ++host) build.cable(host, edges + host / half, capacity);
    for (std::size_t pod = 0; pod < k; ++pod)
        for (std::size_t low = 0; low < half; ++low)
            for (std::size_t high = 0; high < half; ++high) {
                build.cable(edges + pod * half + low, middles + pod * half + high, capacity / taper);
                build.cable(middles + pod * half + low, cores + low * half + high, capacity / taper / taper);
            }
    return topology;
}

Topology leafSpine(std::size_t wanted, RandomSource& random) {
    const std::size_t perLeaf = random.pick(std::vector<std::size_t>{4, 8, 16, 32});
    const std::size_t leaves = std::max<std::size_t>(2, wanted / perLeaf);
    const std::size_t spines = random.between(std::size_t{1}, std::size_t{8});
    const double oversubscription = random.pick(std::vector<double>{1, 1.5, 2, 3, 4, 7});
    Topology topology = withHosts("leaf-spine, " + std::to_string(leaves) + " leaves of " + std::to_string(perLeaf), leaves * perLeaf);
    const std::size_t firstLeaf = topology.hosts, firstSpine = firstLeaf + leaves;
    topology.addNodes(leaves + spines);
    Builder build(topology, random);
    const double capacity = random.pick(realCapacities);
    const double up = capacity * static_cast<double>(perLeaf) / oversubscription / static_cast<double>(spines);
    for (std::size_t host = 0; host < topology.hosts; ++host) build.cable(host, firstLeaf + host / perLeaf, capacity);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
        for (std::size_t spine = 0; spine < spines; ++spine) build.cable(firstLeaf + leaf, firstSpine + spine, up);
    return topology;
}

Topology randomGraph(std::size_t wanted, RandomSource& random) {
    const std::size_t switches = std::max<std::size_t>(3, wanted / random.between(std::size_t{2}, std::size_t{8}));
    Topology topology = withHosts("random graph of " + std::to_string(switches) + " switches", wanted);
    const std::size_t first = topology.hosts;
    topology.addNodes(switches);
    Builder build(topology, random);
    for (std::size_t i = 1; i < switches; ++i) build.cable(first + i, first + random.below(i), random.pick(realCapacities));
    const std::size_t more = switches * random.between(std::size_t{1}, std::size_t{4}) / 2;
    for (std::size_t i = 0; i < more; ++i) {
        const std::size_t a = random.below(switches);
        const std::size_t b = (a + 1 + random.below(switches - 1)) % switches;
        build.cable(first + a, first + b, random.pick(realCapacities));
    }
    for (std::size_t host = 0; host < wanted; ++host) build.cable(host, first + random.below(switches), random.pick(realCapacities));
    return topology;
}

Topology ring(std::size_t wanted, RandomSource& random) {
    Topology topology = withHosts("ring", wanted);
    Builder build(topology, random);
    const double capacity = random.pick(realCapacities);
    for (std::size_t host = 0; host < wanted; ++host) build.cable(host, (host + 1) % wanted, capacity);
    return topology;
}

Topology torus(std::size_t wanted, RandomSource& random) {
    const std::size_t dimensions = random.between(std::size_t{2}, std::size_t{3});
    const double side = std::pow(static_cast<double>(wanted), 1.0 / static_cast<double>(dimensions));
    std::vector<std::size_t> sides;
    std::size_t hosts = 1;
    std::string name = "torus";
    for (std::size_t d = 0; d < dimensions; ++d) {
        sides.push_back(std::max<std::size_t>(3, static_cast<std::size_t>(side * random.between(0.8, 1.0))));
        hosts *= sides.back();
        name += (d == 0 ? " " : " x ") + std::to_string(sides.back());
    }
    Topology topology = withHosts(name, hosts);
    Builder build(topology, random);
    const double capacity = random.pick(realCapacities);
    std::size_t stride = 1;
    for (const std::size_t length : sides) {
        for (std::size_t host = 0; host < hosts; ++host) {
            const std::size_t place = host / stride % length;
            build.cable(host, host - place * stride + (place + 1) % length * stride, capacity);
        }
        stride *= length;
    }
    return topology;
}

/// Groups of fully joined routers, one cable between any two groups (Kim et al., ISCA 2008).
Topology dragonfly(std::size_t wanted, RandomSource& random) {
    const std::size_t routers = random.between(std::size_t{2}, std::size_t{8});
    const std::size_t perRouter = random.between(std::size_t{1}, std::size_t{4});
    const std::size_t groups = std::max<std::size_t>(2, wanted / (routers * perRouter));
    Topology topology = withHosts("dragonfly, " + std::to_string(groups) + " groups", groups * routers * perRouter);
    const std::size_t first = topology.hosts;
    topology.addNodes(groups * routers);
    Builder build(topology, random);
    const double capacity = random.pick(realCapacities);
    for (std::size_t host = 0; host < topology.hosts; ++host) build.cable(host, first + host / perRouter, capacity);
    for (std::size_t group = 0; group < groups; ++group) {
        const std::size_t own = first + group * routers;
        for (std::size_t a = 0; a < routers; ++a)
            for (std::size_t b = a + 1; b < routers; ++b) build.cable(own + a, own + b, capacity);
        for (std::size_t other = group + 1; other < groups; ++other)
            build.cable(own + other % routers, first + other * routers + group % routers, capacity);
    }
    return topology;
}

} // namespace

void Topology::addNodes(std::size_t count) { exits_.resize(exits_.size() + count); }

void Topology::addCable(std::size_t a, std::size_t b, double capacity) {
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
        exits_[from].push_back({to, static_cast<std::uint32_t>(capacities.size())});
        capacities.push_back(capacity);
    }
}

const std::vector<std::uint32_t>& Topology::distancesTo(std::size_t node) {
    std::vector<std::uint32_t>& distances = distances_[node];
    if (!distances.empty()) return distances;
    distances.assign(nodes(), unreached);
    distances[node] = 0;
    std::vector<std::size_t> queue{node};
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (const Exit& exit : exits_[queue[i]])
            if (distances[exit.node] == unreached) {
                distances[exit.node] = distances[queue[i]] + 1;
                queue.push_back(exit.node);
            }
    return distances;
}

std::vector<std::uint32_t> Topology::path(std::size_t from, std::size_t to, RandomSource& random) {
    const std::vector<std::uint32_t>& distances = distancesTo(to);
    std::vector<std::uint32_t> links;
    std::vector<Exit> nearer;
    for (std::size_t at = from; at != to;) {
        nearer.clear();
        for (const Exit& exit : exits_[at])
            if (distances[exit.node] < distances[at]) nearer.push_back(exit);
        const Exit& taken = random.pick(nearer);
        links.push_back(taken.link);
        at = taken.node;
    }
    return links;
}

Topology randomTopology(TopologyFamily family, std::size_t hosts, RandomSource& random) {
    switch (family) {
    case TopologyFamily::fat_tree: return fatTree(hosts, random);
    case TopologyFamily::leaf_spine: return leafSpine(hosts, random);
    case TopologyFamily::random_graph: return randomGraph(hosts, random);
    case TopologyFamily::ring: return ring(hosts, random);
    case TopologyFamily::torus: return torus(hosts, random);
    case TopologyFamily::dragonfly: return dragonfly(hosts, random);
    }
    return {};
}

} // namespace orrery::test
