// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/network/network_fixture.hpp"

#include <cmath>

namespace orrery {
namespace {

using namespace orrery::test;

/// Three hosts on a switch: nothing wrong with it.
Cluster sound() {
    return drawn({host("a", 8), host("b", 8), host("c", 8), switchNode("leaf")},
                 {cable("a", "leaf", 50e9, 1e-6, 8), cable("b", "leaf", 50e9, 1e-6, 8), cable("c", "leaf", 50e9, 1e-6, 8)});
}

Problem soleProblem(const Cluster& cluster, const NodeLabels& labels = {}) {
    const Problems problems = checkTopology(cluster, "/cluster/topology", labels);
    EXPECT_EQ(problems.size(), 1u);
    for (const Problem& problem : problems) EXPECT_FALSE(problem.mend.empty()) << toText(problem);
    if (problems.empty()) return {};
    EXPECT_EQ(problems[0].severity, Severity::error);
    return problems[0];
}

void expectSound(const Cluster& cluster) {
    for (const Problem& problem : checkTopology(cluster, "/cluster/topology")) ADD_FAILURE() << toText(problem);
}

/// The drawing as a mend leaves it: the edits are done one after the other, as the window does them.
Cluster mended(Cluster cluster, const Problem& problem) {
    EXPECT_FALSE(problem.edits.empty()) << toText(problem);
    const std::string at = "/cluster/topology/links/";
    for (const ScenarioEdit& edit : problem.edits) {
        if (edit.pointer.compare(0, at.size(), at) != 0) {
            ADD_FAILURE() << "an edit of " << edit.pointer;
            continue;
        }
        const auto index = static_cast<std::size_t>(std::stoul(edit.pointer.substr(at.size())));
        if (edit.value->is_null()) cluster.links.erase(cluster.links.begin() + static_cast<std::ptrdiff_t>(index));
        else if (edit.value->is_number()) cluster.links.at(index).count = edit.value->get<int>();
        else if (index == cluster.links.size())
            cluster.links.push_back(cable(edit.value->at("from").get<std::string>(), edit.value->at("to").get<std::string>(),
                                          edit.value->at("bandwidth_gb_s").get<double>() * 1e9, edit.value->at("latency_us").get<double>() * 1e-6,
                                          edit.value->at("count").get<int>()));
        else ADD_FAILURE() << "no link " << index;
    }
    return cluster;
}

bool names(const Problem& problem, const std::string& word) { return problem.message.find(word) != std::string::npos; }

TEST(CheckTopology, FindsNothingWrongWithASoundDrawing) { EXPECT_TRUE(checkTopology(sound(), "/cluster/topology").empty()); }

TEST(CheckTopology, NamesADuplicateId) {
    Cluster cluster = sound();
    cluster.nodes[3].id = "b";
    cluster.links = {cable("a", "b", 1e9, 0), cable("b", "c", 1e9, 0)};
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "duplicate-id");
    EXPECT_EQ(problem.pointer, "/cluster/topology/nodes/3/id");
    ASSERT_EQ(problem.edits.size(), 1u);
    EXPECT_EQ(*problem.edits[0].value, "b-2");
}

TEST(CheckTopology, NamesALinkOfZeroOrNegativeBandwidth) {
    for (const double bandwidth : {0.0, -50e9, std::nan("")}) {
        Cluster cluster = sound();
        cluster.links[1].bandwidth = bandwidth;
        const Problem problem = soleProblem(cluster);
        EXPECT_EQ(problem.code, "zero-bandwidth");
        EXPECT_EQ(problem.pointer, "/cluster/topology/links/1/bandwidth_gb_s");
        EXPECT_TRUE(names(problem, "\"b\"") && names(problem, "\"leaf\"")) << problem.message;
        EXPECT_EQ(problem.edits.size(), 1u);
    }
}

TEST(CheckTopology, NamesANegativeLatencyAndAMissingCable) {
    Cluster cluster = sound();
    cluster.links[2].latency = -1e-6;
    EXPECT_EQ(soleProblem(cluster).pointer, "/cluster/topology/links/2/latency_us");
    cluster = sound();
    cluster.links[0].count = 0;
    EXPECT_EQ(soleProblem(cluster).pointer, "/cluster/topology/links/0/count");
}

TEST(CheckTopology, NamesALooseEndAndWhatItMayHaveMeant) {
    Cluster cluster = sound();
    cluster.links[2].to = "leef";
    Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "unknown-node");
    EXPECT_EQ(problem.pointer, "/cluster/topology/links/2/to");
    EXPECT_TRUE(names(problem, "\"leef\""));
    ASSERT_EQ(problem.edits.size(), 1u);
    EXPECT_EQ(*problem.edits[0].value, "leaf");
    cluster.links[2].to = "storage-east";
    problem = soleProblem(cluster);
    EXPECT_TRUE(problem.edits.empty()) << "a guess that is far off is no mend";
}

