#include "tests/core/network/network_fixture.hpp"

#include <algorithm>
#include <ctime>

namespace orrery {
namespace {

using namespace orrery::test;

constexpr CollectiveKind allKinds[] = {CollectiveKind::all_reduce, CollectiveKind::all_gather,   CollectiveKind::reduce_scatter,
                                       CollectiveKind::all_to_all, CollectiveKind::send_receive, CollectiveKind::broadcast};

void expectClose(double value, double wanted, const char* what) {
    EXPECT_NEAR(value / wanted, 1, 1e-9) << what << ": " << value << " instead of " << wanted;
}

/// The closed forms written out by hand: n ranks, W and a of a step, g members a domain.
void expectClosedForms(const GroupPlacement& group, double n, double g, double W, double a, double up, double out, double S) {
    const auto time = [&](CollectiveKind kind) { return collectiveTime(group, kind, S).time; };
    expectClose(time(CollectiveKind::all_reduce), 2 * (n - 1) / n * S / W + 2 * (n - 1) * a, "all-reduce");
    expectClose(time(CollectiveKind::all_gather), (n - 1) / n * S / W + (n - 1) * a, "all-gather");
    expectClose(time(CollectiveKind::reduce_scatter), (n - 1) / n * S / W + (n - 1) * a, "reduce-scatter");
    expectClose(time(CollectiveKind::broadcast), S / W + (n - 1) * a, "broadcast");
    const double inside = (g - 1) / n * S / up;
    const double outside = out > 0 ? (n - g) / n * S / out : 0;
    expectClose(time(CollectiveKind::all_to_all), std::max(inside, outside) + a, "all-to-all");
    expectClose(time(CollectiveKind::send_receive), S / (out > 0 ? std::min(up, out) : up) + a, "send-receive");
}

TEST(Collectives, FollowTheRingInsideOneNode) {
    const Cluster cluster = shortForm(1);
    for (const int n : {2, 3, 4, 8})
        for (const double bytes : {1.0, 4096.0, 1e6, 1e9, 1e12}) {
            const GroupPlacement group = place(cluster, RankSpan{0, 1, n});
            EXPECT_EQ(group.domains, 1);
            expectClosedForms(group, n, n, upBandwidth, upLatency, upBandwidth, 0, bytes);
        }
}

TEST(Collectives, FollowTheRingOverNodesAtTheInterfacesThatTheMembersDrive) {
    // A way between nodes is two hops: host, leaf, host.
    const double out = 50e9, step = 2 * 2e-6;
    const Cluster cluster = shortForm(16, out, 2e-6);
    struct Case {
        RankSpan ranks;
        double g;
    };
    for (const Case& c : {Case{{0, 1, 128}, 8}, Case{{0, 8, 16}, 1}, Case{{0, 2, 64}, 4}, Case{{3, 8, 5}, 1}, Case{{0, 4, 32}, 2}})
        for (const double bytes : {1e3, 1e6, 1e9}) {
            const GroupPlacement group = place(cluster, c.ranks);
            EXPECT_EQ(group.ranks, c.ranks.count);
            EXPECT_EQ(group.membersPerDomain, c.g);
            expectClosedForms(group, c.ranks.count, c.g, std::min(upBandwidth, c.g * out), step, upBandwidth, out, bytes);
        }
}

TEST(Collectives, AreNotFasterThanTheScaleUpFabric) {
    const Cluster cluster = shortForm(4, 100e9, 1e-6); // eight interfaces of 100 GB/s outrun 450 GB/s
    const GroupPlacement group = place(cluster, RankSpan{0, 1, 32});
    expectClosedForms(group, 32, 8, upBandwidth, 2e-6, upBandwidth, 100e9, 1e9);
}

TEST(Collectives, TheSmallestShareOfADomainSetsTheRate) {
    const Cluster cluster = shortForm(2);
    // Three members in the first node, one in the second.
    const GroupPlacement group = place(cluster, std::vector<int>{0, 1, 2, 8});
    EXPECT_EQ(group.membersPerDomain, 1);
    EXPECT_EQ(group.domains, 2);
    expectClosedForms(group, 4, 1, 50e9, 4e-6, upBandwidth, 50e9, 1e8);
}

TEST(Collectives, OneRankOrNoBytesTakeNoTime) {
    const Cluster cluster = shortForm(2);
    for (const CollectiveKind kind : allKinds) {
        for (const CollectiveTime& none : {collectiveTime(place(cluster, RankSpan{5, 1, 1}), kind, 1e9),
                                           collectiveTime(place(cluster, RankSpan{0, 1, 16}), kind, 0)}) {
            EXPECT_EQ(none.time, 0);
            EXPECT_EQ(none.busBandwidth, 0);
            EXPECT_EQ(none.algorithm, "none");
        }
    }
}

TEST(Collectives, BandwidthsAreCountedAsNcclTestsDo) {
    const GroupPlacement group = place(shortForm(2, 50e9, 0), RankSpan{0, 1, 16});
    GroupPlacement free = group;
    free.scaleUpLatency = free.scaleOutLatency = 0;
    const double S = 1e9, W = 400e9, n = 16;
    const CollectiveTime reduce = collectiveTime(free, CollectiveKind::all_reduce, S);
    expectClose(reduce.algorithmBandwidth, W * n / (2 * (n - 1)), "algorithm bandwidth");
    expectClose(reduce.busBandwidth, W, "without latency a ring's bus bandwidth is the link's");
    expectClose(collectiveTime(free, CollectiveKind::all_gather, S).busBandwidth, W, "all-gather");
    expectClose(collectiveTime(free, CollectiveKind::reduce_scatter, S).busBandwidth, W, "reduce-scatter");
    expectClose(collectiveTime(free, CollectiveKind::broadcast, S).busBandwidth, W, "broadcast");
    expectClose(collectiveTime(free, CollectiveKind::send_receive, S).busBandwidth, 50e9, "one pair drives one interface");
    for (const CollectiveKind kind : allKinds) {
        const CollectiveTime result = collectiveTime(group, kind, S);
        EXPECT_EQ(result.time, result.transfer + result.latency);
        expectClose(result.algorithmBandwidth, S / result.time, "algorithm bandwidth");
        EXPECT_FALSE(result.formula.empty());
    }
}

TEST(Collectives, AScaleUpDomainOfManyNodesIsOneFabric) {
    // NVL72: 18 trays of 4.
    const Cluster cluster = shortForm(36, 50e9, 2e-6, 1, 72, 4);
    const GroupPlacement rack = place(cluster, RankSpan{0, 1, 72});
    EXPECT_EQ(rack.domains, 1);
    expectClosedForms(rack, 72, 72, upBandwidth, upLatency, upBandwidth, 0, 1e9);
    const GroupPlacement both = place(cluster, RankSpan{0, 1, 144});
    EXPECT_EQ(both.domains, 2);
    EXPECT_EQ(both.membersPerDomain, 72);
    const GroupPlacement across = place(cluster, RankSpan{71, 1, 2});
    EXPECT_EQ(across.domains, 2);
    EXPECT_EQ(across.scaleOutBandwidth, 50e9);
}

TEST(Collectives, OversubscriptionDividesWhatLeavesANode) {
    for (const double r : {1.0, 2.0, 3.5}) {
        const GroupPlacement group = place(shortForm(8, 50e9, 1e-6, r), RankSpan{0, 1, 64});
        expectClose(group.scaleOutBandwidth, 50e9 / r, "share");
        const GroupPlacement inside = place(shortForm(8, 50e9, 1e-6, r), RankSpan{8, 1, 8});
        EXPECT_EQ(inside.domains, 1);
    }
}

void expectSamePlaces(const Cluster& a, const Cluster& b) {
    ASSERT_EQ(a.accelerators(), b.accelerators());
    const int n = a.accelerators();
    for (const RankSpan& ranks : {RankSpan{0, 1, n}, RankSpan{0, 8, n / 8}, RankSpan{1, 3, n / 3}, RankSpan{n - 2, 1, 2}, RankSpan{0, 1, 2}})
        for (const CollectiveKind kind : allKinds) {
            const CollectiveTime one = collectiveTime(place(a, ranks), kind, 12345678);
            const CollectiveTime other = collectiveTime(place(b, ranks), kind, 12345678);
            EXPECT_EQ(one.time, other.time);
            EXPECT_EQ(one.busBandwidth, other.busBandwidth);
        }
}

TEST(DrawnForm, GivesTheNumbersOfTheShortForm) {
    // Six hosts drawn one by one, eight cables each, and the same with replicas.
    std::vector<TopologyNode> nodes;
    std::vector<TopologyLink> links;
    for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
        nodes.push_back(host(id, 8));
        links.push_back(cable(id, "fabric", 50e9, 2e-6, 8));
    }
    nodes.push_back(switchNode("fabric"));
    expectSamePlaces(shortForm(6), drawn(nodes, links));
    expectSamePlaces(shortForm(6), drawn({switchNode("s"), host("h", 8, 6)}, {cable("s", "h", 400e9, 2e-6)}));
    EXPECT_TRUE(checkTopology(drawn(nodes, links), "/cluster/topology").empty());
}

TEST(DrawnForm, RailsCarryTogetherAndRacksShareTheirUplinks) {
    // Rail-optimised: accelerator i of each host on rail switch i.
    std::vector<TopologyNode> nodes = {host("h", 8, 4)};
    std::vector<TopologyLink> links;
    for (int rail = 0; rail < 8; ++rail) {
        nodes.push_back(switchNode("rail-" + std::to_string(rail)));
        links.push_back(cable("h", nodes.back().id, 50e9, 2e-6));
    }
    expectSamePlaces(shortForm(4), drawn(nodes, links));

    // Two racks of four hosts; each leaf has a quarter of its down-links upwards.
    const Cluster racks = drawn({host("left", 8, 4), host("right", 8, 4), switchNode("l1"), switchNode("l2"), switchNode("spine")},
                                {cable("left", "l1", 50e9, 1e-6, 8), cable("right", "l2", 50e9, 1e-6, 8), cable("l1", "spine", 100e9, 1e-6, 4),
                                 cable("l2", "spine", 100e9, 1e-6, 4)});
    EXPECT_TRUE(checkTopology(racks, "/cluster/topology").empty());
    const GroupPlacement inRack = place(racks, RankSpan{0, 1, 32});
    EXPECT_EQ(inRack.scaleOutBandwidth, 50e9);
    EXPECT_NEAR(inRack.scaleOutLatency, 2e-6, 1e-15);
    const GroupPlacement over = place(racks, RankSpan{0, 1, 64});
    expectClose(over.scaleOutBandwidth, 12.5e9, "a quarter");
    EXPECT_NEAR(over.scaleOutLatency, 4e-6, 1e-15);
}

TEST(DrawnForm, ATrunkBetweenTwoSwitchesIsSharedByTheSmallerSide) {
    const Cluster cluster = drawn({host("a", 8), host("b", 8, 3), switchNode("s"), switchNode("t")},
                                  {cable("a", "s", 400e9, 1e-6), cable("b", "t", 400e9, 1e-6), cable("s", "t", 100e9, 5e-6, 2)});
    const GroupPlacement group = place(cluster, RankSpan{0, 1, 16});
    expectClose(group.scaleOutBandwidth, 50e9 * 200 / 400, "200 GB/s for the 400 of host a");
    EXPECT_NEAR(group.scaleOutLatency, 7e-6, 1e-15);
}

TEST(DrawnForm, TwoHostsMayBeJoinedWithoutASwitch) {
    const Cluster cluster = drawn({host("a", 8), host("b", 8)}, {cable("a", "b", 100e9, 3e-6, 4)});
    EXPECT_TRUE(checkTopology(cluster, "/cluster/topology").empty());
    const GroupPlacement group = place(cluster, RankSpan{0, 1, 16});
    EXPECT_EQ(group.scaleOutBandwidth, 50e9);
    EXPECT_EQ(group.scaleOutLatency, 3e-6);
}

TEST(ShortForm, AlwaysPassesTheChecksOfADrawing) {
    for (const int nodes : {1, 2, 5, 18, 37})
        for (const double r : {1.0, 4.0})
            for (const int domain : {2, 8, 16, 72}) {
                const Cluster cluster = shortForm(nodes, 50e9, 1e-6, r, domain);
                EXPECT_EQ(cluster.accelerators(), 8 * nodes);
                EXPECT_EQ(cluster.accelerator.id, "h100-sxm5-80gb");
                const Problems problems = checkTopology(cluster, "/cluster/topology");
                EXPECT_TRUE(problems.empty()) << toText(problems.front());
                const GroupPlacement all = place(cluster, RankSpan{0, 1, cluster.accelerators()});
                EXPECT_TRUE(all.connected);
                EXPECT_EQ(all.domains, (8 * nodes + domain - 1) / domain);
            }
}

TEST(Placement, OfSixteenThousandRanksIsCheap) {
    const Cluster cluster = shortForm(2048);
    const std::clock_t start = std::clock();
    GroupPlacement all, strided;
    for (int i = 0; i < 10; ++i) {
        all = place(cluster, RankSpan{0, 1, 16384});
        strided = place(cluster, RankSpan{3, 8, 2048});
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / 10;
    EXPECT_EQ(all.domains, 2048);
    EXPECT_EQ(strided.membersPerDomain, 1);
    EXPECT_LT(seconds, 0.020) << "both placements";
}

} // namespace
} // namespace orrery
