// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/training/job_traffic/lone_collective.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"

#include <gtest/gtest.h>

#include <set>

// "What if" from the scenario file to the result.

namespace orrery::test {
namespace {

/// Four hosts on two leaves under two spines; closed forms hold, without latency.
Json leafSpine(int count = 8) {
    Json topology{{"nodes", Json::array()}, {"links", Json::array()}};
    for (int i = 0; i < 4; ++i)
        topology["nodes"].push_back({{"id", "h" + std::to_string(i)}, {"kind", "host"}, {"accelerator", h100Id}, {"count", count}});
    for (const char* id : {"leaf-0", "leaf-1", "spine-0", "spine-1"}) topology["nodes"].push_back({{"id", id}, {"kind", "switch"}});
    const auto link = [&](const std::string& from, const std::string& to, double bandwidth, int cables) {
        topology["links"].push_back({{"from", from}, {"to", to}, {"bandwidth_gb_s", bandwidth}, {"latency_us", 0}, {"count", cables}});
    };
    for (int i = 0; i < 4; ++i) link("h" + std::to_string(i), "leaf-" + std::to_string(i / 2), 50, count);
    for (const char* leaf : {"leaf-0", "leaf-1"})
        for (const char* spine : {"spine-0", "spine-1"}) link(leaf, spine, 50.0 * count, 1);
    return {{"scale_up", {{"latency_us", 0}}}, {"topology", topology}};
}

Json leafSpineJob(int count = 8) {
    Json job = jobOn(leafSpine(count), 1, 1, 4 * count);
    job["execution"]["collectives"] = {{"timing", "stated"}};
    return job;
}

double sendTime(const Json& document, int from, int to, double bytes = 1e9) {
    const LoneCollective sent = runLoneCollective(sound(document), {from, to}, CollectiveKind::send_receive, bytes);
    EXPECT_TRUE(sent.problems.empty()) << listed(sent.problems);
    return sent.time;
}

// --- links ---------------------------------------------------------------------------------------------------------------

TEST(DegradedLink, HalvesWhatCrossesItAndNothingElse) {
    Json document = leafSpineJob();
    const double alone = sendTime(document, 0, 16);
    EXPECT_NEAR(alone, 1e9 / 50e9, 1e-12);
    document["execution"]["degraded_links"] = {{{"from", "h0"}, {"to", "leaf-0"}, {"factor", 0.5}}};
    EXPECT_NEAR(sendTime(document, 0, 16), 2 * alone, 1e-12);
    EXPECT_NEAR(sendTime(document, 17, 1), 2 * alone, 1e-12);
    EXPECT_NEAR(sendTime(document, 8, 24), alone, 1e-12);
    EXPECT_NEAR(sendTime(document, 0, 1), 1e9 / 450e9, 1e-12);
}

TEST(DegradedLink, AddsItsLatencyOnce) {
    Json document = leafSpineJob();
    const double alone = sendTime(document, 0, 16);
    document["execution"]["degraded_links"] = {{{"from", "leaf-0"}, {"to", "h0"}, {"added_latency_us", 30}}};
    EXPECT_NEAR(sendTime(document, 0, 16), alone + 30e-6, 1e-12);
    EXPECT_NEAR(sendTime(document, 8, 24), alone, 1e-12);
}

TEST(SlowInterface, SlowsTheAcceleratorThatOwnsIt) {
    Json document = leafSpineJob();
    const double alone = sendTime(document, 0, 16);
    document["execution"]["degraded_links"] = {{{"from", "h0"}, {"to", "leaf-0"}, {"nic", 3}, {"factor", 0.25}}};
    for (int slot = 0; slot < 8; ++slot) EXPECT_NEAR(sendTime(document, slot, 16 + slot), (slot == 3 ? 4 : 1) * alone, 1e-12) << slot;
}

/// Replica 1 of a host that stands for four.
TEST(SlowInterface, OfOneReplica) {
    Json document = jobOn(shortH100(4), 1, 1, 32);
    document["cluster"]["scale_out"] = {{"latency_us", 0}};
    document["execution"]["collectives"] = {{"timing", "stated"}};
    const double alone = sendTime(document, 0, 16);
    document["execution"]["degraded_links"] = {{{"from", "node"}, {"to", "leaf"}, {"replica", 1}, {"factor", 0.5}}};
    EXPECT_NEAR(sendTime(document, 0, 16), alone, 1e-12);
    EXPECT_NEAR(sendTime(document, 9, 17), 2 * alone, 1e-12);
}

/// Communication inside hosts only: a bad cable outside changes no byte of the result.
TEST(DegradedLink, MeansNothingToAJobThatDoesNotCrossIt) {
    Json document = jobOn(shortH100(1), 8, 1, 1);
    document["cluster"] = {{"topology",
                            {{"nodes",
                              {{{"id", "h"}, {"kind", "host"}, {"accelerator", h100Id}, {"count", 8}},
                               {{"id", "leaf"}, {"kind", "switch"}},
                               {{"id", "spine"}, {"kind", "switch"}}}},
                             {"links",
                              {{{"from", "h"}, {"to", "leaf"}, {"bandwidth_gb_s", 50}, {"count", 8}},
                               {{"from", "leaf"}, {"to", "spine"}, {"bandwidth_gb_s", 400}}}}}}};
    Json changed = document;
    changed["execution"]["degraded_links"] = {{{"from", "h"}, {"to", "leaf"}, {"factor", 0.1}}, {{"from", "leaf"}, {"to", "spine"}, {"down", true}}};
    EXPECT_EQ(numbersOf(*run(changed)), numbersOf(*run(document)));
}

SizedFatTree fatTree() {
    SizedFatTree tree;
    tree.host = h100Host();
    tree.hosts = 16;
    return tree;
}

TEST(LinkDown, InAFatTreeMovesTheRoutesAndRuns) {
    const Json cluster = drawnCluster(generateSizedFatTree(fatTree()));
    const Json document = jobOn(cluster, 8, 2, 8, 4);
    const double whole = iterationTime(document);
    std::set<std::string> hosts;
    for (const Json& node : cluster["topology"]["nodes"])
        if (node["kind"] == "host") hosts.insert(node["id"].get<std::string>());
    int tried = 0;
    for (const Json& link : cluster["topology"]["links"]) {
        if (hosts.count(link["from"].get<std::string>()) || hosts.count(link["to"].get<std::string>())) continue;
        Json broken = document;
        broken["execution"]["degraded_links"] = {{{"from", link["from"]}, {"to", link["to"]}, {"down", true}}};
        EXPECT_GE(iterationTime(broken), whole * (1 - 1e-9)) << link.dump();
        ++tried;
    }
    EXPECT_GE(tried, 8);
}

/// All of a leaf's ways up but one: everything of it squeezes through the last.
TEST(LinkDown, SqueezesWhatIsLeftOfTheWays) {
    Json document = jobOn(leafSpine(), 8, 1, 4);
    document["execution"]["overlap"] = {{"data", false}};
    const double whole = iterationTime(document);
    document["execution"]["degraded_links"] = {{{"from", "leaf-0"}, {"to", "spine-1"}, {"down", true}}};
    const double one = iterationTime(document);
    document["execution"]["degraded_links"].push_back({{"from", "leaf-0"}, {"to", "spine-0"}, {"factor", 0.1}});
    const double thin = iterationTime(document);
    EXPECT_GE(one, whole * (1 - 1e-12));
    EXPECT_GT(thin, 1.01 * one);
}

TEST(LinkDown, ThatPartitionsTheJobIsAProblem) {
    Json document = jobOn(leafSpine(), 8, 1, 4);
    document["execution"]["degraded_links"] = {{{"from", "leaf-0"}, {"to", "spine-0"}, {"down", true}}, {{"from", "leaf-0"}, {"to", "spine-1"}, {"down", true}}};
    const Outcome outcome = simulate(sound(document));
    EXPECT_FALSE(outcome.result);
    const Problem* problem = find(outcome.problems, "unreachable");
    ASSERT_NE(problem, nullptr) << listed(outcome.problems);
    EXPECT_EQ(problem->pointer, "/execution/degraded_links");
    EXPECT_FALSE(problem->mend.empty());
    const auto names = [&](const char* host) { return problem->message.find(host) != std::string::npos; };
    EXPECT_TRUE((names("\"h0\"") || names("\"h1\"")) && (names("\"h2\"") || names("\"h3\""))) << problem->message;
    const LoneCollective lone = runLoneCollective(sound(document), {0, 16}, CollectiveKind::send_receive, 1e6);
    EXPECT_NE(find(lone.problems, "unreachable"), nullptr);
    EXPECT_GT(sendTime(document, 0, 8), 0);
}

TEST(SwitchDown, TakesAllItsLinksDown) {
    Json document = jobOn(leafSpine(), 8, 1, 4);
    document["execution"]["degraded_links"] = {{{"node", "spine-0"}, {"down", true}}};
    EXPECT_TRUE(simulate(sound(document)).result);
    document["execution"]["degraded_links"].push_back({{"node", "spine-1"}, {"factor", 0}});
    EXPECT_NE(find(simulate(sound(document)).problems, "unreachable"), nullptr);
}

// --- stragglers ----------------------------------------------------------------------------------------------------------

/// Without a pipeline and without overlap everybody waits for the slowest: one slow accelerator costs what all slow ones cost.
TEST(Straggler, HoldsUpAllOfADataParallelJob) {
    for (const int tensor : {1, 2, 8})
        for (const int zero : {0, 1}) { // from 2 on gradients are scattered as they come, beside computation
            SCOPED_TRACE("tensor " + std::to_string(tensor) + ", zero " + std::to_string(zero));
            Json document = jobOn(shortH100(4), tensor, 1, 32 / tensor, 2);
            document["parallelism"]["zero_stage"] = zero;
            document["execution"]["overlap"] = {{"data", false}};
            const ResultPtr plain = run(document);
            document["execution"]["stragglers"] = {{{"rank", 13}, {"slowdown", 1.5}}};
            const ResultPtr one = run(document);
            document["execution"]["stragglers"] = {{{"node", "node"}, {"slowdown", 1.5}}};
            const ResultPtr all = run(document);
            const double time = plain->training()->iterationTime;
            EXPECT_NEAR(one->training()->iterationTime, all->training()->iterationTime, 1e-9 * time);
            for (const TimePart which : {TimePart::forward, TimePart::backward, TimePart::optimizer})
                EXPECT_NEAR(part(one->training()->breakdown, which), 1.5 * part(plain->training()->breakdown, which), 1e-9 * time) << toString(which);
            const double communicated = part(plain->training()->breakdown, TimePart::data_exposed);
            EXPECT_NEAR(part(one->training()->breakdown, TimePart::data_exposed), communicated, 1e-9 * time);
        }
}

/// Kernels take the slowdown; collectives and the host take what they took, or less where longer kernels hide more of them.
TEST(Straggler, SlowsKernelsAlone) {
    for (const int tensor : {1, 2, 8})
        for (const bool overlap : {false, true}) {
            SCOPED_TRACE("tensor " + std::to_string(tensor) + (overlap ? ", in chunks at once" : ""));
            Json document = jobOn(shortH100(1), tensor, 1, 8 / tensor, 2);
            document["execution"]["overlap"] = {{"tensor", overlap}};
            const TimeBreakdown plain = run(document)->training()->breakdown;
            document["execution"]["stragglers"] = {{{"node", "node"}, {"slowdown", 2}}};
            const ResultPtr slow = run(document);
            for (const TimePart which : {TimePart::forward, TimePart::backward, TimePart::optimizer})
                EXPECT_NEAR(part(slow->training()->breakdown, which), 2 * part(plain, which), 1e-12) << toString(which);
            for (const TimePart which : {TimePart::tensor_exposed, TimePart::overhead})
                EXPECT_LE(part(slow->training()->breakdown, which), part(plain, which) + 1e-12) << toString(which);
            EXPECT_EQ(part(plain, TimePart::tensor_exposed) > 0, tensor > 1);
            // The rows of the operators say the same.
            double kernels = 0, work = 0;
            for (const OperationRow& row : slow->operations)
                if (row.phase != toString(Phase::communication)) kernels += row.time;
            for (const TimePart which : {TimePart::forward, TimePart::backward, TimePart::recompute, TimePart::optimizer}) work += part(slow->training()->breakdown, which);
            EXPECT_NEAR(kernels, work, 1e-9 * work);
        }
}

TEST(Straggler, CostsNoMoreThanItsSlowdown) {
    RandomSource random(5);
    for (int i = 0; i < 20; ++i) {
        const int tensor = random.pick<int>({1, 2, 8}), pipeline = random.pick<int>({1, 2, 4});
        Json document = jobOn(leafSpine(), tensor, pipeline, 32 / tensor / pipeline, pipeline);
        document["execution"]["overlap"] = {{"data", random.chance(0.5)}, {"pipeline", random.chance(0.5)}};
        const double time = iterationTime(document), slowdown = random.between(1.05, 3.0);
        document["execution"]["stragglers"] = {{{"rank", random.below(32)}, {"slowdown", slowdown}}};
        const double slow = iterationTime(document);
        EXPECT_GT(slow, time);
        EXPECT_LE(slow, slowdown * time * (1 + 1e-9));
    }
}

// --- jitter --------------------------------------------------------------------------------------------------------------

Json jittered(Json document, double sigma, int seed) {
    document["execution"]["jitter"] = {{"sigma", sigma}, {"seed", seed}};
    return document;
}

TEST(Jitter, OfNothingIsNone) {
    const Json document = jobOn(shortH100(4), 8, 2, 2, 4);
    EXPECT_EQ(numbersOf(*run(jittered(document, 0, 7))), numbersOf(*run(document)));
}

TEST(Jitter, IsItsSeeds) {
    const Json document = jobOn(shortH100(4), 8, 2, 2, 4);
    const std::string once = numbersOf(*run(jittered(document, 0.1, 7))).dump();
    EXPECT_EQ(numbersOf(*run(jittered(document, 0.1, 7))).dump(), once);
    EXPECT_NE(numbersOf(*run(jittered(document, 0.1, 8))).dump(), once);
    EXPECT_NE(numbersOf(*run(document)).dump(), once);
    Json plain = document;
    plain["execution"]["jitter"] = 0.1;
    EXPECT_EQ(numbersOf(*run(plain)).dump(), numbersOf(*run(jittered(document, 0.1, 0))).dump());
}

double meanTime(const Json& document, double sigma, int seeds) {
    double sum = 0;
    for (int seed = 0; seed < seeds; ++seed) sum += iterationTime(jittered(document, sigma, seed));
    return sum / seeds;
}

/// The factors have mean 1: one accelerator alone takes as long as without, on average. Many wait for the last of them.
TEST(Jitter, CostsWhereManyWaitForEachOther) {
    const Json one = jobOn({{"accelerator", h100Id}, {"accelerators_per_node", 1}, {"nodes", 1}}, 1, 1, 1, 8);
    const double alone = iterationTime(one);
    EXPECT_NEAR(meanTime(one, 0.2, 40), alone, 0.02 * alone);

    Json many = jobOn(shortH100(4), 1, 1, 32, 2);
    many["execution"]["overlap"] = {{"data", false}};
    const double together = iterationTime(many);
    const double little = meanTime(many, 0.1, 20), much = meanTime(many, 0.3, 20);
    EXPECT_GT(little, 1.01 * together);
    EXPECT_GT(much, 1.5 * (little - together) + together);
}

// --- a second job --------------------------------------------------------------------------------------------------------

Json withTraffic(Json document, const std::string& from, const std::string& to, double bandwidth) {
    document["cluster"]["topology"]["traffic"].push_back({{"name", "other"}, {"from", from}, {"to", to}, {"bandwidth_gb_s", bandwidth}});
    return document;
}

/// One interface of 50 GB/s a host: what the other job asks for up to its half, and half of it then.
TEST(SecondJob, SharesItsLinksMaxMinFairly) {
    const Json document = leafSpineJob(1);
    const double alone = sendTime(document, 0, 2);
    EXPECT_NEAR(alone, 1e9 / 50e9, 1e-12);
    EXPECT_NEAR(sendTime(withTraffic(document, "h0", "h1", 10), 0, 2), 1e9 / 40e9, 1e-9 * alone);
    EXPECT_NEAR(sendTime(withTraffic(document, "h0", "h1", 30), 0, 2), 1e9 / 25e9, 1e-9 * alone);
    EXPECT_NEAR(sendTime(withTraffic(document, "h0", "h1", 30), 2, 0), alone, 1e-9 * alone);
    EXPECT_NEAR(sendTime(withTraffic(document, "h0", "h1", 30), 3, 2), alone, 1e-9 * alone);
    // Two others and this one: thirds.
    EXPECT_NEAR(sendTime(withTraffic(withTraffic(document, "h0", "h1", 40), "h0", "h3", 40), 0, 2), 3e9 / 50e9, 1e-9 * alone);
}

TEST(SecondJob, SlowsAJobThatSharesItsLinksOnly) {
    const Json document = jobOn(leafSpine(), 8, 1, 4);
    const double alone = iterationTime(document);
    EXPECT_GT(iterationTime(withTraffic(document, "h0", "h2", 300)), 1.005 * alone);
    Json aside = document;
    for (const char* id : {"disks-0", "disks-1"}) {
        aside["cluster"]["topology"]["nodes"].push_back({{"id", id}, {"kind", "switch"}});
        aside["cluster"]["topology"]["links"].push_back({{"from", id}, {"to", "spine-0"}, {"bandwidth_gb_s", 100}, {"latency_us", 0}});
    }
    const double before = iterationTime(aside);
    EXPECT_NEAR(before, alone, 1e-12 * alone);
    EXPECT_NEAR(iterationTime(withTraffic(aside, "disks-0", "disks-1", 100)), before, 1e-12 * before);
}

// --- collectives forced ------------------------------------------------------------------------------------------------------

/// Collectives of several phases whose flows end at one moment, in a job of several pipelines: every one of them ends.
TEST(ForcedCollective, EveryAlgorithmOfEveryOperationRunsToItsEnd) {
    Json document = smallScenario(1, 4, 16, 4);
    document["cluster"] = {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 8}};
    document["parallelism"]["zero_stage"] = 1;
    const double free = run(document)->training()->iterationTime;
    for (const char* timing : {"measured", "stated"})
        for (const char* operation : {"all_gather", "reduce_scatter", "all_reduce", "broadcast"})
            for (const char* algorithm : {"ring", "tree", "hierarchical", "nvls"}) {
                SCOPED_TRACE(std::string(timing) + " " + operation + " " + algorithm);
                document["execution"]["collectives"] = {{operation, algorithm}, {"timing", timing}};
                ResultPtr result;
                ASSERT_NO_THROW(result = run(document));
                ASSERT_TRUE(result);
                EXPECT_GT(result->training()->iterationTime, 0.5 * free);
                EXPECT_LT(result->training()->iterationTime, 2 * free);
            }
}

} // namespace
} // namespace orrery::test
