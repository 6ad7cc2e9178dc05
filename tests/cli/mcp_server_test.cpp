// SPDX-License-Identifier: GPL-3.0-or-later
// The protocol itself, with tools of the test's own: what JSON-RPC 2.0 and the Model Context Protocol say of every kind of message, and lines that are none.
#include "app/cli/mcp/mcp_session.hpp"

#include "app/cli/common/kept_answer.hpp"
#include "app/cli/common/verb.hpp"
#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/document/schema_shapes.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace orrery {
namespace {

/// Works as a long command does: for a while, unless whoever asked gives up.
VerbAnswer waited(const Json& given) {
    const std::stop_token stop = commandControl().stop;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(given.at("seconds").get<double>());
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {Json{{"stopped", stop.stop_requested()}}, "", false};
}

McpServer toyServer() {
    const Shape sum = schema::object({schema::required("a", schema::number(-1e9, 1e9), "One."), schema::required("b", schema::number(-1e9, 1e9), "The other.")});
    return McpServer("1.2.3", {{"add", "Add", "Adds two numbers.", sum, [](const Json& given) { return VerbAnswer{Json{{"sum", given.at("a").get<double>() + given.at("b").get<double>()}}, "", false}; }},
                               {"fail", "Fail", "Fails.", schema::object({}), [](const Json&) -> VerbAnswer { throw std::runtime_error("the toy is broken"); }},
                               {"wait", "Wait", "Waits until it is stopped, or so many seconds.", schema::object({schema::required("seconds", schema::number(0, 60), "At most.")}), waited}});
}

/// The answer to a message, as a document; null where there is none.
Json answerTo(const std::string& line) {
    const auto text = toyServer().answer(line);
    if (!text) return nullptr;
    EXPECT_EQ(text->find('\n'), std::string::npos) << *text;
    Json answer = Json::parse(*text, nullptr, false);
    EXPECT_FALSE(answer.is_discarded()) << *text;
    return answer;
}
Json request(const Json& id, const std::string& method, const Json& parameters = Json::object()) { return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}}; }
Json answerTo(const Json& message) { return answerTo(message.dump()); }

TEST(McpServer, agreesOnARevision) {
    const Json answer = answerTo(request(1, "initialize", {{"protocolVersion", "2024-11-05"}, {"capabilities", Json::object()}, {"clientInfo", {{"name", "test"}, {"version", "1"}}}}));
    EXPECT_EQ(answer["jsonrpc"], "2.0");
    EXPECT_EQ(answer["id"], 1);
    EXPECT_EQ(answer["result"]["protocolVersion"], "2024-11-05");
    EXPECT_EQ(answer["result"]["serverInfo"]["version"], "1.2.3");
    EXPECT_TRUE(answer["result"]["capabilities"].contains("tools"));
    // One that it doesn't know gets the newest that it does.
    EXPECT_EQ(answerTo(request(1, "initialize", {{"protocolVersion", "2099-01-01"}}))["result"]["protocolVersion"], "2025-06-18");
    EXPECT_TRUE(answerTo(Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}).is_null());
}

TEST(McpServer, answersWithTheIdOfTheQuestion) {
    for (const Json& id : {Json(0), Json(-5), Json("abc"), Json(""), Json(1.5)}) {
        const Json answer = answerTo(request(id, "ping"));
        EXPECT_EQ(answer["id"], id);
        EXPECT_EQ(answer["result"], Json::object());
    }
}

TEST(McpServer, describesItsTools) {
    const Json tools = answerTo(request(1, "tools/list"))["result"]["tools"];
    ASSERT_EQ(tools.size(), 3U);
    EXPECT_EQ(tools[0]["name"], "add");
    EXPECT_EQ(tools[0]["inputSchema"]["type"], "object");
    EXPECT_EQ(tools[0]["inputSchema"]["required"], Json({"a", "b"}));
}

TEST(McpServer, callsThem) {
    const Json result = answerTo(request(7, "tools/call", {{"name", "add"}, {"arguments", {{"a", 2}, {"b", 0.5}}}}))["result"];
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(result["structuredContent"]["sum"], 2.5);
    EXPECT_EQ(Json::parse(result["content"][0]["text"].get<std::string>()), result["structuredContent"]);
}

