// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace/kineto_file.hpp"

#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/records/traces/trace_figures.hpp"

namespace orrery {

std::optional<KinetoTrace> kinetoFile(const std::string& fileName, const CommunicationRules& rules, Problems& problems) {
    std::string error;
    const auto bytes = readTextFile(fileName, error, {.most = std::size_t{1} << 30});
    if (bytes) {
        auto trace = readDeviceTrace(*bytes, fileName, problems);
        if (trace) sortKernels(*trace, rules);
        return trace;
    }
    problems.push_back(fileProblem("cannot-read-file", fileName, error, "Name a file that exists and that you may read."));
    return std::nullopt;
}

} // namespace orrery
