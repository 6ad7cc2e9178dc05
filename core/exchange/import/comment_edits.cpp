// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/comment_edits.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr std::string_view mark = "# orrery: ";

} // namespace

std::string commentOf(const ScenarioEdit& edit) { return std::string(mark) + edit.pointer + " " + edit.value->dump(-1, ' ', false, Json::error_handler_t::replace); }

std::vector<ScenarioEdit> commentEdits(const std::string& text, const std::string& fileName, Problems& problems) {
    std::vector<ScenarioEdit> edits;
    int number = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        std::string_view line(text.data() + from, end - from);
        from = end + 1;
        ++number;
        if (!line.starts_with(mark)) continue;
        line.remove_prefix(mark.size());
        const std::size_t space = line.find(' ');
        Json value = space == std::string_view::npos ? Json(Json::value_t::discarded) : Json::parse(line.substr(space + 1), nullptr, false);
        if (!value.is_discarded() && line.front() == '/') {
            edits.push_back({std::string(line.substr(0, space)), std::move(value)});
            continue;
        }
        Problem problem;
        problem.severity = Severity::warning;
        problem.code = "option-not-understood";
        problem.file = fileName;
        problem.line = number;
        problem.message = "The comment \"" + shortened(std::string(line), 80) + "\" is no pointer with a value; it has no effect.";
        problem.mend = "Write it as \"# orrery: /execution/framework \\\"generic\\\"\".";
        problems.push_back(std::move(problem));
    }
    return edits;
}

} // namespace orrery
