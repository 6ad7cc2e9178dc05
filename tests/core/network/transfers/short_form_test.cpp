// SPDX-License-Identifier: GPL-3.0-or-later
// The short form and the same cluster drawn: one network, in the same numbers, and cheap at scale.

#include "core/network/checks.hpp"
#include "core/network/short_form.hpp"
#include "tests/core/network/transfers/patterns.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>

namespace orrery {
namespace {

using namespace orrery::test;

constexpr CollectiveKind allKinds[] = {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                       CollectiveKind::all_to_all, CollectiveKind::send_receive, CollectiveKind::broadcast};

Cluster shortForm(int nodes, double r = 1, int domain = 8, int perNode = 8) {
    Accelerator accelerator;
    accelerator.id = "any";
    return expandShortForm(accelerator, perNode, nodes, ScaleUp{450e9, 0.8e-6, domain}, ScaleOut{50e9, 2e-6, r});
}

void expectSame(const Cluster& a, const Cluster& b) {
    Network one(a), other(b);
    ASSERT_EQ(one.fabric.ranks(), other.fabric.ranks());
    const int n = one.fabric.ranks();
    std::vector<int> eighth, third;
    for (int rank = 0; rank < n; ++rank) {
        if (rank % 8 == 0) eighth.push_back(rank);
        if (rank % 3 == 1) third.push_back(rank);
    }
    for (const std::vector<int>& ranks : {one.all(), eighth, third, std::vector<int>{n - 2, n - 1}, std::vector<int>{n - 1, 0}, std::vector<int>{3, 4, 5, 11}})
        for (const CollectiveKind kind : allKinds)
            for (const char* algorithm : {"ring", "tree", "hierarchical", "nvls"})
                EXPECT_EQ(one.alone(ranks, kind, 12345678, algorithm).time, other.alone(ranks, kind, 12345678, algorithm).time);
}

TEST(ShortForm, GivesTheNumbersOfTheDrawing) {
    expectSame(shortForm(6), oneSwitch(6, 8));
    // With replicas and the switch first.
    expectSame(shortForm(6), drawn({switchNode("s"), hostNode("h", 8, 6)}, {cable("s", "h", 50e9, 2e-6, 8)}));
    // Every host on a leaf of its own whose link up carries a quarter.
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (int h = 0; h < 6; ++h) {
        const std::string id = std::to_string(h);
        nodes.push_back(hostNode("h" + id, 8));
        nodes.push_back(switchNode("leaf" + id));
        links.push_back(cable("h" + id, "leaf" + id, 50e9, 2e-6, 8));
        links.push_back(cable("leaf" + id, "spine", 100e9, 2e-6));
    }
    nodes.push_back(switchNode("spine"));
    expectSame(shortForm(6, 4), drawn(nodes, links));
}

TEST(ShortForm, OversubscriptionSlowsTheTransferBetweenNodesAndNothingElse) {
    Network free(shortForm(8));
    const std::vector<int> node{8, 9, 10, 11, 12, 13, 14, 15};
    for (const double r : {2.0, 3.5, 4.0}) {
        Network tight(shortForm(8, r));
        EXPECT_TRUE(close(tight.alone(tight.all(), CollectiveKind::all_reduce, 1e9).transfer, r * free.alone(free.all(), CollectiveKind::all_reduce, 1e9).transfer));
        EXPECT_EQ(tight.alone(node, CollectiveKind::all_reduce, 1e9).time, free.alone(node, CollectiveKind::all_reduce, 1e9).time);
    }
}

TEST(ShortForm, AlwaysPassesTheChecksOfADrawing) {
    for (const int nodes : {1, 2, 5, 18, 37})
        for (const double r : {1.0, 4.0})
            for (const int domain : {2, 8, 16, 72}) {
                Network network(shortForm(nodes, r, domain));
                ASSERT_EQ(network.fabric.ranks(), 8 * nodes);
                for (const Problem& problem : checkTopology(network.fabric.cluster(), "/cluster/topology")) ADD_FAILURE() << toText(problem);
                EXPECT_EQ(layoutOf(network.fabric, network.all()).domainCount(), (8 * nodes + domain - 1) / domain);
                for (const CollectiveKind kind : allKinds) EXPECT_TRUE(network.make(network.all(), kind).connected);
            }
}

/// 256 accelerators with racks of 72: 4 × 64, as block schedulers place jobs, not 72 + 72 + 72 + 40.
TEST(ShortForm, FillsItsDomainsEvenly) {
    const Cluster racks = shortForm(64, 1, 72, 4);
    std::vector<int> accelerators;
    for (const TopologyNode& node : racks.nodes)
        if (node.kind == NodeKind::host) accelerators.push_back(node.count * node.replicas);
    EXPECT_EQ(accelerators, std::vector<int>(4, 64));
    for (int hosts = 1; hosts < 200; ++hosts)
        for (const int most : {1, 2, 5, 18, 64}) {
            const std::vector<int> held = hostsByDomain(hosts, most);
            EXPECT_EQ(std::accumulate(held.begin(), held.end(), 0), hosts);
            EXPECT_EQ(static_cast<int>(held.size()), (hosts + most - 1) / most) << "the fewest that hold them";
            const auto [least, largest] = std::minmax_element(held.begin(), held.end());
            EXPECT_LE(*largest, most);
            EXPECT_LE(*largest - *least, 1);
        }
}

TEST(Drawn, ATrunkBetweenTwoSwitchesBoundsWhatCrossesIt) {
    Network network(drawn({hostNode("a", 8), hostNode("b", 8, 3), switchNode("s"), switchNode("t")},
                          {cable("a", "s", 50e9, 1e-6, 8), cable("b", "t", 50e9, 1e-6, 8), cable("s", "t", 100e9, 5e-6, 2)}));
    std::vector<int> ranks = network.all();
    ranks.resize(16);
    const AloneTime alone = network.alone(ranks, CollectiveKind::all_reduce, 1e9);
    EXPECT_TRUE(close(alone.transfer, 2 * 15.0 / 16 * 1e9 / 200e9));
    EXPECT_TRUE(close(alone.latency, 2 * 15 * 7e-6));
    ranks = network.all();
    ranks.erase(ranks.begin(), ranks.begin() + 8);
    EXPECT_TRUE(close(network.alone(ranks, CollectiveKind::all_reduce, 1e9).transfer, 2 * 23.0 / 24 * 1e9 / 400e9));
}

TEST(Drawn, TwoHostsMayBeJoinedWithoutASwitch) {
    Network network(drawn({hostNode("a", 8), hostNode("b", 8)}, {cable("a", "b", 100e9, 3e-6, 4)}));
    const AloneTime alone = network.alone(network.all(), CollectiveKind::all_reduce, 1e9);
    EXPECT_TRUE(close(alone.transfer, 2 * 15.0 / 16 * 1e9 / 400e9));
    EXPECT_TRUE(close(alone.latency, 2 * 15 * 3e-6));
    EXPECT_TRUE(close(interfaceBandwidth(network.fabric, network.all()), 50e9));
}

TEST(Scale, SixteenThousandRanksAreCheap) {
    const std::clock_t start = std::clock();
    Network network(shortForm(2048));
    std::vector<int> strided;
    for (int h = 0; h < 2048; ++h) strided.push_back(8 * h + 3);
    const AloneTime all = network.alone(network.all(), CollectiveKind::all_reduce, 1e9);
    const AloneTime rail = network.alone(strided, CollectiveKind::all_reduce, 1e9);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_TRUE(close(all.transfer, 2 * 16383.0 / 16384 * 1e9 / 400e9));
    EXPECT_TRUE(close(rail.transfer, 2 * 2047.0 / 2048 * 1e9 / 50e9));
    EXPECT_LT(seconds, 1.0) << "fabric and both patterns";
    RecordProperty("milliseconds", static_cast<int>(1000 * seconds));
}

} // namespace
} // namespace orrery
