// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/recorded_files.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/trace_figures.hpp"

#include <iostream>

namespace orrery {
namespace {

void printText(const std::string& file, const Json& figures) {
    std::cout << file << '\n';
    TextTable table;
    table.setLeft(1);
    for (const auto& [name, value] : figures.items()) {
        if (value.is_null()) continue;
        table.add({name, value.is_string() ? value.get<std::string>() : value.dump()});
    }
    table.print(std::cout, 2);
}

} // namespace

int runTraceInfo(const TraceInfoOptions& options) {
    Problems problems;
    const auto rules = communicationFile(options.communication, problems);
    if (!rules) return refuse(problems, options.json);
    Json traces = Json::object();
    for (const std::string& file : options.files) {
        std::string error;
        const auto bytes = readTextFile(file, error, {.most = std::size_t{1} << 30});
        if (!bytes) {
            problems.push_back(fileProblem("cannot-read-file", file, error, "Name a file that exists and that you may read."));
            continue;
        }
        if (auto figures = traceFigures(*bytes, file, problems, *rules)) traces[file] = std::move(*figures);
    }
    if (hasErrors(problems)) return refuse(problems, options.json);
    printWarnings(problems);
    if (options.json) printDocument(Json{{"traces", std::move(traces)}});
    else
        for (const auto& [file, figures] : traces.items()) printText(file, figures);
    return exit_done;
}

int runTraceRules() {
    printDocument(communicationRulesDocument(shippedCommunicationRules()));
    return exit_done;
}

} // namespace orrery
