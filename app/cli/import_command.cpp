// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/gzip.hpp"
#include "core/import/import.hpp"
#include "resources/shipped_catalog.hpp"

#include <charconv>
#include <filesystem>

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

} // namespace

int runImport(const ImportCommandOptions& command) {
    const bool standardInput = command.text == "-";
    ImportOptions options;
    options.accelerator = command.accelerator;
    options.model = command.model;
    options.fileName = standardInput ? "standard input" : command.text;
    options.readFile = fileReaderFor(standardInput ? "." : std::filesystem::path(command.text).parent_path().string());
    Problem problem;
    if (!readVariables(command.variables, options, problem)) return refuse(problem, command.json);

    std::string error;
    const std::optional<std::string> text = standardInput ? readStandardInput(error) : readTextFile(command.text, error);
    if (!text)
        return refuse(fileProblem("cannot-read-file", command.text, error, "Name a file that exists and that you may read."), command.json);

    if (looksLikeTrace(*text)) return importTrace(command, options);
    const Import imported = importCommandLine(*text, options);
    if (!imported.scenario) return refuse(imported.problems, command.json);
    printDocument(*imported.scenario);
    printWarnings(imported.problems);

    // A command line can ask for what the rules of a scenario forbid; that is the user's to see, not a reason to print nothing.
    Problems unsound = readScenario(*imported.scenario, shippedCatalog(), options.readFile).problems;
    for (Problem& one : unsound)
        if (one.severity == Severity::error) one.severity = Severity::warning;
    printWarnings(unsound);
    return exit_done;
}

} // namespace orrery