TEST(CheckTopology, NamesALinkToItself) {
    Cluster cluster = sound();
    cluster.links.push_back(cable("a", "a", 1e9, 0));
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "self-link");
    EXPECT_EQ(problem.pointer, "/cluster/topology/links/3/to");
}

TEST(CheckTopology, NamesAHostWithoutAccelerators) {
    Cluster cluster = sound();
    cluster.nodes[1].count = 0;
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "host-without-accelerators");
    EXPECT_EQ(problem.pointer, "/cluster/topology/nodes/1/count");
    EXPECT_TRUE(names(problem, "\"b\""));
    ASSERT_EQ(problem.edits.size(), 1u);
    EXPECT_EQ(*problem.edits[0].value, 8);
    cluster.nodes = {switchNode("leaf")};
    cluster.links.clear();
    EXPECT_EQ(soleProblem(cluster).code, "no-host");
}

TEST(CheckTopology, CallsNodesAsTheDrawingDoes) {
    Cluster cluster = sound();
    const NodeLabels labels{{"a", "Training host 1"}, {"b", "Lone host"}, {"leaf", "Rail 0"}};
    cluster.links[0].bandwidth = 0;
    const Problem link = soleProblem(cluster, labels);
    EXPECT_TRUE(names(link, "Training host 1 (\"a\")")) << link.message;
    EXPECT_TRUE(names(link, "Rail 0 (\"leaf\")")) << link.message;
    cluster = sound();
    cluster.links.erase(cluster.links.begin() + 1);
    const Problem host = soleProblem(cluster, labels);
    EXPECT_TRUE(names(host, "Lone host (\"b\")")) << host.message;
    EXPECT_NE(host.mend.find("Rail 0 (\"leaf\")"), std::string::npos) << host.mend;
    EXPECT_FALSE(host.edits.empty());
    EXPECT_EQ(host.edits[0].value->at("to"), "leaf"); // links refer to the id
}

TEST(CheckTopology, RefusesMixedAcceleratorsForNow) {
    Cluster cluster = sound();
    cluster.nodes[2].accelerator = "b200-sxm-180gb";
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "not-supported-yet");
    EXPECT_EQ(problem.pointer, "/cluster/topology/nodes/2/accelerator");
    EXPECT_TRUE(names(problem, "b200-sxm-180gb") && names(problem, "h100-sxm5-80gb"));
}

TEST(CheckTopology, NamesTheHostThatNoLinkReachesAndOffersOne) {
    Cluster cluster = sound();
    cluster.links.erase(cluster.links.begin()); // host a, the first one, is the lonely one
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "unreachable-host");
    EXPECT_EQ(problem.pointer, "/cluster/topology/nodes/0");
    EXPECT_TRUE(names(problem, "\"a\"")) << problem.message;
    ASSERT_EQ(problem.edits.size(), 1u);
    EXPECT_EQ(problem.edits[0].pointer, "/cluster/topology/links/2");
    cluster = mended(cluster, problem);
    EXPECT_EQ(cluster.links[2].to, "leaf");
    EXPECT_EQ(cluster.links[2].bandwidth, 50e9);
    EXPECT_EQ(cluster.links[2].count, 8);
    expectSound(cluster);
}

