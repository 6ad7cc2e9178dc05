// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/heat_map.hpp"

#include "core/base/json.hpp"
#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double mapMargin = 12;

} // namespace

HeatMap::HeatMap(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("sweep"), tr("Figure over the values of two keys")}, parent) {}

void HeatMap::setData(HeatMapData data) {
    if (data.cells.size() != data_.cells.size() || data.rowKey != data_.rowKey || data.columnKey != data_.columnKey) chosen_.reset();
    data_ = std::move(data);
    update();
}

void HeatMap::choose(std::optional<std::size_t> point) {
    if (point == chosen_) return;
    chosen_ = point;
    update();
}

std::optional<std::size_t> HeatMap::best() const {
    std::optional<std::size_t> found;
    const bool less = lessIsBetter(data_.figure);
    for (std::size_t i = 0; i < data_.cells.size(); ++i) {
        const HeatMapData::Cell& cell = data_.cells[i];
        if (!cell.figure || !cell.fits.value_or(false)) continue;
        if (!found || (less ? *cell.figure < *data_.cells[*found].figure : *cell.figure > *data_.cells[*found].figure)) found = i;
    }
    return found;
}

QString HeatMap::whyNothing() const {
    const bool any = std::any_of(data_.cells.begin(), data_.cells.end(), [](const HeatMapData::Cell& cell) { return cell.figure.has_value(); });
    return any ? QString() : tr("A figure over the values of two keys. Name both keys and run the sweep.");
}

ChartHeading HeatMap::heading() const { return {tr("%1 over %2 and %3").arg(figureName(data_.figure), keyName(data_.rowKey), keyName(data_.columnKey)), {}}; }

QRectF HeatMap::gridIn(const QRectF& area) const {
    const QFontMetricsF axis(theme_.axisFont());
    double labels = 0;
    for (const BoxedJson& row : data_.rows) labels = std::max(labels, axis.horizontalAdvance(valueWords(*row)));
    labels = std::min(labels, area.width() / 4);
    const double line = axis.height();
    return {area.left() + mapMargin + labels + 8, area.top() + 2 * line + 6, std::max(20.0, area.width() - 2 * mapMargin - labels - 8), std::max(20.0, area.height() - 4 * line - 18)};
}

QRectF HeatMap::cellIn(const QRectF& grid, std::size_t point) const {
    const std::size_t row = point / data_.columns.size(), column = point % data_.columns.size();
    const double width = grid.width() / static_cast<double>(data_.columns.size()), height = grid.height() / static_cast<double>(data_.rows.size());
    return {grid.left() + width * static_cast<double>(column), grid.top() + height * static_cast<double>(row), width, height};
}

QRectF HeatMap::cellRect(std::size_t point) const { return point < data_.cells.size() ? cellIn(gridIn(rect()), point) : QRectF(); }

void HeatMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    if (data_.cells.empty()) return drawEmptyState(painter, rect(), theme_, tr("A figure over the values of two keys."), tr("Name both keys and run the sweep."));
    draw(painter, rect(), true);
}

void HeatMap::renderBody(QPainter& painter, const QRectF& area) const {
    if (!data_.cells.empty()) draw(painter, area, false);
}

void HeatMap::draw(QPainter& painter, const QRectF& area, bool marks) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF grid = gridIn(area);
    double least = 0, most = 0;
    bool any = false;
    for (const HeatMapData::Cell& cell : data_.cells) {
        if (!cell.figure) continue;
        least = any ? std::min(least, *cell.figure) : *cell.figure;
        most = any ? std::max(most, *cell.figure) : *cell.figure;
        any = true;
    }
    for (std::size_t i = 0; i < data_.cells.size(); ++i) drawCell(painter, cellIn(grid, i), data_.cells[i], least, most);
    drawContour(painter, grid);
    drawLabels(painter, area, grid);
    painter.setBrush(Qt::NoBrush);
    if (const auto found = best()) {
        // Ink on a rim of paper is seen on a cell of any shade.
        const QRectF frame = cellIn(grid, *found).adjusted(4, 4, -4, -4);
        for (const QPen& pen : {QPen(theme_.colors().panel, 5), QPen(theme_.colors().ink, 2)}) {
            painter.setPen(pen);
            painter.drawRect(frame);
        }
    }
    if (marks && chosen_ && *chosen_ < data_.cells.size()) {
        painter.setPen(QPen(theme_.colors().accent, 2));
        painter.drawRect(cellIn(grid, *chosen_).adjusted(1.5, 1.5, -1.5, -1.5));
    }
}

