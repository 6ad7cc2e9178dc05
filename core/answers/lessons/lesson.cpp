// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/lessons/lesson.hpp"

#include "core/answers/lessons/lesson_clause.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr const char* lessonFormat = "orrery-lesson/1";

/// Reads members of the document and notes what is wrong with each by its pointer.
class Reading {
public:
    explicit Reading(Problems& problems) : problems_(problems) {}

    void fault(const std::string& pointer, const std::string& message, const std::string& mend) {
        Problem problem;
        problem.code = "bad-lesson";
        problem.pointer = pointer;
        problem.message = message;
        problem.mend = mend;
        problems_.push_back(std::move(problem));
    }

    std::string text(const Json& object, const char* key, const std::string& at, bool needed) {
        const auto found = object.find(key);
        if (found != object.end() && found->is_string()) return found->get<std::string>();
        if (found != object.end() || needed) fault(at + "/" + key, std::string(key) + " must be a text.", "Write it in quotes.");
        return {};
    }

    std::vector<std::string> texts(const Json& object, const char* key, const std::string& at) {
        std::vector<std::string> all;
        for (const Json& one : list(object, key, at))
            if (one.is_string()) all.push_back(one.get<std::string>());
            else fault(at + "/" + key, std::string(key) + " must hold texts alone.", "Write each in quotes.");
        return all;
    }

    Json list(const Json& object, const char* key, const std::string& at) {
        const auto found = object.find(key);
        if (found == object.end()) return Json::array();
        if (found->is_array()) return *found;
        fault(at + "/" + key, std::string(key) + " must be a list.", "Write it in [ ].");
        return Json::array();
    }

    Json object(const Json& parent, const char* key, const std::string& at) {
        const auto found = parent.find(key);
        if (found == parent.end()) return Json::object();
        if (found->is_object()) return *found;
        fault(at + "/" + key, std::string(key) + " must be an object.", "Write it in { }.");
        return Json::object();
    }

    std::vector<ScenarioEdit> edits(const Json& parent, const char* key, const std::string& at) {
        std::vector<ScenarioEdit> all;
        const Json given = object(parent, key, at);
        for (const auto& [pointer, value] : given.items()) {
            if (pointer.empty() || pointer[0] != '/') fault(at + "/" + key, "\"" + pointer + "\" is no pointer.", "Name a key of the scenario, such as /parallelism/tensor.");
            else all.push_back({pointer, value});
        }
        return all;
    }

    void clause(const std::string& text, const std::string& at) {
        const std::string error = faultOfClause(text);
        if (!error.empty()) fault(at, error, "Write a comparison, such as /bubble_fraction <= 0.1.");
    }

private:
    Problems& problems_;
};

LessonTerm readTerm(Reading& reading, const std::string& name, const Json& record, const std::string& at) {
    LessonTerm term;
    term.name = name;
    if (!record.is_object()) {
        reading.fault(at, "A term must be an object.", "Write {\"value\": EXPRESSION, \"with\": {POINTER: VALUE}}.");
        return term;
    }
    term.edits = reading.edits(record, "with", at);
    if (record.contains("collective")) {
        term.kind = LessonTerm::Kind::collective;
        term.operation = reading.text(record, "collective", at, true);
        term.bytes = record.value("bytes", Json(0)).is_number() ? record.value("bytes", 0.0) : 0;
        term.ranks = record.value("ranks", Json(0)).is_number_integer() ? record.value("ranks", 0) : 0;
        if (!(term.bytes > 0) || term.ranks < 2) reading.fault(at, "A collective needs bytes above 0 and at least two ranks.", "Write \"bytes\": 1073741824, \"ranks\": 8.");
    } else if (record.contains("largest")) {
        term.kind = LessonTerm::Kind::largest;
        term.expression = reading.text(record, "largest", at, true);
        term.pointer = reading.text(record, "over", at, true);
        for (const Json& value : reading.list(record, "values", at)) term.values.emplace_back(value);
        term.limit = reading.text(record, "where", at, false);
        if (!term.limit.empty()) reading.clause(term.limit, at + "/where");
        if (term.values.empty()) reading.fault(at + "/values", "There is no value to try.", "List some.");
    } else {
        term.expression = reading.text(record, "value", at, true);
    }
    return term;
}

LessonEnd readEnd(Reading& reading, const Json& record, const std::string& at, std::size_t clauses) {
    LessonEnd end;
    end.edits = reading.edits(record, "edits", at);
    if (record.contains("answer") && !record["answer"].is_null()) end.answer = BoxedJson(record["answer"]);
    end.passes = record.value("passes", Json(false)) == Json(true);
    if (record.contains("fails") && record["fails"].is_number_integer() && record["fails"] >= 0) end.fails = record["fails"].get<std::size_t>();
    if (end.fails && *end.fails >= clauses) reading.fault(at + "/fails", "The step has no clause of that number.", "Count its clauses from 0.");
    return end;
}

