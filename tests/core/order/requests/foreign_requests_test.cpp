// SPDX-License-Identifier: GPL-3.0-or-later
// Logs as others publish them, a few lines of each; the right values stand in the lines themselves.
#include "core/order/requests/foreign_requests.hpp"
#include "core/order/requests/read_requests.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

struct Read {
    std::optional<RequestList> list;
    Problems problems;
};

Read readLog(const std::string& text) {
    Read read;
    read.list = readRequests(text, "log", 512, read.problems);
    return read;
}

void expectRequests(const std::string& text, const std::vector<std::array<double, 3>>& wanted) {
    const Read read = readLog(text);
    ASSERT_TRUE(read.list) << text << (read.problems.empty() ? "" : toText(read.problems.front()));
    ASSERT_EQ(read.list->requests.size(), wanted.size()) << text;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(read.list->requests[i].arrival, wanted[i][0], 1e-9) << text;
        EXPECT_EQ(read.list->requests[i].input, wanted[i][1]) << text;
        EXPECT_EQ(read.list->requests[i].output, wanted[i][2]) << text;
    }
}

TEST(ForeignRequests, TablesAreKnownByTheirHeads) {
    expectRequests("TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8\r\n", {{0, 4808, 10}, {0.052, 3180, 8}});
    expectRequests("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 23:59:59.009930+00:00,2162,5\n2024-05-11 00:00:01.009930+00:00,2399,6\n", {{0, 2162, 5}, {2, 2399, 6}});
    expectRequests("TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00,1,20,5\n2024-05-10 00:01:00,0,30,6\n", {{0, 20, 5}, {60, 30, 6}});
    expectRequests("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n45,GPT-4,1087,230,1317,API log\n", {{0, 472, 18}, {40, 1087, 230}});
    expectRequests("arrived_at,num_prefill_tokens,num_decode_tokens\n0.25,374,44\n0.302,396,109\n", {{0, 374, 44}, {0.052, 396, 109}});
    expectRequests("input_toks\toutput_toks\tarrival_time_ns\n10\t70\t46926808\n22\t104\t347938952\n", {{0, 10, 70}, {0.301012144, 22, 104}});
}

TEST(ForeignRequests, JsonLinesAreKnownByTheirKeys) {
    expectRequests(R"({"input_toks": 181, "output_toks": 182, "arrival_time_ns": 0, "input_tok_ids": [1, 2]})"
                   "\n"
                   R"({"input_toks": 18, "output_toks": 12, "arrival_time_ns": 1500000000})",
                   {{0, 181, 182}, {1.5, 18, 12}});
    const Read mooncake = readLog(R"({"timestamp": 0, "input_length": 1000, "output_length": 500, "hash_ids": [0, 1]})"
                                  "\n"
                                  R"({"timestamp": 3052, "input_length": 700, "output_length": 490, "hash_ids": [0, 7]})");
    ASSERT_TRUE(mooncake.list);
    EXPECT_EQ(mooncake.list->requests[1].arrival, 3.052) << "Mooncake counts milliseconds";
    EXPECT_EQ(mooncake.list->requests[1].hashes, (std::vector<std::uint64_t>{0, 7}));
    EXPECT_EQ(mooncake.list->hashBlockSize, 512);
    const Read bailian = readLog(R"({"chat_id": 1, "timestamp": 0.5, "input_length": 33, "output_length": 20, "hash_ids": [1, 2, 3]})"
                                 "\n"
                                 R"({"chat_id": 2, "timestamp": 61.1, "input_length": 48, "output_length": 2, "hash_ids": [1, 2, 4]})");
    ASSERT_TRUE(bailian.list);
    EXPECT_NEAR(bailian.list->requests[1].arrival, 60.6, 1e-9) << "Bailian counts seconds";
    EXPECT_EQ(bailian.list->hashBlockSize, 16) << "33 and 48 tokens have three hashes each";
}

