// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/rank_list.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/records/ranks/simulated_job.hpp"

#include <filesystem>
#include <iostream>
#include <numeric>
#include <sstream>

namespace orrery {
namespace {

Problem optionProblem(std::string message, std::string mend) {
    Problem problem;
    problem.code = "bad-option";
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

std::optional<std::vector<int>> chosenRanks(const std::string& text, int world, Problems& problems) {
    std::vector<int> all(static_cast<std::size_t>(world));
    std::iota(all.begin(), all.end(), 0);
    if (text.empty()) return all;
    std::string fault;
    auto list = readRankList(text, world, fault);
    if (!list) problems.push_back(optionProblem(fault, "Name ranks as 0-3,17."));
    return list;
}

} // namespace

int runTraceSimulate(const TraceSimulateOptions& options) {
    Problems problems;
    const Catalog catalog = userCatalog(problems);
    const ScenarioReading reading = loadScenario(options.scenario, catalog);
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (!reading.scenario || hasErrors(problems)) return refuse(problems, options.json);
    if (reading.scenario->jitter.any())
        return refuse(optionProblem("Ranks that run one by one draw every kernel by itself; \"method\", \"operators\" and \"hosts\" of jitter are for the slowest of them.", "Give execution.jitter as {\"sigma\": 0.005, \"seed\": 1}, and slow hosts as execution.stragglers."), options.json);
    const auto chosen = chosenRanks(options.ranks, reading.scenario->parallelism.ranks(), problems);
    if (!chosen) return refuse(problems, options.json);
    PlannedRanks ranks(*reading.scenario, problems);
    if (hasErrors(problems)) return refuse(problems, options.json);
    printWarnings(problems);
    const KernelJitter jitter{reading.scenario->execution.jitter.sigma, reading.scenario->execution.jitter.seed};
    const auto job = simulateAllRanks(ranks, jitter);
    if (!job) return exit_internal;

    std::error_code fault;
    std::filesystem::create_directories(options.folder, fault);
    Json files = Json::object();
    for (const int rank : *chosen) {
        std::ostringstream out;
        writeRankTrace(ranks, *job, jitter, rank, out);
        const std::string path = (std::filesystem::path(options.folder) / ("rank" + std::to_string(rank) + ".json")).string();
        std::string error;
        if (!writeFileAtomically(path, out.str(), error)) return refuse(fileProblem("cannot-write-file", path, error, "Name a folder that you may write to."), options.json);
        files[std::to_string(rank)] = path;
    }
    const int world = reading.scenario->parallelism.ranks();
    if (options.json) printDocument({{"format", "orrery-trace-simulation/1"}, {"iteration_time_s", job->times.duration}, {"world_size", world}, {"peak_bytes", job->peak()}, {"sigma", jitter.sigma}, {"files", std::move(files)}});
    else std::cout << "All " << world << " ranks by themselves: " << timeText(job->times.duration) << " an iteration, peak " << bytesText(job->peak()) << ".\n"
                   << files.size() << " traces written to " << options.folder << '\n';
    return exit_done;
}

} // namespace orrery
