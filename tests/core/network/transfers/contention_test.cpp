// SPDX-License-Identifier: GPL-3.0-or-later
// Several transfers on a drawn cluster at once, worked out by hand: what the drawing does to them.

#include "core/network/generators/clos_fabrics.hpp"
#include "core/network/generators/direct_fabrics.hpp"
#include "tests/core/network/transfers/runs.hpp"

#include <algorithm>

namespace orrery {
namespace {

using namespace orrery::test;

constexpr double S = 1e9;

std::vector<int> stride(int first, int step, int count) {
    std::vector<int> ranks;
    for (int i = 0; i < count; ++i) ranks.push_back(first + step * i);
    return ranks;
}

/// Hosts a and b on one leaf, c and d on another, one spine; a leaf's links up carry 1/r of those down.
Cluster twoLeaves(int accelerators, double nic, double r) {
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (const char* id : {"a", "b", "c", "d"}) {
        nodes.push_back(hostNode(id, accelerators));
        links.push_back(cable(id, nodes.size() <= 2 ? "left" : "right", nic, 1e-6, accelerators));
    }
    for (const char* leaf : {"left", "right"}) {
        nodes.push_back(switchNode(leaf));
        links.push_back(cable(leaf, "spine", 2 * accelerators * nic / r, 1e-6));
    }
    nodes.push_back(switchNode("spine"));
    return drawn(nodes, links);
}

TEST(Contention, TwoGroupsOnOneUplinkGetHalfEach) {
    Network network(twoLeaves(1, 50e9, 2)); // up 50 GB/s for two hosts of 50
    const TransferPattern ac = network.make({0, 2}, CollectiveKind::all_reduce), bd = network.make({1, 3}, CollectiveKind::all_reduce);
    const double alone = S / 50e9, latency = 2 * 4e-6;
    EXPECT_TRUE(close(aloneTime(ac, S, network.capacities).time, alone + latency));
    const std::vector<double> ends = endsTogether(network, {{&ac, S}, {&bd, S}});
    EXPECT_TRUE(close(ends[0], 2 * alone + latency));
    EXPECT_TRUE(close(ends[1], 2 * alone + latency));
    // Half as much to do: it leaves at S on the wire each, the other has the link to itself for the second half.
    const std::vector<double> uneven = endsTogether(network, {{&ac, S}, {&bd, S / 2}});
    EXPECT_TRUE(close(uneven[1], alone + latency));
    EXPECT_TRUE(close(uneven[0], 1.5 * alone + latency));
    // Inside a leaf nothing of that is felt.
    const TransferPattern ab = network.make({0, 1}, CollectiveKind::all_reduce), cd = network.make({2, 3}, CollectiveKind::all_reduce);
    for (const double end : endsTogether(network, {{&ab, S}, {&cd, S}})) EXPECT_TRUE(close(end, alone + 2 * 2e-6));
}

/// A library that drives `share` of links whose wires carry `wire`.
TransferPattern driven(Network& network, const std::vector<int>& ranks, double share, double wire) {
    PatternRequest request;
    request.outShare = share;
    request.outWire = wire;
    request.stepLatency = false;
    return network.maker.make(ranks, request);
}

TEST(Contention, WhatALibraryCantDriveOfALinkIsLeftToOthers) {
    Network network(twoLeaves(1, 50e9, 2)); // up 50 GB/s for two hosts of 50
    const double wire = 0.9;
    for (const double share : {0.1, 0.3, 0.45, 0.6, 0.9}) {
        const TransferPattern ac = driven(network, {0, 2}, share, wire), bd = driven(network, {1, 3}, share, wire);
        EXPECT_TRUE(close(aloneTime(ac, S, network.capacities).time, S / (share * 50e9))) << share;
        for (const double end : endsTogether(network, {{&ac, S}, {&bd, S}})) EXPECT_TRUE(close(end, S / (std::min(share, wire / 2) * 50e9))) << share;
    }
    // A slow one leaves a fast one all but what it drives, and is not held up by it.
    const TransferPattern slow = driven(network, {0, 2}, 0.2, wire), fast = driven(network, {1, 3}, wire, wire);
    const std::vector<double> ends = endsTogether(network, {{&slow, 0.1 * S}, {&fast, S}});
    EXPECT_TRUE(close(ends[0], 0.1 * S / (0.2 * 50e9)));
    const double first = ends[0] * 0.7 * 50e9; // bytes that the fast one sends beside it
    EXPECT_TRUE(close(ends[1], ends[0] + (S - first) / (wire * 50e9)));
}

TEST(Contention, AnOversubscribedLeafSlowsWhatLeavesItByItsFactorExactly) {
    for (const double r : {1.0, 2.0, 4.0}) {
        Network network(twoLeaves(8, 50e9, r));
        std::vector<int> ac = stride(0, 1, 8), bd = stride(8, 1, 8), ab = stride(0, 1, 16), cd = stride(16, 1, 16);
        for (int i = 0; i < 8; ++i) {
            ac.push_back(16 + i);
            bd.push_back(24 + i);
        }
        const double n = 16, latency = 2 * (n - 1) * 4e-6, near = 2 * (n - 1) * 2e-6;
        const double transfer = 2 * (n - 1) / n * S / 400e9;
        const TransferPattern over0 = network.make(ac, CollectiveKind::all_reduce), over1 = network.make(bd, CollectiveKind::all_reduce);
        for (const double end : endsTogether(network, {{&over0, S}, {&over1, S}})) EXPECT_TRUE(close(end - latency, r * transfer)) << r;
        const TransferPattern in0 = network.make(ab, CollectiveKind::all_reduce), in1 = network.make(cd, CollectiveKind::all_reduce);
        for (const double end : endsTogether(network, {{&in0, S}, {&in1, S}})) EXPECT_TRUE(close(end - near, transfer)) << r;
    }
}

TEST(Contention, OrderOfTheRanksOnTheLeavesMatters) {
    // Four hosts in a ring: in the order of the leaves one flow crosses each uplink each way, alternating two do.
    Network network(twoLeaves(1, 50e9, 2));
    const double transfer = 2 * 3.0 / 4 * S / 50e9;
    EXPECT_TRUE(close(network.alone({0, 1, 2, 3}, CollectiveKind::all_reduce, S).transfer, transfer));
    EXPECT_TRUE(close(network.alone({0, 2, 1, 3}, CollectiveKind::all_reduce, S).transfer, 2 * transfer));
}

TEST(Contention, ALinkDownInAFatTreeMovesTheFlowsAndKeepsTheBytes) {
    HostSpec host;
    host.accelerator = "any";
    host.accelerators = 1;
    const Cluster whole = clusterOf(generateFatTree({host, 4}).topology);
    Network before(whole);
    // Hosts of pod 0 to those of pod 1: four flows over four ways, each link between switches full once.
    std::vector<TransferPattern> shifts;
    for (int from = 0; from < 4; ++from) shifts.push_back(before.make({from, from + 4}, CollectiveKind::send_receive));
    const double alone = S / 50e9, latency = 6e-6;
    for (const double end : endsTogether(before, {{&shifts[0], S}, {&shifts[1], S}, {&shifts[2], S}, {&shifts[3], S}}))
        EXPECT_TRUE(close(end, alone + latency));

    // Take away the first link up of the first one's way.
    const FlowLink up = before.router.way(0, 4).links.at(1).link;
    const TopologyLink& gone = whole.links[static_cast<std::size_t>(before.fabric.groups()[before.fabric.links()[up].group].drawn)];
    Cluster broken = whole;
    broken.changes.push_back(linkDown(gone.from, gone.to));
    Network after(broken);
    std::vector<TransferPattern> moved;
    std::vector<Transfer> transfers;
    for (int from = 0; from < 4; ++from) moved.push_back(after.make({from, from + 4}, CollectiveKind::send_receive));
    for (const TransferPattern& pattern : moved) transfers.push_back({&pattern, S});
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(moved[i].connected);
        EXPECT_EQ(moved[i].hops, 6);
        EXPECT_TRUE(close(sumOf(after.carried(moved[i], S)), 6 * S)) << "the bytes that left arrive";
    }
    // The edge switch has one link up left for its two hosts.
    const std::vector<double> ends = endsTogether(after, transfers);
    EXPECT_TRUE(close(ends[0], 2 * alone + latency));
    EXPECT_TRUE(close(ends[1], 2 * alone + latency));

