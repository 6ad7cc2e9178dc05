// SPDX-License-Identifier: GPL-3.0-or-later
// Whether half a cluster can send to the other half as fast as its interfaces are.

#include "core/network/routing/bisection.hpp"
#include "tests/support/drawn_cluster.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

using namespace orrery::test;

bool isFull(const Cluster& cluster) {
    RoutedFabric fabric(cluster);
    return hasFullBisection(fabric);
}

/// Two switches of four hosts each, joined by cables that carry a part of what the hosts can send.
Cluster twoLeaves(double between) {
    std::vector<TopologyNode> nodes{switchNode("leaf-0"), switchNode("leaf-1")};
    std::vector<TopologyLink> links{cable("leaf-0", "leaf-1", between, 1e-6)};
    for (int host = 0; host < 8; ++host) {
        nodes.push_back(hostNode("host-" + std::to_string(host), 1));
        links.push_back(cable(nodes.back().id, host < 4 ? "leaf-0" : "leaf-1", 50e9, 1e-6));
    }
    return drawn(std::move(nodes), std::move(links));
}

TEST(Bisection, OfOneSwitchIsFull) {
    EXPECT_TRUE(isFull(oneSwitch(4, 8)));
    EXPECT_TRUE(isFull(oneSwitch(4, 8, 12.5e9, 2e-6, 4))); // two accelerators share an interface: that is their own rate
    EXPECT_TRUE(isFull(oneSwitch(1, 8)));
}

TEST(Bisection, OfTwoLeavesHangsOnTheCablesBetweenThem) {
    EXPECT_TRUE(isFull(twoLeaves(200e9)));
    EXPECT_TRUE(isFull(twoLeaves(400e9)));
    EXPECT_FALSE(isFull(twoLeaves(199e9)));
    EXPECT_FALSE(isFull(twoLeaves(50e9)));
}

} // namespace
} // namespace orrery
