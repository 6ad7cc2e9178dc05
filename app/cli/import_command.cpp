// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/gzip.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/exchange/import/import.hpp"
#include "core/exchange/import/scenario_draft.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/scenario/reader/model_reader.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_catalog.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>

namespace orrery {
namespace {

/// False, with a problem, for a variable that is not NAME=VALUE.
bool readVariables(const std::vector<std::string>& given, ImportOptions& options, Problem& problem) {
    for (const std::string& one : given) {
        const std::size_t equals = one.find('=');
        if (equals == std::string::npos || equals == 0) {
            problem.code = "bad-command-line";
            problem.message = "--set wants NAME=VALUE, not \"" + one + "\".";
            problem.mend = "Write --set SLURM_NNODES=4.";
            return false;
        }
        options.variables[one.substr(0, equals)] = one.substr(equals + 1);
    }
    return true;
}

/// Packed files, Nsight's exports and Kineto's JSON are no text that starts a program.
bool looksLikeTrace(const std::string& text) { return isGzip(text) || text.starts_with("SQLite format 3") || (text.find("\"traceEvents\"") != std::string::npos && text.find_first_not_of(" \t\r\n\xEF\xBB\xBF") == text.find_first_of("{[")); }

/// A record of a job is imported as `trace scenario` does; the launcher's variables say what it lacks.
int importTrace(const ImportCommandOptions& command, const ImportOptions& options) {
    TraceScenarioOptions trace;
    trace.files = {command.text};
    trace.job.accelerator = command.accelerator;
    trace.job.model = command.model;
    trace.json = command.json;
    const auto variable = [&](const char* name) -> std::optional<std::int64_t> {
        const auto found = options.variables.find(name);
        std::int64_t value = 0;
        if (found == options.variables.end()) return std::nullopt;
        const std::string& text = found->second;
        return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() ? std::optional(value) : std::nullopt;
    };
    trace.job.world = variable("WORLD_SIZE");
    trace.job.rank = variable("RANK");
    trace.job.perNode = variable("LOCAL_WORLD_SIZE");
    return runTraceScenario(trace);
}

/// The table of a launcher's flags: those of the newest release, or of a file.
int printFlags(const ImportCommandOptions& command) {
    const std::vector<std::string>& known = launcherWords();
    if (std::find(known.begin(), known.end(), command.flagsOf) == known.end()) {
        Problem problem;
        problem.code = "bad-command-line";
        problem.message = "No launcher is called \"" + command.flagsOf + "\".";
        problem.mend = "Name one of " + joinWords(known, "or") + ".";
        return refuse(problem, command.json);
    }
    std::string error;
    std::optional<std::string> text(std::string(resourceText("launchers/" + command.flagsOf + ".txt")));
    if (command.text == "-") text = readStandardInput(error);
    else if (!command.text.empty()) text = readTextFile(command.text, error);
    if (!text) return refuse(fileProblem("cannot-read-file", command.text, error, "Name a file that exists and that you may read."), command.json);
    const std::vector<FlagRow> rows = flagAccount(command.flagsOf, *text);
    if (command.json) {
        Json list = Json::array();
        for (const FlagRow& row : rows) list.push_back({{"flag", row.flag}, {"treatment", wordOf(row.treatment)}, {"reason", row.reason}});
        printDocument({{"format", "orrery-flags/1"}, {"launcher", command.flagsOf}, {"flags", std::move(list)}});
        return exit_done;
    }
    if (text->starts_with('#')) std::cout << text->substr(2, text->find('\n') - 2) << "\n\n";
    std::cout << "| flag | treatment | reason |\n|---|---|---|\n";
    for (const FlagRow& row : rows) std::cout << "| `" << row.flag << "` | " << wordOf(row.treatment) << " | " << row.reason << " |\n";
    for (const FlagTreatment treatment : {FlagTreatment::read, FlagTreatment::ignored, FlagTreatment::refused, FlagTreatment::unknown})
        std::cout << (treatment == FlagTreatment::read ? "\n" : ", ") << std::count_if(rows.begin(), rows.end(), [&](const FlagRow& row) { return row.treatment == treatment; }) << ' ' << wordOf(treatment);
    std::cout << '\n';
    return exit_done;
}

} // namespace

int runImport(const ImportCommandOptions& command) {
    if (!command.flagsOf.empty()) return printFlags(command);
    const bool standardInput = command.text == "-";
    ImportOptions options;
    options.accelerator = command.accelerator;
    options.model = command.model;
    options.fileName = command.content ? "text" : standardInput ? "standard input"
                                                                : command.text;
    options.expertsOf = [](const std::string& id) { return expertsOfPreset(shippedCatalog(), id); };
    options.readFile = fileReaderFor(standardInput ? "." : std::filesystem::path(command.text).parent_path().string());
    Problem problem;
    if (!readVariables(command.variables, options, problem)) return refuse(problem, command.json);

    std::string error;
    const std::optional<std::string> text = command.content ? command.content : standardInput ? readStandardInput(error)
                                                                                              : readTextFile(command.text, error);
    if (!text)
        return refuse(fileProblem("cannot-read-file", command.text, error, "Name a file that exists and that you may read."), command.json);

    if (!command.content && looksLikeTrace(*text)) return importTrace(command, options);
    Import imported = importCommandLine(*text, options);
    if (!imported.scenario) return refuse(imported.problems, command.json);
    const ScenarioReading reading = readScenario(*imported.scenario, shippedCatalog(), options.readFile);
    if (reading.scenario) stateContextLength(*imported.scenario, *reading.scenario, imported.problems);
    printDocument(*imported.scenario);
    printWarnings(imported.problems);

    // A command line can ask for what the rules of a scenario forbid; that is the user's to see, not a reason to print nothing.
    Problems unsound = reading.problems;
    for (Problem& one : unsound)
        if (one.severity == Severity::error) one.severity = Severity::warning;
    printWarnings(unsound);
    return exit_done;
}

int runLaunch(const LaunchCommandOptions& options) {
    Problems problems;
    const Catalog catalog = userCatalog(problems);
    const LoadedDocument loaded = loadDocument(options.scenario);
    if (!loaded.document || hasErrors(loaded.problems)) return refuse(loaded.problems, options.json);
    const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
    if (!reading.scenario || hasErrors(reading.problems)) return refuse(reading.problems, options.json);
    const auto text = launchText(*loaded.document, *reading.scenario, *launchToolOf(options.tool), problems);
    if (!text) return refuse(problems, options.json);
    if (options.json) printDocument(Json{{"format", "orrery-launch/1"}, {"for", options.tool}, {"text", *text}});
    else std::cout << *text;
    return exit_done;
}

} // namespace orrery
