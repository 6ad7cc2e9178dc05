// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of AIPerf and spans of OpenTelemetry, written as their documentation shows them.
#include "core/order/requests/read_requests.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

RequestList readAll(std::string_view text) {
    Problems problems;
    auto list = readRequests(text, "log", 512, problems);
    EXPECT_TRUE(list.has_value()) << (problems.empty() ? "" : problems.front().message);
    return list.value_or(RequestList{});
}

TEST(TelemetryRequests, AiperfsRecordsAreRead) {
    const RequestList list = readAll(R"({"metadata":{"session_num":1,"x_request_id":"b","request_start_ns":1759813208500000000,"benchmark_phase":"profiling"},"metrics":{"input_sequence_length":{"value":550,"unit":"tokens"},"output_sequence_length":{"value":144,"unit":"tokens"}},"error":null}
{"metadata":{"session_num":0,"x_request_id":"a","request_start_ns":1759813207000000000,"benchmark_phase":"profiling"},"metrics":{"input_sequence_length":{"value":100,"unit":"tokens"},"output_sequence_length":{"value":7,"unit":"tokens"}},"error":null}
{"metadata":{"session_num":2,"request_start_ns":1759813209000000000},"metrics":{"error_isl":{"value":550,"unit":"tokens"}},"error":{"code":499}}
)");
    ASSERT_EQ(list.requests.size(), 2U); // the third failed
    EXPECT_EQ(list.requests[0].input, 100);
    EXPECT_EQ(list.requests[0].output, 7);
    EXPECT_EQ(list.requests[0].arrival, 0);
    EXPECT_EQ(list.requests[1].input, 550);
    EXPECT_NEAR(list.requests[1].arrival, 1.5, 1e-9);
}

TEST(TelemetryRequests, SpansOfModelsAreRead) {
    const char* spans = R"({"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"s"},"spans":[
 {"name":"chat m","startTimeUnixNano":"1700000000250000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"1200"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"90"}}]},
 {"name":"execute_tool t","startTimeUnixNano":"1700000000300000000","attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"t"}}]},
 {"name":"chat m","startTimeUnixNano":"1700000002250000000","attributes":[{"key":"gen_ai.usage.prompt_tokens","value":{"intValue":1300}},{"key":"gen_ai.usage.completion_tokens","value":{"intValue":5}}]}]}]}]})";
    const RequestList list = readAll(spans);
    ASSERT_EQ(list.requests.size(), 2U); // a tool is no request
    EXPECT_EQ(list.requests[0].input, 1200);
    EXPECT_EQ(list.requests[0].output, 90);
    EXPECT_EQ(list.requests[1].input, 1300);
    EXPECT_EQ(list.requests[1].output, 5);
    EXPECT_NEAR(list.requests[1].arrival, 2, 1e-9);
}

TEST(TelemetryRequests, SpansOfNoModelAreAProblem) {
    Problems problems;
    EXPECT_FALSE(readRequests(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"GET /","startTimeUnixNano":"1"}]}]}]})", "log", 512, problems));
    ASSERT_FALSE(problems.empty());
    EXPECT_EQ(problems.front().code, "no-requests");
}

} // namespace
} // namespace orrery::test
