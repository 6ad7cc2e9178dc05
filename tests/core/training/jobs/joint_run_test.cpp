// SPDX-License-Identifier: GPL-3.0-or-later
// Two jobs, each made by itself, on one fabric: they contend where their ways meet, and nowhere else.
#include "core/training/jobs/joint_run.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"

#include <gtest/gtest.h>

#include <string>

namespace orrery::test {
namespace {

/// So many hosts on each of two leaves, one accelerator a host; a leaf's way up carries `up` GB/s.
Json twoLeafCluster(int hostsOnALeaf, double up) {
    Json nodes = Json::array(), links = Json::array();
    for (const char* leaf : {"left", "right"}) {
        nodes.push_back({{"id", leaf}, {"kind", "switch"}});
        for (int host = 0; host < hostsOnALeaf; ++host) {
            const std::string id = std::string(leaf) + "-host-" + std::to_string(host);
            nodes.push_back({{"id", id}, {"kind", "host"}, {"accelerator", h100Id}, {"count", 1}});
            links.push_back({{"from", id}, {"to", leaf}, {"bandwidth_gb_s", 50}, {"latency_us", 1}});
        }
        links.push_back({{"from", leaf}, {"to", "spine"}, {"bandwidth_gb_s", up}, {"latency_us", 1}});
    }
    nodes.push_back({{"id", "spine"}, {"kind", "switch"}});
    return {{"topology", {{"nodes", nodes}, {"links", links}}}};
}

/// A job of two replicas on a cluster; its gradients are reduced after the backward, by closed forms.
Scenario replicas(Json cluster, int data = 2) {
    Json job = jobOn(std::move(cluster), 1, 1, data);
    job["execution"]["overlap"] = {{"data", false}};
    job["execution"]["collectives"] = {{"timing", "stated"}};
    const ScenarioReading reading = read(job);
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    return *reading.scenario;
}

/// A job of one replica whose layers are shared out: all that it sends, it sends inside its segments.
Scenario tensorPair(Json cluster, int context = 1, int microBatches = 2) {
    Json job = jobOn(std::move(cluster), context == 1 ? 2 : 1, 1, 1, microBatches);
    if (context > 1) job["parallelism"]["context"] = context;
    job["execution"]["overlap"] = {{"tensor", false}};
    job["execution"]["collectives"] = {{"timing", "stated"}};
    const ScenarioReading reading = read(job);
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    return *reading.scenario;
}

/// A recorded program of a product whose result two accelerators sum up.
Scenario recordedPair(Json cluster, int width = 8192) {
    const auto tensor = [](int rows, int columns) { return Json{{"shape", {rows, columns}}, {"dtype", "bfloat16"}}; };
    Json job = jobOn(std::move(cluster), 1, 1, 1);
    job["model"] = {{"graph",
                     {{{"name", "product"}, {"target", "aten.mm.default"}, {"inputs", {tensor(width, width), tensor(width, width)}}, {"outputs", {tensor(width, width)}}},
                      {{"name", "reduced"}, {"target", "_c10d_functional.all_reduce.default"}, {"inputs", {"product", "sum", "0"}}, {"outputs", {tensor(width, width)}}}}}};
    job["parallelism"] = Json::object();
    job["workload"]["global_batch_size"] = 2;
    job["execution"]["cuda_graphs"] = true;
    job["execution"]["collectives"] = {{"timing", "stated"}};
    const ScenarioReading reading = read(job);
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    return *reading.scenario;
}

double alone(const Scenario& scenario) { return simulate(scenario, {}, Folding::none).result->training()->iterationTime; }

/// Hosts of the left leaf are ranks 0 and 1 of the fabric, those of the right 2 and 3.
struct SharedFabric {
    explicit SharedFabric(double up) : cluster(replicas(twoLeafCluster(2, up), 4).cluster), routed(std::make_shared<RoutedFabric>(cluster)) {}
    std::vector<double> run(const std::vector<PlacedJob>& jobs) const {
        const auto times = runTogether(jobs, routed);
        EXPECT_TRUE(times && times->problems.empty());
        return times->iterationTimes;
    }
    Cluster cluster;
    std::shared_ptr<RoutedFabric> routed;
};

TEST(JointRun, OneJobAloneTakesWhatItsSimulationDoes) {
    const Scenario job = replicas(twoLeafCluster(1, 50));
    EXPECT_DOUBLE_EQ(SharedFabric(50).run({{&job, {0, 2}}})[0], alone(job));
    const Scenario pipeline = [] {
        const ScenarioReading reading = read(jobOn(shortH100(2), 4, 2, 2));
        return *reading.scenario;
    }();
    std::vector<int> everywhere(16);
    for (int rank = 0; rank < 16; ++rank) everywhere[static_cast<std::size_t>(rank)] = rank;
    const auto together = runTogether({{&pipeline, everywhere}}, std::make_shared<RoutedFabric>(pipeline.cluster));
    EXPECT_NEAR(together->iterationTimes[0], alone(pipeline), 1e-12 * alone(pipeline)); // sums in another order
}

TEST(JointRun, TwoAlikeOverOneLinkHaveHalfOfItEach) {
    const Scenario wide = replicas(twoLeafCluster(1, 50)), halved = replicas(twoLeafCluster(1, 25));
    ASSERT_GT(alone(halved), 1.05 * alone(wide));
    for (const double time : SharedFabric(50).run({{&wide, {0, 2}}, {&wide, {1, 3}}})) EXPECT_NEAR(time, alone(halved), 1e-9 * time);
}

TEST(JointRun, ThoseWhoseWaysDoNotMeetFeelNothing) {
    const Scenario job = replicas(twoLeafCluster(1, 50));
    const double inALeaf = SharedFabric(10).run({{&job, {0, 1}}})[0];
    for (const double time : SharedFabric(10).run({{&job, {0, 1}}, {&job, {2, 3}}})) EXPECT_DOUBLE_EQ(time, inALeaf);
    // A link up with room for both is no place to contend.
    for (const double time : SharedFabric(100).run({{&job, {0, 2}}, {&job, {1, 3}}})) EXPECT_NEAR(time, alone(job), 1e-9 * time);
}

TEST(JointRun, UnlikeJobsShareWhileBothSend) {
    const Scenario job = replicas(twoLeafCluster(1, 50)), halved = replicas(twoLeafCluster(1, 25));
    Json shorter = jobOn(twoLeafCluster(1, 50), 1, 1, 2, 1); // half as many micro-batches: it has sent before the other begins, or soon after
    shorter["execution"]["overlap"] = {{"data", false}};
    shorter["execution"]["collectives"] = {{"timing", "stated"}};
    const Scenario quick = *read(shorter).scenario;
    const std::vector<double> times = SharedFabric(50).run({{&job, {0, 2}}, {&quick, {1, 3}}});
    EXPECT_GE(times[0], alone(job) * (1 - 1e-12));
    EXPECT_LE(times[0], alone(halved) * (1 + 1e-12));
    EXPECT_GE(times[1], alone(quick) * (1 - 1e-12));
}

TEST(JointRun, CollectivesInsideSegmentsShareALinkAsOthersDo) {
    for (const int context : {1, 2}) {
        const Scenario wide = tensorPair(twoLeafCluster(1, 50), context), halved = tensorPair(twoLeafCluster(1, 25), context);
        ASSERT_GT(alone(halved), 1.05 * alone(wide));
        for (const double time : SharedFabric(50).run({{&wide, {0, 2}}, {&wide, {1, 3}}})) EXPECT_NEAR(time, alone(halved), 1e-9 * time);
        for (const double time : SharedFabric(100).run({{&wide, {0, 2}}, {&wide, {1, 3}}})) EXPECT_NEAR(time, alone(wide), 1e-9 * time);
        EXPECT_DOUBLE_EQ(SharedFabric(50).run({{&wide, {0, 2}}})[0], alone(wide));
    }
}

TEST(JointRun, SegmentsThatMeetNobodyFeelNothing) {
    const Scenario job = tensorPair(twoLeafCluster(1, 50));
    const double inALeaf = SharedFabric(10).run({{&job, {0, 1}}})[0];
    for (const double time : SharedFabric(10).run({{&job, {0, 1}}, {&job, {2, 3}}})) EXPECT_DOUBLE_EQ(time, inALeaf);
}

TEST(JointRun, CollectivesInsideSegmentsAndGradientsOfAnotherJobSlowEachOther) {
    // It computes and sends long enough that the other's gradients are reduced meanwhile.
    const Scenario tensor = tensorPair(twoLeafCluster(1, 50), 1, 16), tensorHalved = tensorPair(twoLeafCluster(1, 25), 1, 16);
    const Scenario data = replicas(twoLeafCluster(1, 50)), dataHalved = replicas(twoLeafCluster(1, 25));
    const std::vector<double> times = SharedFabric(50).run({{&tensor, {0, 2}}, {&data, {1, 3}}});
    EXPECT_GT(times[0], 1.001 * alone(tensor));
    EXPECT_LE(times[0], alone(tensorHalved) * (1 + 1e-12));
    EXPECT_GT(times[1], 1.001 * alone(data));
    EXPECT_LE(times[1], alone(dataHalved) * (1 + 1e-12));
}

TEST(JointRun, RecordedJobsShareALinkAsPlannedOnesDo) {
    const Scenario wide = recordedPair(twoLeafCluster(1, 50)), halved = recordedPair(twoLeafCluster(1, 25));
    ASSERT_GT(alone(halved), 1.05 * alone(wide));
    EXPECT_NEAR(SharedFabric(50).run({{&wide, {0, 2}}})[0], alone(wide), 1e-12 * alone(wide));
    for (const double time : SharedFabric(50).run({{&wide, {0, 2}}, {&wide, {1, 3}}})) EXPECT_NEAR(time, alone(halved), 1e-9 * time);
}

TEST(JointRun, ARecordedJobAndAPlannedOneSlowEachOther) {
    const Scenario planned = tensorPair(twoLeafCluster(1, 50), 1, 16), plannedHalved = tensorPair(twoLeafCluster(1, 25), 1, 16);
    const Scenario recorded = recordedPair(twoLeafCluster(1, 50)), recordedHalved = recordedPair(twoLeafCluster(1, 25));
    const std::vector<double> times = SharedFabric(50).run({{&planned, {0, 2}}, {&recorded, {1, 3}}});
    EXPECT_GT(times[0], 1.001 * alone(planned));
    EXPECT_LE(times[0], alone(plannedHalved) * (1 + 1e-12));
    EXPECT_GT(times[1], 1.001 * alone(recorded));
    EXPECT_LE(times[1], alone(recordedHalved) * (1 + 1e-12));
}

TEST(JointRun, WhichJobIsNamedFirstDoesNotMatter) {
    const Scenario tensor = tensorPair(twoLeafCluster(1, 50)), data = replicas(twoLeafCluster(1, 50));
    const std::vector<double> one = SharedFabric(50).run({{&tensor, {0, 2}}, {&data, {1, 3}}});
    const std::vector<double> other = SharedFabric(50).run({{&data, {1, 3}}, {&tensor, {0, 2}}});
    EXPECT_NEAR(one[0], other[1], 1e-9 * one[0]);
    EXPECT_NEAR(one[1], other[0], 1e-9 * one[1]);
}

} // namespace
} // namespace orrery::test
