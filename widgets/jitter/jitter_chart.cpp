// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/jitter/jitter_chart.hpp"

#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {

/// Where numbers of accelerators (in octaves) and slowdowns (over none) are on the paper.
struct JitterChart::Axes {
    QRectF plot;
    double firstOctave = 3, lastOctave = 14;
    double most = 0.01, step = 0.002;

    double x(double ranks) const { return plot.left() + (std::log2(ranks) - firstOctave) / (lastOctave - firstOctave) * plot.width(); }
    double y(double over) const { return plot.bottom() - over / most * plot.height(); }
};

namespace {

constexpr double leftMargin = 54, rightMargin = 16, topMargin = 28, bottomMargin = 36;

QString percent(double share, double step) {
    const int decimals = step >= 0.01 ? 0 : step >= 0.001 ? 1
                                                          : 2;
    return grouped(100 * share, decimals) + QStringLiteral(" %");
}

} // namespace

JitterChart::JitterChart(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("jitter"), tr("Jitter by the number of accelerators"), {420, 260}, {220, 150}}, parent) {
}

void JitterChart::setResult(ResultPtr result) {
    result_ = std::move(result);
    looked_.reset();
    setBusy(false);
    update();
}

QString JitterChart::subtitle() const {
    const JitterReport* jitter = report();
    if (!jitter) return {};
    const QString method = jitter->draws > 0 ? tr("%1 drawn").arg(grouped(jitter->draws)) : tr("closed form");
    return tr("%1 over none · %2").arg(readablePercent(jitter->own.mean / jitter->without - 1).text(), method);
}

JitterChart::Axes JitterChart::axesIn(const QRectF& area) const {
    Axes axes;
    axes.plot = area.adjusted(leftMargin, topMargin, -rightMargin, -bottomMargin);
    const JitterReport* jitter = report();
    if (!jitter) return axes;
    axes.firstOctave = std::log2(double(jitter->curve.front().ranks));
    axes.lastOctave = std::max(axes.firstOctave + 1, std::log2(double(jitter->curve.back().ranks)));
    double most = 0;
    for (const JitterPoint& point : jitter->curve) most = std::max({most, point.p95 / jitter->without - 1, point.mean / jitter->without - 1});
    most = std::max(most * 1.06, 1e-4);
    axes.step = roundTickStep(most, std::max(2, static_cast<int>(axes.plot.height() / 34)));
    axes.most = std::ceil(most / axes.step) * axes.step;
    return axes;
}

void JitterChart::drawGrid(QPainter& painter, const Axes& axes) const {
    const ThemeColors& colors = theme_.colors();
    painter.setFont(theme_.axisFont());
    const QFontMetricsF metrics(theme_.axisFont());
    for (double over = 0; over <= axes.most * (1 + 1e-9); over += axes.step) {
        painter.setPen(QPen(over == 0 ? colors.line : colors.grid, 1));
        painter.drawLine(QPointF(axes.plot.left(), axes.y(over)), QPointF(axes.plot.right(), axes.y(over)));
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(axes.plot.left() - leftMargin, axes.y(over) - 8, leftMargin - 6, 16), Qt::AlignRight | Qt::AlignVCenter, percent(over, axes.step));
    }
    double free = axes.plot.left() - 1e9;
    for (int octave = static_cast<int>(std::ceil(axes.firstOctave - 1e-9)); octave <= axes.lastOctave + 1e-9; ++octave) {
        const double x = axes.x(std::exp2(octave));
        const QString text = grouped(std::exp2(octave));
        const double half = metrics.horizontalAdvance(text) / 2;
        painter.setPen(QPen(colors.grid, 1));
        painter.drawLine(QPointF(x, axes.plot.bottom()), QPointF(x, axes.plot.bottom() + 3));
        if (x - half < free) continue;
        painter.setPen(colors.secondary);
        const double left = std::min(x - half - 2, axes.plot.right() + rightMargin - 2 * half - 6);
        painter.drawText(QRectF(left, axes.plot.bottom() + 4, 2 * half + 4, 14), Qt::AlignCenter, text);
        free = x + half + 8;
    }
    painter.setPen(colors.secondary);
    painter.drawText(QRectF(axes.plot.left(), axes.plot.bottom() + 18, axes.plot.width(), 14), Qt::AlignCenter, tr("accelerators, the same work for each"));
}

