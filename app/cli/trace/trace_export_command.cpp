// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/trace/communication_file.hpp"
#include "app/cli/trace/kineto_file.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/traces/kineto_writer.hpp"

#include <iostream>
#include <sstream>

namespace orrery {

int runTraceExport(const TraceExportOptions& options) {
    Problems problems;
    const auto rules = communicationFile(options.communication, problems);
    const auto trace = rules ? kinetoFile(options.file, *rules, problems) : std::nullopt;
    if (!trace) return refuse(problems, false);
    printWarnings(problems);
    std::ostringstream out;
    writeKineto(*trace, out);
    std::string error;
    if (!writeFileAtomically(options.out, out.str(), error)) return refuse(fileProblem("cannot-write-file", options.out, error, "Name a file in a folder that you may write to."), false);
    std::cout << trace->device.size() << " events of the device written to " << options.out << '\n';
    return exit_done;
}

} // namespace orrery
