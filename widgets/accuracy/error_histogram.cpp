// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accuracy/error_histogram.hpp"

#include "widgets/accuracy/accuracy_words.hpp"
#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double margin = 12;
constexpr double swatch = 9;

QColor withAlpha(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

} // namespace

ErrorHistogram::ErrorHistogram(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("accuracy"), tr("Runs by error"), {420, 240}, {260, 150}, Qt::NoFocus}, parent) {
    setErrors({});
}

int ErrorHistogram::binOf(double error) { return static_cast<int>(std::floor((std::clamp(error, -end, end - 1e-9) + end) / binWidth)); }

std::vector<int> ErrorHistogram::count(const std::vector<double>& errors) {
    std::vector<int> counts(bins, 0);
    for (const double error : errors) ++counts[static_cast<std::size_t>(binOf(error))];
    return counts;
}

void ErrorHistogram::setErrors(Errors errors) {
    errors_ = std::move(errors);
    all_ = count(errors_.all);
    chosen_ = count(errors_.chosen);
    leftOut_ = count(errors_.leftOut);
    setAccessibleDescription(tr("%1: %2 runs").arg(errors_.title).arg(errors_.chosen.size()));
    update();
}

ErrorHistogram::Frame ErrorHistogram::frame(const QRectF& area) const {
    const QFontMetricsF axis(theme_.axisFont());
    Frame at;
    const int most = std::max({*std::max_element(all_.begin(), all_.end()), *std::max_element(leftOut_.begin(), leftOut_.end()), 1});
    const double top = area.top() + QFontMetricsF(theme_.secondaryFont()).height() + axis.height() + 12;
    const double bottom = area.bottom() - 2 * axis.height() - 10;
    at.step = std::max(1.0, roundTickStep(most, std::max(2, static_cast<int>((bottom - top) / 30))));
    at.most = std::ceil(most / at.step) * at.step;
    const double left = area.left() + margin + axis.horizontalAdvance(grouped(at.most)) + 6;
    at.plot = QRectF(left, top, std::max(20.0, area.right() - margin - left), std::max(20.0, bottom - top));
    return at;
}

QRectF ErrorHistogram::barRect(const Frame& at, int bin, int count) const {
    const double left = at.x(-end + bin * binWidth), right = at.x(-end + (bin + 1) * binWidth), top = at.y(count);
    const double gap = right - left > 6 ? 1 : 0;
    return {left + gap, top, right - left - 2 * gap, at.plot.bottom() - top};
}

QRectF ErrorHistogram::barRect(int bin) const { return barRect(frame(rect()), bin, chosen_[static_cast<std::size_t>(bin)]); }

void ErrorHistogram::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    draw(painter, rect());
}

