// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/network/network_speed.hpp"
#include "tests/core/scenario/scenario_fixture.hpp"

// The drawn form of the cluster.

namespace orrery::test {
namespace {

Json drawnDocument() {
    Json document = soundDocument();
    document["cluster"] = Json::parse(R"({"topology": {
        "nodes": [
            {"id": "rack-a", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8, "replicas": 4},
            {"id": "leaf", "kind": "switch"},
            {"id": "rack-b", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8, "replicas": 4}
        ],
        "links": [
            {"from": "rack-a", "to": "leaf", "bandwidth_gb_s": 50, "latency_us": 1.3, "count": 8},
            {"from": "rack-b", "to": "leaf", "bandwidth_gb_s": 50, "count": 8}
        ]}})");
    return document;
}

Json drawn(const std::string& pointer, Json value) {
    Json document = drawnDocument();
    document[Json::json_pointer("/cluster/topology" + pointer)] = std::move(value);
    return document;
}

TEST(DrawnCluster, IsReadInFileOrder) {
    const ScenarioReading reading = read(drawnDocument());
    ASSERT_TRUE(reading.scenario.has_value()) << listed(reading.problems);
    const Cluster& cluster = reading.scenario->cluster;
    EXPECT_TRUE(cluster.drawn);
    EXPECT_EQ(cluster.accelerators(), 64);
    EXPECT_EQ(cluster.hosts(), 8);
    ASSERT_EQ(cluster.nodes.size(), 3u);
    EXPECT_EQ(cluster.nodes[0].id, "rack-a");
    EXPECT_EQ(cluster.nodes[1].kind, NodeKind::switch_);
    ASSERT_EQ(cluster.links.size(), 2u);
    EXPECT_DOUBLE_EQ(cluster.links[0].bandwidth, 50e9);
    EXPECT_DOUBLE_EQ(cluster.links[0].latency, 1.3e-6);
    EXPECT_EQ(cluster.links[0].count, 8);
    EXPECT_DOUBLE_EQ(cluster.scaleUpBandwidth, 450e9);
    EXPECT_EQ(assumed(*reading.scenario, "/cluster/topology/links/0/latency_us"), nullptr);
    EXPECT_NE(assumed(*reading.scenario, "/cluster/topology/links/1/latency_us"), nullptr);
    EXPECT_NE(assumed(*reading.scenario, "/cluster/scale_up/bandwidth_gb_s"), nullptr);
}

/// Eight 50 GB/s cables on eight accelerators are a network of 50 GB/s, as a short form would say it: twice as much makes each cable twice as fast.
TEST(DrawnCluster, AStatedNetworkSpeedIsThatOfAllLinks) {
    Json stated = drawnDocument(), byHand = drawnDocument(), asDrawn = drawnDocument();
    stated["cluster"]["scale_out"] = Json{{"bandwidth_gb_s", 100}};
    asDrawn["cluster"]["scale_out"] = Json{{"bandwidth_gb_s", 50}};
    for (Json& link : byHand["cluster"]["topology"]["links"]) link["bandwidth_gb_s"] = 100;
    const ScenarioReading one = read(stated), other = read(byHand), same = read(asDrawn);
    ASSERT_TRUE(one.scenario && other.scenario && same.scenario) << listed(one.problems) << listed(same.problems);
    EXPECT_TRUE(one.problems.size() == other.problems.size()) << listed(one.problems);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_DOUBLE_EQ(one.scenario->cluster.links[i].bandwidth, other.scenario->cluster.links[i].bandwidth);
        EXPECT_DOUBLE_EQ(same.scenario->cluster.links[i].bandwidth, 50e9);
    }
    EXPECT_DOUBLE_EQ(networkSpeed(one.scenario->cluster.nodes, one.scenario->cluster.links), 100e9);
    EXPECT_DOUBLE_EQ(statedNetworkSpeed(stated["cluster"]).value_or(0), 100);
    EXPECT_DOUBLE_EQ(statedNetworkSpeed(byHand["cluster"]).value_or(0), 100);
}

/// Shares stay: a leaf's narrow way up is as much narrower as before.
TEST(DrawnCluster, AStatedNetworkSpeedKeepsTheSharesOfLinks) {
    Json document = drawnDocument();
    document["cluster"]["topology"]["nodes"].push_back({{"id", "spine"}, {"kind", "switch"}});
    document["cluster"]["topology"]["links"].push_back({{"from", "leaf"}, {"to", "spine"}, {"bandwidth_gb_s", 200}, {"latency_us", 1}});
    document["cluster"]["scale_out"] = Json{{"bandwidth_gb_s", 25}};
    const ScenarioReading reading = read(document);
    ASSERT_TRUE(reading.scenario) << listed(reading.problems);
    EXPECT_DOUBLE_EQ(reading.scenario->cluster.links[0].bandwidth, 25e9);
    EXPECT_DOUBLE_EQ(reading.scenario->cluster.links[2].bandwidth, 100e9);
}

TEST(DrawnCluster, WhatElseANetworkHasIsSaidByTheDrawing) {
    for (const char* key : {"latency_us", "domain_size", "oversubscription"}) {
        Json document = drawnDocument();
        document["cluster"]["scale_out"] = Json{{key, 2}};
        const ScenarioReading reading = read(document);
        ASSERT_TRUE(reading.scenario) << listed(reading.problems);
        EXPECT_TRUE(std::any_of(reading.problems.begin(), reading.problems.end(), [&](const Problem& p) { return p.code == "no-effect" && p.pointer == std::string("/cluster/scale_out/") + key; })) << key;
    }
}

