// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/rank_list.hpp"
#include "app/cli/trace/live_parts.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "app/live/coordinator/live_run.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <utility>

namespace orrery {
namespace {

/// More processes than that on one machine are a mistake in the command.
constexpr std::size_t mostReal = 256;

Problem wrong(const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = "bad-command-line";
    problem.message = message;
    problem.mend = mend;
    return problem;
}

constexpr int mostRanks = 1 << 20;

/// "64,1024,8192" as numbers of ranks, each once.
std::optional<std::vector<int>> worldsOf(const TraceLiveOptions& options, Problems& problems) {
    std::string error;
    auto worlds = readRankList(options.worlds, mostRanks + 1, error);
    if (worlds && !worlds->empty() && std::find(worlds->begin(), worlds->end(), 0) == worlds->end()) return worlds;
    problems.push_back(wrong("--world " + options.worlds + (error.empty() ? " is no number of ranks." : ": " + error), "Give how many ranks the job has, as 8192, or several, as 64,1024,8192."));
    return std::nullopt;
}

std::optional<std::vector<int>> realRanks(const TraceLiveOptions& options, int world, Problems& problems) {
    std::vector<int> ranks;
    if (options.real.empty()) {
        ranks.resize(static_cast<std::size_t>(world));
        std::iota(ranks.begin(), ranks.end(), 0);
    } else {
        std::string error;
        const auto read = readRankList(options.real, world, error);
        if (!read) {
            problems.push_back(wrong("--real: " + error, "Name ranks below --world, as 0,1025."));
            return std::nullopt;
        }
        ranks = *read;
    }
    if (ranks.size() > mostReal) {
        problems.push_back(wrong(std::to_string(ranks.size()) + " real ranks are more than one machine runs.", "Name a few with --real; the others are virtual."));
        return std::nullopt;
    }
    return ranks;
}

/// One run at one world size.
std::optional<LiveAnswer> runAt(const TraceLiveOptions& options, int world, const LiveParts& parts, const Scenario* scenario, const std::vector<LiveSlice>& records, Problems& problems) {
    const auto real = realRanks(options, world, problems);
    if (!real) return std::nullopt;
    LiveRunOptions asked;
    asked.world = world;
    asked.real = *real;
    asked.command = options.command;
    asked.zeros = options.content == "zeros";
    asked.ownObjects = options.objects == "own";
    asked.seed = options.seed;
    asked.cudaOnCpu = options.cudaOnCpu;
    asked.memoryLimit = options.memory;
    asked.patience = options.patience;
    asked.outputToError = options.json;
    asked.extension = parts.extension;
    asked.pythonFolder = parts.pythonFolder;
    if (scenario != nullptr && !scenario->cluster.nodes.empty()) asked.perNode = scenario->cluster.accelerators() / std::max(1, scenario->cluster.hosts());
    std::string error;
    auto ran = runLive(asked, error);
    if (!ran) {
        problems.push_back(wrong("The program was not started: " + error, "Write the command after --, as \"-- python3 train.py\"."));
        return std::nullopt;
    }
    LiveAnswer answer;
    answer.world = world;
    answer.computeScale = options.computeScale;
    answer.slices = std::move(ran->slices);
    answer.faults = std::move(ran->faults);
    answer.stacks = std::move(ran->stacks);
    answer.remarks = std::move(ran->remarks);
    if (!options.recordFolder.empty()) writeLiveRecords(options.recordFolder, answer.slices, problems);
    if (answer.slices.empty()) return answer;
    for (const LiveSlice& record : records) // a rank that is real needs nobody to stand for it
        if (record.world != world || std::find(real->begin(), real->end(), record.rank) == real->end()) answer.slices.push_back(record);
    std::optional<LiveNetwork> network;
    if (scenario != nullptr) {
        network.emplace(*scenario, *ran->groups);
        answer.network = scenario->name.empty() ? options.scenario : scenario->name;
    }
    answer.times = replayLive(answer.slices, *ran->groups, network ? &*network : nullptr, options.computeScale);
    if (answer.times.fault && answer.faults.empty()) answer.faults.push_back(*answer.times.fault);
    return answer;
}

int statusOf(const std::vector<LiveAnswer>& answers) {
    for (const LiveAnswer& answer : answers)
        for (const LiveFault& fault : answer.faults) return fault.code == "out-of-memory" ? exit_does_not_fit : exit_bad_input;
    return exit_done;
}

} // namespace

int runTraceLive(const TraceLiveOptions& options) {
    Problems problems;
    const auto parts = findLiveParts(problems);
    if (!parts) return refuse(problems, options.json);
    const auto worlds = worldsOf(options, problems);
    if (!worlds) return refuse(problems, options.json);
    const Catalog catalog = userCatalog(problems);
    std::optional<ScenarioReading> reading;
    if (!options.scenario.empty()) {
        reading = loadScenario(options.scenario, catalog);
        problems.insert(problems.end(), reading->problems.begin(), reading->problems.end());
        if (!reading->scenario || hasErrors(problems)) return refuse(problems, options.json);
        for (const int world : *worlds)
            if (world > reading->scenario->cluster.accelerators())
                return refuse(wrong("--world " + std::to_string(world) + ": the scenario's cluster has " + std::to_string(reading->scenario->cluster.accelerators()) + " accelerators.", "Draw a larger cluster, or ask for fewer ranks."), options.json);
    }
    std::vector<LiveSlice> records;
    if (!options.recordsFolder.empty()) records = readLiveRecords(options.recordsFolder, problems);
    if (hasErrors(problems)) return refuse(problems, options.json);

    std::vector<LiveAnswer> answers;
    for (const int world : *worlds) {
        auto answer = runAt(options, world, *parts, reading ? &*reading->scenario : nullptr, records, problems);
        if (!answer || hasErrors(problems)) return refuse(problems, options.json);
        answers.push_back(std::move(*answer));
        if (!answers.back().faults.empty()) break; // larger worlds would meet the same, or are what found it
    }
    printWarnings(problems);
    if (!options.trace.empty()) {
        std::string error;
        if (!writeFileAtomically(options.trace, toTrace(answers.back()).dump(), error)) return refuse(fileProblem("not-written", options.trace, error, "Name a file that can be written to."), options.json);
    }
    if (options.json && answers.size() == 1) {
        printDocument(toDocument(answers.front()));
    } else if (options.json) {
        Json documents = Json::array();
        for (const LiveAnswer& answer : answers) documents.push_back(toDocument(answer));
        printDocument({{"format", "orrery-live-table/1"}, {"worlds", documents}, {"changes", changesBetween(answers.front(), answers.back())}});
    } else {
        if (answers.size() > 1) printLiveTable(answers);
        printLiveAnswer(answers.back());
    }
    return statusOf(answers);
}

} // namespace orrery
