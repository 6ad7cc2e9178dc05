// SPDX-License-Identifier: GPL-3.0-or-later
// Logs that are almost logs: each is read, or refused with its line and a mend; none crashes or hangs. ORRERY_MUTANTS says how many (5,000 unless it does).
#include "core/order/requests/read_requests.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace orrery {
namespace {

const std::vector<std::string>& logSeeds() {
    static const std::vector<std::string> seeds{
        "{\"arrival_s\": 0, \"input_tokens\": 100, \"output_tokens\": 10, \"hash_ids\": [1]}\n{\"arrival_s\": 0.5, \"input_tokens\": 512, \"output_tokens\": 128}\n",
        "{\"timestamp\": 0, \"input_length\": 6755, \"output_length\": 500, \"hash_ids\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}\n{\"timestamp\": 3052, \"input_length\": 700, \"output_length\": 490, \"hash_ids\": [0, 7]}\n",
        "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2024-05-10 00:00:00.009930+00:00,2162,5\r\n",
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,\"Conversation, log\"\n45,ChatGPT,1087,0,1317,API log\n",
        "input_toks\toutput_toks\tarrival_time_ns\n10\t70\t46926808\n22\t104\t347938952\n",
        "[{\"input_toks\": 181, \"output_toks\": 182, \"arrival_time_ns\": 0, \"input_tok_ids\": [1, 2]}, {\"input_toks\": 18, \"output_toks\": 12, \"arrival_time_ns\": 1500000000}]\n"};
    return seeds;
}

std::string mutatedLog(std::string text, test::RandomSource& random) {
    static const std::vector<std::string> splinters{"-1", "0", "1e999", "9223372036854775808", "NaN", "[", "{", "\"", "\\", ",", "\t", "\n", "null", std::string(3, '\0'), "\xff", "9999-99-99 99:99:99", std::string(3000, '[')};
    for (std::size_t changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes) {
        const std::size_t at = random.below(text.size());
        switch (random.below(5)) {
        case 0: text[at] = static_cast<char>(random.below(256)); break;
        case 1: text.erase(at, 1 + random.below(30)); break;
        case 2: text.insert(at, random.pick(splinters)); break;
        case 3: text.insert(at, random.pick(logSeeds()).substr(0, 60)); break;
        default: text.resize(at);
        }
    }
    return text;
}

TEST(MutatedRequests, AreReadOrRefusedAndNeverCrash) {
    const char* asked = std::getenv("ORRERY_MUTANTS");
    const long count = asked != nullptr ? std::strtol(asked, nullptr, 10) : 5'000;
    test::RandomSource random(39);
    for (long i = 0; i < count; ++i) {
        const std::string text = mutatedLog(logSeeds()[static_cast<std::size_t>(i) % logSeeds().size()], random);
        const auto begin = std::chrono::steady_clock::now();
        Problems problems;
        const auto list = readRequests(text, "mutant", 512, problems);
        ASSERT_EQ(list.has_value(), !hasErrors(problems)) << text;
        if (list) {
            ASSERT_TRUE(std::is_sorted(list->requests.begin(), list->requests.end(), [](const Request& a, const Request& b) { return a.arrival < b.arrival; })) << text;
            ASSERT_TRUE(std::all_of(list->requests.begin(), list->requests.end(), [](const Request& request) { return request.arrival >= 0 && request.input >= 1 && request.output >= 1; })) << text;
        }
        ASSERT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5) << text;
    }
}

} // namespace
} // namespace orrery
