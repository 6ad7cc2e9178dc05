// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"

#include <gtest/gtest.h>

#include <cmath>

// Cells that can't be told apart run as one, with the same answer as each by itself.

namespace orrery::test {
namespace {

/// Lanes of each stage that folding leaves.
std::vector<int> lanesOf(const Scenario& scenario, Folding folding = Folding::exact) {
    JobTraffic traffic(scenario);
    const CostModel cost = costModelOf(scenario);
    const Parallelism& plan = scenario.parallelism;
    const RankWork work = makeRankWork(scenario, scenario.execution.recompute, cost, traffic);
    const Iteration iteration = buildIteration(scenario, work, traffic, LaneMap(plan.pipeline, plan.data));
    std::vector<JobTraffic::Id> used;
    for (const TransferUse& use : iteration.transfers) used.push_back(use.patterns);
    const JobSymmetry symmetry(scenario, traffic, used, folding);
    std::vector<int> lanes;
    int cells = 0;
    for (int stage = 0; stage < plan.pipeline; ++stage) lanes.push_back(symmetry.lanes().count(stage));
    for (const Lane& lane : symmetry.lanes().lanes()) cells += lane.cells;
    EXPECT_EQ(cells, plan.pipeline * plan.data);
    return lanes;
}

/// Iteration time and every stage's breakdown agree to `tolerance` of the iteration.
void expectSameAnswer(const Scenario& scenario, double tolerance = 1e-9) {
    const ResultPtr folded = simulate(scenario, {}, Folding::exact).result;
    const ResultPtr single = simulate(scenario, {}, Folding::none).result;
    ASSERT_TRUE(folded && single);
    const TrainingMetrics& a = *folded->training();
    const TrainingMetrics& b = *single->training();
    const double allowed = tolerance * b.iterationTime;
    EXPECT_NEAR(a.iterationTime, b.iterationTime, allowed);
    EXPECT_NEAR(a.bubbleFraction, b.bubbleFraction, tolerance);
    EXPECT_NEAR(a.interference, b.interference, allowed);
    ASSERT_EQ(a.stages.size(), b.stages.size());
    for (std::size_t p = 0; p < timePartCount; ++p) {
        EXPECT_NEAR(a.breakdown[p], b.breakdown[p], allowed) << toString(static_cast<TimePart>(p)) << " of the closing stage";
        for (std::size_t stage = 0; stage < a.stages.size(); ++stage)
            EXPECT_NEAR(a.stages[stage][p], b.stages[stage][p], allowed) << toString(static_cast<TimePart>(p)) << " of stage " << stage;
    }
}

struct Plan {
    int tensor = 1, pipeline = 1, data = 1;
    int hosts() const { return tensor * pipeline * data / 8; }
};

/// t 1 … 8, p 1 … 4, d 2 … 32 on whole hosts of 8.
Plan randomPlan(RandomSource& random) {
    Plan plan;
    do {
        plan.tensor = random.pick<int>({1, 2, 4, 8});
        plan.pipeline = random.pick<int>({1, 2, 4});
        plan.data = random.pick<int>({2, 3, 4, 8, 12, 16, 32});
    } while (plan.tensor * plan.pipeline * plan.data % 8 != 0 || plan.hosts() > 32);
    return plan;
}

Json randomCluster(RandomSource& random, int hosts) {
    switch (random.below(7)) {
    case 0: {
        Json cluster = shortH100(hosts);
        cluster["scale_out"] = {{"oversubscription", random.pick<double>({1, 2, 3.5})}};
        return cluster;
    }
    case 1: {
        Json cluster = shortH100(hosts);
        if (hosts % 2 == 0) cluster["scale_up"] = {{"domain_size", 16}};
        if (random.chance(0.5)) cluster["scale_out"] = {{"latency_us", 1.5}};
        return cluster;
    }
    case 2: {
        SuperPod pod;
        pod.host = h100Host();
        pod.hosts = hosts;
        pod.hostsPerUnit = random.pick<int>({1, 2, 4});
        pod.switchPorts = hosts > 16 ? 64 : 16;
        pod.oversubscription = random.pick<double>({1, 2});
        pod.stacks = random.chance(0.5);
        return drawnCluster(generateSuperPod(pod));
    }
    case 3:
    case 4: {
        LeafSpine fabric;
        fabric.host = h100Host(hosts % 2 == 0 && random.chance(0.3) ? 2 : 1);
        fabric.host.nics = random.pick<int>({1, 4, 8});
        fabric.hosts = hosts;
        fabric.hostsPerLeaf = random.pick<int>({2, 3, 4});
        fabric.oversubscription = random.pick<double>({1, 3, 8});
        return drawnCluster(generateLeafSpine(fabric));
    }
    case 5: {
        Torus torus;
        torus.host = h100Host();
        torus.extents = hosts % 4 == 0 ? std::vector<int>{4, hosts / 4} : std::vector<int>{hosts, 1};
        if (hosts > 2) return drawnCluster(generateTorus(torus));
        return shortH100(hosts);
    }
    default: {
        SizedFatTree tree;
        tree.host = h100Host();
        tree.host.nics = random.pick<int>({2, 8});
        tree.hosts = hosts;
        tree.oversubscription = random.pick<double>({1, 2});
        return drawnCluster(generateSizedFatTree(tree));
    }
    }
}

void addWhatIfs(RandomSource& random, Json& document, const Plan& plan) {
    Json& execution = document["execution"];
    Json& cluster = document["cluster"];
    if (random.chance(0.3)) {
        Json stragglers = Json::array();
        for (std::size_t i = 0; i < random.between(std::size_t{1}, std::size_t{3}); ++i)
            stragglers.push_back({{"rank", random.below(static_cast<std::size_t>(plan.hosts()) * 8)}, {"slowdown", random.pick<double>({1.1, 1.5})}});
        execution["stragglers"] = stragglers;
    }
    if (!cluster.contains("topology") || !cluster["topology"].contains("links") || cluster["topology"]["links"].empty()) return;
    const Json& links = cluster["topology"]["links"];
    if (random.chance(0.4)) {
        const Json& link = links[random.below(links.size())];
        Json change{{"from", link["from"]}, {"to", link["to"]}, {"factor", random.pick<double>({0.5, 0.9})}};
        if (random.chance(0.3)) change["nic"] = 0;
        if (random.chance(0.3)) change["added_latency_us"] = 7;
        execution["degraded_links"] = {change};
    }
    if (random.chance(0.4)) {
        const Json& nodes = cluster["topology"]["nodes"];
        Json traffic = Json::array();
        for (int i = 0; i < 2; ++i) {
            const Json& from = nodes[random.below(static_cast<std::size_t>(plan.hosts()) / 2 + 1) % nodes.size()];
            const Json& to = nodes[random.below(nodes.size())];
            if (from["id"] == to["id"] || from["kind"] != "host" || to["kind"] != "host") continue;
            traffic.push_back({{"from", from["id"]}, {"to", to["id"]}, {"bandwidth_gb_s", random.pick<double>({10, 40, 200})}});
        }
        if (!traffic.empty()) cluster["topology"]["traffic"] = traffic;
    }
}

/// Tensor groups inside one host, as everybody places them. Spread over hosts, all their collectives share links with everything
/// else, and that amplifies rounding errors by orders of magnitude within an iteration: they have a test of their own.
Json randomJob(RandomSource& random) {
    const Plan plan = randomPlan(random);
    const int microBatches = plan.pipeline * random.pick<int>({1, 2});
    Json document = jobOn(randomCluster(random, plan.hosts()), plan.tensor, plan.pipeline, plan.data, microBatches);
    Json& parallelism = document["parallelism"];
    parallelism["zero_stage"] = plan.pipeline == 1 ? random.pick<int>({0, 1, 2, 3}) : random.pick<int>({0, 1});
    parallelism["order"] = plan.tensor > 1 ? random.pick<std::string>({"tp-cp-ep-dp-pp", "tp-dp-pp", "tp-pp-dp"})
                                           : random.pick<std::string>({"dp-tp-pp", "dp-pp-tp", "pp-tp-dp", "pp-dp-tp"});
    parallelism["sequence"] = plan.tensor > 1 && random.chance(0.5);
    if (plan.pipeline > 1 && random.chance(0.4)) {
        parallelism["virtual_pipeline"] = 2;
        parallelism["schedule"] = "interleaved";
    } else if (random.chance(0.4)) {
        parallelism["schedule"] = "gpipe";
    }
    document["execution"]["overlap"] = {{"data", random.chance(0.6)}, {"tensor", random.chance(0.5)}, {"pipeline", random.chance(0.5)}};
    document["execution"]["framework"] = random.pick<std::string>({"megatron-2021", "megatron-core-2024", "torchtitan-2025"});
    if (random.chance(0.2)) document["execution"]["collectives"] = {{"timing", "stated"}};
    if (random.chance(0.2)) document["execution"]["collectives"]["all_reduce"] = random.pick<std::string>({"tree", "ring", "nvls"});
    addWhatIfs(random, document, plan);
    return document;
}

TEST(Folding, GivesTheAnswerOfSingleCellsForRandomJobs) {
    for (std::uint64_t seed = 1; seed <= 200 && !::testing::Test::HasFailure(); ++seed) {
        RandomSource random(seed);
        const Json document = randomJob(random);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + document.dump().substr(0, 4000));
        Scenario scenario = sound(document);
        scenario.kernels.overlapSlowdown = random.pick<double>({1, 1.2, 1.5});
        expectSameAnswer(scenario);
    }
}

TEST(Folding, GivesTheAnswerOfSingleCellsForTensorGroupsOverSeveralHosts) {
    for (std::uint64_t seed = 1; seed <= 100 && !::testing::Test::HasFailure(); ++seed) {
        RandomSource random(seed);
        const Plan plan{random.pick<int>({2, 4, 8}), random.pick<int>({1, 2}), random.pick<int>({4, 8, 12})};
        Json document = jobOn(randomCluster(random, plan.hosts()), plan.tensor, plan.pipeline, plan.data, 1);
        document["model"]["config"]["n_layer"] = 2;
        document["parallelism"]["order"] = random.pick<std::string>({"dp-tp-pp", "dp-pp-tp", "pp-tp-dp", "pp-dp-tp"});
        document["parallelism"]["zero_stage"] = plan.pipeline == 1 ? random.pick<int>({0, 1, 2, 3}) : random.pick<int>({0, 1});
        document["execution"]["overlap"] = {{"data", random.chance(0.6)}, {"tensor", random.chance(0.2)}, {"pipeline", random.chance(0.5)}};
        addWhatIfs(random, document, plan);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + document.dump().substr(0, 4000));
        expectSameAnswer(sound(document));
    }
}

