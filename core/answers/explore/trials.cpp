// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/trials.hpp"

#include "core/answers/simulation/simulated_figures.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

Problems errorsOf(Problems problems) {
    problems.erase(std::remove_if(problems.begin(), problems.end(), [](const Problem& problem) { return problem.severity != Severity::error; }), problems.end());
    return problems;
}

Json withoutQuestions(Json document) {
    if (document.is_object())
        for (const char* key : {"search", "variants", "measures", "view"}) document.erase(key);
    return document;
}

} // namespace

Trials::Trials(Json document, const Catalog& catalog, FileReader readFile) : document_(std::move(document)), tried_(withoutQuestions(*document_)), catalog_(catalog), readFile_(std::move(readFile)) {}

std::optional<Scenario> Trials::read(const std::vector<ScenarioEdit>& changes, Problems& problems) const {
    const EditOutcome edited = applyEdits(*tried_, changes);
    if (!edited.error.empty()) {
        Problem problem;
        problem.code = "no-such-place";
        problem.pointer = changes.empty() ? "" : changes.front().pointer;
        problem.message = edited.error;
        problem.mend = "Name a key of the scenario; \"orrery-cli schema\" lists them.";
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
    ScenarioReading reading = readScenario(*edited.document, catalog_, readFile_);
    if (!hasErrors(reading.problems) && reading.scenario) return std::move(reading.scenario);
    const Problems errors = errorsOf(std::move(reading.problems));
    problems.insert(problems.end(), errors.begin(), errors.end());
    return std::nullopt;
}

std::unique_ptr<PlanReader> Trials::planReader(const std::vector<ScenarioEdit>& others, std::vector<PlanKey> keys) const {
    const EditOutcome edited = applyEdits(*tried_, others);
    if (!edited.error.empty()) return nullptr;
    return PlanReader::of(*edited.document, std::move(keys), catalog_, readFile_);
}

Trial Trials::run(const std::vector<ScenarioEdit>& changes, const RunControl& control) const {
    Trial trial;
    const std::optional<Scenario> scenario = read(changes, trial.problems);
    if (!scenario) return trial;
    Outcome outcome = simulateFigures(*scenario, control);
    if (!outcome.result) {
        trial.problems = errorsOf(std::move(outcome.problems));
        return trial;
    }
    trial.fits = outcome.result->fits;
    trial.result = toJson(*outcome.result);
    return trial;
}

Problems problemsOfPlace(const Trials& trials, const std::string& pointer, const Json& value) {
    Problems problems;
    trials.read({{pointer, value}}, problems);
    const auto isOfValue = [](const Problem& problem) { return problem.code != "unknown-key" && problem.code != "no-such-place"; };
    problems.erase(std::remove_if(problems.begin(), problems.end(), isOfValue), problems.end());
    return problems;
}

} // namespace orrery
