// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Jitter by the slowest of those that wait for each other, from the scenario file to the result.

namespace orrery::test {
namespace {

Json withJitter(Json document, const char* jitter) {
    document["execution"]["jitter"] = Json::parse(jitter);
    return document;
}

double partsOf(const JitterReport& report) {
    return report.parts.inLayers + report.parts.betweenStages + report.parts.betweenReplicas + report.parts.hosts + report.parts.transfers;
}

const std::vector<Json> plans() {
    std::vector<Json> jobs{jobOn(shortH100(4), 8, 1, 4, 4), jobOn(shortH100(4), 2, 4, 4, 8), jobOn(shortH100(4), 1, 1, 32, 2), jobOn(shortH100(4), 4, 1, 8, 4)};
    jobs.back()["parallelism"]["zero_stage"] = 3;
    return jobs;
}

/// Nothing varies: every byte of the result is what it is without jitter.
TEST(JitterBySlowest, OfNothingIsNone) {
    for (const Json& job : plans())
        for (const char* nothing : {R"({"sigma": 0, "method": "analytic"})", R"({"sigma": 0, "method": "sampled", "seed": 5})",
                                    R"({"sigma": 0, "hosts": {"sigma": 0}})", R"({"sigma": 0.1, "operators": {"compute": 0, "memory": 0, "communication": 0}})"})
            EXPECT_EQ(numbersOf(*run(withJitter(job, nothing))).dump(), numbersOf(*run(job)).dump()) << nothing;
}

TEST(JitterBySlowest, IsTheSameAtEveryThreadCountAndOfItsSeed) {
    const Json job = jobOn(shortH100(4), 2, 4, 4, 8);
    const char* drawn = R"({"sigma": 0.1, "seed": 7, "method": "sampled", "hosts": {"sigma": 0.05}})";
    const std::string once = toJson(*run(withJitter(job, drawn), 1)).dump();
    EXPECT_EQ(toJson(*run(withJitter(job, drawn), 4)).dump(), once);
    EXPECT_NE(toJson(*run(withJitter(job, R"({"sigma": 0.1, "seed": 8, "method": "sampled", "hosts": {"sigma": 0.05}})"))).dump(), once);
    // The closed form draws nothing.
    const char* closed[] = {R"({"sigma": 0.1, "seed": 7, "method": "analytic"})", R"({"sigma": 0.1, "seed": 8, "method": "analytic"})"};
    EXPECT_EQ(numbersOf(*run(withJitter(job, closed[0]))).dump(), numbersOf(*run(withJitter(job, closed[1]))).dump());
}

TEST(JitterBySlowest, AccountsForEverySecondOfIt) {
    for (const Json& job : plans())
        for (const char* jitter : {R"({"sigma": 0.1, "method": "analytic", "hosts": {"sigma": 0.03, "slow_share": 0.1, "slowdown": 1.3}})",
                                   R"({"sigma": 0.1, "method": "sampled", "hosts": {"sigma": 0.03, "slow_share": 0.1, "slowdown": 1.3}})",
                                   R"({"sigma": 0.2, "method": "analytic"})", R"({"sigma": 0, "method": "analytic", "operators": {"communication": 0.3}})"}) {
            SCOPED_TRACE(jitter);
            const ResultPtr plain = run(job), result = run(withJitter(job, jitter));
            ASSERT_TRUE(result->jitter);
            const JitterReport& report = *result->jitter;
            const double without = plain->training()->iterationTime;
            EXPECT_DOUBLE_EQ(report.without, without);
            EXPECT_NEAR(partsOf(report), report.own.mean - without, 1e-6 * without);
            const double waits = (result->training()->iterationTime - without) / result->training()->iterationTime;
            const auto named = std::find_if(result->causes.begin(), result->causes.end(), [](const Cause& cause) { return cause.text.find("slowest") != std::string::npos; });
            if (waits > 0.1 && !plain->causes.empty() && waits > plain->causes.front().share) {
                ASSERT_NE(named, result->causes.end());
                EXPECT_NEAR(named->share, waits, 1e-9);
            }
            double sum = 0;
            for (const double part : result->training()->breakdown) sum += part;
            EXPECT_NEAR(sum, result->training()->iterationTime, 1e-9 * sum);
            EXPECT_GT(report.own.mean, without);
            EXPECT_LE(report.own.p5, report.own.p50);
            EXPECT_LE(report.own.p50, report.own.p95);
            if (report.method == JitterMethod::analytic) {
                EXPECT_DOUBLE_EQ(report.own.mean, result->training()->iterationTime);
            }
        }
}

/// The closed form, the mean of drawn iterations, and the timelines of drawn iterations one by one.
TEST(JitterBySlowest, IsTheSameDrawnAndInClosedForm) {
    for (const Json& job : plans()) {
        const auto jitter = [](const char* method, int seed) {
            return Json{{"sigma", 0.1}, {"seed", seed}, {"method", method}, {"hosts", {{"sigma", 0.05}}}};
        };
        Json closed = job, drawn = job;
        closed["execution"]["jitter"] = jitter("analytic", 0);
        const JitterReport report = *run(closed)->jitter;
        const double excess = report.own.mean - report.without;
        double played = 0, mean = 0;
        constexpr int seeds = 24;
        for (int seed = 0; seed < seeds; ++seed) {
            drawn["execution"]["jitter"] = jitter("sampled", seed);
            const ResultPtr result = run(drawn);
            played += result->training()->iterationTime / seeds;
            mean += result->jitter->own.mean / seeds;
        }
        EXPECT_NEAR(mean - report.without, excess, 0.1 * excess);
        EXPECT_NEAR(played - report.without, excess, 0.25 * excess);
    }
}

/// What is sent, held and computed is the same: only how long it takes is not.
TEST(JitterBySlowest, ChangesTimesAlone) {
    for (const Json& job : plans()) {
        const ResultPtr plain = run(job), result = run(withJitter(job, R"({"sigma": 0.1, "method": "sampled", "hosts": {"sigma": 0.05, "slow_share": 0.1, "slowdown": 1.5}})"));
        ASSERT_EQ(result->memory.stages.size(), plain->memory.stages.size());
        for (std::size_t i = 0; i < plain->memory.stages.size(); ++i) EXPECT_EQ(result->memory.stages[i].peakBytes, plain->memory.stages[i].peakBytes);
        ASSERT_EQ(result->network.patterns.size(), plain->network.patterns.size());
        for (std::size_t i = 0; i < plain->network.patterns.size(); ++i) {
            const auto &uses = result->network.patterns[i].uses, &expected = plain->network.patterns[i].uses;
            ASSERT_EQ(uses.size(), expected.size());
            for (std::size_t use = 0; use < uses.size(); ++use) EXPECT_EQ(uses[use].bytes, expected[use].bytes);
        }
        // The same work in more time: 1/MFU grows with the iteration.
        const double slower = result->training()->iterationTime / plain->training()->iterationTime;
        EXPECT_NEAR(plain->training()->mfu / result->training()->mfu, slower, 1e-9 * slower);
    }
}

/// A straggler that is much slower than any host may be by chance: all wait for it, and its own luck is that of one host, not that of the unluckiest.
TEST(JitterBySlowest, WaitsForANamedStragglerInstead) {
    Json job = jobOn(shortH100(32), 8, 1, 32, 4);
    job["execution"]["cuda_graphs"] = true;                         // kernels, not launches, say how long a layer takes: accelerators straggle, not their hosts
    job["execution"]["calibration"]["iteration_overhead_s"] = 1e-4; // little of the hosts' own part of the end, which no straggler hides
    const char* hosts[] = {R"({"sigma": 0, "method": "analytic", "hosts": {"sigma": 0.05}})", R"({"sigma": 0, "seed": 3, "method": "sampled", "hosts": {"sigma": 0.05}})"};
    const double plain = run(job)->training()->iterationTime, byChance = run(withJitter(job, hosts[0]))->training()->iterationTime;
    EXPECT_GT(byChance, 1.05 * plain);
    job["execution"]["stragglers"] = {{{"node", "node"}, {"replica", 5}, {"slowdown", 3}}};
    const ResultPtr result = run(withJitter(job, hosts[0]));
    const double named = run(job)->training()->iterationTime;
    EXPECT_GT(named, 1.5 * plain);
    EXPECT_NEAR(result->training()->iterationTime, named, 1e-3 * named);
    EXPECT_NEAR(run(withJitter(job, hosts[1]))->jitter->own.mean, named, 0.01 * named);
    // Hardly a straggler: then chance rules.
    job["execution"]["stragglers"][0]["slowdown"] = 1.001;
    EXPECT_NEAR(run(withJitter(job, hosts[0]))->training()->iterationTime, byChance, 1e-9 * byChance);
    // All of them named: the slowest of all, as much slower.
    job["execution"]["stragglers"] = {{{"node", "node"}, {"slowdown", 2}}};
    const double all = run(job)->training()->iterationTime;
    EXPECT_NEAR(run(withJitter(job, hosts[0]))->training()->iterationTime / all, byChance / plain, 0.02);
}

/// Without hosts that differ, every rank by itself (the plain form of jitter) is what the slowest stand for.
TEST(JitterBySlowest, AgreesWithEveryCellByItself) {
    Json job = jobOn(shortH100(4), 1, 1, 32, 4);
    job["execution"]["overlap"] = {{"data", false}};
    // One task a layer and pass draws there; here its kernels do: one sigma cannot be the other, but the same σ/√kernels can.
    const double without = run(job)->training()->iterationTime;
    Json every = job;
    double sum = 0;
    constexpr int seeds = 30;
    for (int seed = 0; seed < seeds; ++seed) {
        every["execution"]["jitter"] = {{"sigma", 0.1}, {"seed", seed}};
        sum += run(every)->training()->iterationTime / seeds;
    }
    Json slowest = job;
    slowest["execution"]["jitter"] = {{"sigma", 0.1}, {"method", "analytic"}};
    const double whole = sum - without, kernels = run(slowest)->jitter->own.mean - without;
    EXPECT_GT(kernels, 0);
    EXPECT_LT(kernels, whole); // kernels average out within the task
    EXPECT_GT(kernels, whole / 10);
}

TEST(JitterBySlowest, GrowsWithRanks) {
    for (const char* jitter : {R"({"sigma": 0.1, "method": "analytic"})", R"({"sigma": 0.02, "method": "analytic", "hosts": {"sigma": 0.03}})",
                               R"({"sigma": 0, "method": "analytic", "hosts": {"slow_share": 0.01, "slowdown": 1.5}})"})
        for (const Json& job : plans()) {
            const ResultPtr result = run(withJitter(job, jitter));
            const std::vector<JitterPoint>& curve = result->jitter->curve;
            ASSERT_GE(curve.size(), 9u) << jitter;
            EXPECT_EQ(curve.back().ranks, 16384);
            for (std::size_t i = 1; i < curve.size(); ++i) {
                EXPECT_LT(curve[i - 1].ranks, curve[i].ranks);
                EXPECT_GE(curve[i].mean, curve[i - 1].mean * (1 - 1e-9)) << jitter << " at " << curve[i].ranks;
            }
            EXPECT_GT(curve.back().mean, curve.front().mean);
        }
}

/// Pipelines of 24 ranks: still the curve goes up to 10,000 and more.
/// Delayed scaling shares the tensors' largest values after every pass: replicas wait for each other as often, where without it the noise of passes
/// averages out over the iteration before they meet. Measured on 8 to 128 H100 (8 billion parameters, 32 micro-batches): 2.3 % longer in fp8, 0.5 % in bf16.
TEST(JitterBySlowest, GrowsFasterWhereReplicasMeetInEveryPass) {
    const auto growth = [](const char* precision, const char* framework) {
        const auto costOf = [&](int hosts) {
            Json job = jobOn(shortH100(hosts), 1, 1, 8 * hosts, 32);
            job["workload"]["precision"] = precision;
            job["execution"]["framework"] = framework;
            const ResultPtr result = run(withJitter(job, R"({"sigma": 0.05, "method": "analytic", "operators": {"communication": 0}})"));
            EXPECT_TRUE(result && result->jitter);
            return result->jitter->own.mean / result->jitter->without;
        };
        return costOf(8) - costOf(1);
    };
    const double once = growth("bf16", "nemo-2024"), eachPass = growth("fp8", "nemo-2024");
    EXPECT_GT(once, 0);
    EXPECT_GT(eachPass, 3 * once);
    // Scales from the tensor itself need nobody else.
    EXPECT_LT(growth("fp8", "megatron-bridge-2025"), 2 * once);
}

TEST(JitterBySlowest, GoesByWholePipelines) {
    Json job = jobOn(shortH100(6), 4, 6, 2, 6);
    job["model"]["config"]["n_layer"] = 12;
    const ResultPtr result = run(withJitter(job, R"({"sigma": 0.05, "method": "analytic"})"));
    const std::vector<JitterPoint>& curve = result->jitter->curve;
    ASSERT_EQ(curve.size(), 10u); // 24 × 1 … 512
    for (std::size_t i = 0; i < curve.size(); ++i) EXPECT_EQ(curve[i].ranks, 24 << i);
}

/// One host in a hundred is slow by half. On two hosts hardly ever one of them, on 2,048 always: all run at its speed.
TEST(JitterBySlowest, OfSlowHostsEndsAtTheirSpeed) {
    const ResultPtr result = run(withJitter(jobOn(shortH100(4), 8, 1, 4, 4), R"({"sigma": 0, "method": "analytic", "hosts": {"slow_share": 0.01, "slowdown": 1.5}})"));
    const JitterReport& report = *result->jitter;
    EXPECT_NEAR(report.slowestHost, 1 + 0.5 * (1 - std::pow(0.99, 4)), 1e-12);
    const double few = report.curve.front().mean - report.without, many = report.curve.back().mean - report.without;
    EXPECT_EQ(report.curve.front().ranks, 8);
    EXPECT_NEAR(few / many, 0.01, 1e-3);
}

/// Hosts that are all slow by half slow all that layers do by half: the ring of a context group too, whether it stands on the timeline by
/// itself, since it may meet other traffic on links, or within its layer. Short sequences: much of the ring is latency.
TEST(JitterBySlowest, OfSlowHostsSlowsCollectivesOfLayersToo) {
    Json job = jobOn(shortH100(4), 8, 1, 1, 4);
    job["parallelism"]["context"] = 4;
    job["workload"]["sequence_length"] = 256;
    job["execution"]["overlap"] = {{"data", false}};
    for (const int pipeline : {1, 2}) {
        job["parallelism"]["pipeline"] = pipeline;
        job["cluster"]["nodes"] = 4 * pipeline;
        const ResultPtr plain = run(job), slow = run(withJitter(job, R"({"sigma": 0, "method": "analytic", "hosts": {"slow_share": 1, "slowdown": 1.5}})"));
        ASSERT_GT(plain->training()->breakdown[static_cast<std::size_t>(TimePart::context_exposed)] + plain->training()->breakdown[static_cast<std::size_t>(TimePart::tensor_exposed)], 0);
        for (const TimePart part : {TimePart::forward, TimePart::backward, TimePart::tensor_exposed, TimePart::context_exposed}) {
            const double alone = plain->training()->breakdown[static_cast<std::size_t>(part)];
            EXPECT_NEAR(slow->training()->breakdown[static_cast<std::size_t>(part)], 1.5 * alone, 1e-3 * alone) << toString(part);
        }
    }
}

} // namespace
} // namespace orrery::test
