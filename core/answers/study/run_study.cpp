// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/study/run_study.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/answers/study/expression.hpp"
#include "core/answers/study/kernel_question.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace orrery {

std::optional<StepGains> stepGains(const StudyResult& result, std::size_t plot) {
    if (!result.study.steps || result.outcomes.empty() || plot >= result.study.plots.size()) return std::nullopt;
    const bool lower = result.study.plots[plot].lowerIsBetter;
    const std::vector<StudyValue>& values = result.study.axes.front().values;
    StepGains gains;
    double first = 0, before = 0;
    for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
        const std::optional<double>& value = result.outcomes[i].numbers[plot].value;
        if (!value || !(*value > 0)) return std::nullopt;
        if (i == 0) first = before = *value;
        const double factor = lower ? before / *value : *value / before;
        const double total = lower ? first / *value : *value / first;
        gains.steps.push_back({values[i].name, i == 0 ? std::string() : values[i].cause, factor, total});
        before = *value;
        if (i == 0) continue;
        const auto known = std::find_if(gains.causes.begin(), gains.causes.end(), [&](const StepGain& one) { return one.name == values[i].cause; });
        if (known != gains.causes.end()) known->factor *= factor;
        else gains.causes.push_back({values[i].cause, values[i].cause, factor, 1});
    }
    for (StepGain& cause : gains.causes) cause.total = gains.total *= cause.factor;
    return gains;
}

namespace {

/// A formula's value at a point; terms are looked up before the point's symbols, each never inside itself.
class FormulaReader {
public:
    FormulaReader(const NameLookup& symbols, const StudyTerms& terms) : symbols_(symbols), terms_(terms) {}

    ExpressionValue value(const std::string& formula) {
        return evaluate(formula, [this](std::string_view name) { return lookUp(std::string(name)); });
    }
    const std::string& innerError() const { return innerError_; } ///< of a term that has no value

private:
    std::optional<double> lookUp(const std::string& name) {
        const auto term = terms_.find(name);
        if (term == terms_.end() || !open_.insert(name).second) return symbols_(name);
        const ExpressionValue inner = value(term->second);
        open_.erase(name);
        if (!inner.value && innerError_.empty()) innerError_ = inner.error;
        return inner.value;
    }

    const NameLookup& symbols_;
    const StudyTerms& terms_;
    std::set<std::string> open_;
    std::string innerError_;
};

Problem formulaProblem(const StudyPlot& plot, const std::string& error) {
    Problem problem;
    problem.severity = Severity::warning;
    problem.code = "bad-formula";
    problem.message = "The closed form of \"" + plot.name + "\" has no value: " + error;
    problem.mend = "Use the symbols B, b, s, h, a, l, V, t, p, d, c, e, v, m and the study's terms.";
    return problem;
}

/// The formula, and below it the terms that it names.
std::string withTerms(const std::string& formula, const StudyTerms& terms) {
    std::string text = formula;
    std::set<std::string> told;
    for (std::size_t from = 0; from < text.size();) {
        const char c = text[from];
        if (!(std::isalpha(static_cast<unsigned char>(c)) || c == '_')) {
            ++from;
            continue;
        }
        std::size_t to = from;
        while (to < text.size() && (std::isalnum(static_cast<unsigned char>(text[to])) || text[to] == '_')) ++to;
        const std::string name = text.substr(from, to - from);
        const auto term = terms.find(name);
        if (term != terms.end() && told.insert(name).second) text += "\n" + name + " = " + term->second;
        from = to;
    }
    return text;
}

std::string wordAt(const Json& document, const std::string& pointer) {
    const Json::json_pointer place(pointer);
    if (!document.contains(place)) return {};
    const Json& value = document.at(place);
    return value.is_string() ? value.get<std::string>() : std::string();
}

/// Every plot's number out of `document`, and its formula's.
void fillNumbers(const Study& study, const StudyPoint& point, const Json& document, const NameLookup& symbols, StudyOutcome& outcome) {
    for (std::size_t i = 0; i < study.plots.size(); ++i) {
        const StudyPlot& plot = study.plots[i];
        StudyNumber& number = outcome.numbers[i];
        number.value = numberAt(document, plot.pointer);
        number.word = wordAt(document, plot.pointer);
        if (plot.formula.empty()) continue;
        number.formulaText = withTerms(plot.formula, point.terms);
        FormulaReader formula(symbols, point.terms);
        const ExpressionValue value = formula.value(plot.formula);
        number.formula = value.value;
        if (!value.value) outcome.problems.push_back(formulaProblem(plot, formula.innerError().empty() ? value.error : formula.innerError()));
    }
}

} // namespace

std::optional<double> scenarioSymbol(const Scenario& scenario, std::string_view name) {
    const Architecture& model = scenario.model;
    const Parallelism& plan = scenario.parallelism;
    std::vector<std::pair<std::string_view, double>> symbols{
        {"h", static_cast<double>(model.hidden)},
        {"a", static_cast<double>(model.heads)},
        {"l", static_cast<double>(model.layers)},
        {"V", static_cast<double>(model.vocabulary)},
        {"t", plan.tensor},
        {"p", plan.pipeline},
        {"d", plan.data},
        {"c", plan.context},
        {"e", plan.expert},
        {"v", plan.virtualPipeline},
    };
    if (scenario.isTraining()) {
        const TrainingWorkload& training = scenario.training();
        symbols.insert(symbols.end(), {{"B", training.globalBatch}, {"b", training.microBatch}, {"s", training.sequenceLength}, {"m", scenario.microBatches()}});
    }
    for (const auto& [symbol, value] : symbols)
        if (symbol == name) return value;
    return std::nullopt;
}

StudyOutcome runStudyPoint(const Study& study, const StudyPoint& point, const Catalog& catalog, const FileReader& readFile,
                           const RunControl& control) {
    StudyOutcome outcome;
    outcome.numbers.resize(study.plots.size());
    if (study.subject == StudySubject::kernel) {
        const Json answer = answerKernelQuestion(point.document, catalog, outcome.problems);
        if (hasErrors(outcome.problems)) return outcome;
        fillNumbers(
            study, point, answer, [&answer](std::string_view name) { return numberAt(answer, "/" + std::string(name)); }, outcome);
        return outcome;
    }
    const ScenarioReading reading = readScenario(point.document, catalog, readFile);
    if (!reading.scenario || hasErrors(reading.problems)) {
        outcome.problems = reading.problems;
        return outcome;
    }
    const Outcome simulated = simulate(*reading.scenario, control);
    if (!simulated.result) {
        outcome.problems = simulated.problems;
        return outcome;
    }
    const Scenario& scenario = simulated.result->scenario;
    fillNumbers(
        study, point, toJson(*simulated.result), [&scenario](std::string_view name) { return scenarioSymbol(scenario, name); }, outcome);
    return outcome;
}

std::optional<StudyResult> runStudy(const Study& study, const Catalog& catalog, const FileReader& readFile, const RunControl& control) {
    StudyResult result{study, studyPoints(study), {}};
    for (const StudyPoint& point : result.points) {
        RunControl single = control;
        single.progress = {};
        StudyOutcome outcome = runStudyPoint(study, point, catalog, readFile, single);
        if (control.stop.stop_requested()) return std::nullopt;
        result.outcomes.push_back(std::move(outcome));
        if (control.progress) control.progress(static_cast<double>(result.outcomes.size()) / static_cast<double>(result.points.size()));
    }
    return result;
}

} // namespace orrery
