// SPDX-License-Identifier: GPL-3.0-or-later
// Dragonflies and tori.

#include "core/network/generators/direct_fabrics.hpp"
#include "tests/core/network/generators/generated_network.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace orrery {
namespace {

using namespace orrery::test;

HostSpec single() {
    HostSpec host;
    host.accelerator = "h100-sxm5-80gb";
    host.accelerators = 1;
    return host;
}

/// Hops from a machine to the farthest one.
int eccentricity(const GeneratedNetwork& network, int from, bool routersOnly) {
    std::vector<std::vector<int>> neighbours(network.machines.size());
    for (const GeneratedNetwork::Cable& cable : network.cables) {
        neighbours[static_cast<std::size_t>(cable.from)].push_back(cable.to);
        neighbours[static_cast<std::size_t>(cable.to)].push_back(cable.from);
    }
    std::vector<int> hops(network.machines.size(), -1);
    std::vector<int> queue{from};
    hops[static_cast<std::size_t>(from)] = 0;
    int most = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const int other : neighbours[static_cast<std::size_t>(queue[next])]) {
            if (hops[static_cast<std::size_t>(other)] >= 0) continue;
            if (routersOnly && network.machines[static_cast<std::size_t>(other)].isHost) continue;
            hops[static_cast<std::size_t>(other)] = hops[static_cast<std::size_t>(queue[next])] + 1;
            most = std::max(most, hops[static_cast<std::size_t>(other)]);
            queue.push_back(other);
        }
    return most;
}

TEST(Dragonfly, HasTheCountsOfKim) {
    for (const auto& [p, a, h] : {std::tuple(1, 2, 1), std::tuple(2, 4, 2), std::tuple(3, 6, 3), std::tuple(2, 3, 1)}) {
        const GeneratedNetwork network = networkOf(generateDragonfly({single(), p, a, h}));
        const int groups = a * h + 1;
        EXPECT_EQ(network.switches(), groups * a);
        EXPECT_EQ(network.hosts(), groups * a * p);
        std::set<std::string> names;
        std::map<std::pair<std::string, std::string>, int> joins;
        std::map<int, int> local, global;
        for (const GeneratedNetwork::Cable& cable : network.cables) {
            const auto &one = network.machines[static_cast<std::size_t>(cable.from)], &other = network.machines[static_cast<std::size_t>(cable.to)];
            if (one.isHost || other.isHost) continue;
            names.insert({one.group, other.group});
            if (one.group != other.group) ++joins[std::minmax(one.group, other.group)];
            for (const int end : {cable.from, cable.to}) ++(one.group == other.group ? local : global)[end];
        }
        EXPECT_EQ(names.size(), static_cast<std::size_t>(groups));
        EXPECT_EQ(joins.size(), static_cast<std::size_t>(groups * (groups - 1) / 2)); // every pair of groups
        for (const auto& [pair, count] : joins) EXPECT_EQ(count, 1) << pair.first << " " << pair.second;
        for (std::size_t i = 0; i < network.machines.size(); ++i) {
            if (network.machines[i].isHost) continue;
            EXPECT_EQ(local[static_cast<int>(i)], a - 1);
            EXPECT_EQ(global[static_cast<int>(i)], h);
            EXPECT_EQ(network.cablesAt(static_cast<int>(i)), p + a - 1 + h); // the paper's radix
        }
        // A local, a global and a local hop reach everything.
        EXPECT_EQ(eccentricity(network, network.hosts(), true), a > 1 ? 3 : 1);
    }
}

TEST(Dragonfly, TheLinksOfFewerGroupsGoRoundEvenly) {
    for (const int groups : {1, 2, 3, 5, 8}) {
        const GeneratedNetwork network = networkOf(generateDragonfly({single(), 2, 4, 2, groups}));
        EXPECT_EQ(network.switches(), 4 * groups);
        std::map<std::pair<std::string, std::string>, int> joins;
        std::map<int, int> global;
        for (const GeneratedNetwork::Cable& cable : network.cables) {
            const auto &one = network.machines[static_cast<std::size_t>(cable.from)], &other = network.machines[static_cast<std::size_t>(cable.to)];
            if (one.isHost || other.isHost || one.group == other.group) continue;
            ++joins[std::minmax(one.group, other.group)];
            for (const int end : {cable.from, cable.to}) ++global[end];
        }
        EXPECT_EQ(joins.size(), static_cast<std::size_t>(groups * (groups - 1) / 2));
        for (const auto& [pair, count] : joins) EXPECT_EQ(count, 8 / (groups - 1));
        for (const auto& [router, count] : global) EXPECT_LE(count, 2);
    }
}

TEST(Dragonfly, SaysHowItIsRouted) {
    Dragonfly fly{single()};
    EXPECT_FALSE(generateDragonfly(fly).topology->contains("routing"));
    fly.valiant = true;
    EXPECT_EQ(generateDragonfly(fly).topology->at("routing"), "valiant");
}