TEST(CheckTopology, OffersAHostTheRailsOfItsSiblings) {
    std::vector<TopologyNode> nodes{host("a", 8), host("b", 8), host("c", 8)};
    std::vector<TopologyLink> links;
    for (int rail = 0; rail < 8; ++rail) {
        nodes.push_back(switchNode("rail-" + std::to_string(rail)));
        for (const char* id : {"a", "b"}) links.push_back(cable(id, nodes.back().id, 50e9, 1e-6));
    }
    const Cluster cluster = drawn(nodes, links);
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.pointer, "/cluster/topology/nodes/2");
    EXPECT_EQ(problem.edits.size(), 8u);
    expectSound(mended(cluster, problem));
}

TEST(CheckTopology, NamesAPartitionOnceAndOffersATrunk) {
    // Two pods of 20 and 12 hosts, each with its own leaf and spine.
    std::vector<TopologyNode> nodes{switchNode("spine-0"), switchNode("spine-1"), switchNode("leaf-0"), switchNode("leaf-1")};
    std::vector<TopologyLink> links{cable("leaf-0", "spine-0", 50e9, 1e-6, 160), cable("leaf-1", "spine-1", 50e9, 1e-6, 96)};
    for (int i = 0; i < 32; ++i) {
        nodes.push_back(host("dgx-" + std::to_string(i), 8));
        links.push_back(cable(nodes.back().id, i < 20 ? "leaf-0" : "leaf-1", 50e9, 1e-6, 8));
    }
    const Cluster cluster = drawn(nodes, links);
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "partitioned");
    EXPECT_EQ(problem.pointer, "/cluster/topology/nodes/24"); // dgx-20: the smaller part is the one that is cut off
    EXPECT_TRUE(names(problem, "\"dgx-20\"") && names(problem, "10 more") && names(problem, "\"dgx-0\"")) << problem.message;
    const Cluster joined = mended(cluster, problem);
    EXPECT_EQ(joined.links.back().from, "spine-1");
    EXPECT_EQ(joined.links.back().to, "spine-0");
    EXPECT_EQ(joined.links.back().count, 96); // as wide as what the twelve can send
    expectSound(joined);
}

TEST(CheckTopology, NamesHostsWithoutAnyLinkOnce) {
    const Cluster cluster = drawn({host("a", 8), host("b", 8), host("c", 8)}, {});
    const Problem problem = soleProblem(cluster);
    EXPECT_TRUE(names(problem, "\"b\" and \"c\"") && names(problem, "\"a\"")) << problem.message;
}

TEST(CheckTopology, ReachGoesOverEveryPairNotOneHostOnly) {
    // b is on both leaves and reaches everyone; a and c are each on one, and nobody forwards for them.
    const Cluster cluster = drawn({host("a", 8), host("b", 8), host("c", 8), switchNode("left"), switchNode("right")},
                                  {cable("a", "left", 50e9, 0, 8), cable("b", "left", 50e9, 0, 4), cable("b", "right", 50e9, 0, 4),
                                   cable("c", "right", 50e9, 0, 8)});
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "unreachable-host");
    EXPECT_TRUE(names(problem, "\"a\"") && names(problem, "\"c\"")) << problem.message;
    expectSound(mended(cluster, problem));
}

TEST(CheckTopology, SwitchLoopsAreSoundAndACableDrawnTwiceIsSaid) {
    Cluster ring = sound();
    for (const char* id : {"s1", "s2", "s3"}) ring.nodes.push_back(switchNode(id));
    for (const auto& [from, to] : {std::pair("leaf", "s1"), {"s1", "s2"}, {"s2", "s3"}, {"s3", "leaf"}}) ring.links.push_back(cable(from, to, 50e9, 0));
    expectSound(ring);

    Cluster twice = sound();
    twice.links.push_back(cable("leaf", "b", 50e9, 1e-6, 4)); // the other way around: the same ends all the same
    const Problems problems = checkTopology(twice, "/cluster/topology");
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].code, "parallel-links");
    EXPECT_EQ(problems[0].severity, Severity::warning);
    EXPECT_EQ(problems[0].pointer, "/cluster/topology/links/3");
    const Cluster merged = mended(twice, problems[0]);
    ASSERT_EQ(merged.links.size(), 3u);
    EXPECT_EQ(merged.links[1].count, 12);
    expectSound(merged);

    twice.links.back().bandwidth = 25e9; // another sort of cable
    expectSound(twice);
}

