#pragma once

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

void applyTableTheme(const Theme& theme, QLabel& scope, QLineEdit& filter, QTableView& view);

} // namespace orrery
