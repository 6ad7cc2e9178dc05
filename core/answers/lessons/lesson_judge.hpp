// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/lessons/lesson.hpp"
#include "core/answers/lessons/lesson_clause.hpp"
#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// A clause of a step, judged.
struct JudgedClause {
    std::string clause, left; ///< the whole text; what was looked at
    LessonValue value, expected;
    std::optional<bool> passed; ///< nothing: it asks for an answer, and none was given
    std::string hint;           ///< where it failed
};

/// Whether a state passes a step, and why not.
struct StepVerdict {
    bool passed = false;
    std::vector<JudgedClause> clauses; ///< all of them; none where the scenario is refused
    Problems refused;                  ///< what a scenario that does not run is refused for: an end like others
    LessonValue answer;                ///< as it was judged: of "= EXPRESSION" its value
    std::string hint;                  ///< of the first clause that failed, by its answer where the step has one for that; empty where it passed
};

/// Judges a scenario, and the answer given with it, by a step's clauses. Same input, same verdict.
StepVerdict judgeStep(const LessonStep& step, const Json& scenario, const std::optional<BoxedJson>& answer, const Catalog& catalog);

/// What is wrong with a lesson's steps when they are played: an opening that passes, an end that does not end as it says.
Problems playLesson(const Lesson& lesson, const Catalog& catalog);

/// The contract's `orrery-lesson-check/1`.
Json toJson(const StepVerdict& verdict);

} // namespace orrery