TEST(McpServer, saysWhatIsWrongWithArguments) {
    const Json result = answerTo(request(7, "tools/call", {{"name", "add"}, {"arguments", {{"a", 2}, {"bb", 0.5}}}}))["result"];
    EXPECT_EQ(result["isError"], true);
    EXPECT_EQ(result["structuredContent"]["format"], "orrery-error/1");
    bool found = false;
    for (const Json& problem : result["structuredContent"]["problems"]) found |= problem["pointer"] == "/bb" && problem["mend"].get<std::string>().find('b') != std::string::npos;
    EXPECT_TRUE(found) << result;
    const Json broken = answerTo(request(7, "tools/call", {{"name", "fail"}}))["result"];
    EXPECT_EQ(broken["isError"], true);
    EXPECT_NE(broken["structuredContent"]["problems"][0]["message"].get<std::string>().find("the toy is broken"), std::string::npos);
}

TEST(McpServer, hasTheErrorsOfJsonRpc) {
    const auto code = [](const Json& answer) { return answer["error"]["code"].get<int>(); };
    EXPECT_EQ(code(answerTo(std::string("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\""))), -32700);
    EXPECT_TRUE(answerTo(std::string("{"))["id"].is_null());
    for (const Json& message : {Json(5), Json("ping"), Json(nullptr), Json(true), Json::object(), Json{{"id", 1}, {"method", "ping"}}, Json{{"jsonrpc", "1.0"}, {"id", 1}, {"method", "ping"}}, Json{{"jsonrpc", "2.0"}, {"id", 1}}, Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", 5}}, Json{{"jsonrpc", "2.0"}, {"id", nullptr}, {"method", "ping"}}, Json{{"jsonrpc", "2.0"}, {"id", {1}}, {"method", "ping"}}}) EXPECT_EQ(code(answerTo(message)), -32600) << message;
    EXPECT_EQ(code(answerTo(request(1, "resources/list"))), -32601);
    EXPECT_EQ(code(answerTo(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", {1, 2}}})), -32602);
    EXPECT_EQ(code(answerTo(request(1, "tools/call", {{"name", "multiply"}}))), -32602);
    EXPECT_EQ(code(answerTo(request(1, "tools/call"))), -32602);
    EXPECT_EQ(answerTo(request("q", "tools/call", {{"name", "multiply"}}))["id"], "q");
}

TEST(McpServer, answersNoNotificationAndNoAnswer) {
    EXPECT_TRUE(answerTo(Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 1}}}}).is_null());
    EXPECT_TRUE(answerTo(Json{{"jsonrpc", "2.0"}, {"method", "no/such"}}).is_null());
    EXPECT_TRUE(answerTo(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"result", Json::object()}}).is_null());
    for (const char* blank : {"", " ", "\t", "\r"}) EXPECT_FALSE(toyServer().answer(blank));
}

TEST(McpServer, answersABatchWithABatch) {
    const Json answers = answerTo(Json{request(1, "ping"), Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}, Json(3), request(2, "nothing")});
    ASSERT_EQ(answers.size(), 3U);
    EXPECT_EQ(answers[0]["id"], 1);
    EXPECT_EQ(answers[1]["error"]["code"], -32600);
    EXPECT_EQ(answers[2]["id"], 2);
    EXPECT_EQ(answerTo(Json::array())["error"]["code"], -32600);
    EXPECT_TRUE(answerTo(Json::array({Json{{"jsonrpc", "2.0"}, {"method", "x"}}})).is_null());
}

TEST(McpServer, servesUntilTheInputEnds) {
    std::istringstream in(request(1, "ping").dump() + "\r\n\nnonsense\n" + request(2, "ping").dump()); // the last line has no end
    std::ostringstream out;
    serve(toyServer(), in, out);
    std::istringstream lines(out.str());
    std::vector<Json> answers;
    for (std::string line; std::getline(lines, line);) answers.push_back(Json::parse(line));
    ASSERT_EQ(answers.size(), 3U);
    EXPECT_EQ(answers[0]["id"], 1);
    EXPECT_EQ(answers[1]["error"]["code"], -32700);
    EXPECT_EQ(answers[2]["id"], 2);
}

/// Answers to lines that come all at once, in the order in which they were written.
std::vector<Json> served(const std::vector<Json>& messages) {
    std::string text;
    for (const Json& message : messages) text += message.dump() + "\n";
    std::istringstream in(text);
    std::ostringstream out;
    serve(toyServer(), in, out);
    std::istringstream lines(out.str());
    std::vector<Json> answers;
    for (std::string line; std::getline(lines, line);) answers.push_back(Json::parse(line));
    return answers;
}
Json wait(const Json& id, double seconds) { return request(id, "tools/call", {{"name", "wait"}, {"arguments", {{"seconds", seconds}}}}); }
Json cancel(const Json& id) { return {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}, {"reason", "no longer wanted"}}}}; }

