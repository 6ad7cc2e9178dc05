// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/sensitivity.hpp"

#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

namespace orrery {
namespace {

std::optional<double> numberIn(const Trial& trial, const Measure& measure) {
    if (!trial.result) return std::nullopt;
    const Json value = measured(*trial.result, measure);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

Problem notANumber(const Measure& measure, bool neverRan) {
    Problem problem;
    problem.code = "not-a-number";
    problem.pointer = measure.pointer;
    problem.message = "\"" + measure.name + "\" of the result " + (neverRan ? "has no figure: what it is of never ran." : "is no number.");
    problem.mend = neverRan ? "Simulate the scenario to see what stops it." : "Name a number of the result, such as /iteration_time_s.";
    return problem;
}

} // namespace

double SensitivityRow::swing(double base) const { return std::max(low ? std::abs(*low - base) : 0, high ? std::abs(*high - base) : 0); }

SensitivityRun sensitivity(const Trials& trials, const Measure& measure, double byPercent, const RunControl& control) {
    SensitivityRun run;
    const std::optional<Scenario> scenario = trials.read({}, run.problems);
    if (!scenario) return run;
    RunControl single;
    single.stop = control.stop;
    single.memoryCeiling = control.memoryCeiling;
    const Trial own = trials.run({}, single);
    const std::optional<double> base = numberIn(own, measure);
    if (!base) {
        if (!own.result) run.problems = own.problems;
        else run.problems = problemsOf({measure}, *own.result);
        if (run.problems.empty() && !control.stop.stop_requested()) run.problems.push_back(notANumber(measure, own.result && measured(*own.result, measure).is_null()));
        return run;
    }
    const std::vector<SensitivityInput> inputs = sensitivityInputs(trials, *scenario);
    Sensitivity result{measure, *base, byPercent, {}};
    for (const SensitivityInput& input : inputs) result.rows.push_back({input.pointer, input.value, {}, {}});
    std::mutex one;
    std::size_t done = 0;
    forEachIndex(2 * inputs.size(), control.threads, [&](std::size_t i) {
        if (control.stop.stop_requested()) return;
        const bool less = i % 2 == 0;
        SensitivityRow& row = result.rows[i / 2];
        (less ? row.low : row.high) = numberIn(trials.run(inputs[i / 2].times(1 + (less ? -byPercent : byPercent) / 100), single), measure);
        const std::lock_guard lock(one);
        if (control.progress) control.progress(double(++done) / double(2 * inputs.size()));
    });
    if (control.stop.stop_requested()) return run;
    std::stable_sort(result.rows.begin(), result.rows.end(), [&](const SensitivityRow& a, const SensitivityRow& b) { return a.swing(*base) > b.swing(*base); });
    run.sensitivity = std::move(result);
    return run;
}

Json sensitivityDocument(const Sensitivity& sensitivity) {
    const auto orNull = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    Json rows = Json::array();
    for (const SensitivityRow& row : sensitivity.rows) rows.push_back({{"input", row.input}, {"value", row.value}, {"low", orNull(row.low)}, {"high", orNull(row.high)}});
    return {{"format", "orrery-sensitivity/1"}, {"metric", sensitivity.measure.name}, {"value", sensitivity.base}, {"by_percent", sensitivity.byPercent}, {"rows", std::move(rows)}};
}

} // namespace orrery
