// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
class QWidget;

namespace orrery {

class Theme;

// What the tables of operators, links and holders of memory have in common: rows to choose one of, sorted by a column, under a line
// that says what they are of, with tools and a filter.

/// Rows to read and to choose, drawn by `RowDelegate`.
void setUpRows(QTableView& view);

/// Lays the page out: what the rows are of, tools (the layout that is given back), the filter; below them the stack.
QHBoxLayout* layOutTablePage(QWidget& page, QLabel& scope, QLineEdit& filter, QStackedWidget& stack);

/// Says in the middle of the table that no row has what the filter wants, while that is so. After the filter is connected to the rows.
void tellWhenNothingMatches(QLineEdit& filter, QTableView& view);

/// Width in px of the column's cell with the longest text, among the first `rows`.
int longestCellWidth(const QTableView& view, int column, int rows);

/// Widths that a column asks for, px.
struct ColumnWish {
    int wanted = 0; ///< all its text is seen
    int least = 0;  ///< less than wanted: its text may be elided
};

/// Shares the width of a table out. What is left beyond the wishes goes to all columns alike. Where they want more than there is, the
/// first `seen` of them are elided as far as they may until they are in sight; the others are scrolled to.
void shareWidth(QTableView& view, const std::vector<ColumnWish>& wishes, int seen = 0);

void applyTableTheme(const Theme& theme, QLabel& scope, QLineEdit& filter, QTableView& view);

} // namespace orrery
