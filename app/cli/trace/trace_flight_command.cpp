// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/trace/recorded_files.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/records/ranks/stuck_job.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace orrery {
namespace {

/// Files as they are named, and of folders what lies in them.
std::vector<RankedFile> dumpsAt(const std::vector<std::string>& named) {
    std::vector<RankedFile> dumps;
    for (const std::string& text : named) {
        RankedFile one = rankedFile(text);
        std::error_code fault;
        if (!std::filesystem::is_directory(one.file, fault)) {
            dumps.push_back(std::move(one));
            continue;
        }
        std::vector<std::string> files;
        for (auto entry = std::filesystem::directory_iterator(one.file, fault); !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault))
            if (entry->is_regular_file(fault)) files.push_back(entry->path().string());
        std::sort(files.begin(), files.end());
        for (std::string& file : files) dumps.push_back({std::move(file), std::nullopt});
    }
    return dumps;
}

} // namespace

int runTraceFlight(const TraceFlightOptions& options) {
    Problems problems;
    std::vector<FlightRecord> records;
    for (const RankedFile& dump : dumpsAt(options.files)) {
        std::string error;
        const auto bytes = readTextFile(dump.file, error, {.most = std::size_t{1} << 30});
        if (!bytes) {
            problems.push_back(fileProblem("cannot-read-file", dump.file, error, "Name a file that exists and that you may read."));
            continue;
        }
        auto record = readFlightRecord(*bytes, dump.file, problems);
        if (!record) continue;
        if (dump.rank) record->rank = dump.rank;
        records.push_back(std::move(*record));
    }
    if (records.empty() && !hasErrors(problems)) problems.push_back(fileProblem("no-flight-record", options.files.front(), "There is no dump of a flight recorder.", "Give the files that TORCH_NCCL_DUMP_ON_TIMEOUT wrote, or their folder."));
    if (hasErrors(problems)) return refuse(problems, options.json);
    const auto job = stuckJob(records, problems);
    if (!job) return refuse(problems, options.json);
    printWarnings(problems);
    if (options.json) printDocument(toJson(*job));
    else
        for (const std::string& sentence : job->sentences) std::cout << sentence << '\n';
    return exit_done;
}

} // namespace orrery
