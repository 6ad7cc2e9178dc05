// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends what to whom, counted on the links: nothing gets lost, nothing is sent that nobody needs.

#include "core/base/json.hpp"
#include "core/network/generators/clos_fabrics.hpp"
#include "core/network/generators/direct_fabrics.hpp"
#include "tests/core/network/transfers/patterns.hpp"
#include "tests/support/machine_graph.hpp"
#include "tests/support/random_source.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace orrery {
namespace {

using namespace orrery::test;

constexpr CollectiveKind reducingKinds[] = {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather};

struct Send {
    int from, to;
    double bytes;
};

double bytesTimesHops(Network& network, const std::vector<Send>& sends) {
    double sum = 0;
    for (const Send& send : sends) sum += send.bytes * network.router.way(send.from, send.to).hops;
    return sum;
}

std::vector<Send> allToAllSends(const std::vector<int>& ranks, double S) {
    std::vector<Send> sends;
    for (const int from : ranks)
        for (const int to : ranks)
            if (from != to) sends.push_back({from, to, S / static_cast<double>(ranks.size())});
    return sends;
}

std::vector<Send> ringSends(const std::vector<int>& ranks, double bytes) {
    std::vector<Send> sends;
    for (std::size_t i = 0; i < ranks.size(); ++i) sends.push_back({ranks[i], ranks[(i + 1) % ranks.size()], bytes});
    return sends;
}

TEST(Conservation, EveryAlgorithmSendsTheLeastThatItsOperationNeeds) {
    // Without additions in the switch an all-reduce takes 2(n − 1) S sent in all, the others (n − 1) S; on one switch each flow
    // crosses two links, whether inside a host or between two.
    const double S = 7e8;
    for (int D = 1; D <= 9; ++D)
        for (int g = 1; g <= 8; ++g) {
            if (D * g < 2) continue;
            Network network(oneSwitch(D, g));
            const std::vector<int> ranks = network.all();
            const double n = D * g;
            const auto total = [&](CollectiveKind kind, const char* algorithm) { return sumOf(network.carried(network.make(ranks, kind, algorithm), S)); };
            EXPECT_TRUE(close(total(CollectiveKind::all_reduce, "ring"), 2 * 2 * (n - 1) * S)) << D << " x " << g;
            EXPECT_TRUE(close(total(CollectiveKind::all_reduce, "tree"), 2 * 2 * (n - 1) * S)) << D << " x " << g;
            EXPECT_TRUE(close(total(CollectiveKind::all_reduce, "hierarchical"), 2 * 2 * (n - 1) * S)) << D << " x " << g;
            EXPECT_TRUE(close(total(CollectiveKind::broadcast, "ring"), 2 * (n - 1) * S));
            EXPECT_TRUE(close(total(CollectiveKind::broadcast, "tree"), 2 * (n - 1) * S)) << D << " x " << g;
            EXPECT_TRUE(close(total(CollectiveKind::all_to_all, ""), 2 * (n - 1) * S));
            for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter})
                for (const char* algorithm : {"ring", "hierarchical"}) EXPECT_TRUE(close(total(kind, algorithm), 2 * (n - 1) * S));
        }
}

TEST(Conservation, ADeduplicatedExchangeCarriesWhatItsFormSays) {
    // One switch: what goes out crosses two links, as does what goes from port to port inside. All ports carry alike.
    const double S = 7e8;
    for (int D = 1; D <= 5; ++D)
        for (int g = 1; g <= 8; ++g) {
            if (D * g < 2) continue;
            Network network(oneSwitch(D, g));
            PatternRequest request;
            request.kind = CollectiveKind::all_to_all;
            request.algorithm = "deduplicated";
            request.upPerByte = g > 1 ? 0.75 : 0;
            request.outPerByte = D > 1 ? 0.4 : 0;
            const TransferPattern pattern = network.maker.make(network.all(), request);
            const std::vector<double> carried = network.carried(pattern, S);
            EXPECT_TRUE(close(sumOf(carried), 2 * D * g * S * (request.upPerByte + request.outPerByte))) << D << " x " << g;
            for (const int rank : network.all()) {
                if (g > 1) {
                    EXPECT_TRUE(close(carried[network.fabric.scaleUpOut(rank)], 0.75 * S)) << D << " x " << g;
                    EXPECT_TRUE(close(carried[network.fabric.scaleUpIn(rank)], 0.75 * S)) << D << " x " << g;
                }
            }
        }
}

