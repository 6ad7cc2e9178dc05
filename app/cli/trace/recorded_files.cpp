// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace/recorded_files.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/base/parallel.hpp"
#include "core/records/traces/trace_figures.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace orrery {
namespace {

std::string headOf(const std::string& path) {
    constexpr std::size_t enough = std::size_t{256} << 10;
    std::error_code fault;
    if (!std::filesystem::is_regular_file(path, fault)) return "";
    std::ifstream file(path, std::ios::binary);
    std::string head(enough, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    return head;
}

bool isFolder(const std::string& path) {
    std::error_code fault;
    return std::filesystem::is_directory(path, fault);
}

/// Files come in the order of their names.
std::vector<std::string> recordsAt(const std::string& path, Problems& problems) {
    if (!isFolder(path)) return {path};
    std::vector<std::string> files;
    std::error_code fault;
    for (auto entry = std::filesystem::directory_iterator(path, fault); !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault))
        if (looksLikeTrace(headOf(entry->path().string()))) files.push_back(entry->path().string());
    std::sort(files.begin(), files.end());
    if (files.empty()) problems.push_back(fileProblem("no-trace", path, "The folder \"" + path + "\" has no recorded trace.", "Name a trace, or a folder with a trace of each rank."));
    return files;
}

} // namespace

bool isRecord(const std::string& path) { return isFolder(path) || looksLikeTrace(headOf(path)); }

std::optional<RecordedJob> recordedFiles(const std::string& path, const CommunicationRules& rules, Problems& problems) {
    const std::vector<std::string> files = recordsAt(path, problems);
    std::vector<std::optional<KinetoTrace>> traces(files.size());
    std::vector<Problems> found(files.size());
    forEachIndex(files.size(), static_cast<int>(std::max(1U, std::thread::hardware_concurrency())), [&](std::size_t i) { traces[i] = kinetoFile(files[i], rules, found[i]); });
    for (const Problems& some : found) problems.insert(problems.end(), some.begin(), some.end());
    if (files.empty() || !std::all_of(traces.begin(), traces.end(), [](const auto& trace) { return trace.has_value(); })) return std::nullopt;
    std::vector<RecordedRank> ranks;
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto trace = std::make_shared<const KinetoTrace>(std::move(*traces[i]));
        const auto rank = trace->rank;
        ranks.push_back({files[i], rank, std::move(trace)});
    }
    return recordedJob(std::move(ranks));
}

std::optional<KinetoTrace> kinetoFile(const std::string& fileName, const CommunicationRules& rules, Problems& problems) {
    std::string error;
    const auto bytes = readTextFile(fileName, error, {.most = std::size_t{1} << 30});
    if (bytes) {
        auto trace = readDeviceTrace(*bytes, fileName, problems);
        if (trace) sortKernels(*trace, rules);
        return trace;
    }
    problems.push_back(fileProblem("cannot-read-file", fileName, error, "Name a file that exists and that you may read."));
    return std::nullopt;
}

RankedFile rankedFile(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::int64_t rank = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + std::min(equals, text.size()), rank);
    if (equals == std::string::npos || wrong != std::errc() || end != text.data() + equals || rank < 0) return {text, std::nullopt};
    return {text.substr(equals + 1), rank};
}

std::optional<CommunicationRules> communicationFile(const std::string& fileName, Problems& problems) {
    if (fileName.empty()) return shippedCommunicationRules();
    const bool standardInput = fileName == "-";
    const std::string name = standardInput ? "standard input" : fileName;
    std::string error;
    const auto text = standardInput ? readStandardInput(error) : readTextFile(fileName, error);
    if (!text) {
        problems.push_back(fileProblem("cannot-read-file", name, error, "Name a file that exists and that you may read."));
        return std::nullopt;
    }
    const auto list = parseJsonText(*text, name, problems);
    return list ? readCommunicationRules(*list, name, "", problems) : std::nullopt;
}

} // namespace orrery
