// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/network/transfers/flow_transfers.hpp"
#include "core/training/job_traffic/job_traffic.hpp"
#include "core/training/plan/lanes.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

// A job's own groups on one link: gradients of the data-parallel group against activations between stages.

namespace orrery::test {
namespace {

/// Four hosts of one accelerator, two on a leaf; interfaces of 100 GB/s, a leaf's way up 50: 4:1 oversubscribed. Stage 0 is
/// ranks 0 and 1, stage 1 ranks 2 and 3; rank 0 and 3 are on leaf a. So both data groups and both pipelines cross the ways up.
Json crossedJob(double latency = 0) {
    Json document = smallScenario(1, 2, 2, 4);
    Json topology{{"nodes", Json::array()}, {"links", Json::array()}};
    const char* leafOf[] = {"a", "b", "b", "a"};
    for (int i = 0; i < 4; ++i) {
        const std::string id = "h" + std::to_string(i);
        topology["nodes"].push_back({{"id", id}, {"kind", "host"}, {"accelerator", "a100-sxm4-80gb"}, {"count", 1}});
        topology["links"].push_back({{"from", id}, {"to", leafOf[i]}, {"bandwidth_gb_s", 100}, {"latency_us", latency}});
    }
    for (const char* id : {"a", "b", "spine"}) topology["nodes"].push_back({{"id", id}, {"kind", "switch"}});
    for (const char* leaf : {"a", "b"}) topology["links"].push_back({{"from", leaf}, {"to", "spine"}, {"bandwidth_gb_s", 50}, {"latency_us", latency}});
    document["cluster"] = {{"topology", topology}};
    document["execution"]["collectives"] = {{"timing", "stated"}};
    document["execution"]["overlap"] = {{"data", true}, {"pipeline", true}};
    return document;
}

/// When each of the transfers that start together ends.
std::vector<double> endsTogether(JobTraffic& traffic, const std::vector<Transfer>& transfers) {
    FlowTransfers model(traffic.capacities(), transfers);
    for (TaskId task = 0; task < transfers.size(); ++task) model.start(task, task, 0);
    std::vector<double> ends(transfers.size(), 0);
    std::vector<TaskId> ended;
    for (std::size_t left = transfers.size(); left > 0;) {
        const double now = model.nextEvent();
        ended.clear();
        model.advance(now, ended);
        for (const TaskId task : ended) ends[task] = now;
        left -= ended.size();
    }
    return ends;
}

/// The ring of stage 0 sends S each way over the ways up, 2(n - 1)/n = 1 of its bytes; cell 0 sends 1 GB over the same.
TEST(Contention, OfGradientsAndActivationsIsMaxMinFair) {
    const Scenario scenario = sound(crossedJob());
    JobTraffic traffic(scenario);
    const JobTraffic::Id send = traffic.patterns({RankGroup::pipeline, CollectiveKind::send_receive, 0, 1}, 1e9);
    const JobTraffic::Id ring = traffic.patterns({RankGroup::data, CollectiveKind::all_reduce, 0, 0}, 4e9);
    EXPECT_NEAR(traffic.alone(send, 1e9).time, 1 / 50.0, 1e-12);
    EXPECT_NEAR(traffic.alone(ring, 4e9).time, 4 / 50.0, 1e-12);

    // Half of 50 GB/s each until the activations are through, then all of it.
    const std::vector<double> two = endsTogether(traffic, {{&traffic.pattern(send, 0), 1e9}, {&traffic.pattern(ring, 0), 4e9}});
    EXPECT_NEAR(two[0], 1 / 25.0, 1e-12);
    EXPECT_NEAR(two[1], 1 / 25.0 + 3 / 50.0, 1e-12);

    // The other pipeline crosses the other way: it shares with the ring there, not with the first.
    const std::vector<double> three =
        endsTogether(traffic, {{&traffic.pattern(send, 0), 1e9}, {&traffic.pattern(send, 1), 1e9}, {&traffic.pattern(ring, 0), 4e9}});
    EXPECT_NEAR(three[0], 1 / 25.0, 1e-12);
    EXPECT_NEAR(three[1], 1 / 25.0, 1e-12);
    EXPECT_NEAR(three[2], 1 / 25.0 + 3 / 50.0, 1e-12);

    // Both stages' rings beside it: thirds of the way up.
    const JobTraffic::Id other = traffic.patterns({RankGroup::data, CollectiveKind::all_reduce, 1, 1}, 4e9);
    const std::vector<double> rings =
        endsTogether(traffic, {{&traffic.pattern(send, 0), 1e9}, {&traffic.pattern(ring, 0), 4e9}, {&traffic.pattern(other, 0), 4e9}});
    EXPECT_NEAR(rings[0], 3 / 50.0, 1e-12);
    EXPECT_NEAR(rings[1], 9 / 50.0, 1e-12); // all 9 GB through 50 GB/s
    EXPECT_NEAR(rings[2], 9 / 50.0, 1e-12);
}

/// Durations of the sends of the last stage, in order.
std::vector<double> sends(const Result& result) {
    std::vector<double> durations;
    for (const Stream& stream : result.timeline.stages.back().streams)
        if (stream.kind == TrainingStream::pipeline)
            for (const Span& span : stream.spans) durations.push_back(span.end - span.start);
    return durations;
}

/// The last micro-batch's gradients of activations leave as the stage's gradients begin to be reduced: half the way up is left.
TEST(Contention, SlowsTheLastSendOfAnOverlappedIteration) {
    const double latency = 3e-6, alone = 1024.0 * 1024 * 2 / 50e9 + 4 * latency;
    const ResultPtr result = run(crossedJob(latency * 1e6));
    ASSERT_TRUE(result);
    std::vector<double> durations = sends(*result);
    ASSERT_EQ(durations.size(), 4u);
    for (std::size_t i = 0; i + 1 < durations.size(); ++i) EXPECT_NEAR(durations[i], alone, 1e-9 * alone) << i;
    EXPECT_GT(durations.back(), 1.5 * alone);
    EXPECT_LE(durations.back(), alone + 1024.0 * 1024 * 2 / 50e9 + 1e-12);

    // With a way up that isn't oversubscribed every send is alone.
    Json wide = crossedJob(latency * 1e6);
    for (Json& link : wide["cluster"]["topology"]["links"])
        if (link["to"] == "spine") link["bandwidth_gb_s"] = 1000;
    durations = sends(*run(wide));
    const double fast = 1024.0 * 1024 * 2 / 100e9 + 4 * latency;
    for (std::size_t i = 0; i + 1 < durations.size(); ++i) EXPECT_NEAR(durations[i], fast, 1e-9 * fast) << i;
}

} // namespace
} // namespace orrery::test
