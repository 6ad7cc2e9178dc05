// SPDX-License-Identifier: GPL-3.0-or-later
// Routers, prefix caches behind them, and prefill apart from decode.
#include "core/order/requests/generate_requests.hpp"
#include "core/order/serving/serving_metrics.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

ServingSettings engines(std::size_t count, const EngineSettings& engine, const StepClock& clock, RouterKind router) {
    ServingSettings settings;
    settings.instances.assign(count, {engine, &clock, InstanceRole::both});
    settings.router = router;
    return settings;
}

TEST(Routers, RoundRobinGoesRound) {
    RequestLaw law;
    law.count = 30;
    const RequestList requests = generateRequests(law);
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 10;
    const auto outcome = serve(requests, engines(3, engine, clock, RouterKind::round_robin));
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(outcome->log.records[i].instance, static_cast<int>(i % 3));
}

TEST(Routers, TheLeastLoadedIsChosenWhereLengthsDiffer) {
    RequestLaw law;
    law.count = 4000;
    law.ratePerSecond = 95;
    law.input = {LengthKind::constant, 100, 0, 1, 1, 1000};
    law.output = {LengthKind::lognormal, 60, 120, 1, 1, 2000};
    const RequestList requests = generateRequests(law);
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 10000;
    engine.maxSeqs = 8;
    const auto waitBy = [&](RouterKind router) { return metricsOf(requests, *serve(requests, engines(4, engine, clock, router))).queue.mean; };
    EXPECT_LT(waitBy(RouterKind::least_loaded), 0.7 * waitBy(RouterKind::round_robin));
}

/// Conversations: each request repeats what came before, and adds to it.
RequestList conversations(int count, int rounds) {
    RequestList list;
    list.hashBlockSize = 64;
    for (int turn = 0; turn < rounds; ++turn)
        for (int user = 0; user < count; ++user) {
            Request request;
            request.arrival = turn * 20.0 + user * 0.1;
            request.input = 64 * (turn + 1) * 4;
            request.output = 20;
            for (int block = 0; block < (turn + 1) * 4; ++block) request.hashes.push_back(static_cast<std::uint64_t>(user) * 1000 + static_cast<std::uint64_t>(block));
            list.requests.push_back(request);
        }
    return list;
}

TEST(Routers, WhoKnowsPrefixesKeepsConversationsTogether) {
    const RequestList requests = conversations(31, 6);
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 100000;
    const auto hitRate = [&](RouterKind router) { return metricsOf(requests, *serve(requests, engines(4, engine, clock, router))).prefixHitRate; };
    // With one cache for all, turn t finds all of turn t − 1: (0 + 1 + … + 5)/(1 + 2 + … + 6).
    EXPECT_NEAR(metricsOf(requests, *serve(requests, engines(1, engine, clock, RouterKind::round_robin))).prefixHitRate, 15.0 / 21, 1e-12);
    EXPECT_NEAR(hitRate(RouterKind::prefix_aware), 15.0 / 21, 0.03);
    EXPECT_LT(hitRate(RouterKind::round_robin), 0.5);
}

TEST(PrefixCache, ASharedBeginningIsComputedOnce) {
    RequestLaw law;
    law.count = 100;
    law.process = ArrivalProcess::uniform;
    law.ratePerSecond = 1;
    law.input = {LengthKind::constant, 1000, 0, 1, 1, 1000};
    law.output = {LengthKind::constant, 2, 0, 1, 1, 1000};
    law.sharedPrefix = 600; // 37 whole blocks
    const RequestList requests = generateRequests(law);
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 1000;
    EXPECT_NEAR(metricsOf(requests, *serve(requests, oneEngine(engine, clock))).prefixHitRate, 99 * 592 / 1e5, 1e-12);
    engine.prefixCaching = false;
    EXPECT_EQ(metricsOf(requests, *serve(requests, oneEngine(engine, clock))).prefixHitRate, 0);
}

TEST(PrefixCache, TheLastTokenOfAKnownPromptIsComputedAgain) {
    RequestList requests;
    requests.hashBlockSize = 16;
    for (int i = 0; i < 2; ++i) requests.requests.push_back({i * 10.0, 64, 3, 0, {1, 2, 3, 4}});
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 100;
    const auto outcome = serve(requests, oneEngine(engine, clock));
    EXPECT_EQ(outcome->log.records[1].cachedTokens, 48); // a block at least, so that there are logits
    EXPECT_NEAR(outcome->log.records[1].firstToken - 10, clock.seconds({{{16, 48}}, 0, 0, 0}), 1e-12);
}

TEST(Disaggregation, TheFirstTokenLeavesPrefillAndTheTransferIsInTheFirstGap) {
    RequestList requests;
    requests.requests = {{1, 500, 10, 0, {}}, {100, 300, 1, 0, {}}};
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 100;
    ServingSettings settings;
    settings.instances = {{engine, &clock, InstanceRole::prefill}, {engine, &clock, InstanceRole::decode}};
    settings.kvBytesPerToken = 2000;
    settings.keepTokenTimes = true;
    ConstantTransfers transfers(1e8, 0.003);
    const auto outcome = serve(requests, settings, &transfers);
    const std::vector<double>& times = outcome->log.tokenTimes[0];
    EXPECT_NEAR(times[0] - 1, clock.seconds({{{500, 0}}, 0, 0, 0}), 1e-12);
    EXPECT_NEAR(times[1] - times[0], 0.003 + 2000 * 500 / 1e8 + clock.seconds({{}, 1, 500, 0}), 1e-12);
    EXPECT_NEAR(outcome->log.records[0].transferred, 0.013, 1e-12);
    EXPECT_EQ(outcome->log.records[0].prefillInstance, 0);
    EXPECT_EQ(outcome->log.records[0].instance, 1);
    EXPECT_EQ(outcome->log.records[1].transferred, 0); // one token: nothing is left to decode
    EXPECT_EQ(outcome->totals[0].steps, 2);
    EXPECT_EQ(outcome->totals[1].steps, 9);
}

TEST(Disaggregation, NoPromptDisturbsDecoding) {
    RequestLaw law;
    law.count = 2000;
    law.ratePerSecond = 10;
    law.input = {LengthKind::exponential, 1500, 0, 1, 1, 8000};
    law.output = {LengthKind::constant, 40, 0, 1, 1, 1000};
    const RequestList requests = generateRequests(law);
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 100000;
    ServingSettings settings;
    settings.instances = {{engine, &clock, InstanceRole::prefill}, {engine, &clock, InstanceRole::decode}};
    ConstantTransfers transfers(1e12, 0);
    const ServingMetrics apart = metricsOf(requests, *serve(requests, settings, &transfers));
    const ServingMetrics together = metricsOf(requests, *serve(requests, oneEngine(engine, clock)));
    EXPECT_LT(apart.itl.p99, 0.5 * together.itl.p99);
    EXPECT_EQ(apart.completed, 2000);
}

TEST(Disaggregation, HalfOfItIsRefused) {
    const RequestList requests;
    const MadeUpClock clock;
    ServingSettings settings;
    settings.instances = {{EngineSettings{}, &clock, InstanceRole::prefill}};
    EXPECT_THROW(ServingRun(requests, settings), std::invalid_argument);
    settings.instances.push_back({EngineSettings{}, &clock, InstanceRole::decode});
    EXPECT_THROW(ServingRun(requests, settings), std::invalid_argument); // no transfers
}

} // namespace
} // namespace orrery::test
