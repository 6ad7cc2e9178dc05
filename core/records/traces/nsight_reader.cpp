// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/nsight_reader.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/trace_damage.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <sqlite3.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery {

/// An SQLite file in memory that is only read: no statement of its own (views, functions, attached files) is run, and a damaged one ends with an error.
class TableFile {
public:
    /// The bytes outlive it.
    explicit TableFile(std::string_view bytes);
    ~TableFile();
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    static bool looksLikeOne(std::string_view bytes) { return bytes.starts_with(std::string_view("SQLite format 3\0", 16)); }

    /// Names of its tables, sorted; nothing with `fault` where it can't be read.
    std::optional<std::vector<std::string>> tables();

    /// A value of the row at hand, by its place among the columns asked for.
    class Row {
    public:
        explicit Row(void* statement) : statement_(statement) {}
        std::optional<std::int64_t> number(int column) const; ///< nothing: missing, or no whole number
        std::string_view text(int column) const;              ///< empty: missing, or no text; lives as long as the row

    private:
        void* statement_;
    };
    /// Visits the rows of a table with these columns; one that the table lacks is missing in every row. False, with `fault`, where the table breaks off.
    bool read(const std::string& table, const std::vector<std::string>& columns, const std::function<void(const Row&)>& visit);

    const std::string& fault() const { return fault_; }

private:
    struct Handle;
    bool fail();
    std::optional<std::vector<std::string>> columnsOf(const std::string& table);

    std::string unlogged_; ///< a copy, of files that name a log beside them
    std::unique_ptr<Handle> handle_;
    std::string fault_;
    std::int64_t mostRows_ = 0; ///< more can't be in so many bytes
};

namespace {

/// Lets a statement read tables and nothing else.
int onlyReads(void*, int action, const char*, const char*, const char*, const char*) { return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY; }

std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
    return text + '"';
}

using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

Statement prepared(sqlite3* database, const std::string& words) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, words.c_str(), static_cast<int>(words.size()), &statement, nullptr);
    return {statement, &sqlite3_finalize};
}

} // namespace

struct TableFile::Handle {
    sqlite3* database = nullptr;
    ~Handle() { sqlite3_close(database); }
};

TableFile::TableFile(std::string_view bytes) : handle_(std::make_unique<Handle>()) {
    constexpr std::size_t writeVersion = 18, readVersion = 19, leastBytesOfRow = 4;
    mostRows_ = static_cast<std::int64_t>(bytes.size() / leastBytesOfRow);
    // A file with a write-ahead log asks for that log, which memory has none of.
    if (bytes.size() > readVersion && (bytes[writeVersion] == 2 || bytes[readVersion] == 2)) {
        unlogged_ = bytes;
        unlogged_[writeVersion] = unlogged_[readVersion] = 1;
        bytes = unlogged_;
    }
    if (sqlite3_open_v2(":memory:", &handle_->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_PRIVATECACHE, nullptr) != SQLITE_OK) {
        fail();
        return;
    }
    // SQLite takes the bytes without const and, told that they are only to be read, never writes to them.
    auto* begin = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    if (sqlite3_deserialize(handle_->database, "main", begin, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
        fail();
        return;
    }
    sqlite3_db_config(handle_->database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle_->database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle_->database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_exec(handle_->database, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
    sqlite3_set_authorizer(handle_->database, onlyReads, nullptr);
}

TableFile::~TableFile() = default;

bool TableFile::fail() {
    if (fault_.empty()) fault_ = sqlite3_errmsg(handle_->database);
    return false;
}

std::optional<std::vector<std::string>> TableFile::tables() {
    if (!fault_.empty()) return std::nullopt;
    std::vector<std::string> names;
    const Statement statement = prepared(handle_->database, "SELECT type, name FROM sqlite_master");
    int state = SQLITE_ERROR;
    while (statement && (state = sqlite3_step(statement.get())) == SQLITE_ROW) {
        const Row row(statement.get());
        if (row.text(0) == "table") names.emplace_back(row.text(1));
        if (static_cast<std::int64_t>(names.size()) > mostRows_) break;
    }
    if (state != SQLITE_DONE) {
        fail();
        return std::nullopt;
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::vector<std::string>> TableFile::columnsOf(const std::string& table) {
    const Statement statement = prepared(handle_->database, "SELECT * FROM " + quoted(table));
    if (!statement) return std::nullopt;
    std::vector<std::string> names;
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i)
        if (const char* name = sqlite3_column_name(statement.get(), i)) names.emplace_back(name);
    return names;
}

bool TableFile::read(const std::string& table, const std::vector<std::string>& columns, const std::function<void(const Row&)>& visit) {
    if (!fault_.empty()) return false;
    const auto known = columnsOf(table);
    if (!known) return fail();
    std::string words = "SELECT ";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool there = std::find(known->begin(), known->end(), columns[i]) != known->end();
        words += (i == 0 ? "" : ", ") + (there ? quoted(columns[i]) : std::string("NULL"));
    }
    const Statement statement = prepared(handle_->database, words + " FROM " + quoted(table));
    std::int64_t rows = 0;
    int state = SQLITE_ERROR;
    while (statement && (state = sqlite3_step(statement.get())) == SQLITE_ROW) {
        if (++rows > mostRows_) {
            fault_ = "pages of the table " + table + " name each other";
            return false;
        }
        visit(Row(statement.get()));
    }
    if (state == SQLITE_DONE) return true;
    fault_ = "row " + std::to_string(rows) + " of " + table + ": " + sqlite3_errmsg(handle_->database);
    return false;
}

std::optional<std::int64_t> TableFile::Row::number(int column) const {
    auto* statement = static_cast<sqlite3_stmt*>(statement_);
    if (sqlite3_column_type(statement, column) != SQLITE_INTEGER) return std::nullopt;
    return sqlite3_column_int64(statement, column);
}

std::string_view TableFile::Row::text(int column) const {
    auto* statement = static_cast<sqlite3_stmt*>(statement_);
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT) return {};
    const auto* begin = sqlite3_column_text(statement, column);
    return begin == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

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
