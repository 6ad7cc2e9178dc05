// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_serving.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/measured_cases.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/answers/calibration/calibration_report.hpp"
#include "core/answers/validation/predictor.hpp"
#include "core/base/json.hpp"
#include "resources/shipped_catalog.hpp"

#include <cstdio>
#include <iostream>

namespace orrery {
namespace {

std::string valueText(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// Exit status of writing `document` where the user asked for it.
int write(const std::string& path, const Json& document, bool json) {
    if (path.empty()) return exit_done;
    std::string error;
    if (writeFileAtomically(path, document.dump(2) + "\n", error)) return exit_done;
    Problem problem;
    problem.code = "cannot-write";
    problem.file = path;
    problem.message = error;
    problem.mend = "Choose a place that can be written to.";
    return refuse(problem, json);
}

template <typename Owner>
void addValues(TextTable& table, const std::vector<FittedConstant<Owner>>& constants, const std::string& id, const ConstantValues& values,
               const ConstantValues& before) {
    std::string label = id;
    for (const FittedConstant<Owner>& constant : constants) {
        const auto found = values.find(constant.name);
        if (found == values.end()) continue;
        const auto old = before.find(constant.name);
        const bool ratio = id == "default" && constant.ofCatalogue;
        table.add({label, constant.name, old == before.end() ? "–" : valueText(old->second), valueText(found->second),
                   ratio ? "of the catalogue's" : valueText(constant.low) + " to " + valueText(constant.high)});
        label.clear();
    }
}

void printConstants(const Calibration& fitted, const Calibration& before, std::ostream& out) {
    TextTable table({"of", "constant", "before", "after", "range"});
    table.setLeft(1);
    const auto valuesOf = [](const std::vector<CalibrationEntry>& list, const std::string& id) {
        for (const CalibrationEntry& entry : list)
            if (entry.id == id) return entry.constants;
        return ConstantValues{};
    };
    for (const CalibrationEntry& entry : fitted.generations)
        addValues(table, generationConstants(), entry.id, entry.constants, valuesOf(before.generations, entry.id));
    addValues(table, generationConstants(), "default", fitted.pooledGeneration, before.pooledGeneration);
    for (const CalibrationEntry& entry : fitted.profiles)
        addValues(table, profileConstants(), entry.id, entry.constants, valuesOf(before.profiles, entry.id));
    addValues(table, profileConstants(), "default", fitted.pooledProfile, before.pooledProfile);
    table.print(out);
}

void printErrors(const Validation& before, const Validation& after, std::ostream& out) {
    TextTable table({"group", "metric", "count", "mean |e| before", "after", "median", "max", "bias"});
    const auto text = [](const std::optional<double>& value) { return value ? fixedText(*value, 1) : std::string("–"); };
    for (std::size_t group = 0; group < after.groups.size(); ++group) {
        const MetricSummaries &old = before.groups[group].second, &now = after.groups[group].second;
        for (std::size_t i = 0; i < now.metrics.size(); ++i) {
            if (!isMeasuredIteration(now.metrics[i].first)) continue;
            const ErrorSummary& summary = now.metrics[i].second;
            table.add({after.groups[group].first, now.metrics[i].first, std::to_string(summary.count), text(old.metrics[i].second.meanAbs),
                       text(summary.meanAbs), text(summary.medianAbs), text(summary.maxAbs), text(summary.mean)});
        }
    }
    table.print(out);
}

int fitCatalogue(const CalibrateOptions& options, const LoadedCases& loaded, const FitOptions& fit, const RunControl& control) {
    const Catalog catalog = shippedCatalog();
    const Validation before = validate(loaded.cases, scenarioPredictor(catalog, loaded.readFile), control);
    Calibration fitted;
    {
        std::vector<CaseModel> models = makeCaseModels(loaded.cases, catalog, loaded.readFile, control);
        fitted = fitFromScratch(models, catalog.calibration(), fit, control).calibration;
    }
    const Catalog calibrated = catalog.withCalibration(fitted);
    const Validation after = validate(loaded.cases, scenarioPredictor(calibrated, loaded.readFile), control);
    if (options.json) {
        printDocument(fitDocument(fitted, before, after));
    } else {
        printConstants(fitted, catalog.calibration(), std::cout);
        std::cout << "\nErrors of simulated iterations in percent\n";
        printErrors(before, after, std::cout);
    }
    return write(options.out, toJson(fitted), options.json);
}

int printAblation(const CalibrateOptions& options, const LoadedCases& loaded, const FitOptions& fit, const RunControl& control) {
    const std::vector<AblationRow> rows = ablate(loaded.cases, shippedCatalog(), loaded.readFile, fit, control);
    if (options.json) {
        printDocument(ablationDocument(rows));
        return exit_done;
    }
    std::vector<std::string> header{"without", "all"};
    for (const auto& [group, error] : rows.front().groups) header.push_back(group);
    TextTable table(header);
    for (const AblationRow& row : rows) {
        std::vector<std::string> cells{row.ablation.name.empty() ? "(everything in)" : row.ablation.name, fixedText(row.all, 2)};
        for (const auto& [group, error] : row.groups) cells.push_back(fixedText(error, 1));
        table.add(std::move(cells));
    }
    std::cout << "Mean absolute error of estimated iterations in percent; everything else was fitted anew. Column \"all\": mean over the groups\n";
    table.print(std::cout);
    return exit_done;
}

int fitOwnCluster(const CalibrateOptions& options, const LoadedCases& loaded, const RunControl& control) {
    const LoadedDocument scenario = loadDocument(options.scenario);
    if (!scenario.document || hasErrors(scenario.problems)) return refuse(scenario.problems, options.json);
    const FileReader readFile = [&](const std::string& path, std::string& error) {
        std::optional<std::string> text = scenario.readFile ? scenario.readFile(path, error) : std::nullopt;
        return text ? text : loaded.readFile(path, error);
    };
    const OwnClusterFit fit = calibrateToCluster(loaded.cases, *scenario.document, shippedCatalog(), readFile, control);
    if (hasErrors(fit.problems)) return refuse(fit.problems, options.json);
    if (options.json) {
        printDocument(ownClusterDocument(fit));
    } else {
        TextTable table({"constant", "before", "after", "range", "unit", "meaning"});
        table.setLeft(4);
        table.setLeft(5);
        for (const AdjustedConstant& constant : fit.constants)
            table.add({constant.name, valueText(constant.before), valueText(constant.after), valueText(constant.low) + " to " + valueText(constant.high),
                       constant.unit, constant.meaning});
        table.print(std::cout);
        std::cout << "\nIterations\n";
        TextTable cases({"measured", "before", "error", "after", "error"});
        for (std::size_t i = 0; i < fit.measured.size(); ++i)
            cases.add({timeText(fit.measured[i]), timeText(fit.before[i]), percentText(fit.before[i] / fit.measured[i] - 1), timeText(fit.after[i]),
                       percentText(fit.after[i] / fit.measured[i] - 1)});
        cases.print(std::cout);
        std::cout << '\n'
                  << Json{{"execution", {{"calibration", fit.fragment}}}}.dump(2) << '\n';
    }
    if (options.out.ends_with(profileEnding)) return write(options.out, fit.profile, options.json);
    Json with = *scenario.document;
    with["execution"]["calibration"] = fit.fragment;
    return write(options.out, with, options.json);
}

} // namespace

int runCalibrate(const CalibrateOptions& options) {
    RunControl control;
    control.threads = threadsFor(options.threads);
    if (const std::vector<BenchmarkRun> runs = benchmarkRunsIn(options.cases); !runs.empty()) return calibrateServer(options, runs, control);
    if (!options.launch.empty()) return refuse(noBenchmark(options.cases), options.json);
    const LoadedCases loaded = loadCases(options.cases);
    if (hasErrors(loaded.problems)) return refuse(loaded.problems, options.json);
    if (!options.scenario.empty()) return fitOwnCluster(options, loaded, control);
    FitOptions fit;
    if (options.priorWeight > 0) fit.squares.priorWeight = options.priorWeight;
    return options.ablate ? printAblation(options, loaded, fit, control) : fitCatalogue(options, loaded, fit, control);
}

} // namespace orrery
