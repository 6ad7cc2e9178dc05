// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore/saved_table.hpp"

#include "app/common/file_io.hpp"
#include "app/common/table_file.hpp"

namespace orrery {

namespace {

Problem tableProblem(const char* code, const std::string& path, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = code;
    problem.file = path;
    problem.message = message;
    problem.mend = mend;
    return problem;
}

} // namespace

std::optional<Problem> problemOfTableName(const std::string& path) {
    if (path.empty() || tableFormatOf(path)) return std::nullopt;
    return tableProblem("unknown-table-format", path, "The name does not say what table to write.", "Let it end in .csv or .xlsx.");
}

std::optional<Problem> saveTables(const std::string& path, const std::vector<PlainTable>& tables) {
    if (path.empty()) return std::nullopt;
    std::string error;
    const auto bytes = tableBytes(*tableFormatOf(path), tables, error);
    if (bytes && writeFileAtomically(path, *bytes, error)) return std::nullopt;
    return tableProblem("cannot-write-file", path, error, "Name a file in a folder that you may write to, on a disk with room; a .csv file has no limit of rows.");
}

} // namespace orrery
