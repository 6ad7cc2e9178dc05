// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/lessons/answer_sheet.hpp"

#include "core/base/json.hpp"

#include <utility>

namespace orrery {
namespace {

constexpr const char* sheetFormat = "orrery-answers/1";
constexpr int mostSteps = 1000; ///< of a lesson; a larger number is a typing mistake

Problem fault(std::string pointer, std::string message, std::string mend) {
    Problem problem;
    problem.code = "no-answers";
    problem.pointer = std::move(pointer);
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

std::optional<BoxedJson> given(const Json& step, const char* key) {
    const auto found = step.find(key);
    if (found == step.end() || found->is_null()) return std::nullopt;
    return BoxedJson(*found);
}

bool isAnswer(const std::optional<BoxedJson>& answer) { return !answer || (*answer)->is_number() || (*answer)->is_string() || (*answer)->is_boolean(); }

} // namespace

bool isAnswerSheet(const Json& document) { return document.is_object() && document.value("format", Json()) == Json(sheetFormat); }

std::optional<AnswerSheet> readAnswerSheet(const Json& document, const std::string& lesson, Problems& problems) {
    const std::size_t before = problems.size();
    if (!isAnswerSheet(document)) {
        problems.push_back(fault("/format", "This is no answer sheet.", std::string("A sheet's format is ") + sheetFormat + "."));
        return std::nullopt;
    }
    if (const Json of = document.value("lesson", Json(lesson)); of != Json(lesson)) problems.push_back(fault("/lesson", "The sheet is of another lesson: " + of.dump() + ".", "Give a sheet of \"" + lesson + "\"."));
    AnswerSheet sheet{lesson, {}};
    const auto steps = document.find("steps");
    if (steps != document.end() && !steps->is_array()) problems.push_back(fault("/steps", "The answers are no list.", "Write a list of {\"step\", \"answer\"}."));
    for (std::size_t i = 0; steps != document.end() && steps->is_array() && i < steps->size(); ++i) {
        const Json& one = (*steps)[i];
        const std::string at = "/steps/" + std::to_string(i);
        const Json number = one.is_object() ? one.value("step", Json()) : Json();
        if (!number.is_number_integer() || number < 1 || number > mostSteps) {
            problems.push_back(fault(at + "/step", "The answer names no step.", "Give \"step\", a number from 1."));
            continue;
        }
        StepAnswer answer{given(one, "answer"), given(one, "first"), 0, one.value("passed", Json()) == Json(true), given(one, "state")};
        if (const Json tries = one.value("tries", Json()); tries.is_number_integer() && tries >= 0 && tries <= 1000000) answer.tries = tries.get<int>();
        if (!isAnswer(answer.answer)) problems.push_back(fault(at + "/answer", "An answer is a number or a choice.", "Write a number or a text."));
        if (answer.state && !(*answer.state)->is_object()) problems.push_back(fault(at + "/state", "A state is a scenario.", "Leave it out, or write a scenario."));
        sheet.steps[number.get<int>()] = std::move(answer);
    }
    if (problems.size() > before) return std::nullopt;
    return sheet;
}

Json toJson(const AnswerSheet& sheet) {
    Json steps = Json::array();
    for (const auto& [number, answer] : sheet.steps) {
        Json one{{"step", number}};
        if (answer.answer) one["answer"] = **answer.answer;
        if (answer.first) one["first"] = **answer.first;
        one["tries"] = answer.tries;
        one["passed"] = answer.passed;
        if (answer.state) one["state"] = **answer.state;
        steps.push_back(std::move(one));
    }
    return {{"format", sheetFormat}, {"lesson", sheet.lesson}, {"steps", std::move(steps)}};
}

} // namespace orrery
