// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/nsight_reader.hpp"

#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/table_file.hpp"
#include "core/records/traces/trace_damage.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace orrery {
namespace {

// Tables and columns: Nsight Systems User Guide, "SQLite Schema Reference".
constexpr const char* kernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* copyTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr const char* fillTable = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr const char* runtimeTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr const char* rangeTable = "NVTX_EVENTS";
constexpr const char* stringTable = "StringIds";

constexpr std::int64_t century = 3'000'000'000'000'000'000; ///< ns

/// PyTorch's ranges say more than the operator's name behind it: "aten::mm, seq = 5, op_id = 7".
std::string operatorName(std::string_view range) {
    for (const std::string_view more : {", seq = ", ", op_id = ", ", sizes = "}) range = range.substr(0, range.find(more));
    return std::string(range);
}

class NsightTables {
public:
    NsightTables(TableFile& file, std::vector<std::string> tables) : file_(file), tables_(std::move(tables)) {}

    bool has(const char* table) const { return std::binary_search(tables_.begin(), tables_.end(), table); }
    bool isNsight() const { return has(kernelTable) || has(copyTable) || has(fillTable) || has(runtimeTable) || has(rangeTable); }

    /// False where the file breaks off.
    bool read(const std::string& fileName, Problems& problems) {
        if (has(stringTable) && !file_.read(stringTable, {"id", "value"}, [&](const TableFile::Row& row) {
                if (const auto id = row.number(0)) strings_.emplace(*id, row.text(1));
            })) return false;
        return readDevice(kernelTable, DeviceWork::kernel, fileName, problems) && readDevice(copyTable, DeviceWork::copy, fileName, problems) && readDevice(fillTable, DeviceWork::set, fileName, problems) &&
               readRuntime(fileName, problems) && readRanges(fileName, problems);
    }
    KinetoTrace take() { return std::move(trace_); }

private:
    /// Counts a row; nothing where its times can't be.
    std::optional<Interval> timesOf(const TableFile::Row& row) {
        const std::int64_t number = row_++;
        ++trace_.events;
        const auto start = row.number(0), end = row.number(1);
        if (!start || !end || *start <= -century || *start >= century || *end <= -century || *end >= century) {
            trace_.unreadable.add(number);
            return std::nullopt;
        }
        ++trace_.completeEvents;
        if (*end < *start) trace_.negative.add(number);
        return Interval{*start, std::max(*start, *end)};
    }
    void warnOfTable(const char* table, const std::string& fileName, Problems& problems) {
        warnOfDamage(trace_, "row of " + std::string(table), fileName, problems);
        trace_.unreadable = trace_.negative = {};
        row_ = 0;
    }

    bool readDevice(const char* table, DeviceWork work, const std::string& fileName, Problems& problems) {
        if (!has(table)) return true;
        const bool whole = file_.read(table, {"start", "end", "deviceId", "streamId", "correlationId", "demangledName", "shortName"}, [&](const TableFile::Row& row) {
            const auto when = timesOf(row);
            if (!when) return;
            const std::string name = work == DeviceWork::kernel ? nameOf(row.number(5) ? row.number(5) : row.number(6)) : work == DeviceWork::copy ? "Memcpy"
                                                                                                                                                   : "Memset";
            const bool communication = work == DeviceWork::kernel && isCommunication(name);
            trace_.device.push_back({*when, work, communication, placeOf({numberText(row.number(2)), numberText(row.number(3))}, streams_, trace_.streams), nameIndex(name), row.number(4).value_or(-1)});
        });
        warnOfTable(table, fileName, problems);
        return whole;
    }
    bool readRuntime(const std::string& fileName, Problems& problems) {
        if (!has(runtimeTable)) return true;
        const bool whole = file_.read(runtimeTable, {"start", "end", "globalTid", "correlationId", "nameId"}, [&](const TableFile::Row& row) {
            const auto when = timesOf(row);
            if (when) trace_.runtimeCalls.push_back({*when, threadOf(row.number(2)), nameIndex(callName(nameOf(row.number(4)))), row.number(3).value_or(-1)});
        });
        warnOfTable(runtimeTable, fileName, problems);
        return whole;
    }
    bool readRanges(const std::string& fileName, Problems& problems) {
        if (!has(rangeTable)) return true;
        const bool whole = file_.read(rangeTable, {"start", "end", "globalTid", "text", "textId"}, [&](const TableFile::Row& row) {
            if (!row.number(1)) { // a mark has no end; it is no damage
                ++row_;
                ++trace_.events;
                return;
            }
            const auto when = timesOf(row);
            if (!when) return;
            ++trace_.hostOperators;
            trace_.operators.push_back({*when, threadOf(row.number(2)), nameIndex(operatorName(row.text(3).empty() ? std::string_view(nameOf(row.number(4))) : row.text(3))), -1});
        });
        warnOfTable(rangeTable, fileName, problems);
        return whole;
    }