TEST(CheckTopology, DimensionOrderNeedsAPlaceForEach) {
    Cluster torus = drawn({host("a", 4), host("b", 4), host("c", 4), host("d", 4)},
                          {cable("a", "b", 1e9, 0), cable("b", "c", 1e9, 0), cable("c", "d", 1e9, 0), cable("d", "a", 1e9, 0)});
    torus.routing = RoutingKind::dimension_order;
    EXPECT_EQ(soleProblem(torus).code, "missing-coordinates");
    EXPECT_EQ(soleProblem(torus).edits.size(), 1u);
    for (int i = 0; i < 4; ++i) torus.nodes[static_cast<std::size_t>(i)].coordinates = {i};
    expectSound(torus);
    torus.nodes[3].coordinates = {1};
    Problem problem = soleProblem(torus);
    EXPECT_EQ(problem.code, "coordinates-taken");
    EXPECT_EQ(problem.pointer, "/cluster/topology/nodes/3/coordinates");
    EXPECT_TRUE(names(problem, "\"b\"") && names(problem, "\"d\""));
    torus.nodes[3].coordinates = {3, 0};
    EXPECT_EQ(soleProblem(torus).code, "coordinates-differ");
}

TEST(CheckTopology, ValiantNeedsAThirdGroup) {
    Cluster cluster = sound();
    cluster.routing = RoutingKind::valiant;
    const Problems problems = checkTopology(cluster, "/cluster/topology");
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].severity, Severity::warning);
    EXPECT_EQ(problems[0].pointer, "/cluster/topology/routing");
}

TEST(CheckTopology, ReplicasMustReachEachOther) {
    Cluster cluster = drawn({host("pod", 8, 4)}, {});
    Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "unreachable-host");
    EXPECT_TRUE(names(problem, "4 hosts"));
    cluster.nodes[0].domain = "rack"; // one scale-up fabric joins them
    EXPECT_TRUE(checkTopology(cluster, "/cluster/topology").empty());

    // Each with a leaf of its own, and no spine.
    cluster = drawn({host("pod", 8, 4), switchNode("leaf", 4)}, {cable("pod", "leaf", 400e9, 0)});
    EXPECT_EQ(soleProblem(cluster).code, "unreachable-host");
    cluster.nodes.push_back(switchNode("spine"));
    cluster.links.push_back(cable("leaf", "spine", 400e9, 0));
    EXPECT_TRUE(checkTopology(cluster, "/cluster/topology").empty());

    cluster.nodes[1].replicas = 3;
    EXPECT_EQ(soleProblem(cluster).code, "replicas-differ");
}

TEST(CheckTopology, AHostOnASwitchDoesNotForward) {
    // c hangs on b, which has a switch of its own: only b hears it.
    Cluster cluster = drawn({host("a", 8), host("b", 8), host("c", 8), switchNode("leaf")},
                            {cable("a", "leaf", 1e9, 0), cable("b", "leaf", 1e9, 0), cable("b", "c", 1e9, 0)});
    const Problem problem = soleProblem(cluster);
    EXPECT_EQ(problem.code, "unreachable-host");
    EXPECT_TRUE(names(problem, "\"c\"") || names(problem, "\"a\"")) << problem.message;

    // Without the switch all three forward.
    cluster.nodes.pop_back();
    cluster.links = {cable("a", "b", 1e9, 0), cable("b", "c", 1e9, 0)};
    expectSound(cluster);
    // And a fourth that has no link is offered one to them.
    cluster.nodes.push_back(host("d", 8));
    expectSound(mended(cluster, soleProblem(cluster)));
}

TEST(CheckTopology, ALargeBrokenDrawingIsOneProblem) {
    // 4,096 racks, each a scale-up domain, half of them on another leaf that leads nowhere.
    std::vector<TopologyNode> nodes{switchNode("east"), switchNode("west")};
    std::vector<TopologyLink> links;
    for (int i = 0; i < 4096; ++i) {
        nodes.push_back(host("rack-" + std::to_string(i), 4, 18, "domain-" + std::to_string(i)));
        links.push_back(cable(nodes.back().id, i % 2 ? "west" : "east", 50e9, 0, 4));
    }
    const Problem problem = soleProblem(drawn(nodes, links));
    EXPECT_EQ(problem.code, "partitioned");
}

} // namespace
} // namespace orrery
