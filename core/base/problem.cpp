#include "core/base/problem.hpp"

#include "core/base/json.hpp"

#include <algorithm>

namespace orrery {

bool hasErrors(const Problems& problems) {
    return std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.severity == Severity::error; });
}

Json toErrorDocument(const Problems& problems) {
    Json list = Json::array();
    for (const Problem& problem : problems) {
        Json entry;
        entry["code"] = problem.code;
        if (problem.file.empty()) {
            entry["pointer"] = problem.pointer;
        } else {
            entry["file"] = problem.file;
            entry["line"] = problem.line;
            if (problem.column > 0) entry["column"] = problem.column;
            if (!problem.pointer.empty()) entry["pointer"] = problem.pointer;
        }
        entry["message"] = problem.message;
        entry["mend"] = problem.mend;
        list.push_back(std::move(entry));
    }
    return Json{{"format", "orrery-error/1"}, {"problems", std::move(list)}};
}

std::string toText(const Problem& problem) {
    std::string where = problem.file;
    if (problem.line > 0) where += ":" + std::to_string(problem.line);
    if (problem.column > 0) where += ":" + std::to_string(problem.column);
    if (!problem.pointer.empty()) where += (where.empty() ? "" : " ") + problem.pointer;
    std::string text = where.empty() ? problem.message : where + ": " + problem.message;
    if (!problem.mend.empty()) text += " " + problem.mend;
    return text;
}

} // namespace orrery
