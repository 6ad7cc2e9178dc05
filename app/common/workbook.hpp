// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/plain_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// The bytes of an Office Open XML workbook (.xlsx): a sheet for each table, its first row kept in sight, numbers as numbers. The same tables
/// give the same bytes. Nothing, with `error` a sentence, where a table has more rows or columns than a sheet holds, or no temporary file can
/// be written.
std::optional<std::string> workbookBytes(const std::vector<PlainTable>& tables, std::string& error);

} // namespace orrery
