// SPDX-License-Identifier: GPL-3.0-or-later
// A truth of our own: a job whose 64 ranks all run by themselves is exported, four of them are imported again, and the others are made from these four alone.
#include "core/answers/simulation/simulate.hpp"
#include "core/engine/order_statistics.hpp"
#include "core/records/ranks/planned_hybrid.hpp"
#include "core/records/ranks/recorded_memory.hpp"
#include "core/records/ranks/replay_report.hpp"
#include "core/records/ranks/simulated_job.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/support/h100_job.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>

namespace orrery {
namespace {

/// Llama-3-8B on 64 H100; `straggling`: the host of ranks 24 to 31 is 1.1 times as slow.
Scenario jobOf64(Json parallelism, bool straggling) {
    Json execution = {{"recompute", "full"}, {"overlap", {{"data", false}}}};
    if (straggling)
        for (int rank = 24; rank < 32; ++rank) execution["stragglers"].push_back({{"rank", rank}, {"slowdown", 1.1}});
    return test::h100Job("llama-3-8b", 8, 256, std::move(parallelism), std::move(execution));
}

KinetoTrace exported(const PlannedRanks& ranks, const SimulatedJob& job, const KernelJitter& jitter, int rank) {
    std::ostringstream out;
    writeRankTrace(ranks, job, jitter, rank, out);
    Problems problems;
    auto trace = readDeviceTrace(out.str(), "rank" + std::to_string(rank), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return trace.value_or(KinetoTrace());
}

struct Predicted {
    double time = 0, peak = 0, sigma = 0;
};

/// From the four records alone; which hosts straggle is given, the seed isn't.
Predicted fromRecords(PlannedRanks& ranks, const SimulatedJob& truth, const KernelJitter& jitter, const std::vector<int>& interest, int draws, int world = 64) {
    Problems problems;
    std::map<int, RecordedPasses> records;
    Predicted predicted;
    for (const int rank : interest) {
        const KinetoTrace trace = exported(ranks, truth, jitter, rank);
        EXPECT_EQ(trace.rank, rank);
        EXPECT_EQ(trace.worldSize, world);
        predicted.peak = std::max(predicted.peak, static_cast<double>(recordedPeak(trace).value().reserved));
        auto record = passesIn(trace, ranks, rank, "rank", problems);
        if (record) records[rank] = std::move(*record);
    }
    const auto hybrid = playPlannedHybrid(ranks, records, rankClasses(ranks.scenario()), 1'000'000, draws, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    if (hybrid) {
        predicted.time = hybrid->iterationTime;
        predicted.sigma = hybrid->sigma;
    }
    return predicted;
}

TEST(SimulatedTruth, WithoutJitterIsTheSimulation) {
    Problems problems;
    const Scenario scenario = jobOf64({{"pipeline", 2}}, true);
    PlannedRanks ranks(scenario, problems);
    ASSERT_TRUE(problems.empty());
    const auto job = simulateAllRanks(ranks, {});
    const Outcome outcome = simulate(scenario);
    ASSERT_TRUE(outcome.result && job);
    EXPECT_NEAR(job->times.duration / outcome.result->training()->iterationTime, 1, 1e-9);
    EXPECT_NEAR(job->peak() / outcome.result->memory.peakBytes, 1, 1e-9);
}

/// Spans of the ranks when all records of a job are replayed together, ns.
std::vector<double> replayedSpans(PlannedRanks& ranks, const SimulatedJob& job, const KernelJitter& jitter, int world) {
    std::vector<ReplayedTrace> traces;
    for (int rank = 0; rank < world; ++rank) traces.push_back(replayedTrace(exported(ranks, job, jitter, rank), "rank" + std::to_string(rank), std::nullopt));
    Problems problems;
    const auto report = replayReport(std::move(traces), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    std::vector<double> spans;
    if (report)
        for (const Json& rank : report->at("ranks")) spans.push_back(rank.at("replayed_span_us").get<double>() * 1e-6);
    return spans;
}

// Whatever groups a plan has (stages, tensor, context and data groups, experts), the records of all its ranks replay to the iteration that was simulated.
TEST(SimulatedTruth, TheRecordsOfAllRanksReplayToTheIterationSimulated) {
    const std::pair<const char*, Json> plans[] = {{"llama-3-8b", {{"tensor", 2}, {"pipeline", 2}}}, {"llama-3-8b", {{"pipeline", 4}, {"schedule", "zb-h1"}}}, {"llama-3-8b", {{"pipeline", 2}, {"context", 2}, {"zero_stage", 3}, {"schedule", "gpipe"}}}, {"mixtral-8x7b", {{"tensor", 2}, {"pipeline", 2}, {"expert", 4}}}, {"llama-3-8b", {{"pipeline", 2}, {"schedule", "v-min"}}}};
    for (const auto& [model, parallelism] : plans) {
        Problems problems;
        PlannedRanks ranks(test::h100Job(model, 2, 32, parallelism, {{"recompute", "full"}}), problems);
        for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
        const KernelJitter jitter{0.02, 5};
        const auto job = simulateAllRanks(ranks, jitter);
        ASSERT_TRUE(job) << model;
        const std::vector<double> spans = replayedSpans(ranks, *job, jitter, 16);
        ASSERT_EQ(spans.size(), 16U) << parallelism.dump();
        for (const double span : spans) EXPECT_NEAR(span / job->times.duration, 1, 1e-6) << parallelism.dump();
    }
}

TEST(SimulatedTruth, FourRecordsOf64GiveTheWholeRun) {
    Problems problems;
    PlannedRanks ranks(jobOf64({{"pipeline", 2}}, true), problems);
    ASSERT_TRUE(problems.empty());
    double sum = 0, largest = 0;
    constexpr int seeds = 20;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const KernelJitter jitter{0.005, seed};
        const auto truth = simulateAllRanks(ranks, jitter);
        ASSERT_TRUE(truth);
        const Predicted predicted = fromRecords(ranks, *truth, jitter, {0, 26, 32, 45}, 4);
        const double error = std::abs(predicted.time / truth->times.duration - 1);
        sum += error;
        largest = std::max(largest, error);
        EXPECT_NEAR(predicted.peak / truth->peak(), 1, 1e-4) << seed;
        EXPECT_NEAR(predicted.sigma, 0.005, 0.002) << seed; // sends beside kernels make them vary too
    }
    std::cout << "iteration time of 64 ranks from 4 records, 20 seeds: mean error " << 100 * sum / seeds << " %, largest " << 100 * largest << " %\n";
    EXPECT_LT(sum / seeds, 0.006);
    EXPECT_LT(largest, 0.02);
}

/// 512 ranks in 16 stages, with so few micro-batches that gradients are summed up beside the last backwards.
Scenario jobOf512() { return test::h100Job("llama-3.1-70b", 64, 64, {{"tensor", 8}, {"pipeline", 16}}, {{"recompute", "full"}}); }

// Kernels beside a collective are slow, and one begins when its last rank comes: a pipeline that is ahead by chance is never slowed, the last one always is.
TEST(SimulatedTruth, RanksAheadAndBehindAreBothGivenByOneRecordAStage) {
    Problems problems;
    PlannedRanks ranks(jobOf512(), problems);
    ASSERT_TRUE(problems.empty());
    double sum = 0;
    constexpr int seeds = 3;
    for (std::uint64_t seed = 7; seed < 7 + seeds; ++seed) {
        const KernelJitter jitter{0.01, seed};
        const auto truth = simulateAllRanks(ranks, jitter);
        ASSERT_TRUE(truth);
        std::vector<int> interest;
        for (int stage = 0; stage < 16; ++stage) interest.push_back(32 * stage);
        const double error = fromRecords(ranks, *truth, jitter, interest, 2, 512).time / truth->times.duration - 1;
        std::cout << "512 ranks from a record of each of 16 stages, seed " << seed << ": " << 100 * error << " %\n";
        sum += std::abs(error);
    }
    EXPECT_LT(sum / seeds, 0.006);
}

/// Mixtral-8x7B on 32 H100 with its experts over a node, gradients summed up beside the backwards and an all-to-all inside of each pass.
Scenario jobOfExperts(Json parallelism, Json execution) { return test::h100Job("mixtral-8x7b", 4, 32, std::move(parallelism), std::move(execution)); }

/// How far the whole job is off when made from a record of the first rank of each class, kernels not varying.
double errorFromClasses(const Scenario& scenario) {
    Problems problems;
    PlannedRanks ranks(scenario, problems);
    EXPECT_TRUE(problems.empty());
    const auto truth = simulateAllRanks(ranks, {});
    if (!truth) return 1;
    std::vector<int> interest;
    for (const RankClass& one : rankClasses(ranks.scenario())) interest.push_back(one.ranks.front());
    return fromRecords(ranks, *truth, {}, interest, 1, scenario.parallelism.ranks()).time / truth->times.duration - 1;
}

// A pass that is slowed by sums of gradients over a part of its time has kernels that are not: they tell how long the others take alone.
TEST(SimulatedTruth, ExpertsBesideSumsOfGradientsGiveTheSameJobBack) {
    for (const int pipeline : {1, 2})
        for (const char* loads : {"balanced", "uneven"}) {
            Json execution = {{"recompute", "full"}};
            if (std::string(loads) == "uneven") execution["expert_load"] = {{"histogram", {2, 1, 1, 1, 1, 1, 1, 0.5}}};
            EXPECT_NEAR(errorFromClasses(jobOfExperts({{"pipeline", pipeline}, {"expert", 8}, {"zero_stage", 1}}, execution)), 0, 1e-3) << "pipeline " << pipeline << ", " << loads;
        }
}

// Two ranks of a tensor group hold different experts, so that their classes meet in each lane.
TEST(SimulatedTruth, ClassesThatShareALaneAreOfItBoth) {
    const Json execution = {{"recompute", "full"}, {"expert_load", {{"histogram", {2, 1, 1, 1, 1, 1, 1, 0.5}}}}};
    EXPECT_NEAR(errorFromClasses(jobOfExperts({{"tensor", 2}, {"pipeline", 2}, {"expert", 8}}, execution)), 0, 1e-3);
}

TEST(SimulatedTruth, RandomPlansComeBackFromARecordOfEachClass) {
    test::RandomSource random(18);
    for (int draw = 0; draw < 12; ++draw) {
        const bool hasExperts = random.chance(0.6);
        const std::string model = random.pick<std::string>(hasExperts ? std::vector<std::string>{"mixtral-8x7b", "mixtral-8x22b", "qwen3-30b-a3b", "glm-4.5"} : std::vector<std::string>{"llama-3-8b", "llama-3.1-70b", "qwen3-32b", "codellama-34b"});
        Json parallelism = {{"tensor", random.pick<int>({1, 2, 4})}, {"pipeline", random.pick<int>({1, 2})}, {"zero_stage", random.pick<int>({0, 1})}};
        Json execution = {{"recompute", random.pick<std::string>({"none", "selective", "full"})}};
        if (hasExperts) parallelism["expert"] = random.pick<int>({2, 4});
        if (hasExperts && random.chance(0.5)) execution["expert_load"] = {{"zipf", 0.5}};
        if (random.chance(0.4)) execution["stragglers"] = {{{"rank", 3}, {"slowdown", 1.1}}};
        EXPECT_NEAR(errorFromClasses(test::h100Job(model, 2, 32, parallelism, execution)), 0, 1e-3) << model << ' ' << parallelism << ' ' << execution;
    }
}

TEST(SimulatedTruth, WhatJitterCostsIsTheLargestOf64) {
    Problems problems;
    PlannedRanks ranks(jobOf64({{"pipeline", 1}}, false), problems);
    ASSERT_TRUE(problems.empty());
    const double still = simulateAllRanks(ranks, {})->times.duration;
    // All wait for each other where gradients are summed up, at their norm, and at the end: in each of these stretches the slowest counts.
    double body = 0, deviations = 0;
    for (const TaskId pass : ranks.passes(0)) {
        double squares = 0;
        for (const PlannedKernel& kernel : ranks.kernels(pass))
            if (!kernel.collective) squares += kernel.seconds * kernel.seconds;
        if (ranks.iteration().tasks[pass].microBatch < 0) deviations += std::sqrt(squares);
        else body += squares;
    }
    deviations += std::sqrt(body);
    const double ofLargest = largestNormal(64).mean;
    std::cout << "sigma %   all ranks, % longer   extreme-value theory   from 4 records\n";
    for (const double sigma : {0.005, 0.01, 0.02, 0.035, 0.05}) {
        double longer = 0, fromFour = 0;
        constexpr int seeds = 8;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const KernelJitter jitter{sigma, seed};
            const auto truth = simulateAllRanks(ranks, jitter);
            longer += (truth->times.duration / still - 1) / seeds;
            if (seed <= 2) fromFour += (fromRecords(ranks, *truth, jitter, {0, 19, 38, 57}, 4).time / still - 1) / 2;
        }
        // A sum of independent log-normals of mean 1; of 64 such sums the largest.
        const double theory = ofLargest * deviations * std::sqrt(std::exp(sigma * sigma) - 1) / still;
        std::cout << 100 * sigma << "   " << 100 * longer << "   " << 100 * theory << "   " << 100 * fromFour << '\n';
        EXPECT_NEAR(longer / theory, 1, 0.15) << sigma;
        EXPECT_NEAR(fromFour, longer, 0.006) << sigma;
    }
}

} // namespace
} // namespace orrery