/// Hosts of unlike sizes, so that groups lie in domains in unlike ways.
TEST(Folding, HoldsOnHostsOfUnlikeSizes) {
    const Json cluster = Json::parse(R"({"topology": {
        "nodes": [{"id": "a", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 6},
                  {"id": "b", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 2},
                  {"id": "c", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 4, "replicas": 2},
                  {"id": "d", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8},
                  {"id": "s", "kind": "switch"}],
        "links": [{"from": "a", "to": "s", "bandwidth_gb_s": 50, "count": 6}, {"from": "b", "to": "s", "bandwidth_gb_s": 50, "count": 2},
                  {"from": "c", "to": "s", "bandwidth_gb_s": 50, "count": 4}, {"from": "d", "to": "s", "bandwidth_gb_s": 50, "count": 8}]}})");
    for (const char* order : {"tp-dp-pp", "dp-tp-pp", "pp-tp-dp", "tp-pp-dp"})
        for (const auto& [tensor, pipeline] : {std::pair{1, 2}, {2, 1}, {2, 2}, {4, 2}, {1, 4}, {2, 4}})
            for (const int zero : {0, 1}) {
                Json document = jobOn(cluster, tensor, pipeline, 24 / tensor / pipeline, 4);
                document["parallelism"]["order"] = order;
                document["parallelism"]["zero_stage"] = zero;
                SCOPED_TRACE(std::string(order) + " t " + std::to_string(tensor) + " p " + std::to_string(pipeline) + " zero " + std::to_string(zero));
                expectSameAnswer(sound(document));
            }
}