    for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::broadcast})
        EXPECT_TRUE(close(sumOf(after.carried(after.make(after.all(), kind), S)), sumOf(before.carried(before.make(before.all(), kind), S))));
}

TEST(Contention, ALinkDownInATorusTakesTheBytesTheLongerWay) {
    Torus torus;
    torus.host.accelerator = "any";
    torus.host.accelerators = 1;
    torus.extents = {6};
    Cluster cluster = clusterOf(generateTorus(torus).topology);
    Network before(cluster);
    const double bytes = 2 * 5.0 / 6 * S;
    EXPECT_TRUE(close(sumOf(before.carried(before.make(before.all(), CollectiveKind::all_reduce), S)), 6 * bytes));
    cluster.changes.push_back(linkDown(cluster.nodes[2].id, cluster.nodes[3].id));
    Network after(cluster);
    const TransferPattern ring = after.make(after.all(), CollectiveKind::all_reduce);
    EXPECT_TRUE(ring.connected);
    EXPECT_TRUE(close(sumOf(after.carried(ring, S)), (5 + 5) * bytes)) << "five neighbours, and one the other way round";
}

TEST(Contention, ASwitchDownLeavesAllThatHaveAnotherWay) {
    Cluster cluster = rails(2, 4, 50e9, 1e-6, true);
    cluster.changes.push_back(linkDown("rail1"));
    Network network(cluster);
    const TransferPattern ring = network.make(network.all(), CollectiveKind::all_reduce);
    EXPECT_TRUE(ring.connected);
    // Three interfaces a host for four channels: one carries two.
    EXPECT_TRUE(close(aloneTime(ring, S, network.capacities).transfer, 2 * 2 * 7.0 / 8 * S / 4 / 50e9));
    cluster = oneSwitch(2, 4);
    cluster.changes.push_back(linkDown("switch"));
    Network cut(cluster);
    EXPECT_FALSE(cut.make(cut.all(), CollectiveKind::all_reduce).connected);
    EXPECT_TRUE(cut.make({0, 1, 2, 3}, CollectiveKind::all_reduce).connected);
}

