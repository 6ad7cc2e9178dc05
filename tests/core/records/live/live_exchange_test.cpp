// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace orrery::test {
namespace {

std::string lineOf(const void*, int rank, std::uint32_t place) { return place == 0 ? "" : "train.py:" + std::to_string(100 * rank + static_cast<int>(place)); }

struct Job {
    explicit Job(int world, std::vector<int> real) : groups(world), exchange(groups, std::move(real), nullptr, &lineOf) {
        std::vector<int> all(static_cast<std::size_t>(world));
        for (int i = 0; i < world; ++i) all[static_cast<std::size_t>(i)] = i;
        EXPECT_FALSE(groups.add(0, 0, all));
    }
    LiveExchange::Outcome call(int rank, CallKind kind, std::uint64_t elements, std::int32_t peer = LiveCall::nobody, std::uint32_t group = 0) {
        LiveCall call;
        call.operation = ++operations;
        call.group = group;
        call.kind = kind;
        call.type = 6;
        call.elements = elements;
        call.peer = peer;
        call.place = 7;
        return exchange.arrive(rank, call, {});
    }
    LiveGroups groups;
    LiveExchange exchange;
    std::uint64_t operations = 0;
};

} // namespace

TEST(LiveExchange, aCollectiveEndsWhenTheLastRealMemberHasCome) {
    Job job(64, {0, 3, 9});
    EXPECT_TRUE(job.call(0, CallKind::all_reduce, 5).ended.empty());
    EXPECT_TRUE(job.call(9, CallKind::all_reduce, 5).ended.empty());
    const auto outcome = job.call(3, CallKind::all_reduce, 5);
    ASSERT_EQ(outcome.ended.size(), 3u);
    EXPECT_FALSE(outcome.fault);
    EXPECT_FALSE(job.exchange.stuck({}));
}

TEST(LiveExchange, aGroupWithOneRealMemberAwaitsNobody) {
    Job job(64, {0, 3});
    EXPECT_FALSE(job.groups.add(0, 1, {0, 1}));
    EXPECT_TRUE(job.call(0, CallKind::all_reduce, 5, LiveCall::nobody, 1).ended.empty());
    EXPECT_FALSE(job.exchange.stuck({}));
}

TEST(LiveExchange, aMismatchNamesBothCallsWithTheirLines) {
    Job job(8, {2, 5});
    job.call(2, CallKind::all_reduce, 5);
    const auto outcome = job.call(5, CallKind::all_gather, 5);
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->code, "collective-mismatch");
    EXPECT_EQ(outcome.fault->ranks, (std::vector<int>{2, 5}));
    for (const char* part : {"different collectives", "rank 2 all_reduce of 5 float32, at train.py:207", "rank 5 all_gather of 5 float32, at train.py:507", "all 8 ranks"})
        EXPECT_NE(outcome.fault->message.find(part), std::string::npos) << outcome.fault->message;
}

TEST(LiveExchange, anotherSizeIsAMismatch) {
    Job job(8, {2, 5});
    job.call(2, CallKind::all_reduce, 5);
    const auto outcome = job.call(5, CallKind::all_reduce, 6);
    ASSERT_TRUE(outcome.fault);
    EXPECT_NE(outcome.fault->message.find("different sizes"), std::string::npos);
}

TEST(LiveExchange, aSendIsOverWhenItsReceiveHasComeAndNotBefore) {
    Job job(4, {0, 1});
    EXPECT_TRUE(job.call(0, CallKind::send, 3, 1).ended.empty());
    const auto outcome = job.call(1, CallKind::receive, 3, 0);
    ASSERT_EQ(outcome.ended.size(), 2u);
    EXPECT_EQ(outcome.ended[1].source, 0);
}

TEST(LiveExchange, sendsBothWaysAreACircleThatIsNamedWhole) {
    Job job(4, {0, 1});
    job.call(0, CallKind::send, 3, 1);
    job.call(1, CallKind::send, 3, 0);
    const auto hang = job.exchange.stuck({});
    ASSERT_TRUE(hang);
    EXPECT_EQ(hang->code, "hang");
    for (const char* part : {"Rank 0 waits for ever in send to rank 1", "rank 1 never receives it", "Rank 1 waits for ever in send to rank 0", "train.py:7", "train.py:107"})
        EXPECT_NE(hang->message.find(part), std::string::npos) << hang->message;
}

TEST(LiveExchange, whoHasEndedIsTheCause) {
    Job job(8, {0, 1, 2});
    EXPECT_FALSE(job.groups.add(0, 1, {0, 1}));
    EXPECT_FALSE(job.groups.add(0, 2, {1, 2}));
    job.call(0, CallKind::all_reduce, 1, LiveCall::nobody, 1); // waits for 1, which waits for 2, which has gone
    job.call(1, CallKind::all_reduce, 1, LiveCall::nobody, 2);
    const auto hang = job.exchange.stuck({2});
    ASSERT_TRUE(hang);
    EXPECT_EQ(hang->ranks.front(), 2);
    EXPECT_NE(hang->message.find("the program of rank 2 has ended"), std::string::npos) << hang->message;
}

TEST(LiveExchange, groupsThatDifferAreRefused) {
    LiveGroups groups(8);
    EXPECT_FALSE(groups.add(0, 1, {0, 1}));
    EXPECT_FALSE(groups.add(1, 1, {0, 1}));
    const auto wrong = groups.add(2, 1, {2, 3});
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->find("rank 2"), std::string::npos);
    EXPECT_TRUE(groups.add(0, 2, {0, 8})); // no such rank
}

// Whatever order ranks are heard in, each message comes to whom it was sent, in the order in which it was sent.
TEST(LiveExchange, messagesKeepTheirOrderUnderAnyInterleaving) {
    std::mt19937 random(5);
    for (int round = 0; round < 50; ++round) {
        const int world = 4, messages = 40;
        Job job(world, {0, 1, 2, 3});
        struct Planned {
            int rank;
            CallKind kind;
            std::int32_t peer;
            std::uint64_t elements;
        };
        std::vector<std::vector<Planned>> programs(4);
        for (int i = 0; i < messages; ++i) {
            const int from = static_cast<int>(random() % 4), to = (from + 1 + static_cast<int>(random() % 3)) % 4;
            // The number of elements is the message's own: a mix-up would be a mismatch.
            programs[static_cast<std::size_t>(from)].push_back({from, CallKind::send, to, static_cast<std::uint64_t>(i + 1)});
            programs[static_cast<std::size_t>(to)].push_back({to, CallKind::receive, from, static_cast<std::uint64_t>(i + 1)});
        }
        std::size_t ended = 0;
        std::vector<std::size_t> at(4, 0);
        for (int left = 2 * messages; left > 0; --left) {
            std::size_t rank = random() % 4;
            while (at[rank] == programs[rank].size()) rank = (rank + 1) % 4;
            const Planned& next = programs[rank][at[rank]++];
            const auto outcome = job.call(next.rank, next.kind, next.elements, next.peer);
            ASSERT_FALSE(outcome.fault) << outcome.fault->message;
            ended += outcome.ended.size();
        }
        EXPECT_EQ(ended, static_cast<std::size_t>(2 * messages));
        EXPECT_FALSE(job.exchange.stuck({}));
    }
}

} // namespace orrery::test
