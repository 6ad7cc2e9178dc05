// SPDX-License-Identifier: GPL-3.0-or-later
// What holds of every engine that serves requests, whatever its rules.
#include "core/order/requests/generate_requests.hpp"
#include "core/order/serving/policy_traits.hpp"
#include "core/order/serving/serving_metrics.hpp"
#include "core/scenario/serving_words.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"
#include "tests/support/enumerators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace orrery::test {
namespace {

static_assert(policyTraits.size() == test::enumeratorCount<SchedulerPolicy>(), "every policy has a row");

/// All policies, plain and with what else an engine may do.
RandomCase anyCase(RandomSource& random) {
    RandomCase one = randomCase(random);
    one.engine.policy = static_cast<SchedulerPolicy>(random.below(schedulerPolicyCount));
    one.engine.asyncScheduling = random.chance(0.4);
    if (random.chance(0.4)) one.engine.speculative = {wholeBetween(random, 1, 4), random.unit(), random.chance(0.5), random.next(), random.chance(0.3) ? 2 : 0};
    if (random.chance(0.2)) one.requests.concurrency = 1 + static_cast<int>(random.below(6));
    return one;
}

TEST(ServingLaws, EveryTokenComesOutOnceAndEveryBlockComesBack) {
    RandomSource random(31);
    const MadeUpClock clock;
    std::int64_t preemptions = 0;
    for (int round = 0; round < 2000; ++round) {
        const RandomCase one = anyCase(random);
        ServingSettings settings = oneEngine(one.engine, clock);
        settings.keepSteps = settings.keepTokenTimes = true;
        const bool isSplit = random.chance(0.3);
        if (isSplit) settings.instances = {{one.engine, &clock, InstanceRole::prefill}, {one.engine, &clock, InstanceRole::decode}, {one.engine, &clock, InstanceRole::decode}};
        if (random.chance(0.4))
            for (InstanceSettings& instance : settings.instances) instance.window = randomWindow(random);
        settings.kvBytesPerToken = 10;
        ConstantTransfers transfers(1e5, 0.001);
        ServingRun run(one.requests, settings, &transfers);
        while (run.nextEvent() < std::numeric_limits<double>::infinity()) run.advance();
        for (std::size_t i = 0; i < settings.instances.size(); ++i) {
            ASSERT_EQ(run.instance(i).scheduler().pool.free(), one.engine.blocks) << "round " << round;
            ASSERT_TRUE(run.instance(i).scheduler().running.empty() && run.instance(i).scheduler().waiting.isEmpty()) << "round " << round;
            ASSERT_EQ(run.instance(i).load(), 0);
        }
        const ServingOutcome outcome = run.outcome();
        for (std::size_t i = 0; i < one.requests.requests.size(); ++i) {
            const RequestRecord& record = outcome.log.records[i];
            const std::vector<double>& times = outcome.log.tokenTimes[i];
            if (record.rejection != Rejection::none) {
                ASSERT_TRUE(times.empty() && record.admitted < 0 && !record.isCompleted());
                continue;
            }
            ASSERT_EQ(times.size(), static_cast<std::size_t>(one.requests.requests[i].output)) << "round " << round << " request " << i << " " << wordOf(one.engine.policy);
            ASSERT_TRUE(std::is_sorted(times.begin(), times.end()));
            ASSERT_EQ(record.firstToken, times.front());
            ASSERT_EQ(record.finish, times.back());
            ASSERT_LE(record.arrival, record.admitted);
            ASSERT_LT(record.admitted, record.firstToken);
            for (const double part : {record.queued, record.preempted, record.transferred, record.prefillSeconds(), record.decodeSeconds()}) ASSERT_GE(part, -1e-12) << "round " << round << " request " << i;
            ASSERT_LT(record.cachedTokens, one.requests.requests[i].input);
        }
        for (const auto& steps : outcome.steps) {
            double before = 0;
            for (const StepRecord& step : steps) {
                ASSERT_GE(step.freeBlocks, 0);
                ASSERT_LE(step.freeBlocks, one.engine.blocks);
                ASSERT_LE(step.running, one.engine.maxSeqs);
                ASSERT_GE(step.start, before - 1e-12) << "two steps at once";
                before = step.start + step.seconds;
            }
        }
        const ServingMetrics metrics = metricsOf(one.requests, outcome);
        const ServingBreakdown& parts = metrics.breakdown;
        ASSERT_NEAR(parts.frontEnd + parts.queue + parts.prefill + parts.decode + parts.preempted + parts.kvTransfer, metrics.e2e.mean, 1e-9 * metrics.e2e.mean + 1e-300);
        ASSERT_EQ(metrics.completed + metrics.rejected, metrics.count);
        ASSERT_LE(metrics.kvCacheUtilisation, 1);
        ASSERT_TRUE(metrics.preemptions == 0 || one.engine.policy != SchedulerPolicy::trtllm_guaranteed_no_evict) << "round " << round;
        preemptions += metrics.preemptions;
    }
    EXPECT_GT(preemptions, 1000);
}

/// A drafting model writes beside the prompt's own places, on an engine whose requests give but one token too.
TEST(ServingLaws, APromptNeedsRoomForWhatIsDraftedBesideIt) {
    const MadeUpClock clock;
    for (std::size_t policy = 0; policy < schedulerPolicyCount; ++policy)
        for (const bool chunks : {false, true})
            for (int input = 60; input <= 80; ++input) {
                EngineSettings engine;
                engine.policy = static_cast<SchedulerPolicy>(policy);
                engine.chunkedPrefill = chunks;
                engine.blockSize = 4;
                engine.blocks = 20; // 80 tokens
                engine.maxBatchedTokens = chunks ? 16 : 100;
                engine.speculative = {2, 0.5, false, 0, 6};
                RequestList requests;
                requests.requests = {{0, input, 5, 0, {}}};
                ServingSettings settings = oneEngine(engine, clock);
                settings.instances.push_back(settings.instances.front());
                settings.instances[0].role = InstanceRole::prefill;
                settings.instances[1].role = InstanceRole::decode;
                settings.instances[1].engine.blocks = 100;
                ConstantTransfers transfers(1e6, 0.001);
                ServingRun run(requests, settings, &transfers);
                int events = 0;
                for (; events < 1000 && run.nextEvent() < std::numeric_limits<double>::infinity(); ++events) run.advance();
                ASSERT_LT(events, 1000) << wordOf(engine.policy) << " loses its place for ever: " << input;
                const ServingOutcome outcome = run.outcome();
                const RequestRecord& record = outcome.log.records[0];
                EXPECT_EQ(record.isCompleted(), record.rejection == Rejection::none);
                EXPECT_EQ(record.preemptions, 0) << input;
                EXPECT_TRUE(record.isCompleted() || input > 66) << input; // with all drafts of an answer, more than anybody needs
                EXPECT_TRUE(record.rejection == Rejection::longer_than_pool || input <= 74) << input;
            }
}

TEST(ServingLaws, PrefillHasStepsOfItsOwnWhereTheRulesSaySo) {
    RandomSource random(33);
    const MadeUpClock clock;
    for (int round = 0; round < 300; ++round) {
        RandomCase one = randomCase(random);
        one.engine.prefixCaching = false;
        one.engine.chunkedPrefill = false;
        one.engine.policy = random.pick<SchedulerPolicy>({SchedulerPolicy::sglang, SchedulerPolicy::vllm_v0});
        for (Request& request : one.requests.requests) request.input += 1; // a prompt of one token looks like a decode
        ServingSettings settings = oneEngine(one.engine, clock);
        settings.keepSteps = true;
        const auto outcome = serve(one.requests, settings);
        for (const StepRecord& step : outcome->steps[0]) ASSERT_TRUE(step.prefills == 0 || step.decodes == 0) << "round " << round;
    }
}

TEST(ServingLaws, FirstComeIsFirstAdmitted) {
    RandomSource random(37);
    const MadeUpClock clock;
    for (int round = 0; round < 300; ++round) {
        RandomCase one = anyCase(random);
        one.engine.order = QueueOrder::fcfs;
        one.requests.concurrency = 0;
        const auto outcome = serve(one.requests, oneEngine(one.engine, clock));
        double before = 0;
        for (const RequestRecord& record : outcome->log.records) {
            if (record.rejection != Rejection::none) continue;
            EXPECT_GE(record.admitted, before) << "round " << round;
            before = record.admitted;
        }
    }
}

TEST(ServingLaws, AloneARequestTakesTheSumOfItsSteps) {
    RequestList requests;
    requests.requests = {{3, 1000, 50, 0, {}}};
    const MadeUpClock clock;
    for (const bool isAsync : {false, true}) {
        EngineSettings engine;
        engine.blocks = 100;
        engine.maxBatchedTokens = 400;
        engine.hostSeconds = 0.001;
        engine.asyncScheduling = isAsync;
        double steps = 0, first = 0;
        for (const StepBatch::Chunk& chunk : {StepBatch::Chunk{400, 0}, {400, 400}, {200, 800}}) first += clock.seconds({{chunk}, 0, 0, 0});
        for (int token = 1; token < 50; ++token) steps += clock.seconds({{}, 1, 1000.0 + token - 1, 0});
        const auto outcome = serve(requests, oneEngine(engine, clock));
        const RequestRecord& record = outcome->log.records[0];
        EXPECT_NEAR(record.firstToken - 3, first + (isAsync ? 1 : 3) * 0.001, 1e-12); // the host's time is hidden but for the first step's
        EXPECT_NEAR(record.finish - 3, first + steps + (isAsync ? 1 : 52) * 0.001, 1e-12);
        EXPECT_EQ(record.queued, 0);
    }
}

TEST(ServingLaws, EqualRequestsAtOnceAreAStaticBatch) {
    RequestLaw law;
    law.count = 32;
    law.process = ArrivalProcess::all_at_once;
    law.input = {LengthKind::constant, 200, 0, 1, 1, 10000};
    law.output = {LengthKind::constant, 100, 0, 1, 1, 10000};
    const RequestList requests = generateRequests(law);
    const MadeUpClock clock;
    for (std::size_t policy = 0; policy < schedulerPolicyCount; ++policy) {
        EngineSettings engine;
        engine.policy = static_cast<SchedulerPolicy>(policy);
        engine.blocks = 10000;
        StepBatch batch;
        batch.prefills.assign(32, {200, 0});
        double time = clock.seconds(batch);
        for (int token = 1; token < 100; ++token) time += clock.seconds({{}, 32, 200.0 + token - 1, 0});
        const auto outcome = serve(requests, oneEngine(engine, clock));
        const ServingMetrics metrics = metricsOf(requests, *outcome);
        EXPECT_NEAR(metrics.ttft.p99, clock.seconds(batch), 1e-12) << wordOf(engine.policy);
        EXPECT_NEAR(metrics.duration, time, 1e-10) << wordOf(engine.policy);
        EXPECT_NEAR(metrics.e2e.p50, time, 1e-10) << wordOf(engine.policy);
        EXPECT_NEAR(metrics.outputTokensPerSecond, 3200 / time, 1e-6);
        EXPECT_NEAR(metrics.tpot.mean, metrics.itl.mean, 1e-12);
    }
}

RequestList poissonRequests(int count, double rate, std::uint64_t seed) {
    RequestLaw law;
    law.count = count;
    law.ratePerSecond = rate;
    law.input = {LengthKind::constant, 30, 0, 1, 1, 10000};
    law.output = {LengthKind::constant, 4, 0, 1, 1, 10000};
    law.seed = seed;
    return generateRequests(law);
}

TEST(ServingLaws, OneAtATimeIsAnMD1Queue) {
    const MadeUpClock clock;
    EngineSettings engine;
    engine.maxSeqs = 1;
    engine.blocks = 10;
    RequestList single;
    single.requests = {{0, 30, 4, 0, {}}};
    const double service = serve(single, oneEngine(engine, clock))->log.records[0].finish;
    for (const double load : {0.3, 0.6, 0.8}) {
        const RequestList requests = poissonRequests(400000, load / service, 5);
        const auto outcome = serve(requests, oneEngine(engine, clock));
        const ServingMetrics metrics = metricsOf(requests, *outcome);
        // It is busy for as long as it has work: that of all requests, for the drawn share of the time.
        EXPECT_NEAR(outcome->totals.at(0).busySeconds, 400000 * service, 1e-9 * 400000 * service) << load;
        EXPECT_NEAR(outcome->totals.at(0).busySeconds / metrics.duration, load, 0.01 * load);
        const double wait = load * service / (2 * (1 - load)); // Pollaczek, Khinchine
        EXPECT_NEAR(metrics.queue.mean / wait, 1, 0.02) << load;
        EXPECT_NEAR(metrics.e2e.mean, metrics.queue.mean + service, 1e-6 * service);
    }
}

TEST(ServingLaws, WhatIsInsideIsRateTimesStay) {
    const MadeUpClock clock;
    EngineSettings engine;
    engine.maxSeqs = 16;
    engine.blocks = 10000;
    RequestLaw law;
    law.count = 20000;
    law.ratePerSecond = 40;
    law.input = {LengthKind::exponential, 100, 0, 1, 1, 1000};
    law.output = {LengthKind::exponential, 60, 0, 1, 1, 1000};
    const RequestList requests = generateRequests(law);
    ServingSettings settings = oneEngine(engine, clock);
    settings.keepSteps = true;
    const auto outcome = serve(requests, settings);
    const ServingMetrics metrics = metricsOf(requests, *outcome);
    double inside = 0; // integral over the steps' own account
    for (const StepRecord& step : outcome->steps[0]) inside += step.seconds * (step.running + step.waiting);
    // Who arrives within a step is counted from the next on: half a step each, on average.
    const double unseen = 0.5 * outcome->totals[0].busySeconds / static_cast<double>(outcome->totals[0].steps);
    EXPECT_NEAR(inside / metrics.duration / (20000 / metrics.duration * (metrics.e2e.mean - unseen)), 1, 0.005);
}

TEST(ServingLaws, DraftsGiveTheTokensThatTheirAcceptanceSays) {
    const MadeUpClock clock;
    RequestList requests;
    for (int i = 0; i < 8; ++i) requests.requests.push_back({0, 50, 2001, 0, {}});
    for (const bool sampled : {false, true})
        for (const double acceptance : {0.0, 0.6, 1.0}) {
            EngineSettings engine;
            engine.blocks = 10000;
            engine.speculative = {3, acceptance, sampled, 9, 0};
            const auto outcome = serve(requests, oneEngine(engine, clock));
            const double perStep = 1 + acceptance + acceptance * acceptance + acceptance * acceptance * acceptance; // Leviathan et al. 2023, eq. 1
            EXPECT_NEAR(static_cast<double>(outcome->totals[0].steps), 1 + 2000 / perStep, sampled ? 0.06 * 2000 / perStep : 2) << acceptance;
        }
}

/// Users of equal requests that begin together stay together; those that begin one after the other don't.
TEST(ServingLaws, AClosedLoopsUsersBeginOverItsRamp) {
    RequestLaw law;
    law.count = 60;
    law.process = ArrivalProcess::closed_loop;
    law.concurrency = 6;
    law.input = law.output = {LengthKind::constant, 40};
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 1000;
    const auto arrivals = [&](double ramp) {
        law.ramp = ramp;
        std::vector<double> times;
        const auto outcome = serve(generateRequests(law), oneEngine(engine, clock));
        for (const RequestRecord& record : outcome->log.records) times.push_back(record.arrival);
        return times;
    };
    const std::vector<double> together = arrivals(0), apart = arrivals(0.06);
    for (int user = 0; user < 6; ++user) {
        EXPECT_DOUBLE_EQ(together[static_cast<std::size_t>(user)], 0);
        EXPECT_DOUBLE_EQ(apart[static_cast<std::size_t>(user)], 0.01 * user);
    }
    EXPECT_EQ(std::set<double>(together.begin(), together.end()).size(), 10u) << "in step to the end";
    EXPECT_GT(std::set<double>(apart.begin(), apart.end()).size(), 30u);
}

TEST(ServingLaws, ClosedLoopsAreNeverFullerThanTheirUsers) {
    RequestLaw law;
    law.count = 500;
    law.process = ArrivalProcess::closed_loop;
    law.concurrency = 7;
    law.input = law.output = {LengthKind::exponential, 40, 0, 1, 1, 500};
    const RequestList requests = generateRequests(law);
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 1000;
    ServingSettings settings = oneEngine(engine, clock);
    settings.keepSteps = true;
    const auto outcome = serve(requests, settings);
    std::size_t full = 0;
    for (const StepRecord& step : outcome->steps[0]) {
        ASSERT_LE(step.running + step.waiting, 7);
        full += step.running == 7;
    }
    EXPECT_GT(full, outcome->steps[0].size() * 9 / 10);
    EXPECT_EQ(metricsOf(requests, *outcome).completed, 500);
    for (const RequestRecord& record : outcome->log.records) EXPECT_EQ(record.queued, 0); // there is always a place
}

TEST(ServingLaws, UrgentRequestsWaitLess) {
    RequestList requests = poissonRequests(2000, 60, 3);
    for (std::size_t i = 0; i < requests.requests.size(); ++i) requests.requests[i].priority = i % 2 == 0 ? 1 : 0;
    const MadeUpClock clock;
    EngineSettings engine;
    engine.maxSeqs = 1;
    engine.blocks = 10;
    engine.order = QueueOrder::priority;
    const auto outcome = serve(requests, oneEngine(engine, clock));
    double urgent = 0, patient = 0;
    for (std::size_t i = 0; i < 2000; ++i) (i % 2 == 0 ? patient : urgent) += outcome->log.records[i].queued;
    EXPECT_LT(urgent, patient / 3);
}

TEST(ServingLaws, TheSameRunGivesTheSameBytes) {
    RandomSource random(41);
    const MadeUpClock clock;
    const RandomCase one = anyCase(random);
    const auto a = serve(one.requests, oneEngine(one.engine, clock)), b = serve(one.requests, oneEngine(one.engine, clock));
    for (std::size_t i = 0; i < a->log.records.size(); ++i) EXPECT_EQ(a->log.records[i].finish, b->log.records[i].finish);
}

} // namespace
} // namespace orrery::test
