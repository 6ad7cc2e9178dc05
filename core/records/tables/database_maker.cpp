// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/tables/database_maker.hpp"

#include "core/base/json.hpp"
#include "core/records/tables/timeline_tables.hpp"

#include <map>

#include <sqlite3.h>

namespace orrery {
namespace {

/// A member's name as a step of a JSON pointer (RFC 6901).
std::string pointerStep(const std::string& name) {
    std::string step = "/";
    for (const char c : name) step += c == '~' ? "~0" : c == '/' ? "~1"
                                                                 : std::string(1, c);
    return step;
}

} // namespace

struct DatabaseMaker::Handle {
    sqlite3* database = nullptr;
    std::map<std::string_view, sqlite3_stmt*> inserts; ///< by table; the names are literals
    ~Handle() {
        for (const auto& [table, statement] : inserts) sqlite3_finalize(statement);
        sqlite3_close(database);
    }
};

DatabaseMaker::DatabaseMaker() : handle_(std::make_unique<Handle>()) {
    if (sqlite3_open_v2(":memory:", &handle_->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_PRIVATECACHE, nullptr) != SQLITE_OK) {
        fail();
        return;
    }
    run("BEGIN");
    run(std::string(timelineSchema()).c_str());
}

DatabaseMaker::~DatabaseMaker() = default;

void DatabaseMaker::fail() {
    if (fault_.empty()) fault_ = handle_->database != nullptr ? sqlite3_errmsg(handle_->database) : "no memory for a database";
}

void DatabaseMaker::run(const char* words) {
    if (fault_.empty() && sqlite3_exec(handle_->database, words, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void DatabaseMaker::row(const char* table, std::initializer_list<TableValue> values) {
    if (!fault_.empty()) return;
    sqlite3_stmt*& insert = handle_->inserts[table];
    if (insert == nullptr) {
        std::string words = std::string("INSERT INTO ") + table + " VALUES (";
        for (std::size_t i = 0; i < values.size(); ++i) words += i == 0 ? "?" : ",?";
        words += ')';
        if (sqlite3_prepare_v2(handle_->database, words.c_str(), -1, &insert, nullptr) != SQLITE_OK) return fail();
    }
    int column = 0;
    for (const TableValue& value : values) {
        ++column;
        if (const auto* whole = std::get_if<std::int64_t>(&value)) sqlite3_bind_int64(insert, column, *whole);
        else if (const auto* number = std::get_if<double>(&value)) sqlite3_bind_double(insert, column, *number);
        else if (const auto* text = std::get_if<std::string_view>(&value)) sqlite3_bind_text(insert, column, text->data(), static_cast<int>(text->size()), SQLITE_STATIC);
        else sqlite3_bind_null(insert, column);
    }
    if (sqlite3_step(insert) != SQLITE_DONE) fail();
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
}

void DatabaseMaker::figures(const Json& document, const std::string& pointer) {
    if (document.is_object()) {
        for (const auto& [name, value] : document.items()) figures(value, pointer + pointerStep(name));
    } else if (document.is_array()) {
        for (std::size_t i = 0; i < document.size(); ++i) figures(document[i], pointer + "/" + std::to_string(i));
    } else if (document.is_string()) {
        row("figure", {pointer, document.get_ref<const std::string&>()});
    } else if (document.is_boolean()) {
        row("figure", {pointer, std::int64_t{document.get<bool>() ? 1 : 0}});
    } else if (document.is_number_integer()) {
        row("figure", {pointer, document.get<std::int64_t>()});
    } else if (document.is_number()) {
        row("figure", {pointer, document.get<double>()});
    }
}

std::optional<std::string> DatabaseMaker::finish() {
    run("COMMIT");
    if (!fault_.empty()) return std::nullopt;
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(handle_->database, "main", &size, 0);
    if (bytes == nullptr) {
        fault_ = "no memory for a database of " + std::to_string(size) + " bytes";
        return std::nullopt;
    }
    std::string file(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    return file;
}

} // namespace orrery