TEST(Torus, HasALinkToEachNeighbour) {
    for (const std::vector<int>& extents : {std::vector<int>{4, 4}, {5, 3}, {3, 4, 5}, {2, 3}, {2, 2, 2}, {8}}) {
        Torus torus;
        torus.host = single();
        torus.extents = extents;
        const GeneratedTopology generated = generateTorus(torus);
        const GeneratedNetwork network = networkOf(generated);
        EXPECT_EQ(generated.topology->at("routing"), "dimension_order");
        const int hosts = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
        EXPECT_EQ(network.hosts(), hosts);
        EXPECT_EQ(network.switches(), 0);
        int cables = 0;
        for (const GeneratedNetwork::Cable& cable : network.cables) {
            cables += cable.count;
            const std::vector<int>&a = network.machines[static_cast<std::size_t>(cable.from)].coordinates,
                  &b = network.machines[static_cast<std::size_t>(cable.to)].coordinates;
            int differing = 0;
            for (std::size_t d = 0; d < extents.size(); ++d) {
                if (a[d] == b[d]) continue;
                ++differing;
                const int step = (b[d] - a[d] + extents[d]) % extents[d];
                EXPECT_TRUE(step == 1 || step == extents[d] - 1) << step;
            }
            EXPECT_EQ(differing, 1);
        }
        EXPECT_EQ(cables, hosts * static_cast<int>(extents.size()));
        std::set<std::vector<int>> places;
        for (std::size_t i = 0; i < network.machines.size(); ++i) {
            EXPECT_EQ(network.cablesAt(static_cast<int>(i)), 2 * static_cast<int>(extents.size()));
            places.insert(network.machines[i].coordinates);
        }
        EXPECT_EQ(places.size(), static_cast<std::size_t>(hosts));
        int reach = 0;
        for (const int extent : extents) reach += extent / 2;
        EXPECT_EQ(eccentricity(network, 0, false), reach);
    }
}

TEST(Torus, AMeshHasNoLinksAround) {
    Torus mesh;
    mesh.host = single();
    mesh.extents = {4, 3, 2};
    mesh.wrap = false;
    EXPECT_EQ(networkOf(generateTorus(mesh)).cables.size(), static_cast<std::size_t>(3 * 6 + 2 * 8 + 1 * 12));
}

TEST(Torus, SharesTheInterfacesOut) {
    Torus torus;
    torus.host = single();
    torus.host.accelerators = 8;
    for (const GeneratedNetwork::Cable& cable : networkOf(generateTorus(torus)).cables) EXPECT_EQ(cable.count, 2); // 8 over 4 ways
    torus.cables = {3, 1};
    const GeneratedNetwork network = networkOf(generateTorus(torus));
    for (const GeneratedNetwork::Cable& cable : network.cables) {
        const bool along = network.machines[static_cast<std::size_t>(cable.from)].coordinates[1] ==
                           network.machines[static_cast<std::size_t>(cable.to)].coordinates[1];
        EXPECT_EQ(cable.count, along ? 3 : 1);
    }
}

TEST(TpuTorus, HasTheLinksOfTheTorusOfItsChips) {
    for (const std::vector<int>& chips : {std::vector<int>{4, 4, 4}, {4, 4, 8}, {8, 8, 8}, {8, 8, 12}}) {
        TpuTorus torus;
        torus.host = single();
        torus.host.accelerators = 4;
        torus.chips = chips;
        const GeneratedNetwork network = networkOf(generateTpuTorus(torus));
        const int count = chips[0] * chips[1] * chips[2];
        EXPECT_EQ(network.hosts(), count / 4);
        // Three links a chip (each has two ends), less the four among the four chips of a host.
        int cables = 0;
        for (const GeneratedNetwork::Cable& cable : network.cables) cables += cable.count;
        EXPECT_EQ(cables, 3 * count - 4 * (count / 4));
        for (const GeneratedNetwork::Cable& cable : network.cables) EXPECT_DOUBLE_EQ(cable.bandwidth, 100);
        for (std::size_t i = 0; i < network.machines.size(); ++i) EXPECT_EQ(network.cablesAt(static_cast<int>(i)), 4 * 6 - 2 * 4);
        // A cut across the longest dimension goes through it twice in a ring.
        std::vector<int> low, high;
        for (std::size_t i = 0; i < network.machines.size(); ++i)
            (network.machines[i].coordinates[2] < chips[2] / 2 ? low : high).push_back(static_cast<int>(i));
        EXPECT_DOUBLE_EQ(network.cut(low, high), 2.0 * chips[0] * chips[1] * 100);
    }
    TpuTorus half;
    half.host = single();
    half.host.accelerators = 4;
    half.chips = {2, 2, 1};
    EXPECT_EQ(networkOf(generateTpuTorus(half)).cables.size(), 0u); // one host
    half.chips = {2, 2, 2};
    EXPECT_EQ(networkOf(generateTpuTorus(half)).cables.size(), 1u); // too small for a ring
}

} // namespace
} // namespace orrery