// AIBrix writes the requests of a moment into one line; proxies of OpenAI's interface put the numbers into `usage`.
TEST(ForeignRequests, NumbersMayStandInsideARecord) {
    expectRequests(R"({"timestamp": 0, "requests": [{"prompt": "a", "prompt_length": 10, "output_length": 5}]})"
                   "\n"
                   R"({"timestamp": 1500, "requests": [{"prompt_length": 20, "output_length": 6}, {"prompt_length": 21, "output_length": 7}]})",
                   {{0, 10, 5}, {1.5, 20, 6}, {1.5, 21, 7}});
    expectRequests(R"({"timestamp": "2025-01-01T00:00:00Z", "model": "m", "usage": {"prompt_tokens": 20, "completion_tokens": 30, "total_tokens": 50}})"
                   "\n"
                   R"({"timestamp": "2025-01-01T00:00:02Z", "response": {"body": {"usage": {"prompt_tokens": 21, "completion_tokens": 31}}}})",
                   {{0, 20, 30}, {2, 21, 31}});
}

// ShareGPT's conversations and files of prompts: the reason is that nobody counted tokens.
TEST(ForeignRequests, TextsWithoutCountsAreToldApart) {
    for (const char* text : {R"([{"id": "a", "conversations": [{"from": "human", "value": "good day"}]}])", R"({"prompt": "good day", "max_tokens": 20})", R"({"messages": [{"role": "user", "content": "good day"}]})"}) {
        const Read read = readLog(text);
        EXPECT_FALSE(read.list) << text;
        ASSERT_FALSE(read.problems.empty());
        EXPECT_EQ(read.problems.front().code, "no-token-counts") << text;
        EXPECT_EQ(toText(read.problems.front()).find("good day"), std::string::npos) << "nothing of the text is quoted";
    }
}

TEST(ForeignRequests, FailuresAreLeftOutAndSaid) {
    const Read read = readLog("Timestamp,Model,Request tokens,Response tokens\n5,a,472,18\n6,a,417,0\n");
    ASSERT_TRUE(read.list);
    EXPECT_EQ(read.list->requests.size(), 1U);
    ASSERT_EQ(read.problems.size(), 1U);
    EXPECT_EQ(read.problems[0].code, "failed-requests");
}

TEST(ForeignRequests, WithoutTimesAllComeAtOnce) {
    const Read read = readLog("num_prefill_tokens,num_decode_tokens,pd_ratio\n374,44,8.5\n396,109,3.6\n");
    ASSERT_TRUE(read.list);
    EXPECT_EQ(read.list->requests[1].arrival, 0);
    EXPECT_EQ(read.problems[0].code, "no-arrivals");
}

TEST(ForeignRequests, MistakesAreToldWithTheirLineAndQuoteNothing) {
    for (const std::string text : {"a,b\nsecret,2\n", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,secret,4\n", "secret:x:0:0\nroot,1\n", R"({"timestamp": 0, "input_length": 1, "output_length": 5})"
                                                                                                                                                 "\n{secret\n",
                                   "[secret", R"([{"input_length": "secret", "output_length": 1}])", "TIMESTAMP,ContextTokens,GeneratedTokens\nsecret,1,2\n"}) {
        const Read read = readLog(text);
        EXPECT_FALSE(read.list) << text;
        ASSERT_FALSE(read.problems.empty()) << text;
        for (const Problem& problem : read.problems) EXPECT_EQ(toText(problem).find("secret"), std::string::npos) << toText(problem);
    }
}

TEST(ForeignRequests, MomentsAreCountedAsTheCalendarDoes) {
    EXPECT_EQ(momentOf("1970-01-01 00:00:00"), 0);
    EXPECT_EQ(momentOf("2000-03-01T00:00:00Z"), 951868800LL * 1'000'000'000) << "29 February 2000 was one";
    EXPECT_EQ(momentOf("2024-05-10 02:00:00+02:00"), momentOf("2024-05-10 00:00:00"));
    for (const char* text : {"", "2024-05-10", "2024-13-10 00:00:00", "2024-05-10 00:00:00 x", "9999-01-01 00:00:00"}) EXPECT_FALSE(momentOf(text)) << text;
}

} // namespace
} // namespace orrery