TEST(DrawnCluster, ALinkOfZeroBandwidth) {
    expectProblem(drawn("/links/1/bandwidth_gb_s", 0), "out-of-range", "/cluster/topology/links/1/bandwidth_gb_s",
                  "bandwidth_gb_s must be greater than 0, but is 0.");
}

/// What the topology's own checks find is reported below /cluster/topology and names the node.
void expectTopologyProblem(const Json& document, const std::string& names) {
    const ScenarioReading reading = read(document);
    EXPECT_FALSE(reading.scenario.has_value());
    const bool named = std::any_of(reading.problems.begin(), reading.problems.end(), [&](const Problem& p) {
        return p.severity == Severity::error && p.pointer.starts_with("/cluster/topology") && p.message.find(names) != std::string::npos &&
               !p.mend.empty();
    });
    EXPECT_TRUE(named) << "nothing names " << names << ":\n"
                       << listed(reading.problems);
}

TEST(DrawnCluster, TopologyMistakesNameTheNode) {
    Json unreachable = drawnDocument();
    unreachable["cluster"]["topology"]["links"].erase(1);
    expectTopologyProblem(unreachable, "rack-b");
    expectTopologyProblem(drawn("/links/0/to", "spine"), "spine");
    expectTopologyProblem(drawn("/nodes/2/id", "rack-a"), "rack-a");
    expectTopologyProblem(drawn("/nodes/2/count", 0), "rack-b");
    expectTopologyProblem(drawn("/links/0/to", "rack-a"), "rack-a");
}

TEST(DrawnCluster, HostsNameAnAccelerator) {
    Json document = drawnDocument();
    document["cluster"]["topology"]["nodes"][2].erase("accelerator");
    expectProblem(document, "missing-key", "/cluster/topology/nodes/2/accelerator", "Host \"rack-b\" names no accelerator.");
    document["cluster"]["accelerator"] = "h100-sxm5-80gb";
    EXPECT_TRUE(read(document).scenario.has_value()) << listed(read(document).problems);
    expectProblem(drawn("/nodes/2/accelerator", "a100-sxm4-80gb"), "not-supported-yet", "/cluster/topology/nodes/2/accelerator",
                  "Hosts with different accelerators in one cluster are not supported yet.");
    expectMendWorks(drawn("/nodes/2/accelerator", "a100-sxm4-80gb"), "not-supported-yet");
    expectProblem(drawn("/nodes", Json::array({Json{{"id", "s"}, {"kind", "switch"}}})), "no-host", "/cluster/topology/nodes",
                  "The drawing has no host.");
    expectProblem(drawn("/nodes", Json::array()), "no-host", "/cluster/topology/nodes", "The drawing has no host.");
}

TEST(ShortForm, DomainsHoldWholeNodes) {
    Json document = changed("/cluster/scale_up", Json{{"domain_size", 12}});
    expectProblem(document, "domain-not-whole-nodes", "/cluster/scale_up/domain_size",
                  "A scale-up domain of 12 accelerators does not hold whole nodes of 8.");
    expectMendWorks(document, "domain-not-whole-nodes");
    EXPECT_TRUE(read(changed("/cluster/scale_up", Json{{"domain_size", 32}})).scenario.has_value());
}

TEST(ShortForm, AClusterLargerThanAny) {
    Json document = changed("/cluster/nodes", 100'000);
    at(document, "/cluster/accelerators_per_node") = 4096;
    expectProblem(document, "out-of-range", "/cluster/nodes", "A cluster of 409600000 accelerators is larger than any.");
}

TEST(ShortForm, AnAcceleratorMayBeDescribedInPlace) {
    Json document = soundDocument();
    document["cluster"]["accelerator"] = Json::parse(R"({
        "id": "mine", "name": "My chip", "vendor": "me", "release_year": 2025,
        "peak_dense_tflops": {"bf16": 500, "fp16": 500, "fp32": 60}, "vector_tflops": {"fp32": 60},
        "memory_gb": 96, "memory_bytes": 96000000000, "memory_gb_per_s": 4000, "l2_mb": 50, "l2_gb_per_s": null, "sm_or_cu_count": 100,
        "scale_up": {"link": "x", "gb_per_s_per_direction": 300, "gb_per_s_bidirectional": 600}, "scale_up_domain_size": 8,
        "host_link": {"type": "PCIe", "gb_per_s_per_direction": 60}, "typical_nic_gbps_per_accelerator": 200, "tdp_w": 600})");
    const ScenarioReading reading = read(document);
    ASSERT_TRUE(reading.scenario.has_value()) << listed(reading.problems);
    EXPECT_EQ(reading.scenario->cluster.accelerator.id, "mine");
    EXPECT_EQ(*assumed(*reading.scenario, "/cluster/scale_up/bandwidth_gb_s")->value, 300);
    EXPECT_EQ(*assumed(*reading.scenario, "/cluster/scale_out/bandwidth_gb_s")->value, 25);
    document["cluster"]["accelerator"]["memory_gbs"] = 1;
    expectProblem(document, "unknown-key", "/cluster/accelerator/memory_gbs",
                  "There is no key \"memory_gbs\" in /cluster/accelerator; the nearest known key is \"memory_gb\".");
}

} // namespace
} // namespace orrery::test
