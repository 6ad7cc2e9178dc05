// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every generator: sound drawings, stacks that mean the same, parameters that are refused with a mend.

#include "core/base/json.hpp"
#include "core/network/checks.hpp"
#include "core/network/generators/clos_fabrics.hpp"
#include "core/network/generators/generator_table.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/core/network/generators/generated_network.hpp"
#include "tests/support/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace orrery {
namespace {

using namespace orrery::test;

HostSpec hostFor(const Generator& generator) {
    return hostOf(*catalog().platform(generator.id == "racks" ? "gb200-nvl72" : generator.id == "tpu-torus" ? "tpu-v5p-pod"
                                                                                                            : "dgx-h100"));
}

/// The scenario's reader must take the topology; gives the cluster as the simulation sees it.
std::optional<Cluster> readThrough(const Json& topology) {
    const std::int64_t ranks = totalsOf(topology).accelerators;
    const Json scenario{{"format", "orrery-scenario/1"},
                        {"name", "generated"},
                        {"model", {{"preset", "llama-3.1-8b"}}},
                        {"cluster", {{"topology", topology}}},
                        {"workload", {{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", ranks}, {"micro_batch_size", 1}, {"precision", "bf16"}}}};
    const ScenarioReading reading = readScenario(scenario, catalog());
    for (const Problem& problem : reading.problems)
        if (problem.pointer.rfind("/cluster", 0) == 0) ADD_FAILURE() << toText(problem);
    if (!reading.scenario) {
        ADD_FAILURE() << "not read";
        return std::nullopt;
    }
    return reading.scenario->cluster;
}

class EveryGenerator : public ::testing::TestWithParam<std::string> {
protected:
    const Generator& generator() const { return *findGenerator(GetParam()); }
};

TEST_P(EveryGenerator, DrawsWhatReaderAndChecksAccept) {
    for (const double size : {0.0, 1.0}) { // the usual values; then each a little larger, in turn
        for (const GeneratorParameter& parameter : generator().parameters) {
            if (size == 0 && &parameter != &generator().parameters.front()) break;
            ParameterValues values;
            if (size > 0) values[parameter.key] = std::min(parameter.most, parameter.usual + (parameter.kind == ParameterKind::integer ? 4 : 1));
            const GeneratedTopology generated = generator().make(hostFor(generator()), values);
            if (!generated.ok() && parameter.key == "rails") continue;          // the usual k has no room for eight
            if (!generated.ok() && parameter.key == "hosts_per_unit") continue; // nor have 64 ports for 36 hosts
            const GeneratedNetwork network = networkOf(generated);
            for (const Json& link : generated.topology->at("links")) EXPECT_FALSE(link.contains("latency_us")); // the platform's own
            const std::optional<Cluster> cluster = readThrough(generated.topology);
            ASSERT_TRUE(cluster);
            EXPECT_EQ(cluster->hosts(), network.hosts());
            for (const Problem& problem : checkTopology(*cluster, "/cluster/topology")) ADD_FAILURE() << toText(problem);
            const TopologyTotals totals = totalsOf(generated.topology);
            EXPECT_EQ(totals.hosts, network.hosts());
            EXPECT_EQ(totals.switches, network.switches());
            EXPECT_EQ(totals.accelerators, cluster->accelerators());
        }
    }
}

TEST_P(EveryGenerator, StacksMeanTheSameNetwork) {
    bool has = false;
    for (const GeneratorParameter& parameter : generator().parameters) has = has || parameter.key == "stacks";
    if (!has) GTEST_SKIP() << "every host has a place of its own";
    ParameterValues values;
    if (GetParam() == "superpod") values["hosts"] = 75;
    if (GetParam() == "racks") values["racks"] = 3;
    if (GetParam() == "leaf-spine") values["hosts"] = 21;
    if (GetParam() == "sized-fat-tree") values["hosts"] = 50;
    values["oversubscription"] = 2;
    const GeneratedTopology single = generator().make(hostFor(generator()), values);
    values["stacks"] = 1;
    const GeneratedTopology stacked = generator().make(hostFor(generator()), values);
    const GeneratedNetwork one = networkOf(single), other = networkOf(stacked);
    EXPECT_LT(stacked.topology->at("nodes").size(), single.topology->at("nodes").size());
    ASSERT_EQ(one.machines.size(), other.machines.size());
    EXPECT_EQ(totalsOf(single.topology).cables, totalsOf(stacked.topology).cables);
    // Machine by machine in the order of ranks: the same cables to the same places, by whatever name.
    const auto wiring = [](const GeneratedNetwork& network) {
        std::map<std::tuple<int, int>, double> all;
        for (const GeneratedNetwork::Cable& cable : network.cables) all[std::minmax(cable.from, cable.to)] += cable.count * cable.bandwidth;
        return all;
    };
    EXPECT_EQ(wiring(one), wiring(other));
    for (std::size_t i = 0; i < one.machines.size(); ++i) {
        EXPECT_EQ(one.machines[i].isHost, other.machines[i].isHost);
        EXPECT_EQ(one.machines[i].domain, other.machines[i].domain);
        EXPECT_EQ(one.machines[i].accelerators, other.machines[i].accelerators);
    }
}

TEST_P(EveryGenerator, RefusesNonsenseWithAMend) {
    for (const GeneratorParameter& parameter : generator().parameters) {
        if (parameter.kind == ParameterKind::flag) continue;
        for (const double value : {-1.0, 0.0, 3.0, 7.0, 1e4, 3e5, 1e12, -1e12, std::nan("")}) {
            ParameterValues values{{parameter.key, value}, {"stacks", 1}};
            for (int step = 0;; ++step) {
                const GeneratedTopology generated = generator().make(hostFor(generator()), values);
                EXPECT_EQ(generated.topology->is_null(), !generated.ok());
                if (generated.ok()) break;
                ASSERT_LT(step, 4) << parameter.key << " " << value << ": " << toText(generated.problems[0]);
                bool edited = false;
                for (const Problem& problem : generated.problems) {
                    EXPECT_FALSE(problem.message.empty());
                    EXPECT_FALSE(problem.mend.empty()) << problem.message;
                    const std::string key = problem.pointer.substr(1);
                    const auto known = std::find_if(generator().parameters.begin(), generator().parameters.end(),
                                                    [&](const GeneratorParameter& p) { return p.key == key; });
                    EXPECT_NE(known, generator().parameters.end()) << toText(problem);
                    for (const ScenarioEdit& edit : problem.edits) {
                        values[edit.pointer.substr(1)] = edit.value->get<double>();
                        edited = true;
                    }
                }
                if (!edited) break; // the mend is for the user to choose
            }
        }
    }
}

TEST_P(EveryGenerator, WritesTheLatencyThatItIsGiven) {
    HostSpec host = hostFor(generator());
    host.latency = 1.5;
    const GeneratedTopology generated = generator().make(host, {});
    ASSERT_TRUE(generated.ok());
    ASSERT_FALSE(generated.topology->at("links").empty());
    for (const Json& link : generated.topology->at("links")) EXPECT_EQ(link.at("latency_us"), 1.5);
}

std::vector<std::string> ids() {
    std::vector<std::string> all;
    for (const Generator& generator : generators()) all.push_back(generator.id);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Generators, EveryGenerator, ::testing::ValuesIn(ids()), [](const auto& instance) {
    std::string name = instance.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(OneHop, AnyTwoHostsAreAsFarAsTheShortFormSays) {
    for (const OneHopFabric fabric : {OneHopFabric::rail_optimised, OneHopFabric::single_switch, OneHopFabric::own_leaf})
        for (const int hosts : {1, 2, 9, 64, 65, 200, 1000}) {
            OneHop cluster{hostOf(*catalog().platform("dgx-h100")), hosts, fabric, fabric == OneHopFabric::own_leaf ? 2.5 : 1};
            const GeneratedTopology generated = generateOneHop(cluster);
            const GeneratedNetwork network = networkOf(generated);
            ASSERT_EQ(network.hosts(), hosts);
            EXPECT_LE(generated.topology->at("nodes").size(), 140u);
            ASSERT_TRUE(readThrough(generated.topology));
            if (hosts == 1) continue;
            const double wanted = fabric == OneHopFabric::own_leaf ? 400 / 2.5 : 400;
            EXPECT_NEAR(network.cut({0}, {hosts - 1}), wanted, 1e-6);
        }
}

TEST(Platforms, EveryOneOfTheCatalogueMakesACluster) {
    for (const Platform& platform : catalog().platforms()) {
        const HostSpec host = hostOf(platform);
        EXPECT_EQ(host.accelerators, platform.acceleratorsPerNode);
        EXPECT_EQ(host.latency.has_value(), !platform.usual);
        const GeneratedTopology generated = findGenerator("leaf-spine")->make(host, {});
        ASSERT_TRUE(generated.ok()) << platform.id;
    }
}

} // namespace
} // namespace orrery
