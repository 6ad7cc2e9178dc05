// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/trace/recorded_files.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <filesystem>
#include <iostream>

namespace orrery {
namespace {

const char* sourceText(TracedFinding::Source source) {
    switch (source) {
    case TracedFinding::Source::record: return "recorded";
    case TracedFinding::Source::user: return "given";
    case TracedFinding::Source::assumed: return "assumed";
    }
    return "";
}

void printFindings(const TracedJob& job) {
    for (const TracedFinding& finding : job.findings) {
        const bool plain = finding.value->is_primitive() && !finding.value->is_null();
        messageStream() << sourceText(finding.source) << ": " << finding.pointer << (plain ? " " + finding.value->dump() : "") << ": " << finding.why << '\n';
    }
}

} // namespace

int runTraceScenario(const TraceScenarioOptions& command) {
    Problems problems;
    std::optional<KinetoTrace> first;
    TracedJobOptions options = command.job;
    const auto rules = communicationFile(command.communication, problems);
    if (!rules) return refuse(problems, command.json);
    if (!command.communication.empty()) options.communication = rules;
    for (const std::string& text : command.files) {
        const RankedFile named = rankedFile(text);
        auto trace = kinetoFile(named.file, *rules, problems);
        if (!trace) return refuse(problems, command.json);
        const std::optional<std::int64_t> rank = named.rank ? named.rank : trace->rank;
        if (command.files.size() > 1) {
            if (!rank) return refuse(fileProblem("rank-not-known", named.file, "\"" + named.file + "\" does not say which rank it is of.", "Write RANK=FILE, for example 0=" + named.file + "."), command.json);
            if (!options.recorded.emplace(*rank, named.file).second) return refuse(fileProblem("rank-twice", named.file, "Rank " + std::to_string(*rank) + " is there twice, the second time in \"" + named.file + "\".", "Name one trace for each rank."), command.json);
        }
        if (first) continue;
        first = std::move(trace);
        options.fileName = std::filesystem::path(named.file).filename().string();
        if (!options.rank) options.rank = named.rank;
    }
    const Catalog catalog = userCatalog(problems);
    const TracedJob job = tracedJob(*first, catalog, options);
    problems.insert(problems.end(), job.problems.begin(), job.problems.end());
    if (job.scenario->is_null()) return refuse(problems, command.json);
    printDocument(job.scenario);
    printFindings(job);
    // A record can be of a job that breaks a scenario's rules; that is the user's to see, not a reason to print nothing.
    Problems unsound = readScenario(job.scenario, catalog, {}).problems;
    std::erase_if(unsound, [](const Problem& one) { return one.code == "unmapped-node"; }); // said in one sentence already
    for (Problem& one : unsound)
        if (one.severity == Severity::error) one.severity = Severity::warning;
    problems.insert(problems.end(), unsound.begin(), unsound.end());
    printWarnings(problems);
    return exit_done;
}

} // namespace orrery