TEST(McpServer, answersPingsWhileAToolWorks) {
    const std::vector<Json> answers = served({wait(1, 0.3), request(2, "ping"), wait("b", 0), request(4, "tools/list")});
    ASSERT_EQ(answers.size(), 4U);
    EXPECT_EQ(answers[0]["id"], 2);
    EXPECT_EQ(answers[1]["id"], 4);
    EXPECT_EQ(answers[2]["id"], 1); // tools in the order in which they were asked for
    EXPECT_EQ(answers[3]["id"], "b");
    EXPECT_EQ(answers[3]["result"]["structuredContent"]["stopped"], false);
}

TEST(McpServer, stopsWhatIsCancelled) {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<Json> answers = served({wait(1, 60), wait("late", 60), cancel("late"), request(2, "ping"), cancel(1), cancel(77), cancel(nullptr), Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {1}}}, wait(3, 0)});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0]["id"], 2);
    EXPECT_EQ(answers[1]["id"], 3);
    EXPECT_EQ(answers[1]["result"]["structuredContent"]["stopped"], false);
}

TEST(McpServer, leavesTheOthersOfABatchAlone) {
    const std::vector<Json> answers = served({Json{wait(1, 0.2), wait(2, 0)}, cancel(1)});
    ASSERT_EQ(answers.size(), 1U);
    ASSERT_EQ(answers[0].size(), 1U);
    EXPECT_EQ(answers[0][0]["id"], 2);
}

TEST(McpServer, refusesALineThatIsTooLongAndGoesOn) {
    const std::string longLine = R"({"jsonrpc": "2.0", "id": 1, "method": ")" + std::string(McpServer::mostLine, 'x') + "\"}";
    std::istringstream in(longLine + "\n" + request(2, "ping").dump() + "\n");
    std::ostringstream out;
    serve(toyServer(), in, out);
    std::istringstream lines(out.str());
    std::string first, second;
    std::getline(lines, first);
    std::getline(lines, second);
    EXPECT_EQ(Json::parse(first)["error"]["code"], -32600);
    EXPECT_EQ(Json::parse(second)["id"], 2);
}

/// A sound message with some bytes of it changed, left out, doubled or put elsewhere.
std::string mutated(std::string line, test::RandomSource& random) {
    const std::size_t changes = 1 + random.below(6);
    for (std::size_t i = 0; i < changes && !line.empty(); ++i) {
        const std::size_t at = random.below(line.size()), length = 1 + random.below(std::min<std::size_t>(12, line.size() - at));
        switch (random.below(5)) {
        case 0: line[at] = static_cast<char>(random.below(256)); break;
        case 1: line.erase(at, length); break;
        case 2: line.insert(at, line.substr(at, length)); break;
        case 3: line.insert(random.below(line.size()), std::string(1 + random.below(200), "[{\"0,"[random.below(5)])); break;
        default: line.insert(at, random.pick(std::vector<std::string>{"null", "1e999", "-0", "\"\\ud800\"", "\xff\xfe", "{}", "[]", ",", "\\u0000", "true", "99999999999999999999"})); break;
        }
    }
    std::erase(line, '\n');
    return line;
}

TEST(McpServer, isEndedByNothingThatComesIn) {
    const std::vector<std::string> seeds{request(1, "initialize", {{"protocolVersion", "2025-06-18"}}).dump(), request("a", "tools/call", {{"name", "add"}, {"arguments", {{"a", 2}, {"b", 0.5}}}}).dump(), request(3, "tools/list", {{"cursor", "x"}}).dump(), Json{request(1, "ping"), request(2, "ping")}.dump(), R"({"jsonrpc":"2.0","method":"notifications/initialized"})"};
    test::RandomSource random(45);
    const McpServer server = toyServer();
    for (int i = 0; i < 20'000; ++i) {
        const std::string line = i % 5 == 0 ? std::string(random.below(64), static_cast<char>(random.below(256))) : mutated(random.pick(seeds), random);
        const auto text = server.answer(line);
        if (!text) continue;
        const Json answer = Json::parse(*text, nullptr, false);
        ASSERT_FALSE(answer.is_discarded()) << line << "\n"
                                            << *text;
        EXPECT_EQ(text->find('\n'), std::string::npos);
        for (const Json& one : answer.is_array() ? answer : Json::array({answer})) {
            EXPECT_EQ(one["jsonrpc"], "2.0") << line;
            EXPECT_TRUE(one.contains("id")) << line;
            EXPECT_NE(one.contains("result"), one.contains("error")) << line;
        }
    }
}

} // namespace
} // namespace orrery