void HeatMap::drawCell(QPainter& painter, const QRectF& box, const HeatMapData::Cell& cell, double least, double most) const {
    const ThemeColors& colors = theme_.colors();
    const QRectF inner = box.adjusted(0.5, 0.5, -0.5, -0.5);
    const QFontMetricsF metrics(theme_.secondaryFont());
    painter.setFont(theme_.secondaryFont());
    if (!cell.figure) {
        painter.fillRect(inner, colors.background);
        // A dash: it was tried and has no result; an empty cell waits.
        if (cell.problem.isEmpty() && !cell.fits) return;
        painter.setPen(colors.secondary);
        painter.drawText(inner, Qt::AlignCenter, QStringLiteral("–"));
        return;
    }
    // What is better is darker.
    double share = most > least ? (*cell.figure - least) / (most - least) : 0.5;
    if (lessIsBetter(data_.figure)) share = 1 - share;
    const QColor fill = mixed(mixed(colors.panel, colors.lastStage, 0.1), colors.lastStage, share);
    painter.fillRect(inner, fill);
    const bool fits = cell.fits.value_or(true);
    if (!fits) {
        painter.fillRect(inner, mixed(fill, colors.panel, 0.45));
        painter.fillRect(inner, QBrush(colors.secondary, Qt::BDiagPattern));
    }
    const QString text = figureWords(data_.figure, *cell.figure);
    const double width = metrics.horizontalAdvance(text) + 6;
    if (width > inner.width() || metrics.height() > inner.height()) return;
    const QRectF words(inner.center().x() - width / 2, inner.center().y() - metrics.height() / 2, width, metrics.height());
    if (!fits) painter.fillRect(words, colors.panel);
    painter.setPen(fits ? theme_.textOn(fill) : colors.secondary);
    painter.drawText(words, Qt::AlignCenter, text);
}

void HeatMap::drawContour(QPainter& painter, const QRectF& grid) const {
    const std::size_t columns = data_.columns.size(), rows = data_.rows.size();
    const auto fits = [&](std::size_t row, std::size_t column) { return data_.cells[row * columns + column].fits; };
    painter.setPen(QPen(theme_.colors().data, 2.5, Qt::SolidLine, Qt::RoundCap));
    // Between one that fits and one that was tried and does not.
    const auto apart = [](std::optional<bool> a, std::optional<bool> b) { return a && b && *a != *b; };
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column) {
            const QRectF box = cellIn(grid, row * columns + column);
            if (column + 1 < columns && apart(fits(row, column), fits(row, column + 1))) painter.drawLine(box.topRight(), box.bottomRight());
            if (row + 1 < rows && apart(fits(row, column), fits(row + 1, column))) painter.drawLine(box.bottomLeft(), box.bottomRight());
        }
}

void HeatMap::drawLabels(QPainter& painter, const QRectF& area, const QRectF& grid) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    painter.setPen(colors.secondary);
    const double line = metrics.height();
    for (std::size_t row = 0; row < data_.rows.size(); ++row) {
        const QRectF box = cellIn(grid, row * data_.columns.size());
        if (box.height() < line && row % static_cast<std::size_t>(std::ceil(line / box.height())) != 0) continue;
        const double room = grid.left() - area.left() - mapMargin - 4;
        drawFitting(painter, QRectF(area.left() + mapMargin, box.center().y() - line / 2, room, line), Qt::AlignRight | Qt::AlignVCenter, theme_.axisFont(), {valueWords(*data_.rows[row])});
    }
    double free = -1e9;
    for (std::size_t column = 0; column < data_.columns.size(); ++column) {
        const QRectF box = cellIn(grid, column);
        const QString text = valueWords(*data_.columns[column]);
        const double width = std::min(std::max(24.0, box.width() - 4), metrics.horizontalAdvance(text) + 2);
        if (box.center().x() - width / 2 < free) continue;
        drawFitting(painter, QRectF(box.center().x() - width / 2, grid.bottom() + 4, width, line), Qt::AlignCenter, theme_.axisFont(), {text});
        free = box.center().x() + width / 2 + 4;
    }
    drawFitting(painter, QRectF(grid.left(), grid.bottom() + 6 + line, grid.width(), line), Qt::AlignCenter, theme_.axisFont(), {keyTitle(data_.columnKey)});
    const double across = area.width() - 2 * mapMargin;
    const QString name = tr("%1, by %2 from top to bottom").arg(figureName(data_.figure), keyTitle(data_.rowKey));
    drawFitting(painter, QRectF(area.left() + mapMargin, area.top() + 2, across, line), Qt::AlignLeft | Qt::AlignVCenter, theme_.axisFont(), {name, tr("%1, %2 from top").arg(figureName(data_.figure), keyTitle(data_.rowKey))});
    const auto some = [&](auto test) { return std::any_of(data_.cells.begin(), data_.cells.end(), test); };
    QStringList legend;
    if (best()) legend << tr("framed: best that fits");
    if (some([](const HeatMapData::Cell& cell) { return cell.fits == false; })) legend << tr("hatched: does not fit");
    if (some([](const HeatMapData::Cell& cell) { return !cell.problem.isEmpty(); })) legend << tr("–: no such plan");
    drawFitting(painter, QRectF(area.left() + mapMargin, area.top() + 2 + line, across, line), Qt::AlignLeft | Qt::AlignVCenter, theme_.axisFont(), {legend.join(QStringLiteral(" · "))});
}