void ErrorHistogram::draw(QPainter& painter, const QRectF& area) const {
    if (errors_.all.empty()) {
        drawEmptyState(painter, area, theme_, tr("Measured runs by how far off their prediction is."), tr("No run has measured this."));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    const Frame at = frame(area);
    drawLegend(painter, area);
    drawAxes(painter, at, area);
    const ThemeColors& colors = theme_.colors();
    for (int bin = 0; bin < bins; ++bin) {
        const auto i = static_cast<std::size_t>(bin);
        if (all_[i] > 0) painter.fillRect(barRect(at, bin, all_[i]), withAlpha(colors.pipeline, 0.28));
        if (chosen_[i] > 0) painter.fillRect(barRect(at, bin, chosen_[i]), colors.forward);
    }
    if (errors_.leftOut.empty()) return;
    QPolygonF outline;
    for (int bin = 0; bin < bins; ++bin) {
        const double y = at.y(leftOut_[static_cast<std::size_t>(bin)]);
        outline << QPointF(at.x(-end + bin * binWidth), y) << QPointF(at.x(-end + (bin + 1) * binWidth), y);
    }
    painter.setPen(QPen(colors.ink, 1.2, Qt::DashLine));
    painter.drawPolyline(outline);
}

void ErrorHistogram::drawAxes(QPainter& painter, const Frame& at, const QRectF& area) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    for (double value = 0; value <= at.most * (1 + 1e-9); value += at.step) {
        painter.setPen(QPen(value == 0 ? colors.line : colors.grid, 1));
        painter.drawLine(QPointF(at.plot.left(), at.y(value)), QPointF(at.plot.right(), at.y(value)));
        painter.setPen(colors.secondary);
        const QString text = grouped(value);
        const double width = metrics.horizontalAdvance(text) + 2;
        painter.drawText(QRectF(at.plot.left() - 5 - width, at.y(value) - metrics.height() / 2, width, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter.drawText(QRectF(area.left() + margin / 2, at.plot.top() - metrics.height() - 6, 60, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, tr("runs"));
    const double widest = metrics.horizontalAdvance(QStringLiteral("≥ +50")) + 6;
    double step = 10;
    for (const double wider : {25.0, 50.0})
        if (at.plot.width() * step / (2 * end) < widest) step = wider;
    for (double error = -end; error <= end; error += step) {
        QString text = error == 0 ? QStringLiteral("0") : (error < 0 ? QStringLiteral("−") : QStringLiteral("+")) + grouped(std::abs(error));
        if (error == -end) text = QStringLiteral("≤ ") + text;
        if (error == end) text = QStringLiteral("≥ ") + text;
        const double width = metrics.horizontalAdvance(text) + 2;
        const double left = std::clamp(at.x(error) - width / 2, area.left() + 2, area.right() - 2 - width);
        painter.drawText(QRectF(left, at.plot.bottom() + 3, width, metrics.height()), Qt::AlignCenter, text);
    }
    const QString label = tr("error of the prediction in percent, + is too slow or too big");
    painter.drawText(QRectF(at.plot.left(), at.plot.bottom() + 4 + metrics.height(), at.plot.width(), metrics.height()), Qt::AlignHCenter | Qt::AlignVCenter,
                     metrics.elidedText(label, Qt::ElideRight, at.plot.width()));
    painter.setPen(QPen(colors.secondary, 1));
    painter.drawLine(QPointF(at.x(0), at.plot.top()), QPointF(at.x(0), at.plot.bottom()));
}

void ErrorHistogram::drawLegend(QPainter& painter, const QRectF& area) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.secondaryFont());
    painter.setFont(theme_.secondaryFont());
    double x = area.left() + margin;
    const double y = area.top() + 6;
    const auto entry = [&](const QString& wanted, const QColor& color, bool dashed) {
        const double room = area.right() - margin - x - 15;
        if (room < 40) return;
        const QString name = metrics.elidedText(wanted, Qt::ElideRight, room);
        if (dashed) {
            painter.setPen(QPen(color, 1.2, Qt::DashLine));
            painter.drawLine(QPointF(x, y + metrics.height() / 2), QPointF(x + 12, y + metrics.height() / 2));
        } else {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawRoundedRect(QRectF(x, y + (metrics.height() - swatch) / 2, swatch, swatch), 2, 2);
        }
        painter.setPen(colors.ink);
        painter.drawText(QRectF(x + 15, y, metrics.horizontalAdvance(name) + 2, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += 15 + metrics.horizontalAdvance(name) + 16;
    };
    entry(errors_.title, colors.forward, false);
    if (errors_.chosen.size() != errors_.all.size()) entry(tr("all runs"), withAlpha(colors.pipeline, 0.28), false);
    if (!errors_.leftOut.empty()) entry(tr("left out"), colors.ink, true);
}

bool ErrorHistogram::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || errors_.all.empty()) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Frame at = frame(rect());
    const double share = (help->pos().x() - at.plot.left()) / at.plot.width();
    const int bin = static_cast<int>(std::floor(share * bins));
    if (bin < 0 || bin >= bins) {
        QToolTip::hideText();
        return true;
    }
    const double from = -end + bin * binWidth;
    QToolTip::showText(help->globalPos(),
                       tr("%1 to %2: %3 of %4 runs")
                           .arg(signedPercent(from), signedPercent(from + binWidth))
                           .arg(chosen_[static_cast<std::size_t>(bin)])
                           .arg(errors_.chosen.size()),
                       this);
    return true;
}

ChartHeading ErrorHistogram::heading() const { return {tr("Accuracy"), errors_.title}; }

QString ErrorHistogram::whyNothing() const { return errors_.all.empty() ? tr("No run has measured this.") : QString(); }

void ErrorHistogram::renderBody(QPainter& painter, const QRectF& area) const { draw(painter, area); }

ChartPlot ErrorHistogram::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::bars;
    plot.x = 0;
    plot.y = {3};
    plot.xTitle = tr("error in %, from");
    plot.yTitle = tr("runs");
    return plot;
}

QByteArray ErrorHistogram::csv() const {
    if (errors_.all.empty()) return {};
    QByteArray text = "error_from_percent,error_to_percent,runs,of_all_runs,left_out_runs\n";
    for (int bin = 0; bin < bins; ++bin) {
        const auto i = static_cast<std::size_t>(bin);
        const double from = -end + bin * binWidth;
        text += QByteArray::number(from) + ',' + QByteArray::number(from + binWidth) + ',' + QByteArray::number(chosen_[i]) + ',' + QByteArray::number(all_[i]) + ',' +
                QByteArray::number(leftOut_[i]) + '\n';
    }
    return text;
}

} // namespace orrery
