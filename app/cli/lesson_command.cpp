// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/explore/plain_table.hpp"
#include "core/lessons/lesson_judge.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_catalog.hpp"

#include <algorithm>
#include <iostream>

namespace orrery {
namespace {

constexpr std::string_view lessonFolder = "lessons/", lessonEnding = ".orrery-lesson.json";
constexpr const char* answersFormat = "orrery-answers/1";

Problem lessonProblem(const std::string& code, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = code;
    problem.message = message;
    problem.mend = mend;
    return problem;
}

std::vector<Lesson> shippedLessons() {
    std::vector<Lesson> lessons;
    for (const std::string_view name : resourceNames()) {
        if (!name.starts_with(lessonFolder)) continue;
        Problems problems;
        if (std::optional<Lesson> lesson = readLesson(Json::parse(resourceText(name)), problems)) lessons.push_back(std::move(*lesson));
    }
    return lessons;
}

/// A shipped lesson by its id or its number from 1; a file otherwise.
std::optional<Lesson> lessonCalled(const std::string& name, Problems& problems) {
    std::vector<Lesson> shipped = shippedLessons();
    for (std::size_t i = 0; i < shipped.size(); ++i)
        if (name == shipped[i].id || name == std::to_string(i + 1)) return std::move(shipped[i]);
    if (!name.ends_with(".json")) {
        problems.push_back(lessonProblem("unknown-lesson", "There is no lesson \"" + name + "\".", "\"orrery-cli lesson list\" names the lessons; a file of one ends in " + std::string(lessonEnding) + "."));
        return std::nullopt;
    }
    LoadedDocument loaded = loadDocument(name);
    problems = loaded.problems;
    return loaded.document ? readLesson(*loaded.document, problems) : std::nullopt;
}

/// What the sheet of a learner says of a step (from 1).
std::optional<BoxedJson> answerOn(const Json& sheet, int step) {
    const auto steps = sheet.find("steps");
    if (steps == sheet.end() || !steps->is_array()) return std::nullopt;
    for (const Json& one : *steps)
        if (one.is_object() && one.value("step", Json()) == Json(step) && one.contains("answer") && !one["answer"].is_null()) return BoxedJson(one["answer"]);
    return std::nullopt;
}

std::optional<Json> answersOf(const std::string& file, const Lesson& lesson, Problems& problems) {
    if (file.empty()) return Json::object();
    LoadedDocument loaded = loadDocument(file);
    problems = loaded.problems;
    if (!loaded.document) return std::nullopt;
    if (!loaded.document->is_object() || loaded.document->value("format", Json()) != answersFormat || loaded.document->value("lesson", Json(lesson.id)) != lesson.id) {
        problems.push_back(lessonProblem("no-answers", file + " is no answer sheet of this lesson.", std::string("Its format is ") + answersFormat + " and its lesson \"" + lesson.id + "\"."));
        return std::nullopt;
    }
    return std::move(loaded.document);
}

/// A state judged by one step, or by all that have one.
StepVerdict judgedAll(const Lesson& lesson, int step, const Json& scenario, const Json& answers, const Catalog& catalog) {
    if (step > 0) return judgeStep(lesson.steps[static_cast<std::size_t>(step) - 1], scenario, answerOn(answers, step), catalog);
    StepVerdict all;
    all.passed = true;
    for (int i = 1; i <= static_cast<int>(lesson.steps.size()); ++i) {
        const std::optional<BoxedJson> answer = answerOn(answers, i);
        if (answers.contains("steps") && !answer) continue; // the sheet does not hold it
        StepVerdict one = judgedAll(lesson, i, scenario, answers, catalog);
        if (all.passed && !one.passed) all.hint = one.hint;
        all.passed = all.passed && one.passed;
        all.clauses.insert(all.clauses.end(), one.clauses.begin(), one.clauses.end());
        if (all.refused.empty()) all.refused = one.refused;
    }
    return all;
}

void printVerdict(const StepVerdict& verdict) {
    for (const JudgedClause& clause : verdict.clauses) std::cout << (clause.passed ? *clause.passed ? "passed  " : "failed  " : "open    ") << clause.clause << '\n';
    for (const Problem& problem : verdict.refused) std::cout << "refused  " << toText(problem) << '\n';
    std::cout << (verdict.passed ? "The state passes." : "The state does not pass. " + verdict.hint) << '\n';
}

} // namespace

int runLessonList(bool json) {
    const std::vector<Lesson> lessons = shippedLessons();
    if (json) {
        Json list = Json::array();
        for (std::size_t i = 0; i < lessons.size(); ++i) {
            Json titles = Json::array();
            for (const LessonStep& step : lessons[i].steps) titles.push_back(step.title);
            list.push_back({{"id", lessons[i].id}, {"number", i + 1}, {"title", lessons[i].title}, {"why", lessons[i].why}, {"steps", titles}});
        }
        printDocument({{"format", "orrery-lessons/1"}, {"lessons", list}});
        return exit_done;
    }
    TextTable table({"", "Lesson", "Title", "Steps"});
    table.setLeft(1);
    table.setLeft(2);
    for (std::size_t i = 0; i < lessons.size(); ++i) table.add({std::to_string(i + 1), lessons[i].id, lessons[i].title, std::to_string(lessons[i].steps.size())});
    table.print(std::cout);
    return exit_done;
}

int runLessonCheck(const LessonCheckOptions& options) {
    Problems problems;
    const std::optional<Lesson> lesson = lessonCalled(options.lesson, problems);
    if (!lesson) return refuse(problems, options.json);
    const int steps = static_cast<int>(lesson->steps.size()), step = options.step < 0 ? steps : options.step;
    if (step > steps) return refuse(lessonProblem("no-such-step", "The lesson has " + std::to_string(steps) + " steps, no step " + std::to_string(step) + ".", "Give 1 to " + std::to_string(steps) + ", or 0 for all that are judged."), options.json);
    const std::optional<Json> answers = answersOf(options.answers, *lesson, problems);
    if (!answers) return refuse(problems, options.json);
    const Catalog catalog = shippedCatalog();
    PlainTable table{"States", {{"scenario", "passed", "hint"}}};
    for (const std::string& file : options.scenarios) {
        const LoadedDocument loaded = loadDocument(file);
        if (!loaded.document) return refuse(loaded.problems, options.json);
        const StepVerdict verdict = judgedAll(*lesson, step, *loaded.document, *answers, catalog);
        if (options.scenarios.size() == 1) {
            if (options.json) printDocument(toJson(verdict));
            else printVerdict(verdict);
            return exit_done;
        }
        table.rows.push_back({file, verdict.passed, verdict.hint});
    }
    std::cout << csvText(table);
    return exit_done;
}

int runLessonPlay(const std::string& name, bool json) {
    Problems problems;
    const std::optional<Lesson> lesson = lessonCalled(name, problems);
    if (!lesson) return refuse(problems, json);
    problems = playLesson(*lesson, shippedCatalog());
    if (!problems.empty()) return refuse(problems, json);
    if (json) printDocument({{"format", "orrery-lesson-play/1"}, {"lesson", lesson->id}, {"problems", Json::array()}});
    else std::cout << "Each step opens, passes and fails as it says.\n";
    return exit_done;
}

} // namespace orrery
