// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/own_cluster.hpp"
#include "core/answers/calibration/least_squares.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/parallel.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/named_constants.hpp"
#include "core/scenario/reader/framework_reader.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace orrery {
namespace {

constexpr double repeatNoise = 0.03; ///< of an iteration's time between runs of the same job
constexpr double leastDetermined = 0.02;

/// One constant that may be adjusted, whichever table it is in.
struct Adjustable {
    std::string name, unit, meaning;
    double low = 0, high = 0, spread = 1, before = 0;
};

template <typename Owner>
void addAdjustables(const std::vector<FittedConstant<Owner>>& table, const Owner& owner, std::vector<Adjustable>& list) {
    for (const FittedConstant<Owner>& row : table) {
        const double value = owner.*row.member / row.scale;
        if (row.ofCatalogue && value == 0) continue;
        list.push_back({row.name, row.unit, row.meaning, row.low, row.high, row.spread, value});
    }
}

/// s; 0 where there is none.
double simulated(const Scenario& scenario) {
    try {
        const Outcome outcome = simulate(scenario);
        return outcome.result && outcome.result->training() ? outcome.result->training()->iterationTime : 0;
    } catch (const std::exception&) {
        return 0;
    }
}

} // namespace

OwnClusterFit calibrateToCluster(const std::vector<MeasuredCase>& measured, const Json& document, const Catalog& catalog,
                                 const FileReader& readFile, const RunControl& control) {
    OwnClusterFit result;
    ScenarioReading reading = readScenario(document, catalog, readFile);
    if (!reading.scenario || hasErrors(reading.problems)) {
        result.problems = reading.problems;
        return result;
    }
    if (!reading.scenario->isTraining()) {
        Problem problem;
        problem.code = "not-supported-yet";
        problem.pointer = "/workload/kind";
        problem.message = "Constants are fitted to runs of training; this scenario does not train.";
        problem.mend = "Use a training scenario of the same machine.";
        result.problems = {problem};
        return result;
    }
    std::vector<CaseModel> cases = makeCaseModels(measured, catalog, readFile, control);
    if (cases.empty()) {
        Problem problem;
        problem.code = "no-measured-iteration";
        problem.message = "No case has a measured iteration time or rate of tokens that can be simulated.";
        problem.mend = "Add a case with \"measured\": {\"iteration_time_s\": …}; \"orrery-cli validate\" says why one is rejected.";
        result.problems = {problem};
        return result;
    }
    agreeWithSimulation(cases, catalog.calibration(), {}, control);
    // What the scenario says of its machine is where the search begins; cases may not say otherwise.
    std::vector<Adjustable> adjustable;
    addAdjustables(generationConstants(), reading.scenario->kernels, adjustable);
    addAdjustables(profileConstants(), reading.scenario->execution.profile, adjustable);
    std::vector<Unknown> unknowns;
    for (const Adjustable& constant : adjustable)
        unknowns.push_back({std::log(constant.before), std::log(constant.low), std::log(constant.high), std::log(constant.before), constant.spread});
    const auto valuesAt = [&](const std::vector<double>& at) {
        ConstantValues values;
        for (std::size_t i = 0; i < at.size(); ++i) values[adjustable[i].name] = std::exp(at[i]);
        return values;
    };
    const Residuals residuals = [&](const std::vector<double>& at, bool withSlopes) {
        std::vector<Residual> rows(cases.size());
        forEachIndex(cases.size(), control.threads, [&](std::size_t index) {
            const double now = std::log(cases[index].seconds(catalog.calibration(), valuesAt(at)));
            rows[index].value = now - std::log(cases[index].measured());
            for (std::size_t i = 0; withSlopes && i < at.size(); ++i) {
                const double step = at[i] + slopeStep > unknowns[i].high ? -slopeStep : slopeStep;
                std::vector<double> moved = at;
                moved[i] += step;
                rows[index].slopes.emplace_back(i, (std::log(cases[index].seconds(catalog.calibration(), valuesAt(moved))) - now) / step);
            }
        });
        return rows;
    };
    LeastSquaresOptions options;
    options.priorWeight = repeatNoise * repeatNoise;
    const LeastSquaresFit fit = leastSquares(unknowns, std::vector<double>(cases.size(), 1), residuals, options);

    result.fragment = Json::object();
    for (const auto& [name, value] : reading.scenario->execution.calibration) result.fragment[name] = value;
    ConstantValues before, after;
    for (std::size_t i = 0; i < adjustable.size(); ++i) {
        const Adjustable& constant = adjustable[i];
        before[constant.name] = after[constant.name] = constant.before;
        if (fit.determined[i] < leastDetermined) continue;
        const double value = std::clamp(fewDigits(std::exp(fit.unknowns[i])), constant.low, constant.high);
        after[constant.name] = value;
        result.fragment[constant.name] = value;
        result.constants.push_back({constant.name, constant.unit, constant.meaning, constant.low, constant.high, constant.before, value, fit.determined[i]});
    }
    result.measured.resize(cases.size());
    result.before.resize(cases.size());
    result.after.resize(cases.size());
    forEachIndex(cases.size(), control.threads, [&](std::size_t index) {
        result.measured[index] = cases[index].measured();
        result.before[index] = simulated(cases[index].scenario(catalog.calibration(), before));
        result.after[index] = simulated(cases[index].scenario(catalog.calibration(), after));
    });
    Json profile = profileDocument(*reading.scenario, document.value(Json::json_pointer("/execution/framework_version"), std::string()), result.constants);
    for (std::size_t index = 0; index < cases.size(); ++index)
        profile["figures"].push_back({{"run", index + 1}, {"metric", "iteration_time_s"}, {"use", "fitted"}, {"measured", result.measured[index]}, {"before", result.before[index]}, {"after", result.after[index]}});
    result.profile = std::move(profile);
    return result;
}

Json profileDocument(const Scenario& scenario, const std::string& frameworkVersion, const std::vector<AdjustedConstant>& constants) {
    const Accelerator& accelerator = scenario.cluster.accelerator;
    const FrameworkProfile& framework = scenario.execution.profile;
    Json values = Json::object();
    for (const AdjustedConstant& constant : constants) values[constant.name] = constant.after;
    Json software{{"framework", framework.id}};
    if (!frameworkVersion.empty()) software["framework_version"] = frameworkVersion;
    return {{"format", measuredProfileFormat},
            {"name", scenario.modelName + " on " + std::to_string(scenario.cluster.accelerators()) + " " + accelerator.name + ", " + (frameworkVersion.empty() ? framework.name : frameworkVersion)},
            {"machine", {{"accelerator", accelerator.id}, {"accelerators", scenario.cluster.accelerators()}}},
            {"software", std::move(software)},
            {"constants", std::move(values)}};
}

} // namespace orrery
