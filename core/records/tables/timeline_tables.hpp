// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/records/views/recorded_job.hpp"
#include "core/results/report/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace orrery {

/// The statements that make the tables and views of a timeline's database, each column with its meaning and unit in a comment; SQLite keeps them in the file, and
/// `.schema` shows them.
std::string_view timelineSchema();

/// The bytes of an SQLite file with a simulated timeline; `madeBy` are texts for its table `about`, by key. Nothing, with `fault` in SQLite's words, where there is no memory for it.
std::optional<std::string> resultDatabase(const Result& result, const Json& madeBy, std::string& fault);

/// The same of recorded ranks.
std::optional<std::string> recordDatabase(const RecordedJob& job, const Json& madeBy, std::string& fault);

/// A value of a row; the empty one is NULL.
using TableValue = std::variant<std::monostate, std::int64_t, double, std::string_view>;

/// Makes a database with the tables of a timeline (timeline_tables.hpp) in memory.
class DatabaseMaker {
public:
    DatabaseMaker();
    ~DatabaseMaker();
    DatabaseMaker(const DatabaseMaker&) = delete;
    DatabaseMaker& operator=(const DatabaseMaker&) = delete;

    /// Adds a row; values in the order of the table's columns. After a fault it does nothing.
    void row(const char* table, std::initializer_list<TableValue> values);
    /// A row of `about` for each text of an object: which program made the file.
    void about(const Json& texts);
    /// A row of `figure` for every number and text of a document.
    void figures(const Json& document, const std::string& pointer = "");

    /// The whole file; nothing after a fault.
    std::optional<std::string> finish();
    const std::string& fault() const { return fault_; }

private:
    struct Handle;
    void run(const char* words);
    void fail();

    std::unique_ptr<Handle> handle_;
    std::string fault_;
};

} // namespace orrery
