// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace orrery {

/// What a name in a clause stands for: nothing where there is no such place.
using LessonValue = std::variant<std::monostate, double, bool, std::string>;

/// What a clause may ask for.
struct LessonLookup {
    std::function<LessonValue(const std::string& pointer)> result;   ///< "/bubble_fraction"
    std::function<LessonValue(const std::string& pointer)> scenario; ///< "scenario:/parallelism/tensor"
    std::function<LessonValue(const std::string& name)> term;        ///< "{one}"
    LessonValue answer;
};

/// How a clause came out.
struct ClauseVerdict {
    bool passed = false;
    bool asksAnswer = false;     ///< the learner's answer stands in it
    std::string left;            ///< as written: what was looked at
    LessonValue value, expected; ///< of both sides
};

/// Judges `LEFT = RIGHT ± 3 %`. Sides: numbers, 'texts', true, false, answer, /result pointers, scenario:/pointers, {terms}, + - * / and
/// parentheses. A slash between two operands divides; one before a letter where an operand is due begins a pointer. Comparisons: = != < <= > >=;
/// a tolerance is of the right side in percent, or absolute without the sign. What has no value makes the clause fail.
/// Throws std::invalid_argument for a text that `faultOfClause` refuses.
ClauseVerdict judgeClause(const std::string& clause, const LessonLookup& lookup);

/// The value of one side alone; nothing where a name has none.
LessonValue valueOf(const std::string& expression, const LessonLookup& lookup);

/// What is wrong with a clause, one sentence; empty where nothing is.
std::string faultOfClause(const std::string& clause);

/// The terms that a clause names.
std::vector<std::string> termsOfClause(const std::string& clause);

/// A scenario's or result's value as clauses see it.
LessonValue lessonValue(const Json& value);

} // namespace orrery
