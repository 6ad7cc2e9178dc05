// SPDX-License-Identifier: GPL-3.0-or-later
// Replicas that come, go, fail and come back: nobody is lost, nobody is served twice, and a fleet that never changes is the instances of ever.
#include "core/order/serving/serving_metrics.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::test {
namespace {

ServingSettings replicas(std::size_t count, const EngineSettings& engine, const StepClock& clock) {
    ServingSettings settings = oneEngine(engine, clock);
    settings.instances.resize(count, settings.instances.front());
    return settings;
}

void addSessions(RandomSource& random, RequestList& list) {
    const int beginnings = static_cast<int>(list.requests.size());
    for (int turn = 0; turn < beginnings; ++turn) {
        list.follows.push_back({turn, static_cast<int>(list.requests.size()), random.between(0.0, 0.2)});
        list.requests.push_back(list.requests[static_cast<std::size_t>(turn)]);
        ++list.followers;
    }
}

FleetSettings randomFleet(RandomSource& random, std::size_t count) {
    FleetSettings fleet;
    const int all = static_cast<int>(count);
    if (random.chance(0.7)) {
        fleet.autoscale.emplace();
        fleet.autoscale->most = wholeBetween(random, 1, all);
        fleet.autoscale->least = wholeBetween(random, random.chance(0.2) ? 0 : 1, fleet.autoscale->most);
        fleet.autoscale->interval = random.between(0.02, 0.5);
        fleet.autoscale->start = random.chance(0.3) ? 0 : random.between(0.0, 0.6);
        fleet.autoscale->target = random.between(0.5, 6.0);
    }
    if (random.chance(0.5)) fleet.admission.perReplica = wholeBetween(random, 1, 6);
    if (random.chance(0.3)) fleet.admission.waiting = wholeBetween(random, 0, 8);
    if (random.chance(0.3)) fleet.admission.patience = random.between(0.01, 1.0);
    if (random.chance(0.5))
        for (std::size_t more = random.below(6); more > 0; --more) fleet.failures.push_back({wholeBetween(random, 0, all - 1), random.between(0.0, 2.0), random.between(0.0, 0.5)});
    else if (random.chance(0.5))
        fleet.failureLaw = {random.between(0.2, 3.0), random.between(0.0, 0.4), 7};
    return fleet;
}

/// Every request has all its tokens, each once and in order of time, or a reason why it has none.
void expectEveryoneOnce(const RequestList& requests, const ServingOutcome& outcome, int round) {
    ASSERT_EQ(outcome.log.records.size(), requests.requests.size());
    for (std::size_t i = 0; i < requests.requests.size(); ++i) {
        const RequestRecord& record = outcome.log.records[i];
        const std::vector<double>& times = outcome.log.tokenTimes[i];
        if (record.rejection != Rejection::none) {
            ASSERT_FALSE(record.isCompleted()) << "round " << round << " request " << i;
            ASSERT_TRUE(times.empty()) << "round " << round << " request " << i;
            continue;
        }
        ASSERT_TRUE(record.isCompleted()) << "round " << round << " request " << i;
        ASSERT_EQ(times.size(), static_cast<std::size_t>(requests.requests[i].output)) << "round " << round << " request " << i;
        ASSERT_TRUE(std::is_sorted(times.begin(), times.end())) << "round " << round << " request " << i;
        ASSERT_GE(times.front(), record.arrival);
        // The parts of a request's time sum to it, whatever moved it.
        const double parts = record.frontEnd + record.queued + record.prefillSeconds() + record.decodeSeconds() + record.preempted + record.transferred;
        ASSERT_NEAR(parts, record.finish - record.arrival, 1e-9) << "round " << round << " request " << i;
        ASSERT_GE(record.queued, -1e-12);
        ASSERT_GE(record.prefillSeconds(), -1e-9) << "round " << round << " request " << i;
        ASSERT_GE(record.decodeSeconds(), -1e-9) << "round " << round << " request " << i;
    }
}

TEST(Fleet, LosesNobodyAndServesNobodyTwice) {
    RandomSource random(77);
    const MadeUpClock clock;
    std::int64_t moved = 0, started = 0, refused = 0;
    for (int round = 0; round < 1500; ++round) {
        RandomCase one = randomCase(random);
        one.engine.policy = static_cast<SchedulerPolicy>(random.below(schedulerPolicyCount));
        one.engine.asyncScheduling = random.chance(0.3);
        if (random.chance(0.3)) one.engine.receiveInterval = wholeBetween(random, 2, 10);
        if (random.chance(0.3)) one.engine.speculative = {2, 0.6, random.chance(0.5), 3, 0};
        if (random.chance(0.3)) addSessions(random, one.requests);
        else if (random.chance(0.3)) one.requests.concurrency = 1 + static_cast<int>(random.below(12));
        const bool hasTiers = one.engine.prefixCaching && random.chance(0.3);
        if (hasTiers) {
            one.engine.blockBytes = 1000;
            one.engine.tiers = {{CacheTierKind::host, 1000.0 * wholeBetween(random, 1, 40), 1e6, static_cast<TierWrites>(random.below(2)), random.chance(0.3)}};
            if (random.chance(0.5)) one.engine.tiers.push_back({CacheTierKind::shared, 1000.0 * wholeBetween(random, 1, 80), 5e5, TierWrites::write_through, false});
        }
        const std::size_t count = 1 + random.below(5);
        ServingSettings settings = replicas(count, one.engine, clock);
        if (!hasTiers && random.chance(0.3))
            for (InstanceSettings& instance : settings.instances) instance.window = randomWindow(random);
        settings.router = static_cast<RouterKind>(random.below(5));
        settings.fleet = randomFleet(random, count);
        if (random.chance(0.3)) settings.frontEnd = 0.01;
        settings.keepSteps = settings.keepTokenTimes = true;
        const auto fast = serve(one.requests, settings);
        ASSERT_TRUE(fast);
        ASSERT_NO_FATAL_FAILURE(expectEveryoneOnce(one.requests, *fast, round));
        settings.stepByStep = true;
        const auto slow = serve(one.requests, settings);
        for (std::size_t i = 0; i < fast->log.records.size(); ++i) {
            ASSERT_EQ(fast->log.records[i].finish, slow->log.records[i].finish) << "round " << round << " request " << i;
            ASSERT_EQ(fast->log.tokenTimes[i], slow->log.tokenTimes[i]) << "round " << round << " request " << i;
        }
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(fast->totals[i].steps, slow->totals[i].steps) << "round " << round;
        ASSERT_TRUE(fast->fleet);
        moved += fast->fleet->moved;
        started += fast->fleet->started;
        for (const RequestRecord& record : fast->log.records) refused += record.rejection == Rejection::fleet_full || record.rejection == Rejection::waited_too_long;
        const int most = settings.fleet->autoscale ? settings.fleet->autoscale->most : static_cast<int>(count);
        for (const FleetMoment& moment : fast->fleet->moments) ASSERT_LE(moment.serving, most);
    }
    EXPECT_GT(moved, 500);
    EXPECT_GT(started, 500);
    EXPECT_GT(refused, 100);
}

TEST(Fleet, ThatNeverChangesIsTheInstancesOfEver) {
    RandomSource random(78);
    const MadeUpClock clock;
    for (int round = 0; round < 400; ++round) {
        RandomCase one = randomCase(random);
        one.engine.policy = static_cast<SchedulerPolicy>(random.below(schedulerPolicyCount));
        if (random.chance(0.3)) addSessions(random, one.requests);
        const std::size_t count = 1 + random.below(4);
        ServingSettings settings = replicas(count, one.engine, clock);
        settings.router = static_cast<RouterKind>(random.below(5));
        settings.keepTokenTimes = true;
        const auto plain = serve(one.requests, settings);
        settings.fleet.emplace();
        if (random.chance(0.7)) settings.fleet->autoscale = AutoscaleSettings{static_cast<int>(count), static_cast<int>(count), 0.1, 5, 3};
        const auto fleet = serve(one.requests, settings);
        EXPECT_TRUE(fleet->fleet->isSteady());
        for (std::size_t i = 0; i < plain->log.records.size(); ++i) {
            ASSERT_EQ(plain->log.tokenTimes[i], fleet->log.tokenTimes[i]) << "round " << round << " request " << i;
            ASSERT_EQ(plain->log.records[i].instance, fleet->log.records[i].instance);
            ASSERT_EQ(plain->log.records[i].queued, fleet->log.records[i].queued);
            ASSERT_EQ(plain->log.records[i].rejection, fleet->log.records[i].rejection);
        }
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(plain->totals[i].busySeconds, fleet->totals[i].busySeconds);
    }
}

/// Requests of one token each, long apart or together, on a clock that takes a second a step: replicas by the rule, worked out by hand.
TEST(Fleet, HasAsManyReplicasAsTheRuleSays) {
    RequestList requests;
    for (int i = 0; i < 8; ++i) requests.requests.push_back({0.5, 10, 40, 0, {}});
    MadeUpClock clock;
    clock.launch = 1;
    clock.perToken = clock.perContext = 0;
    EngineSettings engine;
    engine.blocks = 100;
    ServingSettings settings = replicas(4, engine, clock);
    settings.fleet.emplace();
    settings.fleet->autoscale = AutoscaleSettings{1, 4, 10, 5, 3}; // 8 under way, 3 each: 3 replicas
    const auto outcome = serve(requests, settings);
    const std::vector<FleetMoment>& moments = outcome->fleet->moments;
    ASSERT_GE(moments.size(), 3u);
    EXPECT_EQ(moments[0].serving, 1);
    EXPECT_EQ(moments[1].time, 10);
    EXPECT_EQ(moments[1].paid, 3);
    EXPECT_EQ(moments[1].serving, 1);
    EXPECT_EQ(moments[2].time, 15);
    EXPECT_EQ(moments[2].serving, 3);
    EXPECT_EQ(outcome->fleet->started, 2);
    EXPECT_DOUBLE_EQ(outcome->fleet->paidSeconds(0, 20), 10 + 3 * 10);
}

/// One request, 20 tokens, a second a step: the replica fails at 5.5 s with five tokens out, the other goes on with prompt and tokens.
TEST(Fleet, GoesOnElsewhereAfterAFailure) {
    RequestList requests;
    requests.requests = {{0, 10, 20, 0, {}}};
    MadeUpClock clock;
    clock.launch = 1;
    clock.perToken = clock.perContext = 0;
    EngineSettings engine;
    engine.blocks = 100;
    ServingSettings settings = replicas(2, engine, clock);
    settings.fleet.emplace();
    settings.fleet->failures = {{0, 5.5, 100}};
    settings.keepTokenTimes = true;
    const auto outcome = serve(requests, settings);
    const RequestRecord& record = outcome->log.records[0];
    EXPECT_EQ(record.moves, 1);
    EXPECT_EQ(record.instance, 1);
    ASSERT_EQ(outcome->log.tokenTimes[0].size(), 20u);
    EXPECT_DOUBLE_EQ(outcome->log.tokenTimes[0][4], 5);
    EXPECT_DOUBLE_EQ(outcome->log.tokenTimes[0][5], 6.5); // the step that ran is lost
    EXPECT_DOUBLE_EQ(record.finish, 20.5);
    EXPECT_DOUBLE_EQ(outcome->totals[0].busySeconds, 5.5);
    EXPECT_EQ(outcome->totals[0].steps, 5);
}

/// A replica that takes one at a time, a second each; three wait, one may: by priority, then by arrival.
TEST(Fleet, RefusesWhoIsLastInLine) {
    RequestList requests;
    requests.requests = {{0, 10, 1, 1, {}}, {0.1, 10, 1, 1, {}}, {0.2, 10, 1, 0, {}}, {0.3, 10, 1, 2, {}}};
    MadeUpClock clock;
    clock.launch = 1;
    clock.perToken = clock.perContext = 0;
    EngineSettings engine;
    engine.blocks = 100;
    ServingSettings settings = replicas(1, engine, clock);
    settings.fleet.emplace();
    settings.fleet->admission = {1, 1, std::numeric_limits<double>::infinity()};
    const auto outcome = serve(requests, settings);
    const auto& records = outcome->log.records;
    EXPECT_DOUBLE_EQ(records[0].finish, 1);
    EXPECT_EQ(records[1].rejection, Rejection::fleet_full) << "the third request, of more importance, took its place";
    EXPECT_DOUBLE_EQ(records[2].finish, 2);
    EXPECT_EQ(records[3].rejection, Rejection::fleet_full);
    settings.fleet->admission = {1, 10, 1.5};
    const auto patient = serve(requests, settings);
    EXPECT_DOUBLE_EQ(patient->log.records[2].finish, 2);
    EXPECT_EQ(patient->log.records[1].rejection, Rejection::waited_too_long) << "1.6 s, when the second step has begun";
    EXPECT_EQ(patient->log.records[3].rejection, Rejection::waited_too_long);
}

TEST(Routers, KeepASessionWhereItBegan) {
    const auto router = makeRequestRouter(RouterKind::session_affinity, 8);
    std::vector<int> loads(8, 0);
    const Request request;
    int moved = 0, there = 0, at[8] = {};
    for (int session = 0; session < 4000; ++session) {
        const std::size_t home = router->choose(request, session, loads);
        ++at[home];
        loads[2] = RequestRouter::closed;
        const std::size_t other = router->choose(request, session, loads);
        loads[2] = 5;
        EXPECT_EQ(router->choose(request, session, loads), home) << "its load changes nothing";
        loads[2] = 0;
        there += home == 2;
        moved += other != home;
        EXPECT_NE(other, 2u);
    }
    EXPECT_EQ(moved, there) << "only who was there goes elsewhere";
    for (const int count : at) EXPECT_NEAR(count, 500, 5 * std::sqrt(500.0));
    loads = {3, 1, 1, 4, 5, 9, 2, 6};
    EXPECT_EQ(router->choose(request, -1, loads), 1u);
}

/// Balls into bins: with two choices the fullest of n bins holds about ln ln n/ln 2 above the mean, with one far more (Mitzenmacher, 2001).
TEST(Routers, TwoChoicesBalanceWhatOneDoesNot) {
    constexpr int bins = 256, balls = 256 * 16;
    const auto router = makeRequestRouter(RouterKind::power_of_two, bins);
    std::vector<int> loads(bins, 0);
    const Request request;
    for (int ball = 0; ball < balls; ++ball) ++loads[router->choose(request, -1, loads)];
    EXPECT_LE(*std::max_element(loads.begin(), loads.end()), 16 + 5);
    EXPECT_GE(*std::min_element(loads.begin(), loads.end()), 16 - 8);
    std::fill(loads.begin(), loads.end(), RequestRouter::closed);
    loads[17] = 1000;
    EXPECT_EQ(router->choose(request, -1, loads), 17u);
}

} // namespace
} // namespace orrery::test
