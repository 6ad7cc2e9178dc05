// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/table_file.hpp"
#include "app/common/file_io.hpp"
#include "resources/program_version.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <xlsxwriter.h>

namespace orrery {
namespace {

constexpr std::size_t longestCell = 32767, longestSheetName = 31; // what the format holds, bytes of UTF-8 at most

constexpr double narrowestColumn = 9, widestColumn = 60; // digits

/// A folder that nobody else writes to, gone with its content at the end: the library writes files, not memory.
class WorkFolder {
public:
    WorkFolder() {
        std::error_code ignored;
        std::string pattern = (std::filesystem::temp_directory_path(ignored) / "orrery-XXXXXX").string();
        if (::mkdtemp(pattern.data())) path_ = pattern;
    }
    ~WorkFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path& path() const { return path_; } ///< empty: it could not be made

private:
    std::filesystem::path path_;
};

/// At most so many bytes, whole characters: the library measures texts in characters.
std::string cut(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end);
}

/// Writes a cell where it stands.
struct CellWriter {
    lxw_worksheet& sheet;
    lxw_row_t row;
    lxw_col_t column;
    lxw_format* format;

    lxw_error operator()(std::monostate) const { return LXW_NO_ERROR; }
    lxw_error operator()(bool is) const { return worksheet_write_boolean(&sheet, row, column, is ? 1 : 0, format); }
    lxw_error operator()(double number) const { return worksheet_write_number(&sheet, row, column, number, format); }
    lxw_error operator()(const std::string& text) const {
        // A text as it is: never a formula, never a link.
        return text.empty() ? LXW_NO_ERROR : worksheet_write_string(&sheet, row, column, cut(text, longestCell).c_str(), format);
    }
};

double columnWidth(const PlainTable& table, std::size_t column) {
    std::size_t letters = 0;
    for (const std::vector<PlainCell>& row : table.rows)
        if (const auto* text = column < row.size() ? std::get_if<std::string>(&row[column]) : nullptr) letters = std::max(letters, text->size());
    return std::clamp(static_cast<double>(letters) + 1, narrowestColumn, widestColumn);
}

bool writeSheet(lxw_workbook& book, const PlainTable& table, lxw_format* head) {
    lxw_worksheet* sheet = workbook_add_worksheet(&book, cut(table.name, longestSheetName).c_str());
    if (!sheet) return false;
    std::size_t columns = 0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const std::vector<PlainCell>& cells = table.rows[row];
        columns = std::max(columns, cells.size());
        for (std::size_t column = 0; column < cells.size(); ++column)
            if (std::visit(CellWriter{*sheet, static_cast<lxw_row_t>(row), static_cast<lxw_col_t>(column), row == 0 ? head : nullptr}, cells[column]) != LXW_NO_ERROR) return false;
    }
    for (std::size_t column = 0; column < columns; ++column) worksheet_set_column(sheet, static_cast<lxw_col_t>(column), static_cast<lxw_col_t>(column), columnWidth(table, column), nullptr);
    worksheet_freeze_panes(sheet, 1, 0);
    if (table.rows.size() > 1 && columns > 0) worksheet_autofilter(sheet, 0, 0, static_cast<lxw_row_t>(table.rows.size() - 1), static_cast<lxw_col_t>(columns - 1));
    return true;
}

std::string tooLargeFor(const PlainTable& table) {
    std::size_t columns = 0;
    for (const std::vector<PlainCell>& row : table.rows) columns = std::max(columns, row.size());
    if (table.rows.size() <= LXW_ROW_MAX && columns <= LXW_COL_MAX) return {};
    return "A sheet of an .xlsx file holds " + std::to_string(LXW_ROW_MAX) + " rows and " + std::to_string(LXW_COL_MAX) + " columns; this table has " + std::to_string(table.rows.size()) + " and " +
           std::to_string(columns) + ". A .csv file holds it.";
}

/// The bytes of an Office Open XML workbook (.xlsx): a sheet for each table, its first row kept in sight, numbers as numbers. The same tables
/// give the same bytes. Nothing, with `error` a sentence, where a table has more rows or columns than a sheet holds, or no temporary file can
/// be written.
std::optional<std::string> workbookBytes(const std::vector<PlainTable>& tables, std::string& error) {
    for (const PlainTable& table : tables) {
        error = tooLargeFor(table);
        if (!error.empty()) return std::nullopt;
    }
    const WorkFolder folder;
    const std::string path = (folder.path() / "book.xlsx").string(), place = folder.path().string();
    std::string failed = "No temporary file could be written for the workbook.";
    if (folder.path().empty()) {
        error = failed;
        return std::nullopt;
    }
    std::string own = place; // the library asks for a char* that it does not change
    lxw_workbook_options options{};
    options.tmpdir = own.data();
    lxw_workbook* book = workbook_new_opt(path.c_str(), &options);
    if (!book) {
        error = failed;
        return std::nullopt;
    }
    // Without a date of its own the file would be another one every second.
    lxw_doc_properties properties{};
    properties.created = 1577836800;                                    // 2020-01-01
    std::string comments = "Written by Orrery " + versionWords() + "."; // the library copies it
    properties.comments = comments.data();
    workbook_set_properties(book, &properties);
    lxw_format* head = workbook_add_format(book);
    format_set_bold(head);
    const bool written = std::all_of(tables.begin(), tables.end(), [&](const PlainTable& table) { return writeSheet(*book, table, head); });
    const lxw_error closed = workbook_close(book);
    if (!written || closed != LXW_NO_ERROR) {
        error = closed == LXW_NO_ERROR ? "The workbook could not be made." : failed;
        return std::nullopt;
    }
    std::string reason;
    std::optional<std::string> bytes = tryReadFile(path, reason);
    if (!bytes) error = failed;
    return bytes;
}

} // namespace

std::optional<TableFormat> tableFormatOf(const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : static_cast<char>(letter); });
    if (ending == ".csv") return TableFormat::csv;
    if (ending == ".xlsx") return TableFormat::xlsx;
    return std::nullopt;
}

std::optional<std::string> tableBytes(TableFormat format, const std::vector<PlainTable>& tables, std::string& error) {
    return format == TableFormat::csv ? std::optional(csvText(tables.front())) : workbookBytes(tables, error);
}

} // namespace orrery
