// SPDX-License-Identifier: GPL-3.0-or-later
// Alone on its links each collective takes what the closed forms say, written out here by hand once more:
// n ranks, D domains of g members, W_up an accelerator's port, W_out its interface, S bytes.

#include "core/network/short_form.hpp"
#include "tests/core/network/transfers/patterns.hpp"
#include "tests/support/random_source.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

using namespace orrery::test;

struct Place {
    double n, D, g;
    double up, out;   ///< bytes/s
    double aUp, aOut; ///< s: a whole way within and between domains
    double S;

    double W() const { return D == 1 ? up : std::min(up, g * out); }
    /// The slowest step.
    double a() const { return D == 1 ? aUp : g > 1 ? std::max(aUp, aOut)
                                                   : aOut; }
};

double steps(double nodes) {
    double count = 0;
    for (double reach = 1; reach < nodes; reach *= 2) ++count;
    return count;
}

/// Share of S on the busiest port of two trees of half the data, each node inner in one: neighbours up to three and one.
double busiest(double nodes) { return nodes == 2 ? 1 : nodes == 3 ? 1.5
                                                                  : 2; }

void expectClosedForms(Network& network, const std::vector<int>& ranks, const Place& p) {
    const auto time = [&](CollectiveKind kind, const std::string& algorithm) { return network.alone(ranks, kind, p.S, algorithm).time; };
    const double n = p.n, D = p.D, g = p.g, S = p.S;
    EXPECT_TRUE(close(time(CollectiveKind::all_reduce, "ring"), 2 * (n - 1) / n * S / p.W() + 2 * (n - 1) * p.a()));
    EXPECT_TRUE(close(time(CollectiveKind::reduce_scatter, "ring"), (n - 1) / n * S / p.W() + (n - 1) * p.a()));
    EXPECT_TRUE(close(time(CollectiveKind::all_gather, "ring"), (n - 1) / n * S / p.W() + (n - 1) * p.a()));
    EXPECT_TRUE(close(time(CollectiveKind::broadcast, "ring"), S / p.W() + (n - 1) * p.a()));

    if (D == 1) {
        EXPECT_TRUE(close(time(CollectiveKind::all_reduce, "tree"), busiest(n) * S / p.up + 2 * steps(n) * p.aUp));
        EXPECT_TRUE(close(time(CollectiveKind::broadcast, "tree"), S / p.up + steps(n) * p.aUp));
    } else {
        EXPECT_TRUE(close(time(CollectiveKind::all_reduce, "tree"),
                          std::max(busiest(D) * S / p.W(), 2 * (g - 1) / g * S / p.up) + 2 * (g - 1) * p.aUp + 2 * steps(D) * p.aOut));
        EXPECT_TRUE(close(time(CollectiveKind::broadcast, "tree"), S / p.W() + (g - 1) * p.aUp + steps(D) * p.aOut));
        const double half = (g - 1) / g * S / p.up + (D - 1) / D * S / g / p.out + (g - 1) * p.aUp + (D - 1) * p.aOut;
        EXPECT_TRUE(close(time(CollectiveKind::all_reduce, "hierarchical"), 2 * half));
        EXPECT_TRUE(close(time(CollectiveKind::reduce_scatter, "hierarchical"), half));
        EXPECT_TRUE(close(time(CollectiveKind::all_gather, "hierarchical"), half));
    }

    if (g > 1) {
        const double between = D == 1 ? 0 : busiest(D) * S / (g * p.out);
        EXPECT_TRUE(close(time(CollectiveKind::all_reduce, "nvls"),
                          std::max((1 + 1 / g) * S / p.up, between) + 2 * p.aUp + (D == 1 ? 0 : 2 * steps(D) * p.aOut)));
        if (D == 1) {
            EXPECT_TRUE(close(time(CollectiveKind::reduce_scatter, "nvls"), S / p.up + p.aUp));
            EXPECT_TRUE(close(time(CollectiveKind::all_gather, "nvls"), S / p.up + p.aUp));
        }
    }

    EXPECT_TRUE(close(time(CollectiveKind::all_to_all, ""), std::max((g - 1) / n * S / p.up, D == 1 ? 0 : (n - g) / n * S / p.out) + p.a()));
    EXPECT_TRUE(close(network.alone({ranks.front(), ranks.back()}, CollectiveKind::send_receive, S).time,
                      S / (D == 1 ? p.up : std::min(p.up, p.out)) + (D == 1 ? p.aUp : p.aOut)));
    if (n > 2) {
        EXPECT_TRUE(close(time(CollectiveKind::send_receive, ""), S / (D == 1 ? p.up : std::min(p.up, p.out)) + p.a()));
    }
}

