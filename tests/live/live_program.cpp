// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/live/live_program.hpp"

#include "tests/support/folders.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace orrery::test {

const Json& LiveAnswerOf::rank(int rank) const {
    for (const Json& one : document.at("ranks"))
        if (one.at("rank") == rank && one.at("source") == "real") return one;
    static const Json none = Json::object();
    ADD_FAILURE() << "rank " << rank << " is not in the answer";
    return none;
}

std::string LiveAnswerOf::faultCode() const {
    if (!document.contains("faults") || document.at("faults").empty()) return "";
    return document.at("faults")[0].at("code").get<std::string>();
}

std::string LiveAnswerOf::faultMessage() const {
    if (!document.contains("faults") || document.at("faults").empty()) return process.err;
    return document.at("faults")[0].at("message").get<std::string>();
}

LiveAnswerOf runLiveProgram(std::vector<std::string> options, const std::vector<std::string>& command) {
    std::vector<std::string> arguments{ORRERY_CLI, "trace", "live"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {"--json", "--", ORRERY_PYTHON});
    arguments.insert(arguments.end(), command.begin(), command.end());
    ProcessOptions limits;
    limits.secondsAtMost = 200;
    LiveAnswerOf answer{runProcess(arguments, limits), Json::object()};
    const Json document = Json::parse(answer.process.out, nullptr, false);
    if (document.is_discarded()) ADD_FAILURE() << "no document: " << answer.process.out << answer.process.err;
    else answer.document = document;
    return answer;
}

std::vector<std::string> smallGpt(const std::vector<std::string>& further) {
    std::vector<std::string> command{programPath("gpt.py"), "--layers", "2", "--hidden", "48", "--heads", "2", "--vocabulary", "100"};
    command.insert(command.end(), further.begin(), further.end());
    return command;
}

std::string programPath(const std::string& name) { return sourcePath("tests/data/programs/" + name); }

std::string contentOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace orrery::test