/// In a ring all ranks do the same; in a double binary tree its roots and the nodes below them do not.
TEST(Folding, LeavesOneLaneAStageWhereAllCellsAreAlike) {
    SizedFatTree tree;
    tree.host = h100Host();
    tree.hosts = 64;
    SuperPod pod;
    pod.host = h100Host();
    pod.hosts = 64;
    const std::vector<int> one(4, 1);
    for (const Json& cluster : {shortH100(64), drawnCluster(generateSizedFatTree(tree)), drawnCluster(generateSuperPod(pod))}) {
        Json document = jobOn(cluster, 8, 4, 16, 4);
        for (const int count : lanesOf(sound(document))) EXPECT_LE(count, 4);
        document["execution"]["collectives"] = {{"all_reduce", "ring"}};
        EXPECT_EQ(lanesOf(sound(document)), one);
        EXPECT_EQ(lanesOf(sound(document), Folding::none), std::vector<int>(4, 16));
    }
}

/// One slow accelerator tells its pipeline apart from all others, and nothing else.
TEST(Folding, AStragglerMakesTwoLanes) {
    Json document = jobOn(shortH100(64), 8, 4, 16, 4);
    document["execution"]["stragglers"] = {{{"rank", 3}, {"slowdown", 1.5}}};
    const std::vector<int> lanes = lanesOf(sound(document));
    for (const int count : lanes) {
        EXPECT_GE(count, 2);
        EXPECT_LE(count, 4);
    }
    expectSameAnswer(sound(document));
}

TEST(Folding, GivesTheSameBytesTwice) {
    for (const std::uint64_t seed : {3, 11, 19, 27}) {
        RandomSource random(seed);
        const Scenario scenario = sound(randomJob(random));
        for (const Folding folding : {Folding::exact, Folding::none}) {
            const std::string once = toJson(*simulate(scenario, {}, folding).result).dump();
            EXPECT_EQ(toJson(*simulate(scenario, {}, folding).result).dump(), once);
        }
    }
}

/// GPT-3 175B, t = 8, p = 8, d = 256, m = 6 on a three-level fat tree: 2,048 cells.
TEST(Folding, HoldsForGpt3On16384Accelerators) {
    SizedFatTree tree;
    tree.host = h100Host();
    tree.hosts = 2048;
    Json document = jobOn(drawnCluster(generateSizedFatTree(tree)), 8, 8, 256, 6);
    document["model"] = {{"preset", "gpt3-175b"}};
    document["workload"]["sequence_length"] = 2048;
    document["parallelism"]["sequence"] = true;
    const Scenario scenario = sound(document);
    for (const int count : lanesOf(scenario)) EXPECT_LE(count, 16);
    expectSameAnswer(scenario);
}

} // namespace
} // namespace orrery::test
