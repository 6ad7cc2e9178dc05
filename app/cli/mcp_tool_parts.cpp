// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/mcp_tool_parts.hpp"
#include "app/common/exit_status.hpp"
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/schema_shapes.hpp"
#include "core/scenario/document/share_text.hpp"

#include <cmath>
#include <filesystem>

namespace orrery {

Shape scenarioArgument() {
    Shape document = schema::object({});
    document.open = true;
    return schema::choice({std::move(document), schema::text()});
}

std::string ToolArguments::text(const char* key) const {
    const auto found = arguments_.find(key);
    return found != arguments_.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double ToolArguments::number(const char* key, double otherwise) const {
    const auto found = arguments_.find(key);
    return found != arguments_.end() && found->is_number() ? found->get<double>() : otherwise;
}

int ToolArguments::whole(const char* key, int otherwise) const { return static_cast<int>(std::lround(number(key, otherwise))); }

bool ToolArguments::flag(const char* key) const { return arguments_.value(key, Json(false)) == true; }

std::string ToolArguments::input(const char* key, Problems& problems) {
    const auto found = arguments_.find(key);
    if (found == arguments_.end()) return "";
    if (found->is_object()) {
        texts_.emplace_back(shareTextOf(*found), key);
        return texts_.back().first;
    }
    std::string path = text(key);
    if (isShareText(path)) {
        texts_.emplace_back(path, key);
        return path;
    }
    std::error_code fault;
    const std::string file = path.substr(0, std::filesystem::exists(path, fault) ? path.size() : path.rfind('#')); // FILE#VARIANT
    if (std::filesystem::is_regular_file(file, fault) || std::filesystem::is_directory(file, fault)) return path;
    Problem problem;
    problem.code = "cannot-read-file";
    problem.pointer = std::string("/") + key;
    problem.message = inQuotes(shortened(path, 300)) + " is no file.";
    problem.mend = "Give the document itself, or the path of a file on the machine of this server.";
    problems.push_back(std::move(problem));
    return "";
}

std::string ToolArguments::plain(std::string text) const {
    for (const auto& [long_, key] : texts_)
        for (std::size_t at = text.find(long_); at != std::string::npos; at = text.find(long_, at + key.size())) text.replace(at, long_.size(), key);
    return text;
}

ToolAnswer problemsAnswer(const Problems& problems) { return {toErrorDocument(problems), "", true}; }

ToolAnswer answerOf(const ToolArguments& arguments, const std::function<int()>& command) {
    int status = exit_internal;
    std::string printed, notes;
    {
        const CapturedOutput out(std::cout), err(std::cerr);
        status = command();
        printed = arguments.plain(out.text());
        notes = arguments.plain(err.text());
    }
    Problems problems;
    auto document = parseJsonText(printed, "answer", problems);
    if (!document) {
        Problem problem;
        problem.code = "internal-error";
        problem.message = "Orrery itself is at fault: the command gave no document" + (notes.empty() ? "." : ", but \"" + shortened(notes, 1000) + "\".");
        problem.mend = "Please report this with the tool's arguments.";
        return problemsAnswer({std::move(problem)});
    }
    const bool isError = status != exit_done && status != exit_does_not_fit;
    return {std::move(*document), isError ? std::string() : std::move(notes), isError};
}

} // namespace orrery
