// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_serving.hpp"

#include "app/cli/common/figure_text.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/exchange/import/import.hpp"
#include "core/scenario/reader/model_reader.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

namespace orrery {
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

void printFigures(const ServedCalibration& fit, FigureUse use, const std::string& heading) {
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

void print(const ServedCalibration& fit) {
    TextTable table({"constant", "before", "after", "range", "unit", "meaning"});
    table.setLeft(4);
    table.setLeft(5);
    for (const AdjustedConstant& constant : fit.constants)
        table.add({constant.name, shortNumber(constant.before), shortNumber(constant.after), shortNumber(constant.low) + " to " + shortNumber(constant.high), constant.unit, constant.meaning});
    table.print(std::cout);
    printFigures(fit, FigureUse::fitted, "Fitted");
    printFigures(fit, FigureUse::left_out, "Not fitted (each run by the constants fitted to the others)");
    printFigures(fit, FigureUse::beside, "Not fitted (other figures of these runs)");
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

int calibrateServer(const CalibrateOptions& options, const std::vector<BenchmarkRun>& runs, const RunControl& control) {
    Problems problems;
    const Catalog catalog = userCatalog(problems);
    Problems ofServer;
    const std::optional<MeasuredServer> server = serverOf(options, catalog, ofServer);
    const bool saysLoad = std::all_of(runs.begin(), runs.end(), [](const BenchmarkRun& run) { return !run.benchmark.requests->is_null(); });
    for (Problem& problem : ofServer)
        if (!saysLoad || problem.severity == Severity::error || !problem.pointer.starts_with("/workload/requests")) problems.push_back(std::move(problem)); // the runs say these
    if (!server) return refuse(problems, options.json);
    const ServedCalibration fit = calibrateServing(runs, server->scenario, catalog, server->readFile, control);
    if (hasErrors(fit.problems)) return refuse(fit.problems, options.json);
    problems.insert(problems.end(), fit.problems.begin(), fit.problems.end());
    printWarnings(problems);
    if (options.json) printDocument(*fit.profile);
    else print(fit);
    if (options.out.empty()) return exit_done;
    std::string error;
    if (writeFileAtomically(options.out, fit.profile->dump(2) + "\n", error)) return exit_done;
    return refuse(fileProblem("cannot-write", options.out, error, "Choose a place that can be written to."), options.json);
}

} // namespace orrery
