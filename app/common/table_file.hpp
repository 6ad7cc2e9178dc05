// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/plain_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a file of tables is written as.
enum class TableFormat { csv, ///< the first table alone
                         xlsx };

/// A path's ending names the format, in small or capital letters; any other ending names nothing.
std::optional<TableFormat> tableFormatOf(const std::string& path);

/// The file's bytes; nothing, with `error` a sentence, where the format does not hold the tables. `tables` is not empty.
std::optional<std::string> tableBytes(TableFormat format, const std::vector<PlainTable>& tables, std::string& error);

} // namespace orrery
