// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/records/views/hybrid_answer.hpp"

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

std::string listedRanks(const Json& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size() && i < mostRows; ++i) text += (i == 0 ? "" : ", ") + ranks[i].dump();
    return text + (ranks.size() > mostRows ? " …" : "");
}

void printHang(const Json& hang) {
    std::cout << "Collective " << hang.at("collective") << " of rank " << listedRanks(hang.at("missing")) << " (" << hang.at("name").get<std::string>() << ") never ends. Waiting for it: " << (hang.at("waiting").empty() ? "nobody" : listedRanks(hang.at("waiting"))) << ".\n";
    if (!hang.at("blocked").empty()) std::cout << "Not through the iteration because of these: " << listedRanks(hang.at("blocked")) << ".\n";
}

void printPlannedRun(const Json& document) {
    std::cout << "Hybrid replay from recorded traces, collectives re-timed on the cluster\n";
    if (document.contains("hang")) printHang(document.at("hang"));
    else std::cout << "Iteration of " << document.at("world_size") << " ranks: " << timeText(document.at("iteration_time_s").get<double>()) << ", kernels vary by " << fixedText(100 * document.at("kernel_sigma").get<double>(), 2) << " %\n";
    TextTable table({"rank", "waits", "transit", "moves", "class", "from"});
    table.setLeft(4);
    std::size_t rows = 0;
    for (const Json& rank : document.at("ranks"))
        if (rank.at("source") == "recorded" && rows++ < mostRows)
            table.add({rank.at("rank").dump(), timeText(rank.at("waiting_s").get<double>()), timeText(rank.at("transit_s").get<double>()), bytesText(rank.at("moved_bytes").get<double>()), rank.at("class").get<std::string>(), rank.at("file").get<std::string>()});
    table.print(std::cout, 2);
    if (document.contains("out_of_memory")) {
        const Json& beyond = document.at("out_of_memory");
        const auto inOperator = beyond.at("operator").get<std::string>();
        std::cout << "Rank " << beyond.at("rank") << " goes beyond the memory at event " << beyond.at("event") << ": " << beyond.at("bytes") << " bytes more make " << beyond.at("reserved_bytes") << (inOperator.empty() ? "" : ", in " + inOperator) << ".\n";
    }
    if (const Json& pruned = document.at("pruned"); pruned.at("tasks") != 0) std::cout << "Left out, because it reaches no recorded rank: " << pruned.at("tasks") << " tasks, " << pruned.at("ranks") << " ranks whole.\n";
}

} // namespace

int runTraceHybrid(const TraceHybridOptions& options) {
    LoadedDocument loaded = loadDocument(options.scenario);
    Problems problems = loaded.problems;
    if (!loaded.document || hasErrors(problems)) return refuse(problems, options.json);
    const Catalog catalog = userCatalog(problems);
    const auto answer = answerHybrid(*loaded.document, catalog, loaded.readFile, problems);
    if (!answer || hasErrors(problems)) return refuse(problems, options.json);
    printWarnings(problems);
    if (options.json) printDocument(*answer->document);
    else if (answer->run) printRun(*answer->run);
    else printPlannedRun(*answer->document);
    return answer->document->at("fits").get<bool>() ? exit_done : exit_does_not_fit;
}

} // namespace orrery