TEST(Conservation, ARingLoadsEveryPortAndEveryInterfaceAlike) {
    const double S = 1e9;
    for (const bool onRails : {false, true})
        for (int D = 2; D <= 9; ++D)
            for (int g = 1; g <= 8; ++g) {
                if (onRails && g == 2 && D % 2 == 1) continue; // has to change rails once
                Network network(onRails ? rails(D, g) : oneSwitch(D, g));
                const double n = D * g;
                for (const CollectiveKind kind : reducingKinds) {
                    const double B = (kind == CollectiveKind::all_reduce ? 2 : 1) * (n - 1) / n * S;
                    const std::vector<double> carried = network.carried(network.make(network.all(), kind), S);
                    double out = 0;
                    for (int rank = 0; rank < network.fabric.ranks(); ++rank) {
                        ASSERT_TRUE(close(carried[network.fabric.scaleUpOut(rank)], B * (g - 1) / g)) << D << " x " << g;
                        ASSERT_TRUE(close(carried[network.fabric.scaleUpIn(rank)], B * (g - 1) / g));
                        const auto& own = network.fabric.attachments(network.fabric.seat(rank).host)[network.fabric.ownAttachments(rank).first];
                        ASSERT_TRUE(close(carried[own.out], B / g)) << D << " x " << g << ", rank " << rank;
                        ASSERT_TRUE(close(carried[own.in], B / g));
                        if (rank < g) out += carried[own.out];
                    }
                    EXPECT_TRUE(close(out, B)) << "leaves each domain";
                }
            }
}

TEST(Conservation, ARingOfTwoRailsAndOddDomainsChangesRailOnce) {
    for (const int D : {3, 5, 7}) {
        Network network(rails(D, 2));
        const double S = 1e9, n = 2 * D, B = 2 * (n - 1) / n * S;
        const std::vector<double> carried = network.carried(network.make(network.all(), CollectiveKind::all_reduce), S);
        for (int rank = 0; rank < network.fabric.ranks(); ++rank) {
            const auto& own = network.fabric.attachments(network.fabric.seat(rank).host)[network.fabric.ownAttachments(rank).first];
            EXPECT_TRUE(close(carried[own.out], B / 2));
            EXPECT_TRUE(close(carried[own.in], B / 2));
        }
        EXPECT_TRUE(close(sumOf(carried), 2 * n * B + 2 * B)) << "both rings once more through the ports of one host";
    }
}

TEST(Conservation, InTheSwitchEachPortCarriesItsPartOnce) {
    const double S = 1e9;
    for (int g = 2; g <= 8; ++g) {
        Network network(oneSwitch(3, g));
        std::vector<int> node;
        for (int i = 0; i < g; ++i) node.push_back(g + i);
        const std::vector<double> carried = network.carried(network.make(node, CollectiveKind::all_reduce, "nvls"), S);
        for (int rank = 0; rank < 3 * g; ++rank) {
            const double wanted = rank / g == 1 ? (1 + 1.0 / g) * S : 0;
            EXPECT_TRUE(close(carried[network.fabric.scaleUpOut(rank)], wanted));
            EXPECT_TRUE(close(carried[network.fabric.scaleUpIn(rank)], wanted));
        }
        EXPECT_TRUE(close(sumOf(carried), 2 * g * (1 + 1.0 / g) * S));
        const std::vector<double> over = network.carried(network.make(network.all(), CollectiveKind::all_reduce, "nvls"), S);
        EXPECT_TRUE(close(sumOf(over), 2 * 3 * g * (1 + 1.0 / g) * S + 2 * 2 * (3 - 1) * S)) << "and two trees over three domains";
    }
}

