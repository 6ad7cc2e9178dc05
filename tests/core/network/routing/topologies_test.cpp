// SPDX-License-Identifier: GPL-3.0-or-later
// Routing on the topologies of the literature, as the generators draw them.

#include "core/base/json.hpp"
#include "core/network/generators/clos_fabrics.hpp"
#include "core/network/generators/direct_fabrics.hpp"
#include "core/network/routing/bisection.hpp"
#include "tests/support/drawn_cluster.hpp"
#include "tests/support/machine_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace orrery {
namespace {

using namespace orrery::test;

HostSpec singleHost() {
    HostSpec host;
    host.accelerator = "any";
    host.accelerators = 1;
    return host;
}

Json topologyOf(const GeneratedTopology& generated) {
    for (const Problem& problem : generated.problems) ADD_FAILURE() << toText(problem);
    return generated.topology;
}

TEST(FatTree, ShiftsByLeavesMeetOnNoLink) {
    // Non-blocking in full: a shift puts at most one flow on each link (Zahavi 2012, theorem on D-mod-k).
    for (const int k : {4, 6, 8}) {
        FatTree tree{singleHost(), k};
        const Cluster cluster = clusterOf(topologyOf(generateFatTree(tree)));
        const Fabric fabric(cluster);
        Router router(fabric);
        const int hosts = fabric.ranks(), leaf = k / 2;
        ASSERT_EQ(hosts, k * k * k / 4);
        for (int shift = leaf; shift < hosts; shift += leaf) {
            std::vector<int> flows(fabric.links().size(), 0);
            for (int from = 0; from < hosts; ++from)
                for (const WayLink& link : router.way(from, (from + shift) % hosts).links) ++flows[link.link];
            EXPECT_LE(*std::max_element(flows.begin(), flows.end()), 1) << "k " << k << ", shift by " << shift;
        }
    }
}

TEST(FatTree, HasFullBisection) {
    for (const int k : {4, 6, 8}) {
        const Cluster cluster = clusterOf(topologyOf(generateFatTree({singleHost(), k})));
        RoutedFabric fabric(cluster);
        EXPECT_TRUE(hasFullBisection(fabric)) << k;
    }
}

TEST(FatTree, WaysAreTwoFourOrSixHops) {
    const int k = 6, leaf = k / 2, pod = leaf * leaf;
    const Cluster cluster = clusterOf(topologyOf(generateFatTree({singleHost(), k})));
    const Fabric fabric(cluster);
    Router router(fabric);
    for (int from = 0; from < fabric.ranks(); ++from)
        for (int to = 0; to < fabric.ranks(); ++to) {
            if (from == to) continue;
            const Way way = router.way(from, to);
            EXPECT_EQ(way.hops, from / leaf == to / leaf ? 2 : from / pod == to / pod ? 4
                                                                                      : 6);
            EXPECT_EQ(whyNotAWay(fabric, way, from, to), "");
        }
}

TEST(FatTree, EightInterfacesAHostKeepShiftsApartToo) {
    // Every link between switches is eight cables, so eight flows may be on it and no more.
    HostSpec host;
    host.accelerator = "any";
    host.accelerators = 8;
    const Cluster cluster = clusterOf(topologyOf(generateFatTree({host, 4})));
    const Fabric fabric(cluster);
    Router router(fabric);
    const int ranks = fabric.ranks();
    for (int shift = 16; shift < ranks; shift += 16) {
        std::vector<double> load(fabric.links().size(), 0);
        for (int from = 0; from < ranks; ++from)
            for (const WayLink& link : router.way(from, (from + shift) % ranks).links) load[link.link] += link.share * host.bandwidth * 1e9;
        for (std::size_t link = 0; link < load.size(); ++link)
            EXPECT_LE(load[link], fabric.links()[link].capacity * (1 + 1e-12)) << "shift by " << shift;
    }
}

TEST(SuperPod, SameSlotsOfAUnitMeetOnOneLeafAndOtherUnitsOverASpine) {
    HostSpec host;
    host.accelerator = "any";
    SuperPod pod{host};
    pod.hosts = 16;
    pod.hostsPerUnit = 8;
    const Cluster cluster = clusterOf(topologyOf(generateSuperPod(pod)));
    const Fabric fabric(cluster);
    Router router(fabric);
    for (int from = 0; from < fabric.ranks(); from += 3)
        for (int to = 0; to < fabric.ranks(); to += 5) {
            if (from / 8 == to / 8) continue;
            const Way way = router.way(from, to);
            const bool sameUnit = from / 64 == to / 64, sameSlot = from % 8 == to % 8;
            EXPECT_EQ(way.hops, sameUnit && sameSlot ? 2 : 4);
            EXPECT_EQ(whyNotAWay(fabric, way, from, to), "");
        }
}

TEST(SuperPod, ShiftsByUnitsFillNoLinkTwice) {
    // Cables are drawn host by host there, but hosts of one leaf must spread over all spines.
    HostSpec host;
    host.accelerator = "any";
    SuperPod pod{host};
    pod.hosts = 128;
    const Cluster cluster = clusterOf(topologyOf(generateSuperPod(pod)));
    const Fabric fabric(cluster);
    Router router(fabric);
    const int ranks = fabric.ranks();
    for (const int units : {1, 2, 3}) {
        std::vector<double> load(fabric.links().size(), 0);
        for (int from = 0; from < ranks; ++from)
            for (const WayLink& link : router.way(from, (from + 256 * units) % ranks).links) load[link.link] += link.share * host.bandwidth * 1e9;
        for (std::size_t link = 0; link < load.size(); ++link)
            ASSERT_LE(load[link], fabric.links()[link].capacity * (1 + 1e-12)) << units << " units";
    }
}

/// Coordinates of the hosts along a way, the first one's included.
std::vector<std::vector<int>> places(const Fabric& fabric, const Way& way, int from) {
    const std::vector<std::pair<int, int>> ends = linkEnds(fabric);
    const auto at = [&](std::uint32_t vertex) { return fabric.cluster().nodes[static_cast<std::size_t>(fabric.nodeOf(vertex))].coordinates; };
    std::vector<std::vector<int>> all{at(fabric.seat(from).host)};
    for (const WayLink& link : way.links) all.push_back(at(static_cast<std::uint32_t>(ends[link.link].second)));
    return all;
}

TEST(Torus, CorrectsOneDimensionAfterAnotherTheShorterWayRound) {
    for (const std::vector<int>& extents : {std::vector<int>{5, 4}, {4, 3, 5}, {7}, {2, 6}, {3, 2, 2}}) {
        Torus torus;
        torus.host = singleHost();
        torus.extents = extents;
        const Cluster cluster = clusterOf(topologyOf(generateTorus(torus)));
        ASSERT_EQ(cluster.routing, RoutingKind::dimension_order);
        const Fabric fabric(cluster);
        Router router(fabric);
        for (int from = 0; from < fabric.ranks(); ++from)
            for (int to = 0; to < fabric.ranks(); ++to) {
                if (from == to) continue;
                const Way way = router.way(from, to);
                EXPECT_EQ(whyNotAWay(fabric, way, from, to), "");
                const std::vector<std::vector<int>> path = places(fabric, way, from);
                int wanted = 0;
                for (std::size_t d = 0; d < extents.size(); ++d) {
                    const int apart = std::abs(path.front()[d] - path.back()[d]);
                    wanted += std::min(apart, extents[d] - apart);
                }
                EXPECT_EQ(way.hops, wanted);
                std::size_t dimension = 0;
                for (std::size_t step = 1; step < path.size(); ++step) {
                    std::size_t changed = 0, count = 0;
                    for (std::size_t d = 0; d < extents.size(); ++d)
                        if (path[step][d] != path[step - 1][d]) {
                            changed = d;
                            ++count;
                        }
                    EXPECT_EQ(count, 1u);
                    EXPECT_GE(changed, dimension) << "back to a dimension that was done";
                    dimension = changed;
                }
            }
    }
}

TEST(Torus, AMeshHasNoWayRound) {
    Torus mesh;
    mesh.host = singleHost();
    mesh.extents = {5, 3};
    mesh.wrap = false;
    const Cluster cluster = clusterOf(topologyOf(generateTorus(mesh)));
    const Fabric fabric(cluster);
    Router router(fabric);
    EXPECT_EQ(router.way(0, 4).hops, 4);
    EXPECT_EQ(router.way(0, 14).hops, 6);
}

TEST(Torus, ALinkDownIsGoneAround) {
    Torus torus;
    torus.host = singleHost();
    torus.extents = {4, 4};
    Cluster cluster = clusterOf(topologyOf(generateTorus(torus)));
    cluster.changes.push_back(linkDown(cluster.nodes[0].id, cluster.nodes[1].id));
    const Fabric fabric(cluster);
    Router router(fabric);
    EXPECT_EQ(router.way(0, 1).hops, 3);
    EXPECT_EQ(whyNotAWay(fabric, router.way(0, 1), 0, 1), "");
    EXPECT_EQ(router.way(0, 4).hops, 1);
}

std::vector<std::string> groupsOnTheWay(const Fabric& fabric, const Way& way) {
    const std::vector<std::pair<int, int>> ends = linkEnds(fabric);
    std::vector<std::string> groups;
    for (const WayLink& link : way.links) {
        const TopologyNode& node = fabric.cluster().nodes[static_cast<std::size_t>(fabric.nodeOf(static_cast<std::uint32_t>(ends[link.link].second)))];
        if (node.kind == NodeKind::host) continue;
        if (groups.empty() || groups.back() != node.group) groups.push_back(node.group);
    }
    return groups;
}

TEST(Dragonfly, MinimalWaysAreShortestAndValiantOnesVisitAThirdGroup) {
    Dragonfly fly;
    fly.host = singleHost();
    const Cluster minimal = clusterOf(topologyOf(generateDragonfly(fly)));
    fly.valiant = true;
    const Cluster valiant = clusterOf(topologyOf(generateDragonfly(fly)));
    ASSERT_EQ(minimal.routing, RoutingKind::shortest);
    ASSERT_EQ(valiant.routing, RoutingKind::valiant);
    const Fabric a(minimal), b(valiant);
    const MachineGraph graph(minimal);
    Router shortest(a), detours(b);
    std::set<std::string> visited;
    std::string own;
    const int perGroup = fly.hostsPerRouter * fly.routersPerGroup;
    for (int from = 0; from < a.ranks(); ++from)
        for (int to = 0; to < a.ranks(); ++to) {
            if (from == to) continue;
            const int hops = graph.hops(static_cast<int>(a.seat(from).host), static_cast<int>(a.seat(to).host));
            const Way way = shortest.way(from, to), far = detours.way(from, to);
            EXPECT_EQ(way.hops, hops);
            EXPECT_LE(hops, 5) << "host, router, gateway, gateway, router, host";
            EXPECT_EQ(whyNotAWay(b, far, from, to), "");
            const std::vector<std::string> groups = groupsOnTheWay(b, far);
            if (from / perGroup == to / perGroup) {
                EXPECT_EQ(far.hops, hops);
                EXPECT_EQ(groups.size(), 1u);
            } else {
                EXPECT_GE(std::set<std::string>(groups.begin(), groups.end()).size(), 3u) << from << " to " << to;
                EXPECT_LE(far.hops, 8) << "at most three hops to the detour and three from it";
                if (from == 0) visited.insert(groups.begin() + 1, groups.end() - 1), own = groups.front();
            }
        }
    visited.erase(own);
    EXPECT_EQ(visited.size(), 8u) << "of nine groups each but the own one is somebody's detour";
}

} // namespace
} // namespace orrery
