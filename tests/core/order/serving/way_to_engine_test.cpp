// SPDX-License-Identifier: GPL-3.0-or-later
// The way from client to engine, polls for new requests, tokens that leave in groups, first tokens that decode instances send.
#include "core/order/requests/generate_requests.hpp"
#include "core/order/serving/serving_metrics.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

/// Every step lasts 10 ms, whatever is in it.
class EvenClock : public StepClock {
public:
    double seconds(const StepBatch&) const override { return 0.01; }
};

RequestList promptsAt(const std::vector<double>& arrivals, int output) {
    RequestList list;
    for (const double arrival : arrivals) {
        Request request;
        request.arrival = arrival;
        request.input = 100;
        request.output = output;
        list.requests.push_back(request);
    }
    return list;
}

EngineSettings roomForAll() {
    EngineSettings engine;
    engine.blocks = 100000;
    engine.prefixCaching = false;
    return engine;
}

ServingSettings aServer(const EngineSettings& engine, const StepClock& clock) {
    ServingSettings settings;
    settings.instances.assign(1, {engine, &clock, InstanceRole::both});
    return settings;
}

TEST(WayToEngine, FirstTokensComeLaterByTheFrontEndAlone) {
    const EvenClock clock;
    const RequestList requests = promptsAt({0, 1, 2.5}, 20);
    ServingSettings settings = aServer(roomForAll(), clock);
    const ServingMetrics without = metricsOf(requests, *serve(requests, settings));
    settings.frontEnd = 0.025;
    const ServingMetrics with = metricsOf(requests, *serve(requests, settings));
    EXPECT_NEAR(without.ttft.mean, 0.01, 1e-12);
    EXPECT_NEAR(with.ttft.mean, 0.035, 1e-12);
    EXPECT_NEAR(with.tpot.mean, without.tpot.mean, 1e-12);
    EXPECT_NEAR(with.breakdown.frontEnd, 0.025, 1e-12);
    const ServingBreakdown& parts = with.breakdown;
    EXPECT_NEAR(parts.frontEnd + parts.queue + parts.prefill + parts.decode + parts.preempted + parts.kvTransfer, with.e2e.mean, 1e-12);
}

TEST(WayToEngine, ClosedLoopsGoRoundByTheFrontEndAsWell) {
    const EvenClock clock;
    RequestList requests = promptsAt(std::vector<double>(10, 0.0), 5);
    requests.concurrency = 1;
    ServingSettings settings = aServer(roomForAll(), clock);
    settings.frontEnd = 0.025;
    // Ten times the way and five steps.
    EXPECT_NEAR(metricsOf(requests, *serve(requests, settings)).duration, 10 * (0.025 + 5 * 0.01), 1e-9);
}

/// SGLang looks for requests every n-th step of decodes; one that comes in between waits for that step.
TEST(WayToEngine, PollsLetRequestsWaitForTheNextLook) {
    const EvenClock clock;
    // The first request's prompt is step 0, after which the engine looks; then come steps of decodes. The second comes in the midst of step 3.
    const RequestList requests = promptsAt({0, 0.035}, 100);
    for (const auto& [interval, steps] : {std::pair(1, 4), {10, 11}, {30, 31}}) {
        EngineSettings engine = roomForAll();
        engine.receiveInterval = interval;
        const auto outcome = serve(requests, aServer(engine, clock));
        EXPECT_NEAR(outcome->log.records[1].admitted, steps * 0.01, 1e-9) << interval;
        EXPECT_NEAR(outcome->log.records[1].queued, steps * 0.01 - 0.035, 1e-9) << interval;
    }
}

TEST(WayToEngine, PollsChangeNothingForWhoServesOneAtATime) {
    const EvenClock clock;
    RequestList requests = promptsAt(std::vector<double>(20, 0.0), 7);
    requests.concurrency = 1;
    EngineSettings engine = roomForAll();
    const double often = metricsOf(requests, *serve(requests, aServer(engine, clock))).duration;
    engine.receiveInterval = 30;
    EXPECT_NEAR(metricsOf(requests, *serve(requests, aServer(engine, clock))).duration, often, 1e-12) << "an idle engine looks at once";
}

