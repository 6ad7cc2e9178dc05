// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/table_file.hpp"

#include "app/common/workbook.hpp"

#include <algorithm>
#include <filesystem>

namespace orrery {

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
