// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/tornado_chart.hpp"

#include "core/base/text.hpp"
#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/place_words.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/form_keys.hpp"
#include "widgets/explore/value_axis.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double tornadoMargin = 12, leastRow = 20, mostRow = 34;
constexpr double nothing = 1e-9; ///< of the figure: rounding

QString signedPercent(double share) {
    constexpr double leastShown = 5e-4; // what one decimal of a percentage rounds to nothing is said to be less
    if (std::abs(share) < leastShown) return QStringLiteral("< ") + readablePercent(2 * leastShown).text();
    return (share < 0 ? QStringLiteral("−") : QStringLiteral("+")) + readablePercent(std::abs(share)).text();
}

/// As the form calls it; what has no field by its place, without the sections that all of them share.
QString inputName(const std::string& pointer) {
    if (const QString known = formKeyName(pointer); !known.isEmpty()) return known;
    QString words = placeWords(pointer);
    for (const char* section : {"/execution/calibration", "/cluster/topology", "/cluster"})
        if (const QString shared = placeWords(section) + QStringLiteral(" › "); words.startsWith(shared)) return words.mid(shared.size());
    return words;
}

} // namespace

struct TornadoChart::Frame {
    QRectF plot;
    bool namesAbove = false; ///< in a narrow column each name has a line of its own over its bar
    double rowHeight = mostRow;
    std::size_t rows = 0; ///< that there is room for
    ValueAxis axis;
    double x(double figure) const { return plot.left() + axis.share(figure) * plot.width(); }
    QRectF barRow(std::size_t index, double nameLine) const { return namesAbove ? row(index).adjusted(0, nameLine, 0, 0) : row(index); }
    QRectF row(std::size_t index) const { return {plot.left(), plot.top() + rowHeight * static_cast<double>(index), plot.width(), rowHeight}; }
};

TornadoChart::TornadoChart(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("sensitivity"), tr("What a figure hangs on")}, parent) {}

void TornadoChart::setSensitivity(std::optional<Sensitivity> sensitivity) {
    sensitivity_ = std::move(sensitivity);
    chosen_.reset();
    bars_ = 0;
    if (sensitivity_) {
        const auto moves = [this](const SensitivityRow& row) { return row.swing(sensitivity_->base) > nothing * std::abs(sensitivity_->base); };
        bars_ = static_cast<std::size_t>(std::count_if(sensitivity_->rows.begin(), sensitivity_->rows.end(), moves));
    }
    update();
}

QString TornadoChart::whyNothing() const { return bars_ > 0 ? QString() : tr("What the figure becomes when each input is less and more. Run it for a figure."); }

ChartHeading TornadoChart::heading() const {
    if (!sensitivity_) return {tr("Sensitivity"), {}};
    return {tr("%1, each input %2 % less and more").arg(figureName(sensitivity_->measure.pointer), QString::fromStdString(formatNumber(sensitivity_->byPercent))), {}};
}

TornadoChart::Frame TornadoChart::frameIn(const QRectF& area) const {
    Frame at;
    const QFontMetricsF names(theme_.secondaryFont()), axis(theme_.axisFont());
    double widest = 0, least = sensitivity_->base, most = sensitivity_->base;
    for (std::size_t i = 0; i < bars_; ++i) {
        const SensitivityRow& row = sensitivity_->rows[i];
        widest = std::max(widest, names.horizontalAdvance(inputName(row.input)));
        for (const auto& figure : {row.low, row.high})
            if (figure) {
                least = std::min(least, *figure);
                most = std::max(most, *figure);
            }
    }
    at.axis = {least, most};
    if (!(most > least)) at.axis = ValueAxis::around(least, most, false);
    const double percent = axis.horizontalAdvance(QStringLiteral("−100.0 %")) + 8; // beside the longest bar, at both ends
    constexpr double mostForNames = 0.42;                                          // of the width: the bars are what the chart is for
    at.namesAbove = widest > area.width() * mostForNames;
    const double left = area.left() + tornadoMargin + (at.namesAbove ? 0 : widest + 10) + percent;
    const double top = area.top() + 2 * axis.height() + 8;
    at.plot = QRectF(left, top, std::max(30.0, area.right() - tornadoMargin - percent - left), std::max(20.0, area.bottom() - top - 6));
    const double nameLine = at.namesAbove ? names.height() : 0;
    at.rowHeight = std::clamp(at.plot.height() / static_cast<double>(std::max<std::size_t>(1, bars_)), leastRow - (at.namesAbove ? 4 : 0) + nameLine, mostRow + nameLine);
    at.rows = std::min(bars_, static_cast<std::size_t>(at.plot.height() / at.rowHeight));
    return at;
}

