// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// A text as a cell of a CSV file (RFC 4180): quoted where it holds a comma, a quote or a line's end. A text with which a spreadsheet would begin a formula (=, +, −, @,
/// a tab or a return in front, and no number) gets an apostrophe before it, as the OWASP's guide to CSV injection says: names come from anybody.
std::string csvCell(std::string_view text);

/// A CSV file with each of its cells written as `csvCell` does.
std::string csvWithoutFormulas(std::string_view csv);

} // namespace orrery