TEST(Conservation, OnAnyTopologyBytesOverAllLinksAreBytesSentTimesHops) {
    HostSpec host;
    host.accelerator = "any";
    host.accelerators = 4;
    Torus torus;
    torus.host = host;
    torus.extents = {4, 3};
    Dragonfly fly;
    fly.host = host;
    fly.groups = 5;
    std::vector<Json> topologies{generateFatTree({host, 4}).topology, generateFatTree({host, 4, 2}).topology, generateTorus(torus).topology,
                                 generateDragonfly(fly).topology};
    fly.valiant = true;
    topologies.push_back(generateDragonfly(fly).topology);
    const double S = 1e8;
    RandomSource random(3);
    for (const Json& topology : topologies) {
        Network network(clusterOf(topology));
        for (int trial = 0; trial < 5; ++trial) {
            // Some whole hosts in a random order.
            std::vector<int> hosts(static_cast<std::size_t>(network.fabric.ranks() / 4));
            std::iota(hosts.begin(), hosts.end(), 0);
            random.shuffle(hosts);
            hosts.resize(2 + random.below(hosts.size() - 2));
            std::vector<int> ranks, leaders;
            for (const int h : hosts) {
                leaders.push_back(4 * h + 1);
                for (int i = 0; i < 4; ++i) ranks.push_back(4 * h + i);
            }
            const double D = static_cast<double>(hosts.size());
            const auto expectTotal = [&](const TransferPattern& pattern, const std::vector<Send>& sends) {
                EXPECT_TRUE(pattern.connected);
                EXPECT_TRUE(close(sumOf(network.carried(pattern, S)), bytesTimesHops(network, sends)));
            };
            expectTotal(network.make(ranks, CollectiveKind::all_to_all), allToAllSends(ranks, S));
            expectTotal(network.make(leaders, CollectiveKind::all_reduce), ringSends(leaders, 2 * (D - 1) / D * S));
            if (leaders.size() > 2) expectTotal(network.make(leaders, CollectiveKind::send_receive), ringSends(leaders, S));
            expectTotal(network.make({leaders[0], leaders[1]}, CollectiveKind::send_receive), {{leaders[0], leaders[1], S}});
            std::vector<Send> levels;
            for (std::size_t h = 0; h < hosts.size(); ++h) {
                const std::vector<int> members(ranks.begin() + 4 * static_cast<std::ptrdiff_t>(h), ranks.begin() + 4 * static_cast<std::ptrdiff_t>(h) + 4);
                for (const Send& send : ringSends(members, 2 * 3.0 / 4 * S)) levels.push_back(send);
            }
            for (int slot = 0; slot < 4; ++slot) {
                std::vector<int> rail;
                for (const int h : hosts) rail.push_back(4 * h + slot);
                for (const Send& send : ringSends(rail, 2 * (D - 1) / D * S / 4)) levels.push_back(send);
            }
            expectTotal(network.make(ranks, CollectiveKind::all_reduce, "hierarchical"), levels);
        }
    }
}

TEST(Conservation, NothingIsOnTheLinksOfHostsThatTakeNoPart) {
    Network network(rails(6, 4, 50e9, 1e-6, true));
    const std::vector<int> ranks{4, 5, 6, 7, 16, 17, 18, 19}; // hosts 1 and 4
    const std::vector<std::pair<int, int>> ends = linkEnds(network.fabric);
    for (const char* algorithm : {"ring", "tree", "hierarchical", "nvls"})
        for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::send_receive, CollectiveKind::broadcast}) {
            const std::vector<double> carried = network.carried(network.make(ranks, kind, algorithm), 1e9);
            EXPECT_GT(sumOf(carried), 0);
            for (const int idle : {0, 2, 3, 5}) {
                for (int rank = 4 * idle; rank < 4 * idle + 4; ++rank)
                    EXPECT_EQ(carried[network.fabric.scaleUpOut(rank)] + carried[network.fabric.scaleUpIn(rank)], 0);
                for (std::size_t link = 0; link < ends.size(); ++link)
                    EXPECT_TRUE((ends[link].first != idle && ends[link].second != idle) || carried[link] == 0) << algorithm;
            }
        }
}

/// Messages between single-rank hosts that are all joined to one another: the link names both ends.
std::vector<std::pair<int, int>> messages(Network& network, const TransferPattern& pattern) {
    const std::vector<std::pair<int, int>> ends = linkEnds(network.fabric);
    std::vector<std::pair<int, int>> list;
    for (const PatternPhase& phase : pattern.phases)
        for (const PatternFlows& flows : phase.flows)
            for (const FlowUse& use : flows.uses)
                for (int i = 0; i < static_cast<int>(use.flows + 0.5); ++i) list.push_back(ends[use.link]);
    return list;
}

TEST(Shapes, ARingGoesRoundInTheRanksOrder) {
    RandomSource random(5);
    for (int n = 3; n <= 12; ++n) {
        Network network(fullMesh(n, 1));
        std::vector<int> ranks = network.all();
        random.shuffle(ranks);
        std::set<std::pair<int, int>> wanted;
        for (const Send& send : ringSends(ranks, 1)) wanted.insert({send.from, send.to});
        const auto ring = messages(network, network.make(ranks, CollectiveKind::all_reduce));
        EXPECT_EQ(ring.size(), static_cast<std::size_t>(n));
        EXPECT_EQ((std::set<std::pair<int, int>>(ring.begin(), ring.end())), wanted);
        const auto chain = messages(network, network.make(ranks, CollectiveKind::broadcast));
        wanted.erase({ranks.back(), ranks.front()});
        EXPECT_EQ(chain.size(), static_cast<std::size_t>(n) - 1);
        EXPECT_EQ((std::set<std::pair<int, int>>(chain.begin(), chain.end())), wanted);
    }
}

using Edges = std::vector<std::pair<int, int>>;