QRectF TornadoChart::barRect(std::size_t row) const {
    if (!sensitivity_ || row >= bars_) return {};
    const Frame at = frameIn(rect());
    if (row >= at.rows) return {};
    const SensitivityRow& one = sensitivity_->rows[row];
    const double base = at.x(sensitivity_->base), a = one.low ? at.x(*one.low) : base, b = one.high ? at.x(*one.high) : base;
    const QRectF box = at.barRow(row, QFontMetricsF(theme_.secondaryFont()).height());
    return {std::min({a, b, base}), box.top() + 3, std::max({a, b, base}) - std::min({a, b, base}), box.height() - 6};
}

void TornadoChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    if (bars_ == 0) {
        const bool ran = sensitivity_.has_value();
        return drawEmptyState(painter, rect(), theme_, ran ? tr("No input changes this figure.") : tr("What the figure becomes when each input is less and more."),
                              ran ? tr("Choose another figure.") : tr("Choose a figure and run it."));
    }
    draw(painter, rect(), true);
}

void TornadoChart::renderBody(QPainter& painter, const QRectF& area) const {
    if (bars_ > 0) draw(painter, area, false);
}

void TornadoChart::draw(QPainter& painter, const QRectF& area, bool marks) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& colors = theme_.colors();
    const Frame at = frameIn(area);
    const double base = at.x(sensitivity_->base);
    const QFontMetricsF names(theme_.secondaryFont()), small(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    painter.setPen(colors.ink);
    const QString now = tr("%1 %2").arg(figureName(sensitivity_->measure.pointer), figureWords(sensitivity_->measure.pointer, sensitivity_->base));
    const double nowWidth = std::min(small.horizontalAdvance(now) + 4, area.width() - 2 * tornadoMargin);
    drawFitting(painter, QRectF(std::clamp(base - nowWidth / 2, area.left() + tornadoMargin, area.right() - tornadoMargin - nowWidth), area.top() + small.height() + 4, nowWidth, small.height()), Qt::AlignCenter, theme_.axisFont(), {now});
    const QString by = QString::fromStdString(formatNumber(sensitivity_->byPercent));
    painter.setPen(colors.secondary);
    const QString legend = tr("□ input %1 % less   ■ %1 % more").arg(by) + (at.rows < bars_ ? tr("   (%1 of %2 shown)").arg(at.rows).arg(bars_) : QString());
    drawFitting(painter, QRectF(area.left() + tornadoMargin, area.top() + 2, area.width() - 2 * tornadoMargin, small.height()), Qt::AlignLeft | Qt::AlignVCenter, theme_.axisFont(), {legend});
    const bool less = lessIsBetter(sensitivity_->measure.pointer);
    for (std::size_t i = 0; i < at.rows; ++i) {
        const SensitivityRow& row = sensitivity_->rows[i];
        const QRectF box = at.barRow(i, names.height());
        if (marks && chosen_ == i) painter.fillRect(QRectF(area.left() + 4, box.top(), area.width() - 8, box.height()), colors.grid);
        double leftmost = base, rightmost = base;
        std::optional<double> leftShare, rightShare;
        const auto bar = [&](const std::optional<double>& figure, bool more) {
            if (!figure || *figure == sensitivity_->base) return;
            const double x = at.x(*figure);
            const QColor color = (*figure < sensitivity_->base) == less ? colors.good : colors.warning;
            const QRectF rect(std::min(x, base), box.top() + 4, std::abs(x - base), box.height() - 8);
            painter.setPen(QPen(color, 1.3));
            painter.setBrush(more ? QBrush(color) : QBrush(colors.panel));
            painter.drawRect(rect);
            if (x < leftmost) leftShare = *figure / sensitivity_->base - 1;
            if (x > rightmost) rightShare = *figure / sensitivity_->base - 1;
            leftmost = std::min(leftmost, x);
            rightmost = std::max(rightmost, x);
        };
        bar(row.low, false);
        bar(row.high, true);
        painter.setFont(theme_.axisFont());
        painter.setPen(colors.secondary);
        if (leftShare) painter.drawText(QRectF(leftmost - 76, box.top(), 72, box.height()), Qt::AlignRight | Qt::AlignVCenter, signedPercent(*leftShare));
        if (rightShare) painter.drawText(QRectF(rightmost + 4, box.top(), 72, box.height()), Qt::AlignLeft | Qt::AlignVCenter, signedPercent(*rightShare));
        painter.setFont(theme_.secondaryFont());
        painter.setPen(colors.ink);
        const double percent = small.horizontalAdvance(QStringLiteral("−100.0 %")) + 8;
        const QRectF name = at.namesAbove ? QRectF(area.left() + tornadoMargin, at.row(i).top(), area.width() - 2 * tornadoMargin, names.height())
                                          : QRectF(area.left() + tornadoMargin, box.top(), at.plot.left() - percent - area.left() - tornadoMargin - 4, box.height());
        drawFitting(painter, name, (at.namesAbove ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, theme_.secondaryFont(), {inputName(row.input)});
    }
    painter.setPen(QPen(colors.ink, 1));
    painter.drawLine(QPointF(base, at.plot.top() - 2), QPointF(base, at.plot.top() + at.rowHeight * static_cast<double>(at.rows)));
}

std::optional<std::size_t> TornadoChart::rowAt(const QPointF& position) const {
    if (bars_ == 0) return std::nullopt;
    const Frame at = frameIn(rect());
    const double row = (position.y() - at.plot.top()) / at.rowHeight;
    if (row < 0 || row >= static_cast<double>(at.rows)) return std::nullopt;
    return static_cast<std::size_t>(row);
}

QString TornadoChart::words(const SensitivityRow& row) const {
    const std::string& pointer = sensitivity_->measure.pointer;
    const auto figure = [&](const std::optional<double>& value) { return value ? figureWords(pointer, *value) : tr("no sound scenario"); };
    const QString by = QString::fromStdString(formatNumber(sensitivity_->byPercent));
    return tr("%1 = %2\n%3 % less: %4\n%3 % more: %5\nClick for a sweep over it").arg(inputName(row.input), QString::fromStdString(formatNumber(row.value)), by, figure(row.low), figure(row.high));
}

void TornadoChart::mouseMoveEvent(QMouseEvent* event) {
    const auto row = rowAt(event->position());
    setCursor(row ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (row) QToolTip::showText(event->globalPosition().toPoint(), words(sensitivity_->rows[*row]), this);
    else QToolTip::hideText();
    if (row == chosen_) return;
    chosen_ = row;
    update();
}

void TornadoChart::leaveEvent(QEvent*) {
    chosen_.reset();
    update();
}

void TornadoChart::mousePressEvent(QMouseEvent* event) {
    if (const auto row = rowAt(event->position())) emit sweepRequested(*row);
}

void TornadoChart::keyPressEvent(QKeyEvent* event) {
    if (bars_ == 0) return QWidget::keyPressEvent(event);
    const std::size_t last = frameIn(rect()).rows - 1;
    if (event->key() == Qt::Key_Down) chosen_ = chosen_ ? std::min(*chosen_ + 1, last) : 0;
    else if (event->key() == Qt::Key_Up) chosen_ = chosen_ && *chosen_ > 0 ? *chosen_ - 1 : 0;
    else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && chosen_) return emit sweepRequested(*chosen_);
    else return QWidget::keyPressEvent(event);
    setAccessibleDescription(words(sensitivity_->rows[*chosen_]));
    update();
}

ChartPlot TornadoChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::ranges;
    plot.x = 0;
    plot.y = {2};
    plot.xTitle = sensitivity_ ? figureInItsUnit(sensitivity_->measure.pointer) : QString();
    plot.yTitle = tr("input");
    plot.end = 3;
    plot.categoryWords = [](const QString& input) { return keyName(input.toStdString()); };
    return plot;
}

QByteArray TornadoChart::csv() const {
    QByteArray lines = "input,value,low,high\n";
    if (!sensitivity_) return lines;
    const auto number = [](const std::optional<double>& value) { return value ? QByteArray::number(*value, 'g', 17) : QByteArray(); };
    for (const SensitivityRow& row : sensitivity_->rows) lines += QByteArray::fromStdString(row.input) + ',' + QByteArray::number(row.value, 'g', 17) + ',' + number(row.low) + ',' + number(row.high) + '\n';
    return lines;
}

} // namespace orrery