TEST(ClosedForms, HoldForEveryShapeUnderRandomBandwidthsAndLatencies) {
    RandomSource random(7);
    int boundByPorts = 0, boundByInterfaces = 0;
    for (int D = 1; D <= 9; ++D)
        for (int g = 1; g <= 8; ++g) {
            if (D * g < 2) continue;
            for (int trial = 0; trial < 6; ++trial) {
                const double latency = random.logBetween(1e-8, 1e-4);
                Place p{double(D) * g, double(D), double(g), random.logBetween(1e9, 1e12), random.logBetween(1e9, 3e11), random.logBetween(1e-8, 1e-4),
                        2 * latency, random.logBetween(1, 1e12)};
                Cluster cluster = oneSwitch(D, g, p.out, latency);
                cluster.scaleUpBandwidth = p.up;
                cluster.scaleUpLatency = p.aUp;
                Network network(cluster);
                expectClosedForms(network, network.all(), p);
                ASSERT_FALSE(HasFailure()) << D << " domains of " << g << ", trial " << trial;
                if (D > 1) ++(p.W() == p.up ? boundByPorts : boundByInterfaces);
            }
        }
    EXPECT_GT(boundByPorts, 50);
    EXPECT_GT(boundByInterfaces, 50);
}

TEST(ClosedForms, HoldForPartsOfNodesAndForAScaleUpDomainOfManyNodes) {
    const double up = 450e9, out = 50e9, aUp = 0.8e-6, latency = 2e-6;
    Network nodes(oneSwitch(16, 8, out, latency));
    const auto stride = [](int first, int step, int count) {
        std::vector<int> ranks;
        for (int i = 0; i < count; ++i) ranks.push_back(first + step * i);
        return ranks;
    };
    struct Case {
        int first, step, count;
        double D, g;
    };
    for (const Case& c : {Case{0, 8, 16, 16, 1}, Case{0, 2, 64, 16, 4}, Case{3, 8, 5, 5, 1}, Case{0, 4, 32, 16, 2}, Case{8, 1, 4, 1, 4}, Case{1, 3, 2, 1, 2}})
        for (const double S : {1e3, 1e6, 1e9})
            expectClosedForms(nodes, stride(c.first, c.step, c.count), {double(c.count), c.D, c.g, up, out, aUp, 2 * latency, S});

    // Two racks of 18 trays of 4.
    Accelerator accelerator;
    Network racks(expandShortForm(accelerator, 4, 36, ScaleUp{900e9, 1e-6, 72}, ScaleOut{out, latency, 1}));
    expectClosedForms(racks, stride(0, 1, 72), {72, 1, 72, 900e9, out, 1e-6, 2 * latency, 1e9});
    expectClosedForms(racks, stride(0, 1, 144), {144, 2, 72, 900e9, out, 1e-6, 2 * latency, 1e9});
    expectClosedForms(racks, {71, 72}, {2, 2, 1, 900e9, out, 1e-6, 2 * latency, 1e9});
}

TEST(ClosedForms, TheSmallestShareOfADomainSetsTheRate) {
    RandomSource random(11);
    for (int trial = 0; trial < 100; ++trial) {
        const int domains = 2 + static_cast<int>(random.below(5));
        const double up = random.logBetween(1e10, 1e12), out = random.logBetween(1e9, 1e11), latency = 1e-6, S = 1e8;
        Cluster cluster = oneSwitch(domains, 8, out, latency);
        cluster.scaleUpBandwidth = up;
        Network network(cluster);
        std::vector<int> ranks;
        int least = 8;
        for (int d = 0; d < domains; ++d) {
            const int members = 1 + static_cast<int>(random.below(8));
            least = std::min(least, members);
            for (int m = 0; m < members; ++m) ranks.push_back(8 * d + m);
        }
        const double n = static_cast<double>(ranks.size());
        const double W = std::min(up, least * out);
        EXPECT_TRUE(close(network.alone(ranks, CollectiveKind::all_reduce, S).time, 2 * (n - 1) / n * S / W + 2 * (n - 1) * 2 * latency));
        EXPECT_TRUE(close(network.alone(ranks, CollectiveKind::all_gather, S).time, (n - 1) / n * S / W + (n - 1) * 2 * latency));
        // Level by level needs even domains: a ring instead, and it says so.
        const bool even = n == double(domains) * least;
        EXPECT_EQ(network.make(ranks, CollectiveKind::all_reduce, "hierarchical").algorithm, even ? "hierarchical" : "ring");
    }
}

