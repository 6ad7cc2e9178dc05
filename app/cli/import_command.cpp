// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/import/import.hpp"
#include "resources/shipped_catalog.hpp"

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
