// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/kept_answer.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/explanations.hpp"
#include "app/cli/headline.hpp"
#include "app/cli/pass_list.hpp"
#include "app/common/file_io.hpp"
#include "app/common/made_by.hpp"
#include "app/common/scenario_files.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/results/iteration/pass_effects.hpp"
#include "core/results/report/serving_report.hpp"

#include <iostream>
#include <optional>
#include <sstream>

namespace orrery {
namespace {

RunControl controlOf(int threads, double ceilingGigabytes) {
    RunControl control = commandControl();
    control.threads = threads;
    control.memoryCeiling = ceilingGigabytes * units::gigabyte;
    return control;
}

/// Nothing where the file was written.
std::optional<Problem> problemOfWriting(const std::string& file, const std::string& text) {
    std::string error;
    if (writeFileAtomically(file, text, error)) return std::nullopt;
    return fileProblem("cannot-write-file", file, error, "Name a file in a folder that you may write to, on a disk with room.");
}

Problem nothingServed(const std::string& file) {
    return fileProblem("nothing-served", file, "Only a serving workload has requests to list.", "Leave --requests out, or use a workload of kind serving.");
}

} // namespace

int runSimulate(const SimulateOptions& options) {
    Problems problems;
    const ResultPtr result = simulateFile(options.scenario, controlOf(options.threads, options.memoryCeiling), problems, Mends::tried);
    if (!result) return refuse(problems, options.json);

    // Before anything is printed: with --json a failure to write must be the only document.
    if (!options.traceFile.empty()) {
        if (const auto problem = problemOfWriting(options.traceFile, chromeTraceText(result->timeline))) return refuse(*problem, options.json);
    }
    if (!options.requestsFile.empty()) {
        const ServingReport* served = result->serving();
        if (!served) return refuse(nothingServed(options.requestsFile), options.json);
        std::ostringstream table;
        writeRequestTable(*served, table);
        if (const auto problem = problemOfWriting(options.requestsFile, table.str())) return refuse(*problem, options.json);
    }

    if (options.json) {
        Json document = toJson(*result);
        if (options.explain) {
            document["explanations"] = explanationsDocument(*result);
            document["passes"] = toJson(passEffects(result->scenario));
        }
        printDocument(std::move(document));
    } else {
        printHeadline(*result, std::cout);
        if (options.explain) {
            printExplanations(*result, std::cout);
            printPasses(passEffects(result->scenario), std::cout);
        }
    }
    return exitStatusOf(*result);
}

int runMemory(const MemoryOptions& options) {
    Problems problems;
    const ResultPtr result = simulateFile(options.scenario, controlOf(1, options.memoryCeiling), problems);
    if (!result) return refuse(problems, options.json);
    if (options.json) printDocument(memoryDocument(*result));
    else printMemory(*result, std::cout);
    return exitStatusOf(*result);
}

} // namespace orrery
