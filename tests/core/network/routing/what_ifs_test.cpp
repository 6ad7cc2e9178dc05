// SPDX-License-Identifier: GPL-3.0-or-later
// Links and switches that are down or degraded: who moves, who stays, and that both ends still meet.

#include "core/network/generators/clos_fabrics.hpp"
#include "tests/support/drawn_cluster.hpp"
#include "tests/support/machine_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace orrery {
namespace {

using namespace orrery::test;

Cluster fatTree(int k) {
    HostSpec host;
    host.accelerator = "any";
    host.accelerators = 1;
    const GeneratedTopology generated = generateFatTree({host, k});
    for (const Problem& problem : generated.problems) ADD_FAILURE() << toText(problem);
    return clusterOf(generated.topology);
}

/// Drawn link and direction of every step of every way, so that fabrics with different numbers of links compare.
using Steps = std::vector<std::pair<int, bool>>;
std::map<std::pair<int, int>, Steps> waysOf(const Cluster& cluster) {
    const Fabric fabric(cluster);
    Router router(fabric);
    std::map<std::pair<int, int>, Steps> ways;
    for (int from = 0; from < fabric.ranks(); ++from)
        for (int to = 0; to < fabric.ranks(); ++to) {
            if (from == to) continue;
            const Way way = router.way(from, to);
            Steps& steps = ways[{from, to}];
            if (!way.found) continue;
            EXPECT_EQ(whyNotAWay(fabric, way, from, to), "");
            for (const WayLink& link : way.links) {
                const ReportLink& group = fabric.groups()[fabric.links()[link.link].group];
                steps.emplace_back(group.drawn, group.backward);
            }
        }
    return ways;
}

TEST(LinkDown, InAFatTreeMovesTheFlowsOverItAndKeepsTheirLength) {
    const Cluster whole = fatTree(4);
    const auto before = waysOf(whole);
    for (std::size_t l = 0; l < whole.links.size(); ++l) {
        const auto isHost = [&](const std::string& id) {
            return std::any_of(whole.nodes.begin(), whole.nodes.end(), [&](const TopologyNode& n) { return n.id == id && n.kind == NodeKind::host; });
        };
        if (isHost(whole.links[l].from) || isHost(whole.links[l].to)) continue;
        Cluster broken = whole;
        broken.changes.push_back(linkDown(whole.links[l].from, whole.links[l].to));
        const auto after = waysOf(broken);
        int moved = 0;
        for (const auto& [pair, steps] : before) {
            const bool over = std::any_of(steps.begin(), steps.end(), [&](const auto& step) { return step.first == static_cast<int>(l); });
            const Steps& now = after.at(pair);
            EXPECT_EQ(now.size(), steps.size()) << "a tree with two ways has one left that is as long";
            EXPECT_TRUE(std::none_of(now.begin(), now.end(), [&](const auto& step) { return step.first == static_cast<int>(l); }));
            moved += over;
        }
        EXPECT_GT(moved, 0) << "link " << l;
    }
}

TEST(SwitchDown, TakesAllItsLinksAndNoWayLeadsThroughIt) {
    const Cluster whole = fatTree(4);
    for (const TopologyNode& gone : whole.nodes) {
        if (gone.kind == NodeKind::host) continue;
        Cluster broken = whole;
        broken.changes.push_back(linkDown(gone.id));
        const MachineGraph graph([&] {
            Cluster without = whole;
            std::erase_if(without.links, [&](const TopologyLink& link) { return link.from == gone.id || link.to == gone.id; });
            return without;
        }());
        const Fabric fabric(broken);
        Router router(fabric);
        int cut = 0;
        for (int from = 0; from < fabric.ranks(); ++from)
            for (int to = 0; to < fabric.ranks(); ++to) {
                if (from == to) continue;
                const int wanted = graph.hops(static_cast<int>(fabric.seat(from).host), static_cast<int>(fabric.seat(to).host));
                const Way way = router.way(from, to);
                ASSERT_EQ(way.found, wanted >= 0) << gone.id;
                cut += !way.found;
                EXPECT_EQ(way.found ? way.hops : -1, wanted);
            }
        const bool edge = std::any_of(whole.links.begin(), whole.links.end(), [&](const TopologyLink& link) {
            const bool host = link.from.rfind("host", 0) == 0 || link.to.rfind("host", 0) == 0;
            return host && (link.from == gone.id || link.to == gone.id);
        });
        EXPECT_EQ(cut, edge ? 2 * (2 * 14 + 1) : 0) << gone.id << ": its two hosts lose everybody, and each other";
    }
}

TEST(InterfaceDown, LeavesEverybodyElsesWaysAlone) {
    Cluster cluster = fatTree(4);
    for (TopologyNode& node : cluster.nodes)
        if (node.kind == NodeKind::host) node.count = 2;
    for (TopologyLink& link : cluster.links) link.count = 2;
    cluster.scaleUpBandwidth = 0;
    const auto before = waysOf(cluster);
    const std::string first = cluster.nodes.front().id;
    ASSERT_EQ(cluster.nodes.front().kind, NodeKind::host);
    cluster.changes.push_back(linkDown(first, "", 0));
    const auto after = waysOf(cluster);
    for (const auto& [pair, steps] : before) {
        const auto [low, high] = std::minmax(pair.first, pair.second);
        if (low > 1) {
            EXPECT_EQ(after.at(pair), steps) << pair.first << " to " << pair.second;
        } else if (high > 1) {
            EXPECT_EQ(after.at(pair).size(), steps.size());
        }
    }
}

TEST(Degraded, LinksKeepTheirWaysAndLoseBandwidth) {
    Cluster cluster = oneSwitch(3, 4);
    LinkChange slow;
    slow.from = "h1";
    slow.to = "switch";
    slow.nic = 2;
    slow.factor = 0.25;
    slow.addedLatency = 3e-6;
    cluster.changes.push_back(slow);
    const Fabric fabric(cluster);
    Router router(fabric);
    int changed = 0;
    for (const FabricLink& link : fabric.links()) changed += link.capacity == 12.5e9;
    EXPECT_EQ(changed, 2) << "both directions of one interface";
    EXPECT_EQ(fabric.links()[router.way(6, 0).links.at(0).link].capacity, 12.5e9);
    EXPECT_NEAR(router.way(6, 0).latency, 7e-6, 1e-18);
    EXPECT_NEAR(router.way(0, 6).latency, 7e-6, 1e-18);
    EXPECT_NEAR(router.way(5, 0).latency, 4e-6, 1e-18);
}

TEST(Degraded, OneOfSeveralReplicasAndOneOfParallelLinksBetweenSwitches) {
    Cluster cluster = drawn({hostNode("h", 2, 4), switchNode("leaf", 4), switchNode("spine")},
                            {cable("h", "leaf", 50e9, 1e-6, 2), cable("leaf", "spine", 50e9, 1e-6, 4)});
    cluster.changes.push_back(linkDown("leaf", "spine", 1, 2));
    LinkChange half;
    half.from = "spine";
    half.to = "leaf";
    half.replica = 3;
    half.factor = 0.5;
    cluster.changes.push_back(half);
    const Fabric fabric(cluster);
    Router router(fabric);
    const auto uplink = [&](int from, int to) { return fabric.links()[router.way(from, to).links.at(1).link].capacity; };
    EXPECT_EQ(uplink(0, 2), 200e9);
    EXPECT_EQ(uplink(2, 0), 200e9);
    EXPECT_EQ(uplink(4, 0), 150e9);
    EXPECT_EQ(uplink(6, 0), 100e9);
}

TEST(HostTraffic, UsesAllInterfacesEvenlyAndTheSlowestPartCounts) {
    Cluster cluster = rails(2, 4, 50e9, 2e-6);
    LinkChange late;
    late.from = "h0";
    late.to = "rail2";
    late.addedLatency = 5e-6;
    cluster.changes.push_back(late);
    const Fabric fabric(cluster);
    Router router(fabric);
    const Way way = router.wayBetweenVertices(0, 1);
    ASSERT_TRUE(way.found);
    EXPECT_EQ(way.links.size(), 8u);
    for (const WayLink& link : way.links) EXPECT_EQ(link.share, 0.25);
    EXPECT_NEAR(way.latency, 9e-6, 1e-18);
    EXPECT_EQ(way.hops, 2);
    const Way up = router.wayBetweenVertices(0, fabric.vertex(2, 0)); // a switch
    EXPECT_TRUE(up.found);
    EXPECT_EQ(up.links.size(), 1u) << "of four interfaces one leads there";
    EXPECT_EQ(up.links[0].share, 1);
}

} // namespace
} // namespace orrery
