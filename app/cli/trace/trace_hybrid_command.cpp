// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/ranks/hybrid_run.hpp"
#include "core/traces/trace_figures.hpp"

#include <iostream>

namespace orrery {

namespace {

constexpr std::size_t mostRows = 32; ///< of the table of ranks

std::string secondsText(std::int64_t nanoseconds) { return timeText(static_cast<double>(nanoseconds) * 1e-9); }

void printRun(const HybridRun& run) {
    std::cout << "Hybrid replay from recorded traces\n";
    if (run.replay.hang) {
        std::cout << "Collective " << run.replay.hang->collective << " never ends: " << run.replay.hang->waiting.size() << " ranks wait for";
        for (const std::int64_t rank : run.replay.hang->missing) std::cout << ' ' << rank;
        std::cout << ".\n";
    } else {
        std::cout << "From the first arrival at a collective to the end of the last: " << secondsText(run.replay.span()) << '\n';
    }
    TextTable table({"rank", "waits", "transit", "peak", "class", "trace"});
    table.setLeft(4);
    for (const HybridRank& rank : run.ranks) {
        if (static_cast<std::size_t>(rank.rank) >= mostRows) break;
        table.add({std::to_string(rank.rank), secondsText(rank.waiting), secondsText(rank.transit), rank.memory ? bytesText(static_cast<double>(rank.memory->reserved)) : "–", rank.className, rank.recorded ? rank.file : "of its class"});
    }
    table.print(std::cout, 2);
    if (run.ranks.size() > mostRows) std::cout << "  … and " << run.ranks.size() - mostRows << " more (--json has them all)\n";
    for (const HybridRank& rank : run.ranks) {
        if (!rank.beyond) continue;
        std::cout << "Rank " << rank.rank << " goes beyond the memory at event " << rank.beyond->event << ": " << rank.beyond->bytes << " bytes more make " << rank.beyond->reserved << (rank.beyond->inOperator.empty() ? "" : ", in " + rank.beyond->inOperator) << ".\n";
        break;
    }
}

/// The classes of the scenario's plan; none where it names no model or no work.
std::optional<std::vector<RankClass>> classesOf(const LoadedDocument& loaded, const Catalog& catalog, Problems& problems) {
    const Json& document = *loaded.document;
    if (!document.contains("model") || !document.contains("workload")) return std::vector<RankClass>();
    const ScenarioReading reading = readScenario(document, catalog, loaded.readFile);
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (!reading.scenario || hasErrors(problems)) return std::nullopt;
    return rankClasses(*reading.scenario);
}

} // namespace

int runTraceHybrid(const TraceHybridOptions& options) {
    LoadedDocument loaded = loadDocument(options.scenario);
    Problems problems = loaded.problems;
    if (!loaded.document || hasErrors(problems)) return refuse(problems, options.json);
    const auto question = readHybrid(*loaded.document, problems);
    if (!question) return refuse(problems, options.json);
    const Catalog catalog = userCatalog(problems);
    const auto classes = classesOf(loaded, catalog, problems);
    if (!classes) return refuse(problems, options.json);
    const TraceOpener open = [&loaded](const std::string& name, Problems& found) -> std::optional<KinetoTrace> {
        std::string error;
        const auto bytes = loaded.readFile(name, error);
        if (bytes) return readDeviceTrace(*bytes, name, found);
        found.push_back(fileProblem("cannot-read-file", name, error, "Name a trace relative to the scenario."));
        return std::nullopt;
    };
    const auto run = runHybrid(*question, *classes, open, problems);
    if (!run) return refuse(problems, options.json);
    printWarnings(problems);
    printWarnings(run->warnings);
    if (options.json) printDocument(hybridDocument(*run, loaded.document->value("name", "")));
    else printRun(*run);
    return run->fits() ? exit_done : exit_does_not_fit;
}

} // namespace orrery
