// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <map>
#include <optional>
#include <string>

namespace orrery {

/// What a learner said at a step, and how far it led.
struct StepAnswer {
    std::optional<BoxedJson> answer; ///< the last one: a number or a choice
    std::optional<BoxedJson> first;  ///< what was predicted before anything ran, where another one was given later
    int tries = 0;
    bool passed = false;
    std::optional<BoxedJson> state; ///< the scenario as it was judged last
};

/// `orrery-answers/1`: a learner's answers to one lesson, which the learner keeps and the teacher has judged.
struct AnswerSheet {
    std::string lesson;              ///< its id
    std::map<int, StepAnswer> steps; ///< by number, from 1
};

/// Whether a document says that it is one.
bool isAnswerSheet(const Json& document);
/// Reads a sheet of the lesson. Nothing, with a pointer and a mend for each fault, where the document is none.
std::optional<AnswerSheet> readAnswerSheet(const Json& document, const std::string& lesson, Problems& problems);
Json toJson(const AnswerSheet& sheet);

} // namespace orrery
