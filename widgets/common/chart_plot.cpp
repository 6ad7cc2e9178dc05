// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/chart_plot.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace orrery {
namespace {

struct PlotText {
    Q_DECLARE_TR_FUNCTIONS(PlotText)
};

constexpr double unseen = 1.0 / 2000;    ///< of an axis: narrower than a dot of a printed column
constexpr std::size_t mostPoints = 1000; ///< of a line; more lie on one another

std::vector<QStringList> rowsOf(const QByteArray& csv) {
    std::vector<QStringList> rows;
    QStringList row;
    QByteArray cell;
    bool quoted = false;
    const auto endCell = [&] {
        row << QString::fromUtf8(cell);
        cell.clear();
    };
    for (qsizetype i = 0; i < csv.size(); ++i) {
        const char letter = csv[i];
        if (quoted) {
            if (letter != '"') cell += letter;
            else if (i + 1 < csv.size() && csv[i + 1] == '"') cell += csv[++i];
            else quoted = false;
        } else if (letter == '"') quoted = true;
        else if (letter == ',') endCell();
        else if (letter == '\n') {
            endCell();
            rows.push_back(std::exchange(row, {}));
        } else if (letter != '\r') cell += letter;
    }
    if (!cell.isEmpty() || !row.isEmpty()) {
        endCell();
        rows.push_back(std::move(row));
    }
    return rows;
}

std::optional<double> numberIn(const QStringList& row, int column) {
    if (column < 0 || column >= row.size()) return std::nullopt;
    bool isNumber = false;
    const double number = row[column].toDouble(&isNumber);
    return isNumber && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// "weights" for the column weights_bytes.
QString nameOf(QString column) {
    for (const char* unit : {"_bytes", "_s"})
        if (column.endsWith(QLatin1String(unit))) column.chop(static_cast<qsizetype>(qstrlen(unit)));
    return column.replace(u'_', u' ');
}

class Collector {
public:
    explicit Collector(const ChartPlot& plot) { data_.plot = plot; }

    PlotData collect(const std::vector<QStringList>& rows) {
        for (std::size_t i = 1; i < rows.size(); ++i) take(rows.front(), rows[i]);
        if (data_.plot.mark == ChartPlot::Mark::ranges) joinNeighbours();
        if (data_.plot.mark == ChartPlot::Mark::lines)
            for (PlotSeries& line : data_.series) thin(line);
        // A kind that nothing is of has no part in a stack.
        const bool stacked = data_.plot.mark == ChartPlot::Mark::stacked_bars;
        if (data_.plot.categoryWords)
            for (QString& word : data_.categories) word = data_.plot.categoryWords(word);
        std::erase_if(data_.series, [stacked](const PlotSeries& series) { return series.x.empty() || (stacked && std::all_of(series.y.begin(), series.y.end(), [](double y) { return y == 0; })); });
        return std::move(data_);
    }

private:
    void take(const QStringList& header, const QStringList& row) {
        const ChartPlot& plot = data_.plot;
        if (plot.x >= row.size()) return;
        if (plot.mark == ChartPlot::Mark::ranges && numberIn(row, plot.y.front()).value_or(0) == numberIn(row, plot.end).value_or(0)) return; // nothing to see
        const std::optional<double> x = data_.hasCategories() ? std::optional(category(row[plot.x])) : numberIn(row, plot.x);
        if (!x) return;
        if (plot.mark == ChartPlot::Mark::ranges) {
            const auto from = numberIn(row, plot.y.front()), to = numberIn(row, plot.end);
            if (!from || !to) return;
            PlotSeries& series = seriesCalled(plot.series >= 0 ? row.value(plot.series) : QString());
            series.x.push_back(*from / plot.xUnit);
            series.end.push_back(*to / plot.xUnit);
            series.y.push_back(*x);
            return;
        }
        for (const int column : plot.y) {
            const auto y = numberIn(row, column);
            if (!y) continue;
            if (plot.logarithmic && (*x <= 0 || *y <= 0)) continue;
            PlotSeries& series = seriesCalled(plot.series >= 0 ? row.value(plot.series) : nameOf(header.value(column)));
            series.x.push_back(data_.hasCategories() ? *x : *x / plot.xUnit);
            series.y.push_back(*y / plot.yUnit);
        }
    }

    double category(const QString& word) {
        const qsizetype at = data_.categories.indexOf(word);
        if (at >= 0) return double(at);
        data_.categories << word;
        return double(data_.categories.size() - 1);
    }

    PlotSeries& seriesCalled(const QString& name) {
        const auto found = std::find_if(data_.series.begin(), data_.series.end(), [&](const PlotSeries& one) { return one.name == name; });
        if (found != data_.series.end()) return *found;
        data_.series.push_back({name, {}, {}, {}});
        return data_.series.back();
    }

    /// Bars of one row and series that nothing visible parts are one bar.
    void joinNeighbours() {
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (const PlotSeries& series : data_.series)
            for (std::size_t i = 0; i < series.x.size(); ++i) {
                least = std::min({least, series.x[i], series.end[i]});
                most = std::max({most, series.x[i], series.end[i]});
            }
        const double gap = (most - least) * unseen;
        for (PlotSeries& series : data_.series) {
            PlotSeries joined{series.name, {}, {}, {}};
            std::map<double, std::size_t> lastOfRow;
            for (std::size_t i = 0; i < series.x.size(); ++i) {
                const auto [last, isFirst] = lastOfRow.emplace(series.y[i], joined.x.size());
                if (!isFirst && series.x[i] >= joined.x[last->second] && series.x[i] - joined.end[last->second] <= gap) {
                    joined.end[last->second] = std::max(joined.end[last->second], series.end[i]);
                    continue;
                }
                last->second = joined.x.size();
                joined.x.push_back(series.x[i]);
                joined.y.push_back(series.y[i]);
                joined.end.push_back(series.end[i]);
            }
            // A bar that is no dot wide would only have a place in the legend.
            PlotSeries seen{series.name, {}, {}, {}};
            for (std::size_t i = 0; i < joined.x.size(); ++i) {
                if (std::abs(joined.end[i] - joined.x[i]) < gap / 100) continue;
                seen.x.push_back(joined.x[i]);
                seen.y.push_back(joined.y[i]);
                seen.end.push_back(joined.end[i]);
            }
            series = std::move(seen);
        }
    }

    static void thin(PlotSeries& line) {
        if (line.x.size() <= mostPoints) return;
        PlotSeries kept{line.name, {}, {}, {}};
        const std::size_t stretch = 2 * line.x.size() / mostPoints + 1;
        for (std::size_t from = 0; from < line.x.size(); from += stretch) {
            const std::size_t to = std::min(line.x.size(), from + stretch);
            auto [least, most] = std::minmax_element(line.y.begin() + static_cast<std::ptrdiff_t>(from), line.y.begin() + static_cast<std::ptrdiff_t>(to));
            std::size_t one = static_cast<std::size_t>(least - line.y.begin()), other = static_cast<std::size_t>(most - line.y.begin());
            if (one > other) std::swap(one, other);
            for (const std::size_t at : {one, other}) {
                kept.x.push_back(line.x[at]);
                kept.y.push_back(line.y[at]);
                if (one == other) break;
            }
        }
        line = std::move(kept);
    }

    PlotData data_;
};

QString numberText(double number) { return QString::number(number, 'g', 3); }

} // namespace

std::size_t PlotData::points() const {
    std::size_t all = 0;
    for (const PlotSeries& one : series) all += one.x.size();
    return all;
}

PlotData plotDataOf(const ChartPlot& plot, const QByteArray& csv) {
    const std::vector<QStringList> rows = rowsOf(csv);
    if (plot.mark == ChartPlot::Mark::none || plot.y.empty() || rows.empty()) return {plot, {}, {}};
    return Collector(plot).collect(rows);
}

QString altTextOf(const PlotData& data, const QString& title) {
    QStringList parts;
    for (const PlotSeries& series : data.series) {
        if (parts.size() == 6) {
            parts << PlotText::tr("and %1 more").arg(data.series.size() - 6);
            break;
        }
        const bool ranges = data.plot.mark == ChartPlot::Mark::ranges;
        const auto [least, most] = std::minmax_element(series.y.begin(), series.y.end());
        const QString name = series.name.isEmpty() ? data.plot.yTitle : series.name;
        if (ranges) parts << PlotText::tr("%1: %2 bars").arg(name).arg(series.x.size());
        else if (series.y.size() == 1) parts << PlotText::tr("%1 %2").arg(name, numberText(*least));
        else parts << PlotText::tr("%1 from %2 to %3").arg(name, numberText(*least), numberText(*most));
    }
    QString axes = data.plot.yTitle.isEmpty() ? data.plot.xTitle : PlotText::tr("%1 over %2").arg(data.plot.yTitle, data.plot.xTitle);
    return PlotText::tr("%1. %2: %3.").arg(title, axes, parts.join(QStringLiteral("; ")));
}

} // namespace orrery