TEST(WayToEngine, RunsOfLikeStepsAreTheSameStepByStepUnderPolls) {
    RandomSource random(11);
    const MadeUpClock clock;
    for (int round = 0; round < 200; ++round) {
        const RandomCase one = randomCase(random);
        ServingSettings settings = aServer(one.engine, clock);
        settings.instances.front().engine.receiveInterval = random.pick<int>({2, 7, 30});
        settings.frontEnd = random.pick<double>({0, 0.02});
        const ServingMetrics fast = metricsOf(one.requests, *serve(one.requests, settings));
        settings.stepByStep = true;
        const ServingMetrics slow = metricsOf(one.requests, *serve(one.requests, settings));
        ASSERT_EQ(fast.e2e.mean, slow.e2e.mean) << round;
        ASSERT_EQ(fast.ttft.p99, slow.ttft.p99) << round;
        ASSERT_EQ(fast.completed + fast.rejected, fast.count) << round;
    }
}

TEST(WayToEngine, TokensLeaveInGroupsAfterTheFirst) {
    const EvenClock clock;
    const RequestList requests = promptsAt({0}, 41);
    EngineSettings engine = roomForAll();
    const ServingMetrics single = metricsOf(requests, *serve(requests, aServer(engine, clock)));
    engine.streamInterval = 10;
    const ServingMetrics groups = metricsOf(requests, *serve(requests, aServer(engine, clock)));
    EXPECT_NEAR(single.itl.mean, 0.01, 1e-12);
    EXPECT_NEAR(groups.itl.mean, 0.1, 1e-12); // 40 tokens in four groups
    EXPECT_EQ(groups.itl.count, 4);
    EXPECT_NEAR(groups.ttft.mean, single.ttft.mean, 1e-12);
    EXPECT_NEAR(groups.tpot.mean, single.tpot.mean, 1e-12);
}

TEST(WayToEngine, FirstTokensThatDecodeSendsCarryTheTransfer) {
    const EvenClock clock;
    const RequestList requests = promptsAt({0, 0.5}, 11);
    ServingSettings settings;
    settings.instances = {{roomForAll(), &clock, InstanceRole::prefill}, {roomForAll(), &clock, InstanceRole::decode}};
    ConstantTransfers first(1e12, 0.04), second(1e12, 0.04);
    const ServingMetrics prefill = metricsOf(requests, *serve(requests, settings, &first));
    settings.firstToken = FirstToken::decode;
    const ServingMetrics decode = metricsOf(requests, *serve(requests, settings, &second));
    EXPECT_NEAR(prefill.ttft.mean, 0.01, 1e-12);
    EXPECT_NEAR(decode.ttft.mean, 0.01 + 0.04 + 0.01, 1e-12); // prompt, transfer, a step of the decode instance
    EXPECT_NEAR(decode.e2e.mean, prefill.e2e.mean, 1e-12);
    EXPECT_NEAR(decode.tpot.mean, 9 * 0.01 / 10, 1e-12); // the first two tokens leave together
    const ServingBreakdown& parts = decode.breakdown;
    EXPECT_NEAR(parts.queue + parts.prefill + parts.decode + parts.preempted + parts.kvTransfer, decode.e2e.mean, 1e-12);
}

/// Where decode has fewer places than requests are under way, waiting for one is part of the time to the first token.
TEST(WayToEngine, WaitingForADecodePlaceCountsBeforeTheFirstToken) {
    const EvenClock clock;
    RequestList requests = promptsAt(std::vector<double>(40, 0.0), 101);
    requests.concurrency = 4;
    ServingSettings settings;
    EngineSettings few = roomForAll();
    few.maxSeqs = 1;
    settings.instances = {{roomForAll(), &clock, InstanceRole::prefill}, {few, &clock, InstanceRole::decode}};
    settings.firstToken = FirstToken::decode;
    ConstantTransfers transfers(1e12, 0.001);
    const ServingMetrics metrics = metricsOf(requests, *serve(requests, settings, &transfers));
    // Streams over places − 1 answers of 100 steps lie before one's own.
    EXPECT_NEAR(metrics.ttft.p50, 3 * 100 * 0.01, 0.1);
    EXPECT_NEAR(metrics.tpot.mean, 99 * 0.01 / 100, 1e-9);
}

} // namespace
} // namespace orrery::test