void JitterChart::drawLines(QPainter& painter, const Axes& axes) const {
    const JitterReport& jitter = *report();
    const auto at = [&](const JitterPoint& point, double seconds) { return QPointF(axes.x(point.ranks), axes.y(std::max(0.0, seconds / jitter.without - 1))); };
    QPolygonF band, mean, alike;
    for (const JitterPoint& point : jitter.curve) {
        band << at(point, point.p95);
        mean << at(point, point.mean);
        alike << at(point, point.mean - point.hosts);
    }
    for (auto point = jitter.curve.rbegin(); point != jitter.curve.rend(); ++point) band << at(*point, point->p5);
    QColor fill = theme_.colors().accent;
    fill.setAlphaF(theme_.isDark() ? 0.28f : 0.18f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(band);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme_.colors().secondary, 1.4, Qt::DashLine));
    painter.drawPolyline(alike);
    painter.setPen(QPen(theme_.colors().accent, 2));
    painter.drawPolyline(mean);
}

void JitterChart::drawMarks(QPainter& painter, const Axes& axes) const {
    const JitterReport& jitter = *report();
    for (std::size_t i = 0; i < jitter.curve.size(); ++i) {
        const JitterPoint& point = jitter.curve[i];
        const bool own = point.ranks == jitter.own.ranks;
        const QPointF place(axes.x(point.ranks), axes.y(std::max(0.0, point.mean / jitter.without - 1)));
        painter.setPen(QPen(theme_.colors().panel, 1.5));
        painter.setBrush(theme_.colors().accent);
        painter.drawEllipse(place, own ? 5 : 3, own ? 5 : 3);
        if (looked_ == i) {
            painter.setPen(QPen(theme_.colors().ink, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(place, 7, 7);
        }
        if (!own) continue;
        painter.setFont(theme_.secondaryFont());
        painter.setPen(theme_.colors().ink);
        const QString text = grouped(point.ranks) + QStringLiteral(": +") + readablePercent(point.mean / jitter.without - 1).text();
        const double width = QFontMetricsF(theme_.secondaryFont()).horizontalAdvance(text) + 4;
        // Above the band, where nothing is drawn, and not beyond the paper.
        const double left = std::clamp(place.x() - width / 2, axes.plot.left(), axes.plot.right() - width);
        const double top = std::max(axes.plot.top() - 16, axes.y(std::max(0.0, point.p95 / jitter.without - 1)) - 20);
        painter.drawText(QRectF(left, top, width, 16), Qt::AlignCenter, text);
    }
}

void JitterChart::drawLegend(QPainter& painter, const QRectF& area) const {
    const ThemeColors& colors = theme_.colors();
    painter.setFont(theme_.secondaryFont());
    const QFontMetricsF metrics(theme_.secondaryFont());
    double left = area.left() + 12;
    const double y = area.top() + 10;
    const auto entry = [&](const QString& text, const auto& sign) {
        const double width = metrics.horizontalAdvance(text) + 30;
        if (left + width > area.right()) return;
        sign(QRectF(left, y - 5, 18, 10));
        painter.setPen(colors.secondary);
        painter.drawText(QPointF(left + 23, y + metrics.ascent() / 2 - 1), text);
        left += width + 8;
    };
    entry(tr("mean"), [&](const QRectF& box) {
        painter.setPen(QPen(colors.accent, 2));
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
    });
    entry(tr("5 to 95 %"), [&](const QRectF& box) {
        QColor fill = colors.accent;
        fill.setAlphaF(theme_.isDark() ? 0.28f : 0.18f);
        painter.fillRect(box, fill);
    });
    entry(tr("all hosts alike"), [&](const QRectF& box) {
        painter.setPen(QPen(colors.secondary, 1.4, Qt::DashLine));
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
    });
}

ChartHeading JitterChart::heading() const { return {tr("Jitter"), subtitle()}; }

QString JitterChart::whyNothing() const {
    if (report()) return {};
    const bool everyRank = result_ && result_->scenario.execution.jitter.sigma > 0;
    return everyRank ? tr("Here every rank draws for itself. Under Execution choose how Jitter is taken to see it by the number of accelerators.")
                     : tr("Under Execution set Jitter to “expected”: kernels then vary by 2 %, or by what you say.");
}

void JitterChart::renderBody(QPainter& painter, const QRectF& body) const {
    if (!report()) return drawEmptyState(painter, body, theme_, tr("What kernels and hosts that vary cost, from 8 to 16,384 accelerators."), whyNothing());
    painter.setRenderHint(QPainter::Antialiasing);
    const Axes axes = axesIn(body);
    drawGrid(painter, axes);
    drawLines(painter, axes);
    drawMarks(painter, axes);
    drawLegend(painter, body);
}

void JitterChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    renderChart(painter, rect());
}

std::optional<std::size_t> JitterChart::pointAt(const QPointF& position) const {
    const JitterReport* jitter = report();
    if (!jitter) return std::nullopt;
    const Axes axes = axesIn(QRectF(rect()).adjusted(0, PanelHeader::lineHeight, 0, 0));
    if (!axes.plot.adjusted(-8, -8, 8, 8).contains(position)) return std::nullopt;
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < jitter->curve.size(); ++i)
        if (std::abs(axes.x(jitter->curve[i].ranks) - position.x()) < std::abs(axes.x(jitter->curve[nearest].ranks) - position.x())) nearest = i;
    return nearest;
}