LessonStep readStep(Reading& reading, const Lesson& lesson, const Json& record, const std::string& at) {
    LessonStep step;
    step.title = reading.text(record, "title", at, true);
    step.say = reading.text(record, "say", at, true);
    step.show = reading.text(record, "show", at, false);
    step.ask = reading.text(record, "ask", at, false);
    step.after = reading.text(record, "after", at, false);
    step.source = reading.text(record, "source", at, false);
    step.let = reading.texts(record, "let", at);
    step.choices = reading.texts(record, "choices", at);
    step.scenario = reading.text(record, "scenario", at, false);
    const bool known = step.scenario.empty() || std::any_of(lesson.scenarios.begin(), lesson.scenarios.end(), [&](const auto& one) { return one.first == step.scenario; });
    if (!known) reading.fault(at + "/scenario", "The lesson has no scenario \"" + step.scenario + "\".", "Name one of its scenarios.");
    step.start = reading.edits(record, "start", at);
    const std::string termsAt = at + "/terms/";
    const Json terms = reading.object(record, "terms", at), hints = reading.object(record, "hints", at);
    for (const auto& [name, term] : terms.items()) step.terms.push_back(readTerm(reading, name, term, termsAt + name));
    std::size_t number = 0;
    for (const Json& clause : reading.list(record, "check", at)) {
        const std::string place = at + "/check/" + std::to_string(number++);
        step.check.push_back({reading.text(clause, "clause", place, true), reading.text(clause, "hint", place, false)});
        reading.clause(step.check.back().text, place + "/clause");
        for (const std::string& name : termsOfClause(step.check.back().text))
            if (std::none_of(step.terms.begin(), step.terms.end(), [&](const LessonTerm& term) { return term.name == name; }))
                reading.fault(place + "/clause", "The step has no term {" + name + "}.", "Add it to the step's terms.");
    }
    if (step.check.empty()) reading.fault(at + "/check", "A step without a clause can't be judged.", "Add one to check.");
    for (const auto& [answer, hint] : hints.items())
        if (hint.is_string()) step.hints.emplace_back(answer, hint.get<std::string>());
    number = 0;
    for (const Json& end : reading.list(record, "ends", at)) step.ends.push_back(readEnd(reading, end, at + "/ends/" + std::to_string(number++), step.check.size()));
    if (step.ends.empty() || !step.ends.front().passes) reading.fault(at + "/ends", "The first end of a step must pass.", "State how the step is done, with \"passes\": true.");
    return step;
}

void apply(Json& document, const std::vector<ScenarioEdit>& edits) {
    const EditOutcome outcome = applyEdits(document, edits);
    if (outcome.error.empty()) document = *outcome.document;
}

} // namespace

std::optional<Lesson> readLesson(const Json& document, Problems& problems) {
    Reading reading(problems);
    if (!document.is_object() || document.value("format", Json()) != lessonFormat) {
        reading.fault("/format", std::string("The document is no lesson: its format is not ") + lessonFormat + ".", std::string("Write \"format\": \"") + lessonFormat + "\".");
        return std::nullopt;
    }
    const std::size_t before = problems.size();
    Lesson lesson;
    lesson.id = reading.text(document, "id", "", true);
    lesson.title = reading.text(document, "title", "", true);
    lesson.why = reading.text(document, "why", "", false);
    lesson.misconceptions = reading.texts(document, "misconceptions", "");
    const Json scenarios = reading.object(document, "scenarios", "");
    for (const auto& [name, scenario] : scenarios.items()) lesson.scenarios.emplace_back(name, scenario);
    std::size_t number = 0;
    for (const Json& step : reading.list(document, "steps", "")) lesson.steps.push_back(readStep(reading, lesson, step, "/steps/" + std::to_string(number++)));
    if (lesson.steps.empty()) reading.fault("/steps", "The lesson has no steps.", "Add one.");
    else if (lesson.steps.front().scenario.empty()) reading.fault("/steps/0/scenario", "The first step must name a scenario.", "Name one of the lesson's scenarios.");
    if (problems.size() > before) return std::nullopt;
    return lesson;
}

Json openingOf(const Lesson& lesson, std::size_t step) {
    Json state;
    for (std::size_t i = 0; i <= step && i < lesson.steps.size(); ++i) {
        const LessonStep& one = lesson.steps[i];
        for (const auto& [name, scenario] : lesson.scenarios)
            if (name == one.scenario) state = *scenario;
        apply(state, one.start);
        if (i < step) apply(state, one.ends.front().edits);
    }
    return state;
}

} // namespace orrery
