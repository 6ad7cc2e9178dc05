// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"
#include "core/scenario/document/schema_table.hpp"

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What a tool found.
struct ToolAnswer {
    BoxedJson document;   ///< an object; of an error an "orrery-error/1" document with pointers and mends
    std::string notes;    ///< what the command said beside it, such as warnings; empty: nothing
    bool isError = false; ///< the question could not be answered
};

/// Something that a client may ask for.
struct McpTool {
    std::string name, title, description;
    Shape arguments; ///< an object; arguments that don't fit it are answered with what is wrong, and `run` is not called
    std::function<ToolAnswer(const Json& arguments)> run;
};

/// A server of the Model Context Protocol (modelcontextprotocol.io, revisions 2024-11-05 to 2025-06-18) that has tools and nothing else. Messages are JSON-RPC 2.0
/// (jsonrpc.org/specification). Whatever comes in is answered or, where nobody waits for an answer, passed over; nothing that a client writes ends it.
class McpServer {
public:
    McpServer(std::string version, std::vector<McpTool> tools) : version_(std::move(version)), tools_(std::move(tools)) {}

    /// The answer to one line, without its end; nothing where none is due.
    std::optional<std::string> answer(std::string_view line) const;
    /// Answers line by line until the input ends or nobody reads the answers. A line longer than `mostLine` bytes is answered with an error.
    void serve(std::istream& in, std::ostream& out) const;

    static constexpr std::size_t mostLine = std::size_t{64} << 20;

private:
    std::optional<Json> answerTo(const Json& message) const;
    Json resultOf(const std::string& method, const Json& parameters, std::optional<Json>& error) const;
    Json initialized(const Json& parameters) const;
    Json toolList() const;
    Json called(const Json& parameters, std::optional<Json>& error) const;

    std::string version_;
    std::vector<McpTool> tools_;
};

} // namespace orrery
