// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"

#include <string>
#include <utility>

namespace orrery {

/// A problem that is being put into words: error("code", pointer, "What is wrong.").mend("What would do.").edit(…).
class ProblemBuilder {
public:
    ProblemBuilder(Severity severity, std::string code, std::string pointer, std::string message) {
        problem_.severity = severity;
        problem_.code = std::move(code);
        problem_.pointer = std::move(pointer);
        problem_.message = std::move(message);
    }

    ProblemBuilder&& mend(std::string sentence) && {
        problem_.mend = std::move(sentence);
        return std::move(*this);
    }
    ProblemBuilder&& edit(std::string pointer, Json value) && {
        problem_.edits.push_back({std::move(pointer), std::move(value)});
        return std::move(*this);
    }
    operator Problem() && { return std::move(problem_); }

private:
    Problem problem_;
};

inline ProblemBuilder error(std::string code, std::string pointer, std::string message) {
    return {Severity::error, std::move(code), std::move(pointer), std::move(message)};
}

inline ProblemBuilder warning(std::string code, std::string pointer, std::string message) {
    return {Severity::warning, std::move(code), std::move(pointer), std::move(message)};
}

} // namespace orrery
