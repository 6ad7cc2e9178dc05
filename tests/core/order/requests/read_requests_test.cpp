// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of requests: what is read is what is written, and a mistake is told with its line and a mend.
#include "core/base/gzip.hpp"
#include "core/order/requests/read_requests.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace orrery::test {
namespace {

std::string bytesOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

RequestList readWell(const std::string& bytes, int hashBlockSize = 512) {
    Problems problems;
    auto list = readRequests(bytes, "requests.jsonl", hashBlockSize, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return list.value_or(RequestList{});
}

TEST(ReadRequests, TheAzureLogHasTheTokensThatItsSourceNames) {
    const RequestList list = readWell(bytesOf(sharedPath("requests/azure-2023-conversation.jsonl.gz")));
    ASSERT_EQ(list.requests.size(), 19366u);
    long long input = 0, output = 0;
    for (const Request& request : list.requests) input += request.input, output += request.output;
    EXPECT_EQ(input, 22361870);
    EXPECT_EQ(output, 4088665);
    EXPECT_NEAR(list.requests.back().arrival - list.requests.front().arrival, 3501.7, 0.1);
}

TEST(ReadRequests, HashesAreThoseOfAGeneralParser) {
    std::string reason;
    const auto text = inflateGzip(bytesOf(sharedPath("requests/mooncake-conversation.jsonl.gz")), reason);
    ASSERT_TRUE(text);
    const RequestList list = readWell(*text);
    ASSERT_EQ(list.requests.size(), 12031u);
    std::istringstream lines(*text);
    std::string line;
    for (std::size_t i = 0; std::getline(lines, line); ++i) {
        if (i % 97 != 0) continue;
        const auto parsed = nlohmann::json::parse(line);
        EXPECT_EQ(list.requests[i].hashes, parsed["hash_ids"].get<std::vector<std::uint64_t>>());
        EXPECT_EQ(list.requests[i].arrival, parsed["arrival_s"].get<double>());
    }
}

TEST(ReadRequests, SkipsWhatItDoesNotKnow) {
    const RequestList list = readWell("\xef\xbb\xbf{\"text\": \"a } \\\" b\", \"arrival_s\": 1e0, \"more\": {\"a\": [1, {\"b\": null}]}, \"input_tokens\":3,\"output_tokens\" : 4.0, \"priority\": -2}\r\n\n  \n"
                                      "{\"output_tokens\":1,\"input_tokens\":2,\"arrival_s\":1,\"hash_ids\":[]}");
    ASSERT_EQ(list.requests.size(), 2u);
    EXPECT_EQ(list.requests[0].arrival, 1);
    EXPECT_EQ(list.requests[0].input, 3);
    EXPECT_EQ(list.requests[0].output, 4);
    EXPECT_EQ(list.requests[0].priority, -2);
}

struct Mistake {
    std::string line, code;
};

TEST(ReadRequests, TellsEachMistakeWithItsLineAndAMend) {
    const std::vector<Mistake> mistakes = {
        {"hello", "malformed-request"},
        {"{\"arrival_s\": 2, \"input_tokens\": 5", "malformed-request"},
        {"{\"arrival_s\": 2, \"input_tokens\": , \"output_tokens\": 1}", "malformed-request"},
        {"{\"arrival_s\": nan, \"input_tokens\": 5, \"output_tokens\": 1}", "malformed-request"},
        {"{\"arrival_s\": \"2\", \"input_tokens\": 5, \"output_tokens\": 1}", "malformed-request"},
        {"{\"arrival_s\": 2, \"input_tokens\": 5, \"output_tokens\": 1} {}", "malformed-request"},
        {"{\"arrival_s\": 2, \"input_tokens\": 5, \"output_tokens\": 1, \"x\":}", "malformed-request"},
        {"{\"arrival_s\": 2, \"input_tokens\": 5, \"output_tokens\": 1, \"hash_ids\": [1.5]}", "malformed-request"},
        {"{\"arrival_s\": 2, \"input_tokens\": 5, \"output_tokens\": 0}", "no-output"},
        {"{\"arrival_s\": 2, \"input_tokens\": 0, \"output_tokens\": 1}", "value-out-of-range"},
        {"{\"arrival_s\": 2, \"input_tokens\": 1.5, \"output_tokens\": 1}", "value-out-of-range"},
        {"{\"arrival_s\": -2, \"input_tokens\": 5, \"output_tokens\": 1}", "negative-arrival"},
        {"{\"arrival_s\": 0.5, \"input_tokens\": 5, \"output_tokens\": 1}", "unsorted-arrivals"},
        {"{\"arrival_s\": 2, \"input_tokens\": 5}", "missing-key"},
        {"{\"arrival_s\": 2, \"input_tokens\": 5, \"output_tokens\": 1, \"hash_ids\": [1,2,3]}", "hash-count"},
        {"{\"arrival_s\": 2, \"arrival_s\": 2, \"input_tokens\": 5, \"output_tokens\": 1}", "repeated-key"},
    };
    for (const Mistake& mistake : mistakes) {
        Problems problems;
        EXPECT_FALSE(readRequests("{\"arrival_s\": 1, \"input_tokens\": 5, \"output_tokens\": 1}\n" + mistake.line + "\n", "log.jsonl", 512, problems)) << mistake.line;
        ASSERT_EQ(problems.size(), 1u) << mistake.line;
        EXPECT_EQ(problems[0].code, mistake.code) << mistake.line;
        EXPECT_EQ(problems[0].file, "log.jsonl");
        EXPECT_EQ(problems[0].line, 2);
        EXPECT_FALSE(problems[0].mend.empty());
    }
    Problems problems;
    EXPECT_FALSE(readRequests("\n", "log.jsonl", 512, problems));
    EXPECT_EQ(problems.at(0).code, "no-requests");
    problems.clear();
    EXPECT_FALSE(readRequests("{\"arrival_s\": 1, \"input_token\": 5, \"output_tokens\": 1}", "log.jsonl", 512, problems));
    EXPECT_EQ(problems.at(0).mend, "Rename \"input_token\" to \"input_tokens\".");
}

TEST(ReadRequests, ManyMistakesAreNotAllListed) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "x\n";
    Problems problems;
    EXPECT_FALSE(readRequests(text, "log.jsonl", 512, problems));
    EXPECT_EQ(problems.size(), mostRequestProblems);
}

TEST(ReadRequests, SurvivesEveryDamage) {
    const std::string sound = "{\"arrival_s\": 1.25, \"input_tokens\": 600, \"output_tokens\": 1, \"hash_ids\": [1,2], \"note\": [\"a\", {\"b\": -1e5}]}\n";
    RandomSource random(5);
    for (int round = 0; round < 20000; ++round) {
        std::string text = sound;
        for (std::size_t hits = 1 + random.below(3); hits > 0; --hits) {
            const std::size_t at = random.below(text.size());
            if (random.chance(0.5)) text[at] = static_cast<char>(random.below(256));
            else text.erase(at, 1 + random.below(5));
            if (text.empty()) break;
        }
        Problems problems;
        const auto list = readRequests(text, "log.jsonl", 512, problems);
        EXPECT_NE(list.has_value(), hasErrors(problems));
    }
}

TEST(Inflate, SaysThatAFileIsCutShortOrBroken) {
    std::string bytes = bytesOf(sharedPath("requests/azure-2023-code.jsonl.gz"));
    ASSERT_TRUE(isGzip(bytes));
    std::string reason;
    const auto whole = inflateGzip(bytes, reason);
    ASSERT_TRUE(whole);
    Problems problems;
    EXPECT_TRUE(readRequests(bytes, "code.gz", 512, problems));
    for (const std::size_t kept : {std::size_t{11}, bytes.size() / 2, bytes.size() - 1}) {
        problems.clear();
        EXPECT_FALSE(readRequests(std::string_view(bytes).substr(0, kept), "code.gz", 512, problems));
        EXPECT_EQ(problems.at(0).code, "broken-gzip");
        EXPECT_EQ(problems.at(0).file, "code.gz");
    }
    bytes[bytes.size() / 2] ^= 0x55;
    problems.clear();
    EXPECT_FALSE(readRequests(bytes, "code.gz", 512, problems));
    EXPECT_EQ(problems.size(), 1u);
}

} // namespace
} // namespace orrery::test
