// SPDX-License-Identifier: GPL-3.0-or-later
// Ways over random drawings against a plain breadth-first search, and what must not matter to them.

#include "tests/support/drawn_cluster.hpp"
#include "tests/support/machine_graph.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace orrery {
namespace {

using namespace orrery::test;

/// Switches joined at random, single hosts on them, and a ring of hosts with chords that has no switch.
Cluster randomDrawing(RandomSource& random, int accelerators, int interfaces) {
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    const std::size_t switches = random.between(std::size_t{1}, std::size_t{14});
    const std::size_t hosts = random.between(std::size_t{2}, std::size_t{20});
    const auto name = [](const char* stem, std::size_t i) { return stem + std::to_string(i); };
    const auto join = [&](std::string a, std::string b, int count) {
        if (random.chance(0.5)) std::swap(a, b);
        links.push_back(cable(std::move(a), std::move(b), random.logBetween(1e9, 1e11), random.between(1e-7, 5e-6), count));
    };
    for (std::size_t s = 0; s < switches; ++s) nodes.push_back(switchNode(name("s", s)));
    for (std::size_t h = 0; h < hosts; ++h) nodes.push_back(hostNode(name("h", h), accelerators));
    for (std::size_t s = 1; s < switches; ++s)
        if (random.chance(0.9)) join(name("s", s), name("s", random.below(s)), 1 + static_cast<int>(random.below(3)));
    for (std::size_t extra = random.below(2 * switches); extra > 0 && switches > 1; --extra) {
        const std::size_t a = random.below(switches), b = random.below(switches);
        if (a != b) join(name("s", a), name("s", b), 1);
    }
    for (std::size_t h = 0; h < hosts; ++h)
        for (int i = 0; i < interfaces; ++i) join(name("h", h), name("s", random.below(switches)), 1);
    const std::size_t ring = random.below(3) * 4;
    for (std::size_t r = 0; r < ring; ++r) nodes.push_back(hostNode(name("r", r), accelerators));
    for (std::size_t r = 0; r < ring; ++r) join(name("r", r), name("r", (r + 1) % ring), 1);
    if (ring > 0 && random.chance(0.5)) join("r0", name("r", ring / 2), 1);
    random.shuffle(nodes);
    random.shuffle(links);
    return drawn(nodes, links);
}

TEST(ShortestWays, AreAsLongAsABreadthFirstSearchSays) {
    int partitioned = 0, longest = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        RandomSource random(seed);
        const Cluster cluster = randomDrawing(random, 1, 1);
        const Fabric fabric(cluster);
        Router router(fabric);
        const MachineGraph graph(cluster);
        ASSERT_EQ(fabric.vertices(), graph.machines());
        for (std::size_t m = 0; m < graph.machines(); ++m) EXPECT_EQ(fabric.forwards(static_cast<std::uint32_t>(m)), graph.forwards(static_cast<int>(m)));
        for (int from = 0; from < fabric.ranks(); ++from)
            for (int to = 0; to < fabric.ranks(); ++to) {
                if (from == to) continue;
                const int wanted = graph.hops(static_cast<int>(fabric.seat(from).host), static_cast<int>(fabric.seat(to).host));
                const Way way = router.way(from, to);
                ASSERT_EQ(way.found, wanted >= 0) << "seed " << seed << ", " << from << " to " << to;
                if (wanted < 0) {
                    ++partitioned;
                    continue;
                }
                ASSERT_EQ(way.hops, wanted) << "seed " << seed << ", " << from << " to " << to;
                ASSERT_EQ(static_cast<int>(way.links.size()), wanted);
                ASSERT_EQ(whyNotAWay(fabric, way, from, to), "") << "seed " << seed << ", " << from << " to " << to;
                double latency = 0;
                for (const WayLink& link : way.links) latency += fabric.links()[link.link].latency;
                EXPECT_NEAR(way.latency, latency, 1e-18);
                longest = std::max(longest, way.hops);
            }
    }
    EXPECT_GT(partitioned, 500) << "the drawings must hold such cases";
    EXPECT_GE(longest, 6);
}

TEST(ShortestWays, BeginAndEndAtTheRanksOwnInterfaces) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        RandomSource random(1000 + seed);
        const int accelerators = 1 + static_cast<int>(random.below(5)), interfaces = 1 + static_cast<int>(random.below(6));
        Cluster cluster = randomDrawing(random, accelerators, interfaces);
        cluster.scaleUpBandwidth = 0; // so that nobody passes data on to a neighbour
        const Fabric fabric(cluster);
        Router router(fabric);
        const MachineGraph graph(cluster);
        // Interfaces in the order of the file, dealt out evenly: which switches a rank is on.
        std::vector<std::vector<int>> peers(graph.machines());
        for (const auto& [a, b] : graph.cables()) {
            peers[static_cast<std::size_t>(a)].push_back(b);
            peers[static_cast<std::size_t>(b)].push_back(a);
        }
        const auto ownPeers = [&](int rank) {
            const int slot = fabric.seat(rank).slot;
            const std::vector<int>& all = peers[fabric.seat(rank).host];
            const int n = static_cast<int>(all.size());
            std::vector<int> own;
            for (int i = slot * n / accelerators; i < std::max(slot * n / accelerators + 1, (slot + 1) * n / accelerators); ++i)
                own.push_back(all[static_cast<std::size_t>(i)]);
            return own;
        };
        for (int from = 0; from < fabric.ranks(); ++from)
            for (int to = 0; to < fabric.ranks(); ++to) {
                const auto a = static_cast<int>(fabric.seat(from).host), b = static_cast<int>(fabric.seat(to).host);
                if (a == b || graph.forwards(a) || graph.forwards(b)) continue;
                const std::vector<int> mine = ownPeers(from), theirs = ownPeers(to);
                int wanted = -1;
                for (std::size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i) {
                    const int between = graph.hops(mine[i % mine.size()], theirs[i % theirs.size()]);
                    if (between >= 0) wanted = std::max(wanted, between + 2);
                }
                if (wanted < 0) continue;
                const Way way = router.way(from, to);
                ASSERT_EQ(way.hops, wanted) << "seed " << seed << ", " << from << " to " << to;
                ASSERT_EQ(whyNotAWay(fabric, way, from, to), "") << "seed " << seed << ", " << from << " to " << to;
            }
    }
}