TEST(Contention, ASlowInterfaceSlowsTheRingsOverItsRailOnly) {
    Cluster cluster = rails(4, 8);
    LinkChange slow;
    slow.from = "h1";
    slow.to = "rail2";
    slow.factor = 0.25;
    cluster.changes.push_back(slow);
    Network network(cluster);
    const double transfer = 2 * 3.0 / 4 * S / 50e9, latency = 2 * 3 * 4e-6;
    std::vector<TransferPattern> groups;
    std::vector<Transfer> transfers;
    for (int slot = 0; slot < 8; ++slot) groups.push_back(network.make(stride(slot, 8, 4), CollectiveKind::all_reduce));
    for (const TransferPattern& group : groups) transfers.push_back({&group, S});
    const std::vector<double> ends = endsTogether(network, transfers);
    for (std::size_t slot = 0; slot < 8; ++slot) EXPECT_TRUE(close(ends[slot] - latency, (slot == 2 ? 4 : 1) * transfer)) << slot;
    // Level by level too: the other rails are through early, the slow one sets the end.
    const AloneTime levels = network.alone(network.all(), CollectiveKind::all_reduce, S, "hierarchical");
    EXPECT_TRUE(close(levels.transfer, 2 * 7.0 / 8 * S / 450e9 + 4 * transfer / 8));
}

TEST(Contention, ASecondJobsTrafficTakesItsShare) {
    Network network(twoLeaves(1, 50e9, 2));
    const TransferPattern send = network.make({0, 2}, CollectiveKind::send_receive);
    const double latency = 4e-6;
    // b to d shares the 50 GB/s between the leaves, each way of its own else.
    const auto beside = [&](double demand) {
        FlowDemand other;
        for (const WayLink& link : network.router.wayBetweenVertices(1, 3).links) other.uses.push_back({link.link, link.share});
        other.cap = demand;
        return endsTogether(network, {{&send, S}}, {other})[0] - latency;
    };
    EXPECT_TRUE(close(beside(10e9), S / 40e9)) << "it asks for little and has it";
    EXPECT_TRUE(close(beside(25e9), S / 25e9));
    EXPECT_TRUE(close(beside(45e9), S / 25e9)) << "it asks for more than half and gets half";
    EXPECT_TRUE(close(beside(unlimitedRate), S / 25e9));
}

TEST(Contention, ANvlinkPortIsSplitByDemand) {
    // 200 GB/s: what its rail beyond the neighbour binds to 40 leaves 160 to the other.
    Cluster onRails = rails(2, 4, 40e9, 1e-6);
    onRails.scaleUpBandwidth = 200e9;
    Network network(onRails);
    const TransferPattern near = network.make({0, 1}, CollectiveKind::send_receive);
    const TransferPattern far = network.make({0, 6}, CollectiveKind::send_receive);
    ASSERT_EQ(far.hops, 4) << "out of the port, into the neighbour on rail 2, over the rail";
    // The near one begins after its latency, the far one 2 µs later; until then the near one has the port alone.
    const double alone = 2e-6 * 200e9;
    const std::vector<double> ends = endsTogether(network, {{&near, 16 * S}, {&far, 8 * S}});
    EXPECT_TRUE(close(ends[0], 2.8e-6 + (16 * S - alone) / 160e9));
    EXPECT_TRUE(close(ends[1], 2.8e-6 + 8 * S / 40e9));

    // The same as a demand that is always there, to the last digit.
    FlowDemand other;
    other.uses = {{network.fabric.scaleUpOut(0), 1}};
    other.cap = 40e9;
    EXPECT_TRUE(close(endsTogether(network, {{&near, 16 * S}}, {other})[0], 16 * S / 160e9 + 0.8e-6));
}

TEST(Contention, PcieSwitchesLimitWhatTheirAcceleratorsSendOut) {
    Cluster cluster = oneSwitch(2, 4, 50e9, 1e-6);
    for (TopologyNode& node : cluster.nodes)
        if (node.kind == NodeKind::host) {
            node.pcieBandwidth = 60e9;
            node.acceleratorsPerPcieSwitch = 2;
        }
    Network network(cluster);
    const TransferPattern one = network.make({0, 4}, CollectiveKind::send_receive), two = network.make({1, 5}, CollectiveKind::send_receive),
                          three = network.make({2, 6}, CollectiveKind::send_receive);
    const std::vector<double> ends = endsTogether(network, {{&one, S}, {&two, S}, {&three, S}});
    EXPECT_TRUE(close(ends[0] - 2e-6, S / 30e9));
    EXPECT_TRUE(close(ends[1] - 2e-6, S / 30e9));
    EXPECT_TRUE(close(ends[2] - 2e-6, S / 50e9));
}

} // namespace
} // namespace orrery
