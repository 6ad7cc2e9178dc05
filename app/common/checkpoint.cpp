// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/checkpoint.hpp"

#include "app/common/file_io.hpp"
#include "core/base/json.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace orrery {
namespace {

Problem checkpointProblem(const std::string& code, const std::string& path, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = code;
    problem.file = path;
    problem.message = message;
    problem.mend = mend;
    return problem;
}

/// Whole lines that are JSON; what stands after the first that is not was never finished.
std::vector<BoxedJson> linesOf(const std::string& text) {
    std::vector<BoxedJson> lines;
    for (std::size_t from = 0;;) {
        const std::size_t end = text.find('\n', from);
        if (end == std::string::npos) return lines;
        Json line = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(from), text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
        if (line.is_discarded()) return lines;
        lines.emplace_back(std::move(line));
        from = end + 1;
    }
}

} // namespace

std::optional<Checkpoint> Checkpoint::open(const std::string& path, const Json& question, Problems& problems) {
    Checkpoint checkpoint;
    checkpoint.path_ = path;
    std::vector<BoxedJson> lines;
    std::error_code ignored;
    std::string error;
    if (std::filesystem::exists(path, ignored)) {
        const auto text = readTextFile(path, error, {.regularOnly = true});
        if (!text) {
            problems.push_back(checkpointProblem("unreadable-file", path, error, ""));
            return std::nullopt;
        }
        lines = linesOf(*text);
        if (lines.empty() && !text->empty()) {
            problems.push_back(checkpointProblem("not-a-checkpoint", path, "This file is no checkpoint.", "Name another file; this one stays as it is."));
            return std::nullopt;
        }
    }
    if (!lines.empty() && !(*lines.front() == question)) {
        problems.push_back(checkpointProblem("checkpoint-of-another", path, "This checkpoint answers another question: other values, other figures, or a scenario that was changed since.",
                                             "Name another file, or remove this one."));
        return std::nullopt;
    }
    // Written anew without what was never finished, in one step; then line after line.
    if (lines.empty()) lines.emplace_back(question);
    std::string whole;
    for (const BoxedJson& line : lines) whole += line->dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (!writeFileAtomically(path, whole, error)) {
        problems.push_back(checkpointProblem("unwritable-file", path, error, "Name a file that can be written."));
        return std::nullopt;
    }
    checkpoint.file_.reset(std::fopen(path.c_str(), "ab"));
    if (!checkpoint.file_) {
        problems.push_back(checkpointProblem("unwritable-file", path, path + ": " + std::strerror(errno), "Name a file that can be written."));
        return std::nullopt;
    }
    checkpoint.known_.assign(lines.begin() + 1, lines.end());
    return checkpoint;
}

bool Checkpoint::add(const Json& line, std::string& error) {
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0) return true;
    error = path_ + " can't be written: " + std::strerror(errno) + ".";
    return false;
}

} // namespace orrery