TEST(ClosedForms, SharedAndManifoldInterfacesCountAsWhatARankHasOfThem) {
    for (const int nics : {1, 2, 4, 8, 16, 24})
        for (const double nic : {10e9, 50e9, 200e9}) {
            Network network(oneSwitch(3, 8, nic, 1e-6, nics));
            const double n = 24, g = 8, up = 450e9, out = nic * nics / 8, S = 1e9;
            EXPECT_TRUE(close(network.alone(network.all(), CollectiveKind::all_reduce, S).transfer, 2 * (n - 1) / n * S / std::min(up, g * out)));
            EXPECT_TRUE(close(network.alone(network.all(), CollectiveKind::all_to_all, S).transfer, std::max(7 / n * S / up, 16 / n * S / out)));
        }
}

TEST(ClosedForms, AllToAllOnRailsPassesThroughTheNeighbours) {
    RandomSource random(13);
    for (int D = 2; D <= 5; ++D)
        for (int g = 1; g <= 8; ++g)
            for (int trial = 0; trial < 4; ++trial) {
                const double up = random.logBetween(1e10, 1e12), out = random.logBetween(1e9, 1e12), n = D * g, S = 1e9;
                Cluster cluster = rails(D, g, out, 1e-6);
                cluster.scaleUpBandwidth = up;
                Network network(cluster);
                const AloneTime alone = network.alone(network.all(), CollectiveKind::all_to_all, S);
                // A port carries (g − 1)/n S for its own domain and as much again for each other one.
                EXPECT_TRUE(close(alone.transfer, std::max(double(g - 1) / g * S / up, (n - g) / n * S / out)));
                EXPECT_TRUE(close(alone.latency, 2e-6 + (g > 1 ? cluster.scaleUpLatency : 0)));
            }
}

TEST(ClosedForms, RingsOnRailsAreAsFastAsOnOneSwitch) {
    for (int D = 2; D <= 9; ++D)
        for (int g = 1; g <= 8; ++g) {
            Network onRails(rails(D, g)), onOne(oneSwitch(D, g));
            for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::broadcast}) {
                const AloneTime a = onRails.alone(onRails.all(), kind, 1e9), b = onOne.alone(onOne.all(), kind, 1e9);
                EXPECT_TRUE(close(a.transfer, b.transfer)) << D << " x " << g;
                // Two members and an odd number of domains can't come round without a change of rail.
                EXPECT_TRUE((g == 2 && D % 2 == 1) || close(a.latency, b.latency)) << D << " x " << g;
            }
        }
}

TEST(ClosedForms, TheLibrarysSharesAndStartReplaceThoseOfTheLinks) {
    const double S = 3e8, n = 16;
    for (const auto& [upShare, outShare] : {std::pair(0.8, 0.9), std::pair(0.3, 0.9), std::pair(1.0, 0.5)}) {
        Network network(oneSwitch(2, 8));
        PatternRequest request;
        request.start = 17e-6;
        request.upShare = upShare;
        request.outShare = outShare;
        request.stepLatency = false;
        const AloneTime alone = aloneTime(network.maker.make(network.all(), request), S, network.capacities);
        EXPECT_TRUE(close(alone.transfer, 2 * (n - 1) / n * S / std::min(450e9 * upShare, 400e9 * outShare)));
        EXPECT_EQ(alone.latency, 17e-6);
    }
}

TEST(ClosedForms, OneRankOrNoBytesSendNothing) {
    Network network(oneSwitch(2, 8));
    for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
                                      CollectiveKind::send_receive, CollectiveKind::broadcast}) {
        const TransferPattern none = network.make({5}, kind);
        EXPECT_EQ(none.algorithm, "none");
        EXPECT_TRUE(none.connected);
        EXPECT_EQ(aloneTime(none, 1e9, network.capacities).time, 0);
        EXPECT_EQ(network.alone(network.all(), kind, 0).transfer, 0);
    }
}

TEST(ClosedForms, APartitionedFabricIsNamedWithTheFirstRanksThatItCuts) {
    Network network(drawn({hostNode("a", 2), hostNode("b", 2), switchNode("s"), switchNode("t")}, {cable("a", "s", 1e9, 0, 2), cable("b", "t", 1e9, 0, 2)}));
    for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::send_receive, CollectiveKind::broadcast})
        for (const char* algorithm : {"ring", "tree", "hierarchical", "nvls"}) {
            const TransferPattern cut = network.make(network.all(), kind, algorithm);
            EXPECT_FALSE(cut.connected);
            EXPECT_NE(network.fabric.seat(cut.cutFrom).host, network.fabric.seat(cut.cutTo).host);
            EXPECT_TRUE(network.make({0, 1}, kind, algorithm).connected);
        }
}

} // namespace
} // namespace orrery
