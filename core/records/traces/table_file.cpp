// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/table_file.hpp"

#include <algorithm>

#include <sqlite3.h>

namespace orrery {
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

} // namespace orrery
