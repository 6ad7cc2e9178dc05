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

Problem soleProblem(const Cluster& cluster) {
    const Problems problems = checkTopology(cluster, "/cluster/topology");
    EXPECT_EQ(problems.size(), 1u);
    for (const Problem& problem : problems) EXPECT_FALSE(problem.mend.empty()) << toText(problem);
    if (problems.empty()) return {};
    EXPECT_EQ(problems[0].severity, Severity::error);
    return problems[0];
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
    EXPECT_EQ(problem.edits[0].value, "b-2");
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
    EXPECT_EQ(problem.edits[0].value, "leaf");
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
    EXPECT_EQ(problem.edits[0].value, 8);
    cluster.nodes = {switchNode("leaf")};
    cluster.links.clear();
    EXPECT_EQ(soleProblem(cluster).code, "no-host");
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

    // Done as offered, the drawing is sound.
    const Json& link = problem.edits[0].value;
    cluster.links.push_back(cable(link.at("from").get<std::string>(), link.at("to").get<std::string>(), link.at("bandwidth_gb_s").get<double>() * 1e9,
                                  link.at("latency_us").get<double>() * 1e-6, link.at("count").get<int>()));
    EXPECT_TRUE(checkTopology(cluster, "/cluster/topology").empty());
    EXPECT_EQ(place(cluster, RankSpan{0, 1, 24}).scaleOutBandwidth, 50e9);
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

TEST(CheckTopology, AHostDoesNotForward) {
    // A chain of three hosts: the ends can't reach each other.
    const Cluster cluster = drawn({host("a", 8), host("b", 8), host("c", 8)}, {cable("a", "b", 1e9, 0), cable("b", "c", 1e9, 0)});
    const Problems problems = checkTopology(cluster, "/cluster/topology");
    ASSERT_FALSE(problems.empty());
    EXPECT_EQ(problems[0].code, "unreachable-host");
}

} // namespace
} // namespace orrery
