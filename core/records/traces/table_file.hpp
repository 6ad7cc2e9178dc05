// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

} // namespace orrery
