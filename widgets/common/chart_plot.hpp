// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace orrery {

/// How a chart's CSV is plotted by others' tools: which columns, as what. Columns count from 0.
struct ChartPlot {
    enum class Mark { none, ///< no other tool plots it from its table: a drawing of a cluster
                      points,
                      lines,
                      bars,
                      stacked_bars, ///< the columns of `y` on top of one another
                      ranges };     ///< bars that lie in rows named by `x`, from the column `y` to the column `end`
    Mark mark = Mark::none;
    int x = 0;
    std::vector<int> y; ///< several: a series each
    int end = -1;
    int series = -1; ///< a column whose words tell series apart; -1: `y` does
    QString xTitle, yTitle;
    bool logarithmic = false;                             ///< both axes
    double xUnit = 1, yUnit = 1;                          ///< what the numbers are divided by for the titles' units
    std::function<QString(const QString&)> categoryWords; ///< for people; empty: as the table has them
};

/// A plot's numbers, in the units of its titles.
struct PlotSeries {
    QString name;
    std::vector<double> x, y; ///< of `ranges`: x is where a bar begins, y the row's number
    std::vector<double> end;  ///< of `ranges`
};

struct PlotData {
    ChartPlot plot;
    QStringList categories; ///< of bars and ranges: the words that 0, 1, … of the category's axis stand for
    std::vector<PlotSeries> series;

    bool hasCategories() const { return plot.mark == ChartPlot::Mark::bars || plot.mark == ChartPlot::Mark::stacked_bars || plot.mark == ChartPlot::Mark::ranges; }
    std::size_t points() const;
};

/// Reads the columns of a chart's CSV (RFC 4180, header first). Rows whose cells are no numbers are left out. What no printer shows is joined: neighbours of a row
/// of `ranges`, and points of long lines, of which each stretch keeps its least and largest.
PlotData plotDataOf(const ChartPlot& plot, const QByteArray& csv);

/// A sentence on what the numbers say, for who can't see the plot: "iteration time in s over …: from 8.09 (1) to 11.2 (4)".
QString altTextOf(const PlotData& data, const QString& title);

} // namespace orrery
