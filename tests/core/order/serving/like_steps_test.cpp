// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of like steps give, bit for bit, what steps give that are planned one by one.
#include "core/order/serving/serving_metrics.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

namespace orrery::test {
namespace {

template <typename T>
bool sameBytes(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

bool sameRecord(const RequestRecord& a, const RequestRecord& b) {
    return a.arrival == b.arrival && a.admitted == b.admitted && a.firstToken == b.firstToken && a.finish == b.finish && a.queued == b.queued && a.preempted == b.preempted &&
           a.preemptedBeforeFirst == b.preemptedBeforeFirst && a.transferred == b.transferred && a.preemptions == b.preemptions && a.cachedTokens == b.cachedTokens &&
           a.prefillInstance == b.prefillInstance && a.instance == b.instance && a.rejection == b.rejection;
}

bool sameStep(const StepRecord& a, const StepRecord& b) {
    return a.start == b.start && a.seconds == b.seconds && a.prefills == b.prefills && a.prefillTokens == b.prefillTokens && a.decodes == b.decodes && a.draftTokens == b.draftTokens &&
           a.running == b.running && a.waiting == b.waiting && a.freeBlocks == b.freeBlocks;
}

void expectSame(const ServingOutcome& fast, const ServingOutcome& slow, const RequestList& requests, int round) {
    ASSERT_EQ(fast.log.records.size(), slow.log.records.size());
    for (std::size_t i = 0; i < fast.log.records.size(); ++i) {
        ASSERT_TRUE(sameRecord(fast.log.records[i], slow.log.records[i])) << "round " << round << " request " << i;
        ASSERT_EQ(fast.log.tokenTimes[i], slow.log.tokenTimes[i]) << "round " << round << " request " << i;
    }
    for (std::size_t i = 0; i < fast.totals.size(); ++i) {
        ASSERT_EQ(fast.totals[i].steps, slow.totals[i].steps) << "round " << round;
        ASSERT_EQ(fast.totals[i].busySeconds, slow.totals[i].busySeconds) << "round " << round;
        ASSERT_EQ(fast.totals[i].usedBlockSeconds, slow.totals[i].usedBlockSeconds) << "round " << round;
        ASSERT_EQ(fast.steps[i].size(), slow.steps[i].size());
        for (std::size_t step = 0; step < fast.steps[i].size(); ++step) ASSERT_TRUE(sameStep(fast.steps[i][step], slow.steps[i][step])) << "round " << round << " step " << step;
    }
    const ServingMetrics a = metricsOf(requests, fast), b = metricsOf(requests, slow);
    ASSERT_TRUE(sameBytes(a.itl, b.itl)) << "round " << round;
    ASSERT_TRUE(sameBytes(a.e2e, b.e2e)) << "round " << round;
    ASSERT_TRUE(sameBytes(a.breakdown, b.breakdown)) << "round " << round;
}

TEST(LikeSteps, AreBitForBitWhatSingleStepsAre) {
    RandomSource random(23);
    const MadeUpClock clock;
    for (int round = 0; round < 1500; ++round) {
        RandomCase one = randomCase(random);
        one.engine.policy = static_cast<SchedulerPolicy>(random.below(schedulerPolicyCount));
        if (random.chance(0.4)) // long answers: long runs
            for (Request& request : one.requests.requests) request.output *= 3;
        if (random.chance(0.2)) one.requests.concurrency = 1 + static_cast<int>(random.below(6));
        if (random.chance(0.5)) one.engine.streamInterval = wholeBetween(random, 2, 40);
        if (random.chance(0.3)) one.engine.receiveInterval = wholeBetween(random, 2, 30);
        ServingSettings settings = oneEngine(one.engine, clock);
        if (random.chance(0.5)) settings.instances.front().window = randomWindow(random);
        for (std::size_t more = random.below(3); more > 0; --more) settings.instances.push_back(settings.instances.front());
        settings.router = static_cast<RouterKind>(random.below(3));
        const bool isSplit = settings.instances.size() > 1 && random.chance(0.5);
        if (isSplit)
            for (std::size_t i = 0; i < settings.instances.size(); ++i) settings.instances[i].role = i == 0 ? InstanceRole::prefill : InstanceRole::decode;
        if (isSplit && random.chance(0.5)) settings.firstToken = FirstToken::decode;
        settings.kvBytesPerToken = 1000;
        settings.keepSteps = settings.keepTokenTimes = true;
        ConstantTransfers forFast(1e6, 0.002), forSlow(1e6, 0.002);
        const auto fast = serve(one.requests, settings, isSplit ? &forFast : nullptr);
        settings.stepByStep = true;
        const auto slow = serve(one.requests, settings, isSplit ? &forSlow : nullptr);
        ASSERT_NO_FATAL_FAILURE(expectSame(*fast, *slow, one.requests, round));
    }
}

TEST(LikeSteps, AreRunTogether) {
    RequestList requests;
    requests.requests = {{0, 100, 1000, 0, {}}};
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 100;
    // With a window that leaves a block behind every 16 steps too; a chunk that ends is planned.
    for (const auto& [window, most] : {std::pair{CacheWindow{}, 4}, {CacheWindow{0.5, 64, false}, 4}, {CacheWindow{0.5, 256, true}, 8}})
        for (const int together : {1, 50}) {
            engine.streamInterval = together;
            ServingSettings settings = oneEngine(engine, clock);
            settings.instances.front().window = window;
            ServingRun run(requests, settings);
            int plans = 0;
            run.instance(0).watch = [&](double, const StepPlan&) { ++plans; };
            while (run.nextEvent() < std::numeric_limits<double>::infinity()) run.advance();
            EXPECT_EQ(run.outcome().totals[0].steps, 1000);
            EXPECT_LE(plans, most); // the prompt, the run, the last token
        }
}

/// The first of a thousand tokens leaves alone, then fifty at a time, and what is left with the last.
TEST(LikeSteps, LetTokensLeaveInGroups) {
    RequestList requests;
    requests.requests = {{0, 100, 1000, 0, {}}, {0, 90, 1000, 0, {}}};
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 200;
    engine.streamInterval = 50;
    const auto outcome = serve(requests, oneEngine(engine, clock));
    std::int64_t gaps = 0;
    double sum = 0;
    for (const TokenGap& gap : outcome->log.gaps) {
        gaps += gap.count;
        sum += gap.seconds * static_cast<double>(gap.count);
    }
    EXPECT_EQ(gaps, 2 * (999 / 50 + 1));
    double answers = 0;
    for (const RequestRecord& record : outcome->log.records) answers += record.finish - record.firstToken;
    EXPECT_NEAR(sum, answers, 1e-9 * answers);
}

/// A request that comes back to find all but one token in the cache looks like a decode, and takes of the step's tokens what the next in line
/// waits for: the step behind it lets that one in.
TEST(LikeSteps, BeginBehindStepsThatLetNobodyIn) {
    const MadeUpClock clock;
    EngineSettings engine;
    engine.policy = SchedulerPolicy::vllm_v0;
    engine.chunkedPrefill = false;
    engine.prefixCaching = true;
    engine.maxSeqs = 2;
    engine.maxBatchedTokens = 45;
    engine.blocks = 9;
    RequestList requests;
    for (const auto& [input, output] : {std::pair{1, 27}, {1, 2}, {1, 8}, {1, 4}, {1, 2}, {1, 2}, {34, 48}, {1, 24}, {1, 2}, {39, 13}, {45, 1}, {1, 2}, {1, 1}, {1, 1}}) requests.requests.push_back({0, input, output, 0, {}});
    ServingSettings settings = oneEngine(engine, clock);
    settings.keepSteps = settings.keepTokenTimes = true;
    const auto fast = serve(requests, settings);
    settings.stepByStep = true;
    expectSame(*fast, *serve(requests, settings), requests, 0);
}

} // namespace
} // namespace orrery::test
