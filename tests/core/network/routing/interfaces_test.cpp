// SPDX-License-Identifier: GPL-3.0-or-later
// Which interface a rank's data takes: rails, neighbours that pass it on, unequal numbers, replicas, hosts that forward.

#include "core/network/transfers/group_layout.hpp"
#include "tests/support/drawn_cluster.hpp"
#include "tests/support/machine_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace orrery {
namespace {

using namespace orrery::test;

std::vector<std::string> stations(const Fabric& fabric, const Way& way) {
    std::vector<std::string> names;
    for (const WayLink& link : way.links) {
        const ReportLink& group = fabric.groups()[fabric.links()[link.link].group];
        if (names.empty()) names.push_back(group.from);
        names.push_back(group.to);
    }
    return names;
}

TEST(Rails, TheSameSlotStaysOnItsLeaf) {
    for (const bool spine : {false, true}) {
        const Cluster cluster = rails(4, 8, 50e9, 2e-6, spine);
        const Fabric fabric(cluster);
        Router router(fabric);
        for (int slot = 0; slot < 8; ++slot)
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b) {
                    if (a == b) continue;
                    const Way way = router.way(8 * a + slot, 8 * b + slot);
                    EXPECT_EQ(way.hops, 2);
                    EXPECT_NEAR(way.latency, 4e-6, 1e-18);
                    const std::vector<std::string> wanted{"h" + std::to_string(a), "rail" + std::to_string(slot), "h" + std::to_string(b)};
                    EXPECT_EQ(stations(fabric, way), wanted);
                }
    }
}

TEST(Rails, AnotherSlotGoesThroughTheNeighbourOnItsRail) {
    for (const bool spine : {false, true}) {
        const Cluster cluster = rails(3, 4, 50e9, 2e-6, spine);
        const Fabric fabric(cluster);
        Router router(fabric);
        for (int from = 0; from < 12; ++from)
            for (int to = 0; to < 12; ++to) {
                if (from / 4 == to / 4 || from % 4 == to % 4) continue;
                const Way way = router.way(from, to);
                EXPECT_EQ(way.hops, 4);
                EXPECT_NEAR(way.latency, 4e-6 + cluster.scaleUpLatency, 1e-18);
                ASSERT_EQ(way.links.size(), 4u);
                EXPECT_EQ(way.links[0].link, fabric.scaleUpOut(from));
                EXPECT_EQ(way.links[1].link, fabric.scaleUpIn(from / 4 * 4 + to % 4));
                EXPECT_EQ(whyNotAWay(fabric, way, from, to), "");
            }
    }
}

TEST(Rails, OfSeveralNeighboursOnItTheOneInTheReceiversSlotPassesOn) {
    // Slots 0 and 1 on one leaf, 2 and 3 on another.
    std::vector<TopologyLink> links;
    for (const char* id : {"a", "b"})
        for (const char* leaf : {"left", "right"}) links.push_back(cable(id, leaf, 50e9, 1e-6, 2));
    const Cluster cluster = drawn({hostNode("a", 4), hostNode("b", 4), switchNode("left"), switchNode("right")}, links);
    const Fabric fabric(cluster);
    Router router(fabric);
    EXPECT_EQ(router.way(0, 5).hops, 2) << "the same leaf";
    for (const int to : {6, 7}) EXPECT_EQ(router.way(0, to).links.at(1).link, fabric.scaleUpIn(to - 4));
}

TEST(Rails, WithoutAScaleUpFabricTheSpineJoinsThem) {
    Cluster cluster = rails(3, 4, 50e9, 2e-6, true);
    cluster.scaleUpBandwidth = 0;
    const Fabric fabric(cluster);
    Router router(fabric);
    EXPECT_EQ(router.way(0, 4).hops, 2);
    EXPECT_EQ(router.way(0, 5).hops, 4);
    EXPECT_EQ(whyNotAWay(fabric, router.way(0, 5), 0, 5), "");
    EXPECT_TRUE(router.way(0, 1).found) << "by way of the network";
}

