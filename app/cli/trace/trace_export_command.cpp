// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/trace/recorded_files.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/made_by.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/records/tables/timeline_tables.hpp"
#include "core/records/traces/kineto_writer.hpp"

#include <iostream>
#include <sstream>

namespace orrery {
namespace {

bool write(const std::string& path, std::string_view bytes, Problems& problems) {
    std::string error;
    if (writeFileAtomically(path, bytes, error)) return true;
    problems.push_back(fileProblem("cannot-write-file", path, error, "Name a file in a folder that you may write to."));
    return false;
}

bool writeDatabase(const std::string& path, const std::optional<std::string>& bytes, const std::string& fault, Problems& problems) {
    if (bytes) return write(path, *bytes, problems);
    problems.push_back(fileProblem("cannot-make-database", path, "The database can't be made: " + fault + ".", "Export fewer ranks, or a shorter record."));
    return false;
}

int exportSimulated(const TraceExportOptions& options) {
    Problems problems;
    const ResultPtr result = simulateFile(options.file, {}, problems);
    if (!result) return refuse(problems, false);
    if (!options.out.empty()) {
        if (!write(options.out, chromeTraceText(result->timeline), problems)) return refuse(problems, false);
    }
    if (!options.sqlite.empty()) {
        std::string fault;
        const auto bytes = resultDatabase(*result, madeBy(), fault);
        if (!writeDatabase(options.sqlite, bytes, fault, problems)) return refuse(problems, false);
    }
    std::cout << "The simulated timeline of " << result->timeline.stages.size() << (result->timeline.stages.size() == 1 ? " lane" : " lanes") << " written to " << (options.out.empty() ? options.sqlite : options.out) << '\n';
    return exitStatusOf(*result);
}

} // namespace

int runTraceExport(const TraceExportOptions& options) {
    if (!isRecord(options.file)) return exportSimulated(options);
    Problems problems;
    const auto rules = communicationFile(options.communication, problems);
    const auto job = rules ? recordedFiles(options.file, *rules, problems) : std::nullopt;
    if (!job) return refuse(problems, false);
    if (!options.out.empty() && job->ranks.size() > 1) return refuse(fileProblem("several-records", options.file, "Chrome trace JSON holds one rank; \"" + options.file + "\" has " + std::to_string(job->ranks.size()) + ".", "Name one of its files, or write --sqlite, which takes them all."), false);
    printWarnings(problems);
    std::size_t events = 0;
    for (const RecordedRank& rank : job->ranks) events += rank.trace->device.size();
    if (!options.out.empty()) {
        std::ostringstream out;
        writeKineto(*job->ranks.front().trace, out);
        if (!write(options.out, out.str(), problems)) return refuse(problems, false);
        std::cout << events << " events of the device written to " << options.out << '\n';
    }
    if (!options.sqlite.empty()) {
        std::string fault;
        const auto bytes = recordDatabase(*job, madeBy(), fault);
        if (!writeDatabase(options.sqlite, bytes, fault, problems)) return refuse(problems, false);
        std::cout << events << " events of the device written to " << options.sqlite << '\n';
    }
    return exit_done;
}

} // namespace orrery
