// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/problem.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>

namespace orrery {
namespace {

// What a user gave is named in messages, and may be of any length.
constexpr std::size_t longestPlace = 4096;   ///< bytes of a pointer or path: the longest path of a file
constexpr std::size_t longestMessage = 8192; ///< bytes

std::string shownMessage(const std::string& text) { return shortened(withShortWords(text), longestMessage); }
std::string shownPlace(const std::string& text) { return shortened(text, longestPlace); }

} // namespace

bool hasErrors(const Problems& problems) {
    return std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.severity == Severity::error; });
}

Json toErrorDocument(const Problems& problems) {
    Json list = Json::array();
    for (const Problem& problem : problems) {
        Json entry;
        entry["code"] = problem.code;
        if (problem.file.empty()) {
            entry["pointer"] = shownPlace(problem.pointer);
        } else {
            entry["file"] = shownPlace(problem.file);
            if (problem.line > 0) entry["line"] = problem.line; // a file as a whole has none
            if (problem.column > 0) entry["column"] = problem.column;
            if (!problem.pointer.empty()) entry["pointer"] = shownPlace(problem.pointer);
        }
        entry["message"] = shownMessage(problem.message);
        entry["mend"] = shownMessage(problem.mend);
        list.push_back(std::move(entry));
    }
    return Json{{"format", "orrery-error/1"}, {"problems", std::move(list)}};
}

std::string toText(const Problem& problem) {
    std::string where = shownPlace(problem.file);
    if (problem.line > 0) where += ":" + std::to_string(problem.line);
    if (problem.column > 0) where += ":" + std::to_string(problem.column);
    if (!problem.pointer.empty()) where += (where.empty() ? "" : " ") + shownPlace(problem.pointer);
    std::string text = where.empty() ? shownMessage(problem.message) : where + ": " + shownMessage(problem.message);
    if (!problem.mend.empty()) text += " " + shownMessage(problem.mend);
    return text;
}

} // namespace orrery