TEST(Rails, PlanesThatMeetNowhereAreCrossedInTheHost) {
    // Two units of two hosts: rail r has a leaf in each unit and a spine of its own. Only the same rail leads to the other unit.
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (int h = 0; h < 4; ++h) nodes.push_back(hostNode("h" + std::to_string(h), 4));
    for (int rail = 0; rail < 4; ++rail) {
        const std::string spine = "spine" + std::to_string(rail);
        for (int unit = 0; unit < 2; ++unit) {
            const std::string leaf = "leaf" + std::to_string(unit) + "-" + std::to_string(rail);
            nodes.push_back(switchNode(leaf));
            for (int h = 2 * unit; h < 2 * unit + 2; ++h) links.push_back(cable("h" + std::to_string(h), leaf, 50e9, 1e-6));
            links.push_back(cable(leaf, spine, 100e9, 1e-6));
        }
        nodes.push_back(switchNode(spine));
    }
    const Cluster cluster = drawn(nodes, links);
    const Fabric fabric(cluster);
    Router router(fabric);
    for (int from = 0; from < 4; ++from)
        for (int to = 8; to < 12; ++to) {
            const Way way = router.way(from, to);
            EXPECT_EQ(whyNotAWay(fabric, way, from, to), "") << from << " to " << to;
            EXPECT_EQ(way.hops, from % 4 == to % 4 ? 4 : 6) << from << " to " << to;
            const std::vector<std::string> names = stations(fabric, way);
            EXPECT_EQ(std::count(names.begin(), names.end(), "spine" + std::to_string(to % 4)), 1) << from << " to " << to;
        }
}

TEST(Interfaces, FewerThanAcceleratorsAreSharedByNeighbours) {
    const Cluster cluster = oneSwitch(2, 8, 50e9, 1e-6, 4);
    const Fabric fabric(cluster);
    Router router(fabric);
    for (int pair = 0; pair < 4; ++pair) {
        const FlowLink out = router.way(2 * pair, 8).links.at(0).link;
        EXPECT_EQ(router.way(2 * pair + 1, 8).links.at(0).link, out);
        for (int other = 0; other < pair; ++other) EXPECT_NE(router.way(2 * other, 8).links.at(0).link, out);
        EXPECT_EQ(router.way(8, 2 * pair).links.at(1).link, router.way(8, 2 * pair + 1).links.at(1).link);
    }
}

TEST(Interfaces, AGroupThatSharesThemHasItsShare) {
    const Cluster cluster = oneSwitch(2, 8, 50e9, 1e-6, 4);
    const Fabric fabric(cluster);
    std::vector<int> all(16), even;
    for (int rank = 0; rank < 16; ++rank) {
        all[static_cast<std::size_t>(rank)] = rank;
        if (rank % 2 == 0) even.push_back(rank);
    }
    EXPECT_DOUBLE_EQ(interfaceBandwidth(fabric, all), 25e9);
    EXPECT_DOUBLE_EQ(interfaceBandwidth(fabric, even), 50e9);
}

TEST(Interfaces, MoreThanAcceleratorsSplitEachFlow) {
    const Cluster cluster = oneSwitch(2, 4, 50e9, 1e-6, 8);
    const Fabric fabric(cluster);
    Router router(fabric);
    std::map<FlowLink, int> users;
    for (int from = 0; from < 4; ++from)
        for (int to = 4; to < 8; ++to) {
            const Way way = router.way(from, to);
            ASSERT_EQ(way.links.size(), 4u);
            EXPECT_EQ(way.hops, 2);
            for (const WayLink& link : way.links) {
                EXPECT_EQ(link.share, 0.5);
                ++users[link.link];
            }
            EXPECT_NEAR(way.latency, 2e-6, 1e-18);
            EXPECT_EQ(whyNotAWay(fabric, way, from, to), "");
        }
    EXPECT_EQ(users.size(), 16u);
    for (const auto& [link, count] : users) EXPECT_EQ(count, 4) << link;
    EXPECT_DOUBLE_EQ(interfaceBandwidth(fabric, {0, 4}), 100e9);
}

