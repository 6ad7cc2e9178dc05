// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/mcp/mcp_server.hpp"

#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/base/problem.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/schema_document.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace orrery {
namespace {

// Codes of JSON-RPC 2.0, section 5.1.
constexpr int parseError = -32700, invalidRequest = -32600, methodNotFound = -32601, invalidParams = -32602, internalError = -32603;

/// Revisions of the protocol whose messages for tools are these, the newest first.
constexpr const char* revisions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

std::string textOf(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json errorOf(int code, const std::string& message, Json data = nullptr) {
    Json error{{"code", code}, {"message", message}};
    if (!data.is_null()) error["data"] = std::move(data);
    return error;
}

Json answerWith(const Json& id, const char* member, Json content) { return Json{{"jsonrpc", "2.0"}, {"id", id}, {member, std::move(content)}}; }

bool isId(const Json& id) { return id.is_string() || id.is_number(); }

/// The id to answer with; null where the message has none that could be.
Json idOf(const Json& message) {
    const auto id = message.is_object() ? message.find("id") : message.end();
    return message.is_object() && id != message.end() && isId(*id) ? *id : Json();
}

} // namespace

Json McpServer::initialized(const Json& parameters) const {
    std::string revision = revisions[0];
    const auto asked = parameters.find("protocolVersion");
    if (asked != parameters.end() && asked->is_string())
        for (const char* known : revisions)
            if (*asked == known) revision = known;
    return Json{{"protocolVersion", revision},
                {"capabilities", {{"tools", {{"listChanged", false}}}}},
                {"serverInfo", {{"name", "orrery"}, {"title", "Orrery"}, {"version", version_}}},
                {"instructions", "Simulates GPU clusters that train and serve language models. Begin with \"plan\" for a model and a machine, or write a scenario (\"scenario_schema\", \"list\") and \"simulate\" it. "
                                 "What is wrong with a scenario comes back with a JSON pointer and a mend."}};
}

Json McpServer::toolList() const {
    Json list = Json::array();
    for (const Verb& tool : tools_)
        list.push_back({{"name", tool.name}, {"title", tool.title}, {"description", tool.description}, {"inputSchema", schemaOf(tool.arguments)}, {"annotations", {{"title", tool.title}, {"readOnlyHint", true}, {"idempotentHint", true}, {"openWorldHint", false}}}});
    return Json{{"tools", std::move(list)}};
}

Json McpServer::called(const Json& parameters, const std::stop_token& stop, std::optional<Json>& error) const {
    const auto name = parameters.find("name");
    if (name == parameters.end() || !name->is_string()) {
        error = errorOf(invalidParams, "tools/call wants the tool's \"name\", a text.");
        return {};
    }
    const auto tool = std::find_if(tools_.begin(), tools_.end(), [&](const Verb& one) { return *name == one.name; });
    if (tool == tools_.end()) {
        std::vector<std::string> known;
        for (const Verb& one : tools_) known.push_back(one.name);
        error = errorOf(invalidParams, "Unknown tool: " + shortened(name->get<std::string>(), 100) + ". There are " + joinWords(known, "and") + ".");
        return {};
    }
    const auto given = parameters.find("arguments");
    const VerbAnswer answer = answerOf(*tool, given == parameters.end() || given->is_null() ? Json::object() : *given, stop);
    Json content = Json::array({{{"type", "text"}, {"text", textOf(*answer.document)}}});
    if (!answer.notes.empty()) content.push_back({{"type", "text"}, {"text", answer.notes}});
    return Json{{"content", std::move(content)}, {"structuredContent", *answer.document}, {"isError", answer.isError}};
}

Json McpServer::resultOf(const std::string& method, const Json& parameters, const std::stop_token& stop, std::optional<Json>& error) const {
    if (method == "initialize") return initialized(parameters);
    if (method == "ping") return Json::object();
    if (method == "tools/list") return toolList();
    if (method == "tools/call") return called(parameters, stop, error);
    error = errorOf(methodNotFound, "Unknown method: " + shortened(method, 100) + ". This server has initialize, ping, tools/list and tools/call.");
    return {};
}

std::optional<Json> McpServer::answerToOne(const Json& message, const std::stop_token& stop) const {
    const Json id = idOf(message);
    if (!message.is_object()) return answerWith(id, "error", errorOf(invalidRequest, "A message is a JSON object."));
    if (!message.contains("method") && (message.contains("result") || message.contains("error"))) return std::nullopt; // an answer, and nothing was asked
    if (message.value("jsonrpc", Json()) != "2.0") return answerWith(id, "error", errorOf(invalidRequest, "\"jsonrpc\" must be \"2.0\"."));
    const auto method = message.find("method");
    if (method == message.end() || !method->is_string()) return answerWith(id, "error", errorOf(invalidRequest, "\"method\" must be a text."));
    if (!message.contains("id")) return std::nullopt; // a notification
    if (id.is_null()) return answerWith(id, "error", errorOf(invalidRequest, "\"id\" must be a text or a number."));
    const auto given = message.find("params");
    if (given != message.end() && !given->is_object()) return answerWith(id, "error", errorOf(invalidParams, "\"params\" must be an object."));
    std::optional<Json> error;
    Json result = resultOf(method->get<std::string>(), given == message.end() ? Json::object() : *given, stop, error);
    return error ? answerWith(id, "error", std::move(*error)) : answerWith(id, "result", std::move(result));
}

std::optional<Json> McpServer::answerTo(const Json& message, const std::stop_token& stop) const {
    // Batches are of revision 2025-03-26 and those before; who sends one is answered with one.
    if (!message.is_array()) return answerToOne(message, stop);
    if (message.empty()) return answerWith(nullptr, "error", errorOf(invalidRequest, "A batch holds at least one message."));
    Json answers = Json::array();
    for (const Json& each : message)
        if (auto one = answerToOne(each, stop)) answers.push_back(std::move(*one));
    return answers.empty() ? std::nullopt : std::optional(std::move(answers));
}

std::optional<Json> McpServer::messageIn(std::string_view line, std::optional<Json>& error) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) return std::nullopt;
    if (line.size() > mostLine) {
        error = answerWith(nullptr, "error", errorOf(invalidRequest, "A message has at most " + std::to_string(mostLine) + " bytes."));
        return std::nullopt;
    }
    Problems problems;
    auto message = parseJsonText(line, "message", problems);
    if (!message) error = answerWith(nullptr, "error", errorOf(parseError, "The line is no JSON.", toErrorDocument(problems)));
    return message;
}

std::string McpServer::lineOf(const Json& answer) { return textOf(answer); }

Json McpServer::faultOf(const std::exception& fault) { return answerWith(nullptr, "error", errorOf(internalError, std::string("Orrery itself is at fault: ") + fault.what() + ".")); }

std::optional<std::string> McpServer::answer(std::string_view line) const {
    std::optional<Json> answer;
    if (const auto message = messageIn(line, answer)) answer = answerTo(*message);
    return answer ? std::optional(textOf(*answer)) : std::nullopt;
}

} // namespace orrery