    /// "cudaLaunchKernel_v7000" is cudaLaunchKernel.
    static std::string callName(const std::string& name) {
        const std::size_t version = name.rfind("_v");
        const bool digits = version != std::string::npos && name.size() > version + 2 && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(version) + 2, name.end(), [](char c) { return c >= '0' && c <= '9'; });
        return digits ? name.substr(0, version) : name;
    }
    std::string nameOf(std::optional<std::int64_t> id) const {
        if (!id) return {};
        const auto found = strings_.find(*id);
        return found != strings_.end() ? found->second : "string " + std::to_string(*id);
    }
    static std::string numberText(std::optional<std::int64_t> number) { return number ? std::to_string(*number) : std::string(); }

    using Pair = std::pair<std::string, std::string>;
    static std::uint32_t placeOf(Pair place, std::map<Pair, std::uint32_t>& numbers, std::vector<Pair>& list) {
        const auto [found, isNew] = numbers.emplace(place, static_cast<std::uint32_t>(numbers.size()));
        if (isNew) list.push_back(std::move(place));
        return found->second;
    }
    /// A global thread is 24 bits of a process and 24 of a thread.
    std::uint32_t threadOf(std::optional<std::int64_t> global) {
        constexpr std::int64_t bits = 0x1000000;
        Pair place;
        if (global) place = {std::to_string(*global / bits % bits), std::to_string(*global % bits)};
        return placeOf(std::move(place), threads_, trace_.threads);
    }
    std::uint32_t nameIndex(const std::string& name) {
        const auto [found, isNew] = names_.emplace(name, static_cast<std::uint32_t>(names_.size()));
        if (isNew) trace_.names.push_back(name);
        return found->second;
    }

    TableFile& file_;
    std::vector<std::string> tables_;
    KinetoTrace trace_;
    std::int64_t row_ = 0; ///< of the table that is read
    std::unordered_map<std::int64_t, std::string> strings_;
    std::map<Pair, std::uint32_t> streams_, threads_;
    std::unordered_map<std::string, std::uint32_t> names_;
};

std::string listed(const std::vector<std::string>& tables) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, tables.size()); ++i) text += (i == 0 ? "" : ", ") + tables[i];
    return tables.empty() ? "none" : tables.size() > most ? text + " …"
                                                          : text;
}

} // namespace

bool looksLikeNsight(std::string_view bytes) { return TableFile::looksLikeOne(bytes); }

std::optional<KinetoTrace> readNsight(std::string_view bytes, const std::string& fileName, Problems& problems) {
    TableFile file(bytes);
    const auto damaged = [&] {
        problems.push_back(traceFault("broken-sqlite", fileName, "The SQLite file can't be read (" + file.fault() + "); nothing of it is kept.", "Export it again with \"nsys export --type sqlite\", and copy it whole."));
        return std::nullopt;
    };
    auto tables = file.tables();
    if (!tables) return damaged();
    NsightTables nsight(file, *tables);
    if (!nsight.isNsight()) {
        problems.push_back(traceFault("no-nsight", fileName, "This SQLite file is another program's: it has none of the tables of Nsight Systems (its tables: " + listed(*tables) + ").", "Give what \"nsys export --type sqlite\" wrote."));
        return std::nullopt;
    }
    if (!nsight.read(fileName, problems)) return damaged();
    KinetoTrace trace = nsight.take();
    warnOfDuplicates(trace, fileName, problems);
    warnOfJump(trace, fileName, problems);
    return trace;
}

} // namespace orrery