QString JitterChart::describe(std::size_t index) const {
    const JitterReport& jitter = *report();
    const JitterPoint& point = jitter.curve[index];
    const auto over = [&](double seconds) { return readablePercent(seconds / jitter.without - 1).text(); };
    QStringList lines{tr("%1 accelerators").arg(grouped(point.ranks)),
                      tr("mean %1, %2 over %3 without jitter").arg(readableTime(point.mean).text(), over(point.mean), readableTime(jitter.without).text()),
                      tr("nine in ten between %1 and %2").arg(readableTime(point.p5).text(), readableTime(point.p95).text())};
    if (point.hosts > 0) lines << tr("hosts that differ cost %1 of it").arg(readableTime(point.hosts).text());
    return lines.join(QLatin1Char('\n'));
}

void JitterChart::look(std::optional<std::size_t> point) {
    if (looked_ == point) return;
    looked_ = point;
    setAccessibleDescription(point ? describe(*point) : QString());
    update();
}

void JitterChart::mouseMoveEvent(QMouseEvent* event) {
    look(pointAt(event->position()));
    if (looked_) QToolTip::showText(event->globalPosition().toPoint(), describe(*looked_), this);
    else QToolTip::hideText();
}

void JitterChart::leaveEvent(QEvent*) { look(std::nullopt); }

void JitterChart::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1
                                                                                    : 0;
    if (by == 0 || !report()) return QWidget::keyPressEvent(event);
    const auto last = static_cast<int>(report()->curve.size()) - 1;
    look(static_cast<std::size_t>(std::clamp(looked_ ? static_cast<int>(*looked_) + by : 0, 0, last)));
    QToolTip::showText(mapToGlobal(QPoint(width() / 2, PanelHeader::lineHeight)), describe(*looked_), this);
}

ChartPlot JitterChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::lines;
    plot.x = 0;
    plot.y = {1, 2, 4};
    plot.xTitle = tr("accelerators");
    plot.yTitle = tr("iteration time in s");
    plot.logarithmic = true;
    return plot;
}

QByteArray JitterChart::csv() const {
    QByteArray lines = "accelerators,mean_s,p5_s,p50_s,p95_s,hosts_s,without_s\n";
    if (!report()) return lines;
    for (const JitterPoint& point : report()->curve) {
        lines += QByteArray::number(point.ranks);
        for (const double seconds : {point.mean, point.p5, point.p50, point.p95, point.hosts, report()->without}) lines += ',' + QByteArray::number(seconds, 'g', 10);
        lines += '\n';
    }
    return lines;
}

} // namespace orrery