std::optional<std::size_t> HeatMap::pointAt(const QPointF& position) const {
    if (data_.cells.empty()) return std::nullopt;
    const QRectF grid = gridIn(rect());
    if (!grid.contains(position)) return std::nullopt;
    const auto of = [](double share, std::size_t count) { return std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count))); };
    return of((position.y() - grid.top()) / grid.height(), data_.rows.size()) * data_.columns.size() + of((position.x() - grid.left()) / grid.width(), data_.columns.size());
}

QString HeatMap::words(std::size_t point) const {
    const HeatMapData::Cell& cell = data_.cells[point];
    const std::size_t row = point / data_.columns.size(), column = point % data_.columns.size();
    const QString where = tr("%1 = %2, %3 = %4").arg(keyName(data_.rowKey), valueWords(*data_.rows[row]), keyName(data_.columnKey), valueWords(*data_.columns[column]));
    if (!cell.figure) return where + QStringLiteral(": ") + (cell.problem.isEmpty() ? tr("not tried yet") : cell.problem);
    const QString figure = tr("%1: %2 %3").arg(where, figureName(data_.figure), figureWords(data_.figure, *cell.figure));
    return cell.fits == false ? figure + tr("; does not fit") : figure;
}

void HeatMap::pick(std::size_t point) {
    choose(point);
    setAccessibleDescription(words(point));
    emit pointChosen(point);
}

void HeatMap::mouseMoveEvent(QMouseEvent* event) {
    if (const auto point = pointAt(event->position())) QToolTip::showText(event->globalPosition().toPoint(), words(*point), this);
    else QToolTip::hideText();
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
    if (const auto point = pointAt(event->position())) pick(*point);
}

void HeatMap::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto point = pointAt(event->position())) emit openRequested(*point);
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
    if (data_.cells.empty()) return QWidget::keyPressEvent(event);
    const std::size_t columns = data_.columns.size(), now = chosen_.value_or(0);
    const std::size_t row = now / columns, column = now % columns;
    switch (event->key()) {
    case Qt::Key_Right: return pick(column + 1 < columns ? now + 1 : now);
    case Qt::Key_Left: return pick(column > 0 ? now - 1 : now);
    case Qt::Key_Down: return pick(row + 1 < data_.rows.size() ? now + columns : now);
    case Qt::Key_Up: return pick(row > 0 ? now - columns : now);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen_) emit openRequested(*chosen_);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

QByteArray HeatMap::csv() const {
    QByteArray lines = QByteArray::fromStdString(data_.rowKey + ',' + data_.columnKey + ',' + data_.figure) + ",fits\n";
    for (std::size_t i = 0; i < data_.cells.size(); ++i) {
        const HeatMapData::Cell& cell = data_.cells[i];
        lines += QByteArray::fromStdString(data_.rows[i / data_.columns.size()]->dump() + ',' + data_.columns[i % data_.columns.size()]->dump() + ',');
        lines += (cell.figure ? QByteArray::number(*cell.figure, 'g', 17) : QByteArray()) + (cell.fits ? (*cell.fits ? ",1\n" : ",0\n") : ",\n");
    }
    return lines;
}

} // namespace orrery
