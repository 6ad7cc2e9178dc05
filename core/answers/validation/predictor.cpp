// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/validation/predictor.hpp"

#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

Prediction rejected(const Problems& problems) {
    Prediction prediction;
    prediction.status = CaseStatus::rejected;
    const auto first = std::find_if(problems.begin(), problems.end(),
                                    [](const Problem& problem) { return problem.severity == Severity::error; });
    if (first == problems.end()) {
        prediction.status = CaseStatus::failed;
        prediction.code = "internal-error";
        prediction.message = "No result, and no reason given.";
        return prediction;
    }
    prediction.code = first->code;
    prediction.message = (first->pointer.empty() ? "" : first->pointer + ": ") + first->message;
    return prediction;
}

} // namespace

Predictor scenarioPredictor(const Catalog& catalog, FileReader readFile, double memoryCeiling) {
    return [&catalog, readFile = std::move(readFile), memoryCeiling](const Json& document) {
        Json scenario = document;
        if (scenario.is_object()) {
            for (const char* key : {"name", "notes"}) {
                if (scenario.contains(key)) scenario[key] = "";
            }
        }
        const ScenarioReading reading = readScenario(scenario, catalog, readFile);
        if (!reading.scenario || hasErrors(reading.problems)) return rejected(reading.problems);
        RunControl control;
        control.memoryCeiling = memoryCeiling;
        const Outcome outcome = simulate(*reading.scenario, control);
        if (!outcome.result) return rejected(outcome.problems);
        Prediction prediction;
        prediction.result = toJson(*outcome.result);
        return prediction;
    };
}

} // namespace orrery
