// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/lessons/lesson_page.hpp"

#include "core/answers/lessons/lesson_judge.hpp"
#include "core/base/html_page.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"

#include <utility>

namespace orrery {
namespace {

constexpr const char* style = R"(
body { font: 11pt/1.45 Georgia, "Noto Serif", serif; max-width: 17cm; margin: 1.5cm auto; color: #111; }
h1 { font-size: 17pt; } h2 { font-size: 12pt; margin: 1.1em 0 0.2em; break-after: avoid; }
.step { break-inside: avoid; } .touch, .source { font-size: 9pt; color: #444; }
.line { border-bottom: 1px solid #555; height: 1.7em; } .key { border-left: 3px solid #555; padding-left: 0.7em; }
ul { margin: 0.2em 0; } ul.choices { list-style: "☐  "; })";

using html::escaped;

std::string element(const char* name, const std::string& inner, const char* kind = nullptr) {
    return std::string("<") + name + (kind ? std::string(" class=\"") + kind + "\"" : "") + ">" + inner + "</" + name + ">\n";
}

std::string valueText(const LessonValue& value) {
    if (const double* number = std::get_if<double>(&value)) return formatNumber(*number);
    if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
    const std::string* text = std::get_if<std::string>(&value);
    return text ? *text : "";
}

std::string touchText(const std::vector<std::string>& pointers) {
    std::string list;
    for (const std::string& pointer : pointers) list += (list.empty() ? "" : ", ") + ("<code>" + escaped(pointer) + "</code>");
    return pointers.empty() ? "Nothing is to be changed." : "May be changed: " + list;
}

/// What passes, what is changed for it, and what each wrong answer misses.
std::string keyOf(const Lesson& lesson, std::size_t index, const Catalog& catalog) {
    const LessonStep& step = lesson.steps[index];
    std::string key;
    if (!step.ends.empty()) {
        const LessonEnd& end = step.ends.front();
        const Json state = applyEdits(openingOf(lesson, index), end.edits).document;
        const StepVerdict verdict = judgeStep(step, state, end.answer, catalog);
        if (end.answer) key += element("p", "Right: <b>" + escaped(valueText(verdict.answer)) + "</b>");
        for (const ScenarioEdit& edit : end.edits) key += element("p", "<code>" + escaped(edit.pointer) + "</code> = <code>" + escaped(edit.value->dump()) + "</code>");
        for (const JudgedClause& clause : verdict.clauses) key += element("p", "Judged by <code>" + escaped(clause.clause) + "</code>");
    }
    std::string hints;
    for (const auto& [answer, hint] : step.hints) hints += element("li", "<b>" + escaped(answer) + "</b>: " + escaped(hint));
    for (const LessonClause& clause : step.check)
        if (!clause.hint.empty()) hints += element("li", escaped(clause.hint));
    if (!hints.empty()) key += element("p", "Who goes wrong hears:") + element("ul", hints);
    if (!step.after.empty()) key += element("p", "Afterwards: " + escaped(step.after));
    if (!step.source.empty()) key += element("p", escaped(step.source), "source");
    return element("div", key, "key");
}

std::string stepText(const Lesson& lesson, std::size_t index, bool key, const Catalog& catalog) {
    const LessonStep& step = lesson.steps[index];
    std::string text = element("h2", std::to_string(index + 1) + ". " + escaped(step.title)) + element("p", escaped(step.say)) + element("p", touchText(step.let), "touch");
    if (!step.ask.empty()) text += element("p", "<b>" + escaped(step.ask) + "</b>");
    std::string choices;
    for (const std::string& choice : step.choices) choices += element("li", escaped(choice));
    if (!choices.empty()) text += element("ul", choices, "choices");
    if (key) return element("div", text + keyOf(lesson, index, catalog), "step");
    if (choices.empty()) text += element("p", step.ask.empty() ? "What I did:" : "I expect:") + element("div", "", "line");
    return element("div", text + element("p", "What came out:") + element("div", "", "line"), "step");
}

} // namespace

std::string lessonPage(const Lesson& lesson, bool key, const Catalog& catalog) {
    std::string body = element("h1", escaped(lesson.title) + (key ? " — key for teachers" : "")) + element("p", escaped(lesson.why));
    if (key && !lesson.misconceptions.empty()) {
        std::string list;
        for (const std::string& one : lesson.misconceptions) list += element("li", escaped(one));
        body += element("p", "What pupils often believe:") + element("ul", list);
    }
    if (!key) body += element("p", "Name: ______________________________", "touch");
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) body += stepText(lesson, i, key, catalog);
    return html::page(lesson.title, style, body);
}

} // namespace orrery