TEST(Interfaces, OneThatIsDownLeavesTheOthersWhereTheyAre) {
    Cluster cluster = rails(2, 8);
    cluster.changes.push_back(linkDown("h0", "rail3"));
    const Fabric fabric(cluster);
    Router router(fabric);
    for (int slot = 0; slot < 8; ++slot) {
        const Way out = router.way(slot, 8 + slot), in = router.way(8 + slot, slot);
        EXPECT_TRUE(out.found);
        EXPECT_TRUE(in.found);
        if (slot == 3) continue;
        EXPECT_EQ(stations(fabric, out), (std::vector<std::string>{"h0", "rail" + std::to_string(slot), "h1"}));
        EXPECT_EQ(stations(fabric, in), (std::vector<std::string>{"h1", "rail" + std::to_string(slot), "h0"}));
    }
}

TEST(Interfaces, PcieLiesBetweenAcceleratorAndNetworkOnly) {
    Cluster cluster = oneSwitch(2, 4);
    for (TopologyNode& node : cluster.nodes)
        if (node.kind == NodeKind::host) {
            node.pcieBandwidth = 60e9;
            node.acceleratorsPerPcieSwitch = 2;
        }
    const Fabric fabric(cluster);
    Router router(fabric);
    EXPECT_EQ(fabric.pcieOut(0), fabric.pcieOut(1));
    EXPECT_NE(fabric.pcieOut(1), fabric.pcieOut(2));
    EXPECT_EQ(router.way(0, 1).links.size(), 2u);
    const Way way = router.way(0, 6);
    ASSERT_EQ(way.links.size(), 4u);
    EXPECT_EQ(way.links.front().link, fabric.pcieOut(0));
    EXPECT_EQ(way.links.back().link, fabric.pcieIn(6));
    EXPECT_EQ(fabric.links()[way.links.front().link].capacity, 60e9);
    EXPECT_EQ(whyNotAWay(fabric, way, 0, 6), "");
}

TEST(Replicas, EquallyManyAreJoinedPairwiseOthersAll) {
    // Four hosts on four leaves of their own, all leaves on two spines.
    const Cluster cluster = drawn({hostNode("h", 2, 4), switchNode("leaf", 4), switchNode("spine", 2)},
                                  {cable("h", "leaf", 50e9, 1e-6, 2), cable("leaf", "spine", 50e9, 1e-6)});
    const Fabric fabric(cluster);
    EXPECT_EQ(fabric.vertices(), 10u);
    EXPECT_EQ(fabric.ranks(), 8);
    Router router(fabric);
    const std::vector<std::pair<int, int>> ends = linkEnds(fabric);
    std::vector<std::pair<int, int>> cables;
    for (std::size_t link = 0; link < ends.size(); link += 2)
        if (ends[link].first >= 0) cables.push_back(ends[link]);
    std::vector<std::pair<int, int>> wanted = MachineGraph(cluster).cables();
    EXPECT_EQ(wanted.size(), 8u + 8u);
    std::sort(cables.begin(), cables.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(cables, wanted);
    for (int from = 0; from < 8; ++from)
        for (int to = 0; to < 8; ++to) {
            if (from / 2 == to / 2) continue;
            EXPECT_EQ(router.way(from, to).hops, 4);
            EXPECT_EQ(whyNotAWay(fabric, router.way(from, to), from, to), "");
        }
    for (const ReportLink& group : fabric.groups()) EXPECT_EQ(group.copies, 8) << group.from << " " << group.to;
}

TEST(Replicas, OfOneNodeAreTheSameAsHostsDrawnOneByOne) {
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (int h = 0; h < 6; ++h) {
        nodes.push_back(hostNode("h" + std::to_string(h), 4));
        links.push_back(cable(nodes.back().id, "s", 50e9, 1e-6, 4));
    }
    nodes.push_back(switchNode("s"));
    const Cluster single = drawn(nodes, links);
    const Cluster stacked = drawn({hostNode("h", 4, 6), switchNode("s")}, {cable("h", "s", 50e9, 1e-6, 4)});
    const Fabric a(single), b(stacked);
    Router one(a), other(b);
    ASSERT_EQ(a.links().size(), b.links().size());
    for (int from = 0; from < 24; ++from)
        for (int to = 0; to < 24; ++to) {
            const Way x = one.way(from, to), y = other.way(from, to);
            ASSERT_EQ(x.links.size(), y.links.size());
            EXPECT_EQ(x.latency, y.latency);
            for (std::size_t i = 0; i < x.links.size(); ++i) EXPECT_EQ(x.links[i].link, y.links[i].link);
        }
}

TEST(Forwarding, HostsOnASwitchNeverDoAndHostsInARingDo) {
    // a and b share a switch; a second cable joins b and c, c and d, d and b: c and d see hosts only.
    const Cluster cluster = drawn({hostNode("a", 1), hostNode("b", 1), hostNode("c", 1), hostNode("d", 1), hostNode("e", 1), switchNode("s")},
                                  {cable("a", "s", 1e9, 1e-6), cable("b", "s", 1e9, 1e-6), cable("b", "c", 1e9, 1e-6), cable("c", "d", 1e9, 1e-6),
                                   cable("d", "e", 1e9, 1e-6)});
    const Fabric fabric(cluster);
    Router router(fabric);
    EXPECT_EQ(router.way(0, 1).hops, 2);
    EXPECT_EQ(router.way(1, 2).hops, 1);
    EXPECT_EQ(router.way(1, 4).hops, 3) << "through c and d";
    EXPECT_EQ(router.way(4, 1).hops, 3);
    EXPECT_FALSE(router.way(0, 2).found) << "b does not forward";
    EXPECT_FALSE(router.way(4, 0).found);
    for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 4), std::pair(4, 1), std::pair(2, 4)})
        EXPECT_EQ(whyNotAWay(fabric, router.way(from, to), from, to, false), "") << from << " to " << to;
}

