// SPDX-License-Identifier: GPL-3.0-or-later
// Fat trees, SuperPODs, leaf-spine: counts against the literature, widths by the smallest cut.

#include "core/network/generators/clos_fabrics.hpp"
#include "tests/core/network/generators/generated_network.hpp"

#include <numeric>
#include <set>

namespace orrery {
namespace {

using namespace orrery::test;

HostSpec eight() {
    HostSpec host;
    host.accelerator = "h100-sxm5-80gb";
    return host;
}

HostSpec one() {
    HostSpec host = eight();
    host.accelerators = 1;
    return host;
}

std::vector<int> range(int first, int last) {
    std::vector<int> all(static_cast<std::size_t>(last - first));
    std::iota(all.begin(), all.end(), first);
    return all;
}

/// GB/s between the first and the second half of the hosts, per host of a half.
double bisection(const GeneratedNetwork& network) {
    const int hosts = network.hosts(), half = hosts / 2; // hosts come first
    return network.cut(range(0, half), range(hosts - half, hosts)) / half;
}

TEST(FatTree, HasTheCountsOfAlFares) {
    for (const int k : {2, 4, 6, 8}) {
        for (const HostSpec& host : {one(), eight()}) {
            const GeneratedNetwork network = networkOf(generateFatTree({host, k}));
            EXPECT_EQ(network.hosts(), k * k * k / 4);
            EXPECT_EQ(network.switches(), 5 * k * k / 4);
            EXPECT_EQ(network.switches("core"), k * k / 4);
            EXPECT_EQ(network.switches("edge"), k * k / 2);
            EXPECT_EQ(network.switches("aggregation"), k * k / 2);
            for (std::size_t i = 0; i < network.machines.size(); ++i)
                EXPECT_EQ(network.cablesAt(static_cast<int>(i)), (network.machines[i].isHost ? 1 : k) * host.accelerators)
                    << network.machines[i].node;
            EXPECT_EQ(network.cables.size(), static_cast<std::size_t>(3 * k * k * k / 4)); // as many on each level
            EXPECT_DOUBLE_EQ(bisection(network), 50.0 * host.accelerators);
        }
    }
}

TEST(FatTree, CoresJoinAggregationSwitchesOfEveryPod) {
    const int k = 6;
    const GeneratedNetwork network = networkOf(generateFatTree({one(), k}));
    for (std::size_t i = 0; i < network.machines.size(); ++i) {
        if (network.machines[i].node.rfind("core", 0) != 0) continue;
        std::set<int> pods;
        for (const int other : network.neighbours(static_cast<int>(i)))
            pods.insert(std::stoi(network.machines[static_cast<std::size_t>(other)].node.substr(12)) / (k / 2));
        EXPECT_EQ(pods.size(), static_cast<std::size_t>(k)) << network.machines[i].node;
    }
}

TEST(FatTree, OversubscriptionDividesWhatLeavesAnEdgeSwitch) {
    for (const double r : {2.0, 3.0, 1.5}) {
        const GeneratedNetwork network = networkOf(generateFatTree({one(), 4, r}));
        EXPECT_NEAR(bisection(network), 50 / r, 1e-9);
        // Two hosts of one edge switch have all of it.
        EXPECT_DOUBLE_EQ(network.cut({0}, {1}), 50);
    }
}

TEST(FatTree, WithRailsEveryInterfaceIsAPort) {
    FatTree tree;
    tree.host = eight();
    tree.k = 16;
    tree.rails = true;
    const GeneratedNetwork network = networkOf(generateFatTree(tree));
    EXPECT_EQ(network.hosts(), 16 * 16 * 16 / 4 / 8);
    EXPECT_EQ(network.switches(), 5 * 16 * 16 / 4);
    for (std::size_t i = 0; i < network.machines.size(); ++i) {
        if (network.machines[i].isHost) {
            const std::vector<int> leaves = network.neighbours(static_cast<int>(i));
            EXPECT_EQ(std::set<int>(leaves.begin(), leaves.end()).size(), 8u);
        } else {
            EXPECT_EQ(network.cablesAt(static_cast<int>(i)), 16) << network.machines[i].node;
        }
    }
    EXPECT_DOUBLE_EQ(bisection(network), 400);
}

TEST(SizedFatTree, IsFullAtAnySize) {
    for (const int hosts : {1, 2, 7, 8, 20, 64, 100}) {
        const GeneratedNetwork network = networkOf(generateSizedFatTree({one(), hosts}));
        EXPECT_EQ(network.hosts(), hosts);
        if (hosts > 1) {
            EXPECT_GE(bisection(network), 50 - 1e-9) << hosts;
        }
    }
}

TEST(SizedFatTree, ScalesToTheLargestClusters) {
    for (const auto& [hosts, perEdge, pods] : {std::tuple(2048, 16, 8), std::tuple(16384, 32, 16)}) {
        SizedFatTree tree;
        tree.host = eight();
        tree.hosts = hosts;
        tree.stacks = true;
        const GeneratedNetwork network = networkOf(generateSizedFatTree(tree));
        EXPECT_EQ(network.hosts(), hosts);
        EXPECT_EQ(network.switches("edge"), pods * perEdge);
        EXPECT_EQ(network.switches("aggregation"), pods * perEdge);
        // Cables up are as many as down on both levels: nothing is oversubscribed.
        EXPECT_EQ(network.cablesBetween("host", "edge"), 8 * hosts);
        EXPECT_EQ(network.cablesBetween("edge", "aggregation"), 8 * hosts);
        EXPECT_EQ(network.cablesBetween("aggregation", "core"), 8 * hosts);
    }
}

TEST(SuperPod, HasTheCountsOfTheReferenceArchitecture) {
    // "Larger SuperPOD component counts", DGX B200 (and H100) reference architecture: units, leaves, spines, cores, cables
    // on each level.
    struct Row {
        int units, leaf, spine, core, cables;
    };
    for (const Row& row : {Row{2, 16, 8, 0, 512}, {4, 32, 16, 0, 1024}, {8, 64, 32, 0, 2048}, {16, 128, 128, 64, 4096}, {32, 256, 256, 128, 8192}, {64, 512, 512, 256, 16384}}) {
        SuperPod pod;
        pod.host = eight();
        pod.hosts = 32 * row.units;
        pod.stacks = true;
        const GeneratedNetwork network = networkOf(generateSuperPod(pod));
        EXPECT_EQ(network.hosts(), 32 * row.units);
        EXPECT_EQ(network.switches("leaf"), row.leaf);
        EXPECT_EQ(network.switches("spine"), row.spine);
        EXPECT_EQ(network.switches("core"), row.core);
        EXPECT_EQ(network.cablesBetween("host", "leaf"), row.cables);
        EXPECT_EQ(network.cablesBetween("leaf", "spine"), row.cables);
        EXPECT_EQ(network.cablesBetween("spine", "core"), row.core ? row.cables : 0);
    }
}

TEST(SuperPod, AUnitThatIsNotFullKeepsItsCables) {
    // 31 hosts, the 32nd place being the fabric manager's: 8 leaves, 4 spines, 256 cables between them.
    const GeneratedNetwork network = networkOf(generateSuperPod({eight(), 31}));
    EXPECT_EQ(network.switches("leaf"), 8);
    EXPECT_EQ(network.switches("spine"), 4);
    EXPECT_EQ(network.cablesBetween("leaf", "spine"), 256);
    const GeneratedNetwork more = networkOf(generateSuperPod({eight(), 100}));
    EXPECT_EQ(more.switches("leaf"), 32);
    EXPECT_EQ(more.cablesBetween("leaf", "spine"), 1024);
}

TEST(SuperPod, InterfaceIOfEveryHostIsOnLeafIOfItsUnit) {
    const GeneratedNetwork network = networkOf(generateSuperPod({eight(), 70}));
    std::map<std::string, int> leafNumber;
    for (const GeneratedNetwork::Machine& machine : network.machines)
        if (machine.node.rfind("leaf-", 0) == 0) leafNumber[machine.node] = std::stoi(machine.node.substr(5));
    std::map<int, std::vector<int>> leavesOf; // in the order of the file, which is the interfaces'
    for (const GeneratedNetwork::Cable& cable : network.cables)
        if (network.machines[static_cast<std::size_t>(cable.from)].isHost) {
            EXPECT_EQ(cable.count, 1);
            leavesOf[cable.from].push_back(leafNumber.at(network.machines[static_cast<std::size_t>(cable.to)].node));
        }
    ASSERT_EQ(leavesOf.size(), 70u);
    for (const auto& [host, leaves] : leavesOf) EXPECT_EQ(leaves, range(host / 32 * 8, host / 32 * 8 + 8)) << host;
}

TEST(SuperPod, NoSwitchNeedsMorePortsThanItHas) {
    for (const auto& [perUnit, ports] : {std::pair(32, 64), std::pair(20, 40)}) // H100; A100
        for (const int hosts : {2, 3, 5, 8, 16, 20, 31, 32, 33, 60, 64, 100, 128, 140, 256, 300, 512}) {
            SuperPod pod{eight(), hosts, perUnit, ports};
            pod.stacks = true;
            const GeneratedNetwork network = networkOf(generateSuperPod(pod));
            ASSERT_EQ(network.hosts(), hosts);
            std::vector<int> used(network.machines.size(), 0);
            for (const GeneratedNetwork::Cable& cable : network.cables) {
                used[static_cast<std::size_t>(cable.from)] += cable.count;
                used[static_cast<std::size_t>(cable.to)] += cable.count;
            }
            for (std::size_t i = 0; i < used.size(); ++i)
                if (!network.machines[i].isHost) {
                    EXPECT_LE(used[i], ports) << hosts << " hosts: " << network.machines[i].node;
                }
        }
}

TEST(SuperPod, IsFullOrOversubscribedAsAsked) {
    for (const int hosts : {4, 31, 40, 64, 72}) EXPECT_GE(bisection(networkOf(generateSuperPod({eight(), hosts}))), 400 - 1e-6) << hosts;
    // Three levels, in small: units of 2 hosts with 2 rails, switches of 8 ports.
    HostSpec two = eight();
    two.accelerators = 2;
    const GeneratedNetwork deep = networkOf(generateSuperPod({two, 32, 4, 8}));
    EXPECT_GT(deep.switches("core"), 0);
    EXPECT_GE(bisection(deep), 100 - 1e-6);
    // Each leaf's cables up carry half of those down.
    const GeneratedNetwork half = networkOf(generateSuperPod({eight(), 64, 32, 64, 2}));
    EXPECT_NEAR(bisection(half), 200, 1e-6);
}

TEST(SuperPod, RefusesWhatItsSwitchesCannotHold) {
    SuperPod pod{eight(), 10000};
    pod.stacks = true;
    GeneratedTopology refused = generateSuperPod(pod);
    ASSERT_EQ(refused.problems.size(), 1u);
    EXPECT_EQ(refused.problems[0].pointer, "/hosts");
    ASSERT_EQ(refused.problems[0].edits.size(), 1u);
    pod.hosts = refused.problems[0].edits[0].value->get<int>();
    EXPECT_EQ(pod.hosts, 8192); // 64³/4 ports
    EXPECT_TRUE(generateSuperPod(pod).ok());
    refused = generateSuperPod({eight(), 100, 40});
    ASSERT_EQ(refused.problems.size(), 1u);
    EXPECT_EQ(refused.problems[0].pointer, "/hosts_per_unit");
    EXPECT_EQ(*refused.problems[0].edits.at(0).value, 32);
}

TEST(RackPod, RacksAreDomainsWithALeafForEachRail) {
    HostSpec tray = eight();
    tray.accelerators = 4;
    tray.hostsPerDomain = 18;
    for (const bool stacks : {false, true}) {
        RackPod pod{tray, 3};
        pod.stacks = stacks;
        const GeneratedNetwork network = networkOf(generateRackPod(pod));
        EXPECT_EQ(network.hosts(), 54);
        EXPECT_EQ(network.switches("leaf"), 12);
        std::map<std::string, int> accelerators;
        for (const GeneratedNetwork::Machine& machine : network.machines) accelerators[machine.domain] += machine.accelerators;
        accelerators.erase("");
        EXPECT_EQ(accelerators, (std::map<std::string, int>{{"rack-0", 72}, {"rack-1", 72}, {"rack-2", 72}}));
        EXPECT_GE(bisection(network), 200 - 1e-6);
    }
}

TEST(LeafSpine, CarriesWhatItsLeavesTakeOverR) {
    for (const double r : {1.0, 1.5, 2.0, 4.0, 7.0}) {
        LeafSpine fabric{eight(), 32, 8, 0, r};
        const GeneratedNetwork network = networkOf(generateLeafSpine(fabric));
        EXPECT_EQ(network.switches("leaf"), 4);
        EXPECT_EQ(network.switches("spine"), 4);
        EXPECT_NEAR(bisection(network), 400 / r, 1e-6);
    }
    // A leaf that isn't full has as much less.
    const GeneratedNetwork odd = networkOf(generateLeafSpine({eight(), 11, 8, 3, 2}));
    EXPECT_NEAR(odd.cut(range(8, 11), range(0, 8)), 3 * 400 / 2.0, 1e-6);
    EXPECT_EQ(networkOf(generateLeafSpine({eight(), 6, 8})).switches(), 1);
}

} // namespace
} // namespace orrery
