// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/lessons/lesson_judge.hpp"

#include "core/answers/explore/measures.hpp"
#include "core/answers/explore/trials.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/training/job_traffic/lone_collective.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace orrery {
namespace {

/// What a term of a refused scenario ends with.
struct Refused {
    Problems problems;
};

std::string answerText(const BoxedJson& answer) { return answer->is_string() ? answer->get<std::string>() : answer->dump(); }

Json jsonOf(const LessonValue& value) {
    if (const double* number = std::get_if<double>(&value)) return *number;
    if (const bool* truth = std::get_if<bool>(&value)) return *truth;
    if (const std::string* text = std::get_if<std::string>(&value)) return *text;
    return {};
}

/// The learner's scenario and what it gives, with and without a term's edits.
class State {
public:
    State(const LessonStep& step, const Json& scenario, const Catalog& catalog) : step_(step), trials_(scenario, catalog) {}

    /// Reads clauses on the scenario with these edits.
    LessonLookup lookup(const std::vector<ScenarioEdit>& edits, const LessonValue& answer) {
        const BoxedJson document = edited(edits);
        const BoxedJson result = run(edits);
        return {[result](const std::string& pointer) { return lessonValue(measured(*result, {pointer, pointer})); },
                [document](const std::string& pointer) {
                    const Json* value = valueAt(*document, pointer);
                    return value ? lessonValue(*value) : LessonValue();
                },
                [this](const std::string& name) { return term(name); }, answer};
    }

private:
    BoxedJson edited(const std::vector<ScenarioEdit>& edits) const {
        EditOutcome outcome = applyEdits(trials_.document(), edits);
        return outcome.error.empty() ? std::move(outcome.document) : BoxedJson(trials_.document());
    }

    const BoxedJson& run(const std::vector<ScenarioEdit>& edits) {
        std::string key;
        for (const ScenarioEdit& edit : edits) key += edit.pointer + '=' + edit.value->dump() + '\n';
        const auto known = results_.find(key);
        if (known != results_.end()) return known->second;
        Trial trial = trials_.run(edits);
        if (!trial.result) throw Refused{std::move(trial.problems)};
        return results_.emplace(key, std::move(*trial.result)).first->second;
    }

    LessonValue term(const std::string& name) {
        const auto found = std::find_if(step_.terms.begin(), step_.terms.end(), [&](const LessonTerm& term) { return term.name == name; });
        if (found == step_.terms.end()) return {};
        switch (found->kind) {
        case LessonTerm::Kind::figure: return valueOf(found->expression, lookup(found->edits, {}));
        case LessonTerm::Kind::collective: return collective(*found);
        case LessonTerm::Kind::largest: return largest(*found);
        }
        return {};
    }

    LessonValue collective(const LessonTerm& term) const {
        Problems problems;
        const std::optional<Scenario> scenario = trials_.read(term.edits, problems);
        const std::optional<CollectiveKind> kind = collectiveNamed(term.operation);
        if (!scenario) throw Refused{std::move(problems)};
        if (!kind || term.ranks > scenario->cluster.accelerators()) return {};
        std::vector<int> ranks(static_cast<std::size_t>(term.ranks));
        std::iota(ranks.begin(), ranks.end(), 0);
        return runLoneCollective(*scenario, ranks, *kind, term.bytes).time;
    }

    LessonValue largest(const LessonTerm& term) {
        LessonValue most;
        for (const BoxedJson& value : term.values) {
            std::vector<ScenarioEdit> edits = term.edits;
            edits.push_back({term.pointer, value});
            try {
                const LessonLookup here = lookup(edits, {});
                if (!term.limit.empty() && !judgeClause(term.limit, here).passed) continue;
                const LessonValue figure = valueOf(term.expression, here);
                const double* number = std::get_if<double>(&figure);
                if (number && (!std::get_if<double>(&most) || *number > std::get<double>(most))) most = *number;
            } catch (const Refused&) {
                continue; // a value that does not run is not the best one
            }
        }
        return most;
    }