TEST(Forwarding, AHostWithItsOnlyCableToAHostThatDoesNotForwardIsReached) {
    const Cluster cluster = drawn({hostNode("a", 1), hostNode("b", 1), switchNode("s"), hostNode("c", 1)},
                                  {cable("a", "s", 1e9, 1e-6), cable("c", "s", 1e9, 1e-6), cable("a", "b", 1e9, 3e-6)});
    const Fabric fabric(cluster);
    Router router(fabric);
    for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
        const Way way = router.way(from, to);
        ASSERT_TRUE(way.found);
        EXPECT_EQ(way.hops, 1);
        EXPECT_NEAR(way.latency, 3e-6, 1e-18);
        EXPECT_EQ(whyNotAWay(fabric, way, from, to, false), "");
    }
    EXPECT_TRUE(router.way(0, 2).found);
    EXPECT_FALSE(router.way(1, 2).found);
}

TEST(Forwarding, TwoHostsJoinedByTheirCablesAlone) {
    const Cluster cluster = drawn({hostNode("a", 8), hostNode("b", 8)}, {cable("a", "b", 100e9, 3e-6, 4)});
    const Fabric fabric(cluster);
    Router router(fabric);
    const Way way = router.way(3, 12);
    ASSERT_EQ(way.links.size(), 1u);
    EXPECT_EQ(fabric.links()[way.links[0].link].capacity, 400e9);
    EXPECT_NEAR(way.latency, 3e-6, 1e-18);
    EXPECT_EQ(router.way(3, 4).hops, 2);
}

TEST(Domains, OfManyHostsAreOneFabric) {
    // Two racks of three trays: within a rack by its ports, between racks by the interfaces.
    const Cluster cluster = drawn({hostNode("x", 4, 3, "rack0"), hostNode("y", 4, 3, "rack1"), switchNode("s")},
                                  {cable("x", "s", 50e9, 1e-6, 4), cable("y", "s", 50e9, 1e-6, 4)});
    const Fabric fabric(cluster);
    Router router(fabric);
    EXPECT_EQ(fabric.domains(), 2u);
    for (int from = 0; from < 24; ++from)
        for (int to = 0; to < 24; ++to) {
            if (from == to) continue;
            const Way way = router.way(from, to);
            const bool inside = from / 12 == to / 12;
            EXPECT_EQ(way.hops, 2);
            EXPECT_NEAR(way.latency, inside ? cluster.scaleUpLatency : 2e-6, 1e-18);
            EXPECT_EQ(way.links[0].link == fabric.scaleUpOut(from), inside);
            EXPECT_EQ(whyNotAWay(fabric, way, from, to), "");
        }
}

} // namespace
} // namespace orrery
