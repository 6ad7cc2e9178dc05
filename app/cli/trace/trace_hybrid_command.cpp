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
#include "core/ranks/planned_report.hpp"
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

/// The scenario of a plan; nothing where it names no model or no work, or, with errors, can't be read.
std::optional<Scenario> planOf(const LoadedDocument& loaded, const Catalog& catalog, Problems& problems) {
    Json document = *loaded.document;
    if (!document.contains("model") || !document.contains("workload")) return std::nullopt;
    document.erase("hybrid"); // the plan itself has no recorded ranks
    const ScenarioReading reading = readScenario(document, catalog, loaded.readFile);
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (hasErrors(problems)) return std::nullopt;
    return reading.scenario;
}

/// The run over the plan, where the records are of the plan's own kernels and nothing is asked that only a replay answers; null otherwise.
Json plannedRun(const HybridQuestion& question, const Scenario& scenario, const std::vector<RankClass>& classes, const TraceOpener& open, Problems& problems) {
    constexpr int draws = 4;
    if (!question.scaled.empty() || !question.classes.empty() || !question.whatIfs.delays.empty() || !question.whatIfs.stops.empty() || question.vram) return nullptr;
    Problems unlike;
    PlannedRanks ranks(scenario, unlike);
    if (!unlike.empty()) return nullptr;
    std::map<int, RecordedPasses> records;
    std::map<int, RankFile> files;
    for (const auto& [rank, name] : question.recorded) {
        const auto trace = rank < scenario.parallelism.ranks() ? open(name, unlike) : std::nullopt;
        auto record = trace ? passesIn(*trace, ranks, static_cast<int>(rank), name, unlike) : std::nullopt;
        if (!record) return nullptr;
        records[static_cast<int>(rank)] = std::move(*record);
        files[static_cast<int>(rank)] = {name, recordedPeak(*trace)};
    }
    const auto hybrid = playPlannedHybrid(ranks, records, classes, 0, draws, problems);
    return hybrid ? plannedHybridDocument(ranks, *hybrid, classes, files) : Json();
}

void printPlannedRun(const Json& document) {
    std::cout << "Hybrid replay from recorded traces, collectives re-timed on the cluster\n"
              << "Iteration of " << document.at("world_size") << " ranks: " << timeText(document.at("iteration_time_s").get<double>()) << ", kernels vary by " << fixedText(100 * document.at("kernel_sigma").get<double>(), 2) << " %\n";
    TextTable table({"rank", "waits", "transit", "moves", "class", "from"});
    table.setLeft(4);
    std::size_t rows = 0;
    for (const Json& rank : document.at("ranks"))
        if (rank.at("source") == "recorded" && rows++ < mostRows)
            table.add({rank.at("rank").dump(), timeText(rank.at("waiting_s").get<double>()), timeText(rank.at("transit_s").get<double>()), bytesText(rank.at("moved_bytes").get<double>()), rank.at("class").get<std::string>(), rank.at("file").get<std::string>()});
    table.print(std::cout, 2);
}

} // namespace

int runTraceHybrid(const TraceHybridOptions& options) {
    LoadedDocument loaded = loadDocument(options.scenario);
    Problems problems = loaded.problems;
    if (!loaded.document || hasErrors(problems)) return refuse(problems, options.json);
    const auto question = readHybrid(*loaded.document, problems);
    if (!question) return refuse(problems, options.json);
    const Catalog catalog = userCatalog(problems);
    const auto plan = planOf(loaded, catalog, problems);
    if (hasErrors(problems)) return refuse(problems, options.json);
    const std::vector<RankClass> classes = plan ? rankClasses(*plan) : std::vector<RankClass>();
    const TraceOpener open = [&loaded](const std::string& name, Problems& found) -> std::optional<KinetoTrace> {
        std::string error;
        const auto bytes = loaded.readFile(name, error);
        if (bytes) return readDeviceTrace(*bytes, name, found);
        found.push_back(fileProblem("cannot-read-file", name, error, "Name a trace relative to the scenario."));
        return std::nullopt;
    };
    if (const Json document = plan ? plannedRun(*question, *plan, classes, open, problems) : Json(); !document.is_null() || hasErrors(problems)) {
        if (hasErrors(problems)) return refuse(problems, options.json);
        printWarnings(problems);
        if (options.json) printDocument(document);
        else printPlannedRun(document);
        return document.at("fits").get<bool>() ? exit_done : exit_does_not_fit;
    }
    const auto run = runHybrid(*question, classes, open, problems);
    if (!run) return refuse(problems, options.json);
    printWarnings(problems);
    printWarnings(run->warnings);
    if (options.json) printDocument(hybridDocument(*run, loaded.document->value("name", "")));
    else printRun(*run);
    return run->fits() ? exit_done : exit_does_not_fit;
}

} // namespace orrery