/// Steps from `root` to each node along edges (both ways unless `directed`); empty: some node is not reached.
std::vector<int> depths(const Edges& edges, int nodes, int root, bool directed) {
    std::vector<int> depth(static_cast<std::size_t>(nodes), -1);
    depth[static_cast<std::size_t>(root)] = 0;
    std::vector<int> queue{root};
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (const auto& [a, b] : edges)
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
                if (from != queue[i] || depth[static_cast<std::size_t>(to)] >= 0 || (directed && from == b)) continue;
                depth[static_cast<std::size_t>(to)] = depth[static_cast<std::size_t>(from)] + 1;
                queue.push_back(to);
            }
    if (queue.size() < static_cast<std::size_t>(nodes)) depth.clear();
    return depth;
}

/// Whether the edges split into two halves that both suit: all ways are tried.
bool splits(const Edges& edges, const std::function<bool(const Edges&, const Edges&)>& suits) {
    const std::size_t half = edges.size() / 2;
    for (std::uint32_t mask = 0; mask < (1U << (edges.size() - 1)); ++mask) {
        if (static_cast<std::size_t>(__builtin_popcount(mask)) != half) continue;
        Edges a, b;
        for (std::size_t i = 0; i < edges.size(); ++i) ((mask >> i & 1U) != 0 ? a : b).push_back(edges[i]);
        if (suits(a, b)) return true;
    }
    return false;
}

int logarithm(int nodes) {
    int steps = 0;
    while ((1 << steps) < nodes) ++steps;
    return steps;
}

TEST(Shapes, TwoTreesEachNodeInnerInOneAtMost) {
    for (int n = 2; n <= 9; ++n) {
        Network network(fullMesh(n, 1));
        Edges up, down;
        for (const auto& [from, to] : messages(network, network.make(network.all(), CollectiveKind::all_reduce, "tree")))
            (from < to ? up : down).emplace_back(std::min(from, to), std::max(from, to));
        std::sort(up.begin(), up.end());
        std::sort(down.begin(), down.end());
        EXPECT_EQ(up, down) << "every edge is used both ways";
        ASSERT_EQ(up.size(), 2 * static_cast<std::size_t>(n - 1));
        const auto shallow = [&](const Edges& tree) {
            for (int root = 0; root < n; ++root) {
                const std::vector<int> depth = depths(tree, n, root, false);
                if (!depth.empty() && *std::max_element(depth.begin(), depth.end()) <= logarithm(n)) return true;
            }
            return false;
        };
        const auto inner = [&](const Edges& tree) {
            std::vector<int> degree(static_cast<std::size_t>(n), 0);
            for (const auto& [a, b] : tree) ++degree[static_cast<std::size_t>(a)], ++degree[static_cast<std::size_t>(b)];
            return degree;
        };
        EXPECT_TRUE(splits(up, [&](const Edges& a, const Edges& b) {
            if (!shallow(a) || !shallow(b)) return false;
            const std::vector<int> inA = inner(a), inB = inner(b);
            for (std::size_t i = 0; i < inA.size(); ++i)
                if (std::max(inA[i], inB[i]) > 3 || std::min(inA[i], inB[i]) > 1) return false;
            return true;
        })) << n;
    }
}

TEST(Shapes, ABroadcastGoesDownTwoTreesFromItsRoot) {
    for (int n = 2; n <= 9; ++n) {
        Network network(fullMesh(n, 1));
        std::vector<int> ranks = network.all();
        std::rotate(ranks.begin(), ranks.begin() + n / 2, ranks.end());
        const Edges sent = messages(network, network.make(ranks, CollectiveKind::broadcast, "tree"));
        ASSERT_EQ(sent.size(), 2 * static_cast<std::size_t>(n - 1));
        std::vector<int> out(static_cast<std::size_t>(n), 0), in(static_cast<std::size_t>(n), 0);
        for (const auto& [from, to] : sent) ++out[static_cast<std::size_t>(from)], ++in[static_cast<std::size_t>(to)];
        for (int rank = 0; rank < n; ++rank) {
            EXPECT_EQ(in[static_cast<std::size_t>(rank)], rank == ranks.front() ? 0 : 2) << "both halves, the root has them";
            EXPECT_LE(out[static_cast<std::size_t>(rank)], 2) << "nobody sends more than all of it";
        }
        EXPECT_TRUE(splits(sent, [&](const Edges& a, const Edges& b) {
            for (const Edges* tree : {&a, &b}) {
                const std::vector<int> depth = depths(*tree, n, ranks.front(), true);
                if (depth.empty() || *std::max_element(depth.begin(), depth.end()) > logarithm(n)) return false;
            }
            return true;
        })) << n;
    }
}

} // namespace
} // namespace orrery
