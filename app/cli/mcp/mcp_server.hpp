// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/common/verb.hpp"
#include "core/base/json_forward.hpp"

#include <cstddef>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A server of the Model Context Protocol (modelcontextprotocol.io, revisions 2024-11-05 to 2025-06-18) that has tools and nothing else. Messages are JSON-RPC 2.0
/// (jsonrpc.org/specification). Whatever comes in is answered or, where nobody waits for an answer, passed over; nothing that a client writes ends it.
class McpServer {
public:
    McpServer(std::string version, std::vector<Verb> tools) : version_(std::move(version)), tools_(std::move(tools)) {}

    /// The answer to one line, without its end; nothing where none is due.
    std::optional<std::string> answer(std::string_view line) const;

    // The same in steps, for who answers some messages while a tool still works on another (McpSession).
    /// What a line says; nothing, perhaps with an answer that says why, where it says nothing. Lines have at most `mostLine` bytes.
    static std::optional<Json> messageIn(std::string_view line, std::optional<Json>& error);
    /// The answer to a message or a batch of them. Tools end early when `stop` is requested; the answer means nothing then. Any number of threads may ask.
    std::optional<Json> answerTo(const Json& message, const std::stop_token& stop = {}) const;
    static std::string lineOf(const Json& answer);
    /// The answer when Orrery itself is at fault, such as for want of memory.
    static Json faultOf(const std::exception& fault);

    static constexpr std::size_t mostLine = std::size_t{64} << 20;

private:
    std::optional<Json> answerToOne(const Json& message, const std::stop_token& stop) const;
    Json resultOf(const std::string& method, const Json& parameters, const std::stop_token& stop, std::optional<Json>& error) const;
    Json initialized(const Json& parameters) const;
    Json toolList() const;
    Json called(const Json& parameters, const std::stop_token& stop, std::optional<Json>& error) const;

    std::string version_;
    std::vector<Verb> tools_;
};

} // namespace orrery
