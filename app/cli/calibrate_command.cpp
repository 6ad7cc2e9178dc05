// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/figure_text.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/measured_cases.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/answers/calibration/calibration_report.hpp"
#include "core/answers/calibration/recorded_machine.hpp"
#include "core/answers/calibration/recording.hpp"
#include "core/answers/calibration/served_calibration.hpp"
#include "core/answers/validation/predictor.hpp"
#include "core/base/json.hpp"
#include "core/exchange/import/import.hpp"
#include "core/records/traced_job/machine_of_record.hpp"
#include "core/records/traces/kineto_reader.hpp"
#include "core/scenario/document/named_files.hpp"
#include "core/scenario/reader/model_reader.hpp"
#include "resources/shipped_catalog.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <vector>

namespace orrery {

inline constexpr const char* profileEnding = ".orrery-profile.json";

/// What benchmarks of a server wrote in these files; empty where a file is none.
std::vector<BenchmarkRun> benchmarkRunsIn(const std::vector<std::string>& files);

/// What the script of record-script wrote, when that is what the one file holds.
std::optional<std::string> recordingIn(const std::vector<std::string>& files);

/// `calibrate` for a recording of a machine. Gives the exit status.
int calibrateRecording(const CalibrateOptions& options, const std::string& text, const RunControl& control);

/// A launch line stands beside files of which one holds no such result, or can't be read.
Problem noBenchmark(const std::vector<std::string>& files);

/// `calibrate` for runs of a server: constants, figures before and after, the profile file. Gives the exit status.
int calibrateServer(const CalibrateOptions& options, const std::vector<BenchmarkRun>& runs, const RunControl& control);

namespace {

struct MeasuredServer {
    Json scenario;
    FileReader readFile;
};

/// The scenario of a launch line, or of a file that holds it.
std::optional<MeasuredServer> launchedServer(const CalibrateOptions& options, const Catalog& catalog, Problems& problems) {
    std::string reason;
    const std::optional<std::string> file = tryReadFile(options.launch, reason, {.regularOnly = true});
    ImportOptions import;
    import.accelerator = options.accelerator;
    import.fileName = file ? options.launch : "the launch line";
    import.expertsOf = [&catalog](const std::string& id) { return expertsOfPreset(catalog, id);
};
import.readFile = fileReaderFor(file ? std::filesystem::path(options.launch).parent_path().string() : ".");
Import imported = importCommandLine(file.value_or(options.launch), import);
problems = std::move(imported.problems);
if (!imported.scenario) return std::nullopt;
return MeasuredServer{std::move(*imported.scenario), import.readFile};
} // namespace

std::optional<MeasuredServer> serverOf(const CalibrateOptions& options, const Catalog& catalog, Problems& problems) {
    if (!options.launch.empty()) return launchedServer(options, catalog, problems);
    if (options.scenario.empty()) {
        Problem problem;
        problem.code = "bad-command-line";
        problem.message = "A benchmark's result does not say how its server was started, nor on what.";
        problem.mend = "Add --launch with the server's launch line or its script (and --accelerator), or --scenario.";
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
    LoadedDocument loaded = loadDocument(options.scenario);
    problems = std::move(loaded.problems);
    if (!loaded.document || hasErrors(problems)) return std::nullopt;
    return MeasuredServer{std::move(*loaded.document), loaded.readFile};
}

std::string shortNumber(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string figureOf(const CalibratedFigure& figure, double value) {
    return figure.metric.find("per_s") != std::string::npos ? countText(value) + "/s" : timeText(value);
}

void printFigures(const ProfileFit& fit, FigureUse use, const std::string& heading) {
    TextTable table({"run", "figure", "measured", "before", "error", "after", "error"});
    table.setLeft(1);
    int count = 0;
    for (const CalibratedFigure& figure : fit.figures) {
        if (figure.use != use) continue;
        table.add({std::to_string(figure.run + 1), figure.metric, figureOf(figure, figure.measured), figureOf(figure, figure.before), fixedText(figure.errorBefore, 1) + " %", figureOf(figure, figure.after), fixedText(figure.errorAfter, 1) + " %"});
        ++count;
    }
    if (count == 0) return;
    const CalibrationErrors errors = errorsOf(fit.figures, use);
    std::cout << '\n'
              << heading << ": " << fixedText(errors.before, 1) << " % off in the mean before, " << fixedText(errors.after, 1) << " % after\n";
    table.print(std::cout, 2);
}

void printConstants(const ProfileFit& fit) {
    TextTable table({"constant", "before", "after", "range", "unit", "meaning"});
    table.setLeft(4);
    table.setLeft(5);
    for (const AdjustedConstant& constant : fit.constants)
        table.add({constant.name, shortNumber(constant.before), shortNumber(constant.after), shortNumber(constant.low) + " to " + shortNumber(constant.high), constant.unit, constant.meaning});
    table.print(std::cout);
}

void print(const ProfileFit& fit) {
    printConstants(fit);
    printFigures(fit, FigureUse::fitted, "Fitted");
    printFigures(fit, FigureUse::left_out, "Not fitted (each run by the constants fitted to the others)");
    printFigures(fit, FigureUse::beside, "Not fitted (other figures of these runs)");
}

void printMachine(const ProfileFit& fit, const std::string& name, const std::string& accelerator) {
    std::cout << name << (accelerator.empty() ? ", which the catalogue does not have: the profile describes it" : ": " + accelerator) << "\n\n";
    printConstants(fit);
    const CalibrationErrors kernels = errorsOf(fit.figures, FigureUse::fitted);
    std::cout << "\nFitted to " << kernels.count << " kernels: " << fixedText(kernels.before, 1) << " % off in the mean before, " << fixedText(kernels.after, 1) << " % after (--json lists them)\n";
    printFigures(fit, FigureUse::left_out, "Not fitted (whole steps)");
}

int writeProfile(const CalibrateOptions& options, const ProfileFit& fit) {
    if (options.out.empty()) return exit_done;
    std::string error;
    if (writeFileAtomically(options.out, fit.profile->dump(2) + "\n", error)) return exit_done;
    return refuse(fileProblem("cannot-write", options.out, error, "Choose a place that can be written to."), options.json);
}

} // namespace orrery

std::vector<BenchmarkRun> benchmarkRunsIn(const std::vector<std::string>& files) {
    std::vector<BenchmarkRun> runs;
    for (const std::string& file : files) {
        std::string reason;
        const auto text = tryReadFile(file, reason, {.regularOnly = true});
        const std::vector<ServerBenchmark> found = text ? readServerBenchmarks(*text) : std::vector<ServerBenchmark>();
        if (found.empty()) return {};
        for (const ServerBenchmark& benchmark : found) runs.push_back({benchmark, std::filesystem::path(file).filename().string()});
    }
    return runs;
}

Problem noBenchmark(const std::vector<std::string>& files) {
    const std::string mend = "Give what vllm bench serve, SGLang's bench_serving, GenAI-Perf, AIPerf, GuideLLM or trtllm-bench wrote.";
    for (const std::string& file : files) {
        std::string reason;
        const auto text = tryReadFile(file, reason, {.regularOnly = true});
        if (!text) return fileProblem("cannot-read-file", file, reason, mend);
        if (readServerBenchmarks(*text).empty()) return fileProblem("no-benchmark", file, "This is no result of a server's benchmark that Orrery knows.", mend);
    }
    return fileProblem("no-benchmark", "", "No file is given.", mend);
}

std::optional<std::string> recordingIn(const std::vector<std::string>& files) {
    std::string reason;
    if (files.size() != 1) return std::nullopt;
    std::optional<std::string> text = tryReadFile(files.front(), reason, {.regularOnly = true});
    return text && saysRecording(*text) ? text : std::nullopt;
}

int calibrateRecording(const CalibrateOptions& options, const std::string& text, const RunControl& control) {
    Problems problems;
    const Catalog catalog = userCatalog(problems);
    const std::optional<Json> recording = readRecording(text, options.cases.front(), problems);
    if (!recording) return refuse(problems, options.json);
    std::string accelerator = options.accelerator;
    if (accelerator.empty()) {
        const Json& machine = recording->at("machine");
        KinetoTrace device;
        device.deviceName = machine.at("name").get<std::string>();
        device.deviceMemory = static_cast<std::int64_t>(machine.at("memory_bytes").get<double>());
        device.deviceProcessors = machine.value("processors", 0);
        const DeviceMatch match = machine.at("kind") == "gpu" ? deviceMatch(device, catalog) : DeviceMatch();
        if (match.ids.size() == 1) accelerator = match.ids.front();
    } else if (!catalog.accelerator(accelerator)) {
        return refuse(unknownEntry("unknown-accelerator", "", "accelerator", accelerator, catalog.accelerators()), options.json);
    }
    const ProfileFit fit = calibrateMachine(*recording, accelerator, catalog, control);
    if (hasErrors(fit.problems)) return refuse(fit.problems, options.json);
    problems.insert(problems.end(), fit.problems.begin(), fit.problems.end());
    printWarnings(problems);
    if (options.json) printDocument(*fit.profile);
    else printMachine(fit, recording->at("machine").at("name").get<std::string>(), accelerator);
    return writeProfile(options, fit);
}

int calibrateServer(const CalibrateOptions& options, const std::vector<BenchmarkRun>& runs, const RunControl& control) {
    Problems problems;
    const Catalog catalog = userCatalog(problems);
    Problems ofServer;
    const std::optional<MeasuredServer> server = serverOf(options, catalog, ofServer);
    const bool saysLoad = std::all_of(runs.begin(), runs.end(), [](const BenchmarkRun& run) { return !run.benchmark.requests->is_null(); });
    for (Problem& problem : ofServer)
        if (!saysLoad || problem.severity == Severity::error || !problem.pointer.starts_with("/workload/requests")) problems.push_back(std::move(problem)); // the runs say these
    if (!server) return refuse(problems, options.json);
    const ProfileFit fit = calibrateServing(runs, server->scenario, catalog, server->readFile, control);
    if (hasErrors(fit.problems)) return refuse(fit.problems, options.json);
    problems.insert(problems.end(), fit.problems.begin(), fit.problems.end());
    printWarnings(problems);
    if (options.json) printDocument(*fit.profile);
    else print(fit);
    return writeProfile(options, fit);
}

} // namespace orrery

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
    if (const auto recording = recordingIn(options.cases)) return calibrateRecording(options, *recording, control);
    if (!options.launch.empty()) return refuse(noBenchmark(options.cases), options.json);
    const LoadedCases loaded = loadCases(options.cases);
    if (hasErrors(loaded.problems)) return refuse(loaded.problems, options.json);
    if (!options.scenario.empty()) return fitOwnCluster(options, loaded, control);
    FitOptions fit;
    if (options.priorWeight > 0) fit.squares.priorWeight = options.priorWeight;
    return options.ablate ? printAblation(options, loaded, fit, control) : fitCatalogue(options, loaded, fit, control);
}

} // namespace orrery
