// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/answers/explore/plain_table.hpp"
#include "core/answers/lessons/answer_sheet.hpp"
#include "core/answers/lessons/lesson_judge.hpp"
#include "core/answers/lessons/lesson_page.hpp"
#include "core/base/json.hpp"
#include "resources/shipped_catalog.hpp"
#include "resources/shipped_lessons.hpp"

#include <algorithm>
#include <iostream>

namespace orrery {
namespace {

constexpr std::string_view lessonEnding = ".orrery-lesson.json";

Problem lessonProblem(const std::string& code, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = code;
    problem.message = message;
    problem.mend = mend;
    return problem;
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

/// The sheet in a file; an empty one without a file.
std::optional<AnswerSheet> sheetIn(const std::string& file, const Lesson& lesson, Problems& problems) {
    if (file.empty()) return AnswerSheet{lesson.id, {}};
    LoadedDocument loaded = loadDocument(file);
    problems = loaded.problems;
    if (!loaded.document) return std::nullopt;
    std::optional<AnswerSheet> sheet = readAnswerSheet(*loaded.document, lesson.id, problems);
    for (Problem& problem : problems)
        if (problem.file.empty()) problem.file = file;
    return sheet;
}

StepVerdict judgedStep(const Lesson& lesson, int step, const Json* scenario, const AnswerSheet& sheet, const Catalog& catalog) {
    const auto said = sheet.steps.find(step);
    const std::optional<BoxedJson> answer = said == sheet.steps.end() ? std::nullopt : said->second.answer;
    const std::size_t index = static_cast<std::size_t>(step) - 1;
    if (scenario) return judgeStep(lesson.steps[index], *scenario, answer, catalog);
    if (said != sheet.steps.end() && said->second.state) return judgeStep(lesson.steps[index], **said->second.state, answer, catalog);
    return judgeStep(lesson.steps[index], openingOf(lesson, index), answer, catalog);
}

/// A state judged by one step, or by all (0) that the sheet holds; without a sheet by all. `scenario` null: each step's own state in the sheet.
StepVerdict judged(const Lesson& lesson, int step, const Json* scenario, const AnswerSheet& sheet, const Catalog& catalog) {
    if (step > 0) return judgedStep(lesson, step, scenario, sheet, catalog);
    StepVerdict all;
    all.passed = true;
    for (int i = 1; i <= static_cast<int>(lesson.steps.size()); ++i) {
        if (!sheet.steps.empty() && !sheet.steps.contains(i)) continue;
        StepVerdict one = judgedStep(lesson, i, scenario, sheet, catalog);
        if (all.passed && !one.passed) all.hint = one.hint;
        all.passed = all.passed && one.passed;
        all.clauses.insert(all.clauses.end(), one.clauses.begin(), one.clauses.end());
        if (all.refused.empty()) all.refused = one.refused;
    }
    return all;
}

/// What is judged may be a scenario, or a sheet with its states and answers.
std::optional<StepVerdict> judgedFile(const Lesson& lesson, int step, const std::string& file, const AnswerSheet& answers, const Catalog& catalog, Problems& problems) {
    LoadedDocument loaded = loadDocument(file);
    problems = loaded.problems;
    if (!loaded.document) return std::nullopt;
    if (!isAnswerSheet(*loaded.document)) return judged(lesson, step, &*loaded.document, answers, catalog);
    const std::optional<AnswerSheet> sheet = readAnswerSheet(*loaded.document, lesson.id, problems);
    for (Problem& problem : problems) problem.file = file;
    if (!sheet) return std::nullopt;
    return judged(lesson, step, nullptr, *sheet, catalog);
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
    const std::optional<AnswerSheet> answers = sheetIn(options.answers, *lesson, problems);
    if (!answers) return refuse(problems, options.json);
    const Catalog catalog = shippedCatalog();
    PlainTable table{"States", {{"scenario", "passed", "hint"}}};
    for (const std::string& file : options.scenarios) {
        const std::optional<StepVerdict> verdict = judgedFile(*lesson, step, file, *answers, catalog, problems);
        if (!verdict) return refuse(problems, options.json);
        if (options.scenarios.size() == 1) {
            if (options.json) printDocument(toJson(*verdict));
            else printVerdict(*verdict);
            return exit_done;
        }
        table.rows.push_back({file, verdict->passed, verdict->hint});
    }
    std::cout << csvText(table);
    return exit_done;
}

int runLessonPrint(const std::string& name, bool key, const std::string& file) {
    Problems problems;
    const std::optional<Lesson> lesson = lessonCalled(name, problems);
    if (!lesson) return refuse(problems, false);
    const std::string page = lessonPage(*lesson, key, shippedCatalog());
    if (file.empty()) {
        std::cout << page;
        return exit_done;
    }
    std::string reason;
    if (writeFileAtomically(file, page, reason)) return exit_done;
    return refuse(lessonProblem("file-unwritable", "Cannot write " + file + ": " + reason + ".", "Name a file in a folder that may be written to."), false);
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
