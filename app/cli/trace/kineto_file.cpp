// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace/kineto_file.hpp"

#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/traces/trace_figures.hpp"

namespace orrery {

std::optional<KinetoTrace> kinetoTrace(std::string_view bytes, const std::string& fileName, Problems& problems) {
    const auto text = unpackedTrace(bytes, fileName, problems);
    if (!text) return std::nullopt;
    auto read = readTraceText(*text, fileName, problems);
    if (!read) return std::nullopt;
    if (!read->kineto) {
        problems.push_back(fileProblem("no-kineto-trace", fileName, "\"" + fileName + "\" has no \"traceEvents\": it is no trace of PyTorch's profiler.", "Give what export_chrome_trace of torch.profiler wrote."));
        return std::nullopt;
    }
    return std::move(read->kineto);
}

std::optional<KinetoTrace> kinetoFile(const std::string& fileName, Problems& problems) {
    std::string error;
    const auto bytes = readTextFile(fileName, error, {.most = std::size_t{1} << 30});
    if (bytes) return kinetoTrace(*bytes, fileName, problems);
    problems.push_back(fileProblem("cannot-read-file", fileName, error, "Name a file that exists and that you may read."));
    return std::nullopt;
}

} // namespace orrery