    const LessonStep& step_;
    Trials trials_;
    std::map<std::string, BoxedJson> results_;
};

std::string hintOf(const LessonStep& step, const LessonClause& clause, bool asksAnswer, const std::optional<BoxedJson>& answer) {
    if (asksAnswer && answer)
        for (const auto& [given, hint] : step.hints)
            if (given == answerText(*answer)) return hint;
    return clause.hint;
}

StepVerdict judged(const LessonStep& step, const Json& scenario, const std::optional<BoxedJson>& answer, const Catalog& catalog) {
    StepVerdict verdict;
    State state(step, scenario, catalog);
    LessonLookup lookup = state.lookup({}, answer ? lessonValue(**answer) : LessonValue());
    if (answer && (*answer)->is_string() && answerText(*answer).starts_with("= ")) lookup.answer = valueOf(answerText(*answer).substr(2), lookup);
    verdict.passed = true;
    verdict.answer = lookup.answer;
    for (const LessonClause& clause : step.check) {
        const ClauseVerdict one = judgeClause(clause.text, lookup);
        JudgedClause row{clause.text, one.left, one.value, one.expected, one.passed, {}};
        if (one.asksAnswer && !answer) row.passed = std::nullopt;
        if (row.passed == false) {
            row.hint = hintOf(step, clause, one.asksAnswer, answer);
            if (verdict.passed) verdict.hint = row.hint;
            verdict.passed = false;
        }
        verdict.clauses.push_back(std::move(row));
    }
    return verdict;
}

} // namespace

StepVerdict judgeStep(const LessonStep& step, const Json& scenario, const std::optional<BoxedJson>& answer, const Catalog& catalog) {
    try {
        return judged(step, scenario, answer, catalog);
    } catch (const Refused& refused) {
        StepVerdict verdict;
        verdict.refused = refused.problems;
        if (!refused.problems.empty()) verdict.hint = refused.problems.front().message + ' ' + refused.problems.front().mend;
        return verdict;
    }
}

Problems playLesson(const Lesson& lesson, const Catalog& catalog) {
    Problems problems;
    const auto tell = [&](const std::string& pointer, const std::string& message, const std::string& mend) {
        Problem problem;
        problem.code = "lesson-ends-otherwise";
        problem.pointer = pointer;
        problem.message = message;
        problem.mend = mend;
        problems.push_back(std::move(problem));
    };
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
        const LessonStep& step = lesson.steps[i];
        const std::string at = "/steps/" + std::to_string(i);
        const Json opening = openingOf(lesson, i);
        const StepVerdict open = judgeStep(step, opening, std::nullopt, catalog);
        const bool asks = std::any_of(open.clauses.begin(), open.clauses.end(), [](const JudgedClause& clause) { return !clause.passed; });
        if (open.passed && !asks) tell(at, "The opening of \"" + step.title + "\" passes: there is nothing to do.", "Let a clause ask for what the learner is to change.");
        for (std::size_t e = 0; e < step.ends.size(); ++e) {
            const LessonEnd& end = step.ends[e];
            const EditOutcome state = applyEdits(opening, end.edits);
            const StepVerdict verdict = judgeStep(step, *state.document, end.answer, catalog);
            const auto failed = std::find_if(verdict.clauses.begin(), verdict.clauses.end(), [](const JudgedClause& clause) { return clause.passed == false; });
            const auto atClause = static_cast<std::size_t>(failed - verdict.clauses.begin());
            const std::string place = at + "/ends/" + std::to_string(e);
            const std::string seen = failed == verdict.clauses.end() ? verdict.hint : failed->clause + " has " + jsonOf(failed->value).dump() + " and " + jsonOf(failed->expected).dump();
            if (verdict.passed != end.passes) tell(place, end.passes ? "It should pass and fails: " + seen + "." : "It should fail and passes.", "Change the clauses or the end.");
            else if (end.fails && verdict.refused.empty() && atClause != *end.fails) tell(place, "It should fail at clause " + std::to_string(*end.fails) + " and fails at " + std::to_string(atClause) + ": " + seen + ".", "Change the clauses or the end.");
        }
    }
    return problems;
}

Json toJson(const StepVerdict& verdict) {
    Json clauses = Json::array();
    for (const JudgedClause& clause : verdict.clauses)
        clauses.push_back({{"pointer", clause.left}, {"clause", clause.clause}, {"value", jsonOf(clause.value)}, {"expected", jsonOf(clause.expected)}, {"passed", clause.passed ? Json(*clause.passed) : Json()}, {"hint", clause.hint}});
    Json document{{"format", "orrery-lesson-check/1"}, {"passed", verdict.passed}, {"clauses", clauses}, {"hint", verdict.hint}};
    if (!verdict.refused.empty()) document["problems"] = toErrorDocument(verdict.refused).at("problems");
    return document;
}

} // namespace orrery
