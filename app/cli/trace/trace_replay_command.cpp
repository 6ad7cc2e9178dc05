// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/recorded_files.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/records/ranks/replay_report.hpp"

#include <algorithm>
#include <iostream>

namespace orrery {
namespace {

std::string microsecondsText(const Json& value) { return value.is_null() ? "–" : fixedText(value.get<double>(), 1) + " µs"; }

void printReport(const Json& report) {
    TextTable table({"rank", "recorded", "replayed", "waits", "transit", "peak reserved", "file"});
    table.setLeft(6);
    for (const Json& rank : report.at("ranks"))
        table.add({rank.at("rank").is_null() ? "–" : rank.at("rank").dump(), microsecondsText(rank.at("recorded_span_us")), microsecondsText(rank.at("replayed_span_us")), microsecondsText(rank.at("waiting_us")), microsecondsText(rank.at("transit_us")), rank.at("reserved_peak_bytes").is_null() ? "–" : bytesText(rank.at("reserved_peak_bytes").get<double>()), rank.at("file").get<std::string>()});
    table.print(std::cout);
    if (report.contains("span_us"))
        std::cout << "From the first arrival at a collective to the end of the last: " << microsecondsText(report.at("recorded_us")) << " recorded, " << microsecondsText(report.at("span_us")) << " replayed\n";
    if (report.contains("folding")) {
        std::cout << "Errors of the span if not all had been recorded:\n";
        TextTable folding({"rank", "all do as it did", "it does as the others' mean"});
        for (const Json& row : report.at("folding")) folding.add({row.at("rank").dump(), fixedText(row.at("onto_rank_error_percent").get<double>(), 2) + " %", fixedText(row.at("left_out_error_percent").get<double>(), 2) + " %"});
        folding.print(std::cout, 2);
        std::cout << "  all do as the mean: " << fixedText(report.at("onto_mean_error_percent").get<double>(), 2) << " %\n";
    }
    for (const Json& rank : report.at("ranks"))
        if (const Json& beyond = rank.at("beyond_memory"); !beyond.is_null())
            std::cout << rank.at("file").get<std::string>() << ": memory event " << beyond.at("event") << " goes beyond: " << beyond.at("bytes") << " bytes more make " << beyond.at("reserved_bytes") << ", in " << beyond.at("operator") << '\n';
}

} // namespace

int runTraceReplay(const TraceReplayOptions& options) {
    Problems problems;
    const auto rules = communicationFile(options.communication, problems);
    if (!rules) return refuse(problems, options.json);
    std::vector<ReplayedTrace> traces;
    for (const std::string& text : options.files) {
        const RankedFile named = rankedFile(text);
        const auto trace = kinetoFile(named.file, *rules, problems);
        if (!trace) continue;
        traces.push_back(replayedTrace(*trace, named.file, options.vram, named.rank));
    }
    if (hasErrors(problems)) return refuse(problems, options.json);
    const auto report = replayReport(std::move(traces), problems);
    if (!report) return refuse(problems, options.json);
    printWarnings(problems);
    if (options.json) printDocument(*report);
    else printReport(*report);
    const Json& ranks = report->at("ranks");
    const bool fits = std::all_of(ranks.begin(), ranks.end(), [](const Json& rank) { return rank.at("beyond_memory").is_null(); });
    return fits ? exit_done : exit_does_not_fit;
}

} // namespace orrery
