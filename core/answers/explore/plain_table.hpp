// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <string>
#include <variant>
#include <vector>

namespace orrery {

/// A cell of a table for files: nothing, a truth value, a number in the figure's own unit, or a text.
using PlainCell = std::variant<std::monostate, bool, double, std::string>;

/// A table as files hold it. The first row names the columns: keys by their pointers, figures by the names they were asked by.
struct PlainTable {
    std::string name; ///< "Points": a sheet's name
    std::vector<std::vector<PlainCell>> rows;
};

/// A JSON value as a cell; lists and objects as their text.
PlainCell plainCell(const Json& value);

/// Lines of comma-separated values (RFC 4180, but lines end with a line feed). Numbers read back as the same doubles.
std::string csvText(const PlainTable& table);

} // namespace orrery
