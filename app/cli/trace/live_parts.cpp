// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace/live_parts.hpp"

#include "app/cli/common/text.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace orrery {

namespace fs = std::filesystem;

std::optional<LiveParts> findLiveParts(Problems& problems) {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path& folder : {program / "../live", program / "../lib/orrery/live"}) {
        const fs::path extension = folder / "orrery_live.so";
        if (fs::exists(extension, error)) return LiveParts{fs::weakly_canonical(extension).string(), fs::weakly_canonical(folder / "python").string()};
    }
    Problem problem;
    problem.code = "live-left-out";
    problem.message = "This Orrery was built without what PyTorch loads (orrery_live.so), so no program can be run live.";
    problem.mend = "Install python3-torch, libtorch-dev, pybind11-dev, python3-dev and libopenblas0-serial (Debian 12), and build again.";
    problems.push_back(std::move(problem));
    return std::nullopt;
}

std::vector<LiveSlice> readLiveRecords(const std::string& folder, Problems& problems) {
    std::vector<LiveSlice> records;
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".json") names.push_back(entry.path().string());
    if (error || names.empty()) {
        problems.push_back(fileProblem("no-live-records", folder, "There are no records of a live run in " + folder + ".", "Make them with orrery-run --record " + folder + "."));
        return records;
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        LoadedDocument loaded = loadDocument(name);
        problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
        if (!loaded.document) continue;
        if (auto record = readLiveSlice(*loaded.document, name, problems)) records.push_back(std::move(*record));
    }
    return records;
}

void writeLiveRecords(const std::string& folder, const std::vector<LiveSlice>& slices, Problems& problems) {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    for (const LiveSlice& slice : slices) {
        std::string error;
        const std::string path = folder + "/rank" + std::to_string(slice.rank) + ".json";
        if (!slice.recorded && !writeFileAtomically(path, toDocument(slice).dump(), error)) problems.push_back(fileProblem("not-written", path, error, "Name a folder that can be written to."));
    }
}

void printLiveAnswer(const LiveAnswer& answer) {
    std::cout << "Hybrid emulation of the original program on the CPU: " << answer.world << " ranks, " << (answer.network.empty() ? "collectives take no time (no --scenario)" : "collectives on the cluster of " + answer.network) << '\n';
    TextTable table({"rank", "iteration", "own work", "waits", "steps", "peak memory", "peak at"});
    table.setLeft(6);
    for (std::size_t i = 0; i < answer.slices.size(); ++i) {
        const LiveSlice& slice = answer.slices[i];
        if (slice.recorded) continue;
        const LiveRankTimes* times = i < answer.times.ranks.size() ? &answer.times.ranks[i] : nullptr;
        const auto place = slice.places.find(slice.peakPlace);
        table.add({std::to_string(slice.rank), times != nullptr && times->iteration ? timeText(*times->iteration) : "–", times == nullptr ? "–" : timeText(times->compute), times == nullptr ? "–" : timeText(times->waiting), std::to_string(slice.steps()), bytesText(static_cast<double>(slice.peakBytes)),
                   place == slice.places.end() ? "–" : placeText(place->second)});
    }
    table.print(std::cout, 2);
    const Json document = toDocument(answer);
    for (const Json& remark : document.at("remarks")) std::cout << "Note: " << remark.get<std::string>() << ".\n";
    for (const LiveFault& fault : answer.faults) std::cout << "Fault (" << fault.code << "): " << fault.message << '\n';
    for (const auto& [rank, stack] : answer.stacks) std::cout << "Rank " << rank << " stands in (innermost first):\n"
                                                              << stack;
}

void printLiveTable(const std::vector<LiveAnswer>& answers) {
    TextTable table({"world", "rank", "iteration", "own work", "waits", "peak memory", "calls"});
    for (const LiveAnswer& answer : answers)
        for (std::size_t i = 0; i < answer.slices.size(); ++i) {
            const LiveSlice& slice = answer.slices[i];
            if (slice.recorded || i >= answer.times.ranks.size()) continue;
            const LiveRankTimes& times = answer.times.ranks[i];
            table.add({groupedText(answer.world), std::to_string(slice.rank), times.iteration ? timeText(*times.iteration) : "–", timeText(times.compute), timeText(times.waiting), groupedText(static_cast<double>(slice.peakBytes)), std::to_string(times.calls.size())});
        }
    table.print(std::cout);
    const std::vector<std::string> changes = changesBetween(answers.front(), answers.back());
    std::cout << "What changes from " << answers.front().world << " to " << answers.back().world << " ranks, beside times:\n";
    for (const std::string& change : changes) std::cout << "  " << change << '\n';
    if (changes.empty()) std::cout << "  nothing\n";
}

} // namespace orrery