std::vector<std::vector<FlowLink>> allWays(const Cluster& cluster) {
    const Fabric fabric(cluster);
    Router router(fabric);
    std::vector<std::vector<FlowLink>> ways;
    for (int from = 0; from < fabric.ranks(); ++from)
        for (int to = 0; to < fabric.ranks(); ++to) {
            ways.emplace_back();
            for (const WayLink& link : router.way(from, to).links) ways.back().push_back(link.link);
        }
    return ways;
}

TEST(ShortestWays, DoNotDependOnNames) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        RandomSource random(2000 + seed);
        const Cluster cluster = randomDrawing(random, 2, 2);
        // Other names in another alphabetical order, all places in the file as they are.
        std::vector<std::string> names;
        for (std::size_t i = 0; i < cluster.nodes.size(); ++i) names.push_back("n" + std::to_string(1000 + i));
        random.shuffle(names);
        Cluster renamed = cluster;
        for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
            renamed.nodes[i].id = names[i];
            for (std::size_t l = 0; l < cluster.links.size(); ++l) {
                if (cluster.links[l].from == cluster.nodes[i].id) renamed.links[l].from = names[i];
                if (cluster.links[l].to == cluster.nodes[i].id) renamed.links[l].to = names[i];
            }
        }
        ASSERT_EQ(allWays(cluster), allWays(renamed)) << "seed " << seed;
    }
}

TEST(ShortestWays, GoByThePlaceInTheFileWhereTwoAreEqual) {
    // Two spines: their order among the leaf's links decides, whatever they are called and wherever their nodes stand.
    const auto spineOf = [](const std::vector<std::string>& order) {
        const Cluster cluster = drawn({hostNode("a", 1), hostNode("b", 1), switchNode("l"), switchNode("m"), switchNode(order[0]), switchNode(order[1])},
                                      {cable("a", "l", 1e9, 0), cable("b", "m", 1e9, 0), cable("l", order[0], 1e9, 0), cable("l", order[1], 1e9, 0),
                                       cable("m", order[0], 1e9, 0), cable("m", order[1], 1e9, 0)});
        const Fabric fabric(cluster);
        Router router(fabric);
        const Way way = router.way(0, 1);
        return fabric.groups()[fabric.links()[way.links.at(1).link].group].drawn;
    };
    EXPECT_EQ(spineOf({"x", "y"}), spineOf({"y", "x"}));
}

TEST(ShortestWays, TakeEveryEqualWayEquallyOften) {
    // From each of 16 hosts on one leaf to each on another over 4 spines: receivers that follow one another take turns.
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (const char* leaf : {"l", "m"}) {
        for (int h = 0; h < 16; ++h) {
            nodes.push_back(hostNode(leaf + std::to_string(h), 1));
            links.push_back(cable(nodes.back().id, leaf, 50e9, 1e-6));
        }
        nodes.push_back(switchNode(leaf));
        for (int s = 0; s < 4; ++s) links.push_back(cable(leaf, "spine" + std::to_string(s), 200e9, 1e-6));
    }
    for (int s = 0; s < 4; ++s) nodes.push_back(switchNode("spine" + std::to_string(s)));
    const Cluster cluster = drawn(nodes, links);
    const Fabric fabric(cluster);
    Router router(fabric);
    std::vector<int> uses(fabric.links().size(), 0);
    for (int from = 0; from < 16; ++from)
        for (int to = 16; to < 32; ++to) ++uses[router.way(from, to).links.at(1).link];
    EXPECT_EQ(std::count(uses.begin(), uses.end(), 64), 4);
    EXPECT_EQ(std::count(uses.begin(), uses.end(), 0), static_cast<std::ptrdiff_t>(uses.size()) - 4);
}

TEST(ShortestWays, APartitionedDrawingHasNone) {
    const Cluster cluster = drawn({hostNode("a", 2), hostNode("b", 2), switchNode("s"), switchNode("t")},
                                  {cable("a", "s", 1e9, 0, 2), cable("b", "t", 1e9, 0, 2)});
    const Fabric fabric(cluster);
    Router router(fabric);
    EXPECT_TRUE(router.way(0, 1).found) << "inside the host";
    EXPECT_FALSE(router.way(0, 2).found);
    EXPECT_TRUE(router.way(0, 2).links.empty());
    EXPECT_TRUE(router.way(3, 3).found);
    EXPECT_EQ(router.way(3, 3).hops, 0);
}

} // namespace
} // namespace orrery
