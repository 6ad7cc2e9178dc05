// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/mcp/mcp_server.hpp"
#include "core/base/problem.hpp"

#include <functional>
#include <iostream>
#include <optional>
#include <sstream>
#include <streambuf>
#include <string>

namespace orrery {

/// Keeps what is written to a stream as long as it lives, instead of letting it out.
class CapturedOutput {
public:
    explicit CapturedOutput(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(kept_.rdbuf())) {}
    ~CapturedOutput() { stream_.rdbuf(before_); }
    CapturedOutput(const CapturedOutput&) = delete;
    CapturedOutput& operator=(const CapturedOutput&) = delete;
    std::string text() const { return kept_.str(); }

private:
    std::ostringstream kept_;
    std::ostream& stream_;
    std::streambuf* before_;
};

/// A scenario among a tool's arguments: the document itself, the path of its file, or its text ("orrery:…").
Shape scenarioArgument();

/// Arguments as a command takes them.
class ToolArguments {
public:
    explicit ToolArguments(const Json& arguments) : arguments_(arguments) {}

    std::string text(const char* key) const;
    double number(const char* key, double otherwise) const;
    int whole(const char* key, int otherwise) const;
    bool flag(const char* key) const;
    /// A scenario, or a file that a command reads, as a command names it; "" with a problem where it is none. Documents become texts ("orrery:…").
    std::string input(const char* key, Problems& problems);
    /// The text with the documents' texts taken out again: they stand in the place of files' names.
    std::string plain(std::string text) const;

private:
    const Json& arguments_;
    std::vector<std::pair<std::string, std::string>> texts_; ///< of documents, and the key of each
};

/// Runs a command that prints one JSON document, and gives what it printed. Its exit status says whether that answers the question.
ToolAnswer answerOf(const ToolArguments& arguments, const std::function<int()>& command);

/// The answer that says what is wrong.
ToolAnswer problemsAnswer(const Problems& problems);

} // namespace orrery
