// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions: turns that say again what was said, wait for tools and fork subagents.
#include "core/order/requests/generate_requests.hpp"
#include "core/order/serving/serving_metrics.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

LengthLaw always(int length) { return {LengthKind::constant, double(length), 0, 1, 1, 1 << 20}; }
LengthLaw between(int low, int high) { return {LengthKind::uniform, 1, 0, 1, low, high}; }

RequestLaw agents(int count, const SessionLaw& sessions) {
    RequestLaw law;
    law.count = count;
    law.ratePerSecond = 0.5;
    law.input = between(20, 300);
    law.output = between(1, 60);
    law.sessions = sessions;
    return law;
}

EngineSettings roomy() {
    EngineSettings engine;
    engine.blocks = 1000000;
    return engine;
}

TEST(Sessions, OneTurnIsARequest) {
    SessionLaw one;
    one.turns = always(1);
    RequestLaw law = agents(50, one);
    law.sharedPrefix = 100;
    const RequestList with = generateRequests(law);
    law.sessions.reset();
    const RequestList without = generateRequests(law);
    ASSERT_EQ(with.requests.size(), without.requests.size());
    EXPECT_EQ(with.followers, 0);
    EXPECT_EQ(with.hashBlockSize, without.hashBlockSize);
    EXPECT_FALSE(with.answersHashed);
    for (std::size_t i = 0; i < with.requests.size(); ++i) {
        EXPECT_EQ(with.requests[i].arrival, without.requests[i].arrival);
        EXPECT_EQ(with.requests[i].input, without.requests[i].input);
        EXPECT_EQ(with.requests[i].output, without.requests[i].output);
        EXPECT_EQ(with.requests[i].hashes, without.requests[i].hashes);
    }
}

TEST(Sessions, FirstTurnsAreTheRequestsThatThereWereWithoutSessions) {
    SessionLaw sessions;
    sessions.turns = between(1, 6);
    sessions.branches = 2;
    RequestLaw law = agents(50, sessions);
    const RequestList with = generateRequests(law);
    law.sessions.reset();
    const RequestList without = generateRequests(law);
    for (std::size_t i = 0; i < without.requests.size(); ++i) {
        EXPECT_EQ(with.requests[i].arrival, without.requests[i].arrival);
        EXPECT_EQ(with.requests[i].input, without.requests[i].input);
        EXPECT_EQ(with.requests[i].output, without.requests[i].output);
    }
}

TEST(Sessions, ATurnComesAToolsTimeAfterTheAnswerAndSaysAllAgain) {
    for (const double frontEnd : {0.0, 0.02})
        for (const double wait : {0.0, 3.5}) {
            SessionLaw sessions;
            sessions.turns = between(1, 6);
            sessions.toolWait = wait;
            const RequestList requests = generateRequests(agents(40, sessions));
            const MadeUpClock clock;
            ServingSettings settings = oneEngine(roomy(), clock);
            settings.frontEnd = frontEnd;
            settings.keepTokenTimes = true;
            const auto outcome = serve(requests, settings);
            ASSERT_GT(requests.follows.size(), 40U);
            for (const Follow& follow : requests.follows) {
                const Request &before = requests.requests[std::size_t(follow.before)], &turn = requests.requests[std::size_t(follow.request)];
                const RequestRecord &answered = outcome->log.records[std::size_t(follow.before)], &asked = outcome->log.records[std::size_t(follow.request)];
                EXPECT_GT(turn.input, before.input + before.output);
                EXPECT_NEAR(asked.arrival, answered.finish + wait, 1e-9);
                // The newest token of an answer was never computed on; whole blocks are found.
                EXPECT_EQ(asked.cachedTokens, (before.input + before.output - 1) / 16 * 16);
            }
            for (std::size_t i = 0; i < requests.requests.size(); ++i) EXPECT_EQ(outcome->log.tokenTimes[i].size(), std::size_t(requests.requests[i].output));
        }
}

TEST(Sessions, SubagentsShareWhatWasSaidAndTheSecondTurnWaitsForAll) {
    SessionLaw sessions;
    sessions.turns = always(3);
    sessions.branches = 3;
    sessions.branchTurns = always(2);
    sessions.toolWait = 1;
    const RequestList requests = generateRequests(agents(20, sessions));
    ASSERT_EQ(requests.requests.size(), 20U * (3 + 3 * 2));
    const MadeUpClock clock;
    const auto outcome = serve(requests, oneEngine(roomy(), clock));
    std::vector<double> due(requests.requests.size(), 0);
    std::vector<int> befores(requests.requests.size(), 0);
    for (const Follow& follow : requests.follows) {
        double& time = due[std::size_t(follow.request)];
        time = std::max(time, outcome->log.records[std::size_t(follow.before)].finish + follow.wait);
        ++befores[std::size_t(follow.request)];
    }
    int joins = 0;
    for (std::size_t i = 20; i < due.size(); ++i) {
        EXPECT_NEAR(outcome->log.records[i].arrival, due[i], 1e-9);
        joins += int{befores[i] == 4};
        EXPECT_GE(outcome->log.records[i].cachedTokens, 16); // everyone finds the first turn
    }
    EXPECT_EQ(joins, 20);
}

TEST(Sessions, AClosedLoopHoldsSessionsUnderWay) {
    SessionLaw sessions;
    sessions.turns = always(4);
    sessions.toolWait = 2;
    RequestLaw law = agents(30, sessions);
    law.process = ArrivalProcess::closed_loop;
    law.concurrency = 3;
    const RequestList requests = generateRequests(law);
    const MadeUpClock clock;
    const auto outcome = serve(requests, oneEngine(roomy(), clock));
    std::vector<int> session(requests.requests.size());
    for (std::size_t i = 0; i < 30; ++i) session[i] = int(i);
    for (const Follow& follow : requests.follows) session[std::size_t(follow.request)] = session[std::size_t(follow.before)];
    std::vector<std::pair<double, int>> changes;
    std::vector<double> end(30, 0);
    for (std::size_t i = 0; i < session.size(); ++i) end[std::size_t(session[i])] = std::max(end[std::size_t(session[i])], outcome->log.records[i].finish);
    for (std::size_t i = 0; i < 30; ++i) {
        changes.emplace_back(outcome->log.records[i].arrival, 1);
        changes.emplace_back(end[i], -1);
    }
    std::sort(changes.begin(), changes.end());
    int underWay = 0, most = 0;
    for (const auto& [time, change] : changes) most = std::max(most, underWay += change);
    EXPECT_EQ(most, 3);
}

} // namespace
} // namespace orrery::test
