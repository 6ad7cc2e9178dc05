// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// A condition on where the learner is, and what to tell one whose state fails it.
struct LessonClause {
    std::string text; ///< "/bubble_fraction <= 0.1005"; see core/answers/lessons/lesson_clause.hpp
    std::string hint; ///< names the misconception; empty: it fails only where the program has changed
};

/// A figure of the learner's scenario with other settings, which clauses name as {NAME}.
struct LessonTerm {
    enum class Kind { figure,     ///< `expression` on the result with `edits`
                      collective, ///< time of one collective alone, s
                      largest };  ///< the largest `expression` over `values` of `pointer` where `limit` holds
    std::string name;
    Kind kind = Kind::figure;
    std::vector<ScenarioEdit> edits; ///< over the learner's own
    std::string expression, limit;
    std::string pointer;
    std::vector<BoxedJson> values;
    std::string operation; ///< of a collective, as nccl-tests names it
    double bytes = 0;      ///< as nccl-tests counts them
    int ranks = 0;         ///< the first so many
};

/// A way that a step can end, by which the lesson itself is tested.
struct LessonEnd {
    std::vector<ScenarioEdit> edits;  ///< over the step's opening
    std::optional<BoxedJson> answer;  ///< a number, a choice, or "= EXPRESSION" over the result
    std::optional<std::size_t> fails; ///< the first clause that fails; nothing: see `passes`
    bool passes = false;              ///< else it fails somewhere, or is refused
};

struct LessonStep {
    std::string title, say, ask, after, source;
    std::string show;                 ///< what is lit while the rest is dimmed
    std::vector<std::string> let;     ///< the scenario's keys that the learner may touch
    std::vector<std::string> choices; ///< empty: a number is asked for
    std::string scenario;             ///< of the lesson's scenarios; empty: the last step's end goes on
    std::vector<ScenarioEdit> start;  ///< over it
    std::vector<LessonTerm> terms;
    std::vector<LessonClause> check;                        ///< in order; the first that fails gives its hint
    std::vector<std::pair<std::string, std::string>> hints; ///< by answer
    std::vector<LessonEnd> ends;                            ///< the first passes, and the next step goes on from it
};

/// `orrery-lesson/1`: what a pupil is led through, as data.
struct Lesson {
    std::string id, title, why;
    std::vector<std::string> misconceptions; ///< that it opens with
    std::vector<std::pair<std::string, BoxedJson>> scenarios;
    std::vector<LessonStep> steps;
};

/// Reads a lesson. Nothing, with a pointer and a mend for each fault, where the document is none.
std::optional<Lesson> readLesson(const Json& document, Problems& problems);

/// The scenario that a step (from 0) opens with: that of the steps before it, each ended as its first end says.
Json openingOf(const Lesson& lesson, std::size_t step);

} // namespace orrery
