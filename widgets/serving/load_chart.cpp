// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/load_chart.hpp"

#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/serving/load_figures.hpp"

#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {

/// One latency over throughput on the paper; seconds in decades.
struct LoadChart::Plot {
    QRectF words, plot;
    QString name;
    Distribution ServingMetrics::*values = nullptr;
    std::optional<double> limit; ///< s
    QColor colour;
    double most = 1;                         ///< tokens/s at the right end
    double firstDecade = -2, lastDecade = 0; ///< of seconds

    double x(const LoadPoint& point) const { return plot.left() + std::min(1.0, point.outputTokensPerSecondPerAccelerator / most) * plot.width(); }
    double y(double seconds) const {
        const double share = (std::log10(std::max(seconds, 1e-12)) - firstDecade) / (lastDecade - firstDecade);
        return plot.bottom() - std::clamp(share, 0.0, 1.0) * plot.height();
    }
    QPointF at(const LoadPoint& point, double seconds) const { return {x(point), y(seconds)}; }
};

namespace {

constexpr double axisLeft = 54, axisRight = 18, axisBottom = 34, loadWordLine = 16, plotHead = 18;
constexpr double leastBeside = 250, leastBelow = 130; // px of a plot with its labels: beside each other or one below the other
constexpr double leastCurve = 60;                     // px of a curve's height that are more worth than a line of words

QString tickText(double seconds) {
    // A power of ten, or twice or five times one: all of its digits.
    if (seconds >= 1) return Readable{grouped(seconds), QStringLiteral("s")}.text();
    if (seconds >= 1e-3 * (1 - 1e-9)) return Readable{grouped(seconds * 1e3), QStringLiteral("ms")}.text();
    const double microseconds = seconds * 1e6;
    return Readable{grouped(microseconds, microseconds >= 1 - 1e-9 ? 0 : 3), QStringLiteral("µs")}.text();
}

} // namespace

LoadChart::LoadChart(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("throughput-latency"), tr("Throughput and latency"), {480, 180}, {200, 100}, Qt::NoFocus}, parent) {
}

void LoadChart::setCurve(LoadCurvePtr curve) {
    curve_ = std::move(curve);
    looked_.reset();
    setBusy(false);
    setAccessibleDescription(hasValues() ? kneeText(*curve_) + QStringLiteral(": ") + kneeReason(*curve_) : whyNothing_);
    update();
}

void LoadChart::setTried(std::optional<LoadPoint> point) {
    tried_ = point;
    update();
}

void LoadChart::setWhyNothing(const QString& text) {
    whyNothing_ = text;
    update();
}

std::vector<LoadChart::Plot> LoadChart::plotsIn(const QRectF& area) const {
    std::vector<Plot> plots;
    if (!hasValues()) return plots;
    const QRectF body = area.adjusted(0, wordLines(area) * loadWordLine + 4, 0, 0);
    const bool beside = body.width() >= 2 * leastBeside || body.height() < 2 * leastBelow;
    const ThemeColors& colors = theme_.colors();
    Plot ttft, tpot;
    ttft.name = tr("TTFT");
    ttft.values = &ServingMetrics::ttft;
    ttft.limit = curve_->level.ttft;
    ttft.colour = colors.forward;
    tpot.name = tr("TPOT");
    tpot.values = &ServingMetrics::tpot;
    tpot.limit = curve_->level.tpot;
    tpot.colour = colors.backwardWeights;
    double most = 0;
    for (const LoadPoint& point : curve_->points) most = std::max(most, point.outputTokensPerSecondPerAccelerator);
    for (Plot* plot : {&ttft, &tpot}) {
        const double part = plot == &ttft ? 0 : 0.5;
        const QRectF cell = beside ? QRectF(body.left() + part * body.width(), body.top(), body.width() / 2, body.height())
                                   : QRectF(body.left(), body.top() + part * body.height(), body.width(), body.height() / 2);
        plot->words = QRectF(cell.left() + 12, cell.top(), cell.width() - 12 - axisRight, plotHead);
        plot->plot = cell.adjusted(axisLeft, plotHead + 7, -axisRight, -axisBottom);
        plot->most = most > 0 ? most * 1.04 : 1;
        double least = 1e9, longest = 0;
        const auto take = [&](double seconds) {
            if (!(seconds > 0)) return;
            least = std::min(least, seconds);
            longest = std::max(longest, seconds);
        };
        for (const LoadPoint& point : curve_->points) {
            take((point.served.*plot->values).p50);
            take((point.served.*plot->values).p99);
        }
        if (longest > 0 && plot->limit) take(*plot->limit);
        if (longest > 0) {
            plot->firstDecade = std::log10(least) - 0.1;
            plot->lastDecade = std::log10(longest) + 0.1;
        }
        if (plot->plot.height() >= 16 && plot->plot.width() >= 40) plots.push_back(*plot);
    }
    return plots;
}

/// The reason gives way to the curve where both don't fit: the tool tip and the description have it as well.
int LoadChart::wordLines(const QRectF& area) const { return !kneeReason(*curve_).isEmpty() && area.height() >= 2 * loadWordLine + 4 + plotHead + axisBottom + leastCurve ? 2 : 1; }

void LoadChart::drawWords(QPainter& painter, const QRectF& area) const {
    const ThemeColors& colors = theme_.colors();
    const QRectF line(area.left() + 12, area.top(), area.width() - 24, loadWordLine);
    const auto write = [&](const QRectF& box, const QFont& font, const QColor& ink, const QString& text) {
        const QString shown = QFontMetricsF(font).elidedText(text, Qt::ElideRight, box.width());
        painter.setFont(font);
        painter.setPen(ink);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, shown);
        return QFontMetricsF(font).horizontalAdvance(shown);
    };
    const QString knee = kneeText(*curve_);
    const double used = knee.isEmpty() ? 0 : write(line, theme_.titleFont(), curve_->knee ? colors.data : colors.ink, knee) + 12;
    // What the marks mean stands beside the knee where there is room.
    QString marks = tr("○ now, %1").arg(loadText(curve_->present.kind, curve_->present.value));
    if (tried_) marks += QStringLiteral("   ") + tr("◇ tried, %1").arg(loadText(curve_->present.kind, tried_->load));
    if (QFontMetricsF(theme_.secondaryFont()).horizontalAdvance(marks) <= line.width() - used) write(line.adjusted(used, 0, 0, 0), theme_.secondaryFont(), colors.secondary, marks);
    const QString reason = kneeReason(*curve_);
    if (!reason.isEmpty() && wordLines(area) > 1) write(line.translated(0, loadWordLine), theme_.secondaryFont(), colors.ink, reason);
}

void LoadChart::drawAxes(QPainter& painter, const Plot& plot) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    // Decades; between them also twice and five times where there is room.
    const double decade = plot.plot.height() / (plot.lastDecade - plot.firstDecade);
    double free = plot.plot.bottom() + 1e9;
    for (int power = static_cast<int>(std::floor(plot.firstDecade)); power <= plot.lastDecade; ++power) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            if (factor > 1 && decade < 4 * metrics.height()) continue;
            const double seconds = factor * std::pow(10, power);
            if (std::log10(seconds) < plot.firstDecade || std::log10(seconds) > plot.lastDecade) continue;
            const double y = plot.y(seconds);
            painter.setPen(QPen(colors.grid, 1));
            painter.drawLine(QPointF(plot.plot.left(), y), QPointF(plot.plot.right(), y));
            if (y > free - metrics.height() - 2) continue;
            painter.setPen(colors.secondary);
            painter.drawText(QRectF(plot.plot.left() - axisLeft, y - metrics.height() / 2, axisLeft - 5, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, tickText(seconds));
            free = y;
        }
    }
    painter.setPen(QPen(colors.line, 1));
    painter.drawLine(plot.plot.bottomLeft(), plot.plot.bottomRight());
    const double step = roundTickStep(plot.most, std::max(1, static_cast<int>(plot.plot.width() / 70)));
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    double right = plot.plot.left() - 1e9;
    for (int tick = 0; tick * step <= plot.most * (1 + 1e-9); ++tick) {
        const double x = plot.plot.left() + tick * step / plot.most * plot.plot.width();
        const QString text = grouped(tick * step, decimals);
        const double width = metrics.horizontalAdvance(text) + 2;
        painter.setPen(QPen(colors.line, 1));
        painter.drawLine(QPointF(x, plot.plot.bottom()), QPointF(x, plot.plot.bottom() + 3));
        const double left = std::min(x - width / 2, plot.plot.right() + axisRight - width - 2);
        if (left < right) continue;
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(left, plot.plot.bottom() + 3, width, metrics.height()), Qt::AlignCenter, text);
        right = left + width + 6;
    }
    painter.setPen(colors.secondary);
    const QString axis = metrics.elidedText(tr("output tokens/s per accelerator"), Qt::ElideRight, plot.plot.width());
    painter.drawText(QRectF(plot.plot.left(), plot.plot.bottom() + 4 + metrics.height(), plot.plot.width(), metrics.height()), Qt::AlignCenter, axis);
}

void LoadChart::drawCurve(QPainter& painter, const Plot& plot) const {
    const ThemeColors& colors = theme_.colors();
    if (curve_->knee) {
        const double x = plot.x(curve_->points[curve_->knee->point]);
        QColor beyond = colors.data;
        beyond.setAlphaF(theme_.isDark() ? 0.16f : 0.09f);
        painter.fillRect(QRectF(QPointF(x, plot.plot.top()), plot.plot.bottomRight()), beyond);
        painter.setPen(QPen(colors.data, 1.2, Qt::DashLine));
        painter.drawLine(QPointF(x, plot.plot.top()), QPointF(x, plot.plot.bottom()));
    }
    if (plot.limit) {
        painter.setPen(QPen(colors.data, 1.4, Qt::DashLine));
        painter.drawLine(QPointF(plot.plot.left(), plot.y(*plot.limit)), QPointF(plot.plot.right(), plot.y(*plot.limit)));
    }
    QPolygonF median, tail;
    for (const LoadPoint& point : curve_->points) {
        const Distribution& values = point.served.*plot.values;
        if (!(values.p99 > 0)) continue; // nothing was completed, or no request has a second token
        median << plot.at(point, values.p50);
        tail << plot.at(point, values.p99);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(plot.colour, 1.2, Qt::DotLine));
    painter.drawPolyline(median);
    painter.setPen(QPen(plot.colour, 1.8));
    painter.drawPolyline(tail);
    painter.setPen(QPen(colors.panel, 1));
    painter.setBrush(plot.colour);
    for (const QPointF& place : tail) painter.drawEllipse(place, 3, 3);

    const auto mark = [&](const LoadPoint& point, const auto& shape) {
        const Distribution& values = point.served.*plot.values;
        if (values.p99 > 0) shape(plot.at(point, values.p99));
    };
    painter.setBrush(Qt::NoBrush);
    for (std::size_t i = 0; i < curve_->points.size(); ++i) {
        const LoadPoint& point = curve_->points[i];
        if (point.load == curve_->present.value) {
            painter.setPen(QPen(colors.accent, 1, Qt::DotLine));
            painter.drawLine(QPointF(plot.x(point), plot.plot.top()), QPointF(plot.x(point), plot.plot.bottom()));
            painter.setPen(QPen(colors.accent, 1.8));
            mark(point, [&](const QPointF& place) { painter.drawEllipse(place, 5.5, 5.5); });
        }
        painter.setPen(QPen(colors.ink, 1.4));
        if (looked_ == i) mark(point, [&](const QPointF& place) { painter.drawEllipse(place, 7, 7); });
    }
    painter.setPen(QPen(colors.accent, 1.8));
    if (tried_)
        mark(*tried_, [&](const QPointF& place) {
            painter.drawPolygon(QPolygonF{place + QPointF(0, -6), place + QPointF(6, 0), place + QPointF(0, 6), place + QPointF(-6, 0)});
        });
}

void LoadChart::drawPlot(QPainter& painter, const Plot& plot) const {
    const ThemeColors& colors = theme_.colors();
    painter.setFont(theme_.titleFont());
    painter.setPen(colors.ink);
    painter.drawText(plot.words, Qt::AlignLeft | Qt::AlignVCenter, plot.name);
    double left = plot.words.left() + QFontMetricsF(theme_.titleFont()).horizontalAdvance(plot.name) + 10;
    painter.setFont(theme_.axisFont());
    const QFontMetricsF metrics(theme_.axisFont());
    const auto word = [&](const QString& text, const QColor& ink, const QPen& pen) {
        const double width = metrics.horizontalAdvance(text);
        if (left + 22 + width > plot.words.right()) return;
        painter.setPen(pen);
        painter.drawLine(QPointF(left, plot.words.center().y()), QPointF(left + 16, plot.words.center().y()));
        painter.setPen(ink);
        painter.drawText(QRectF(left + 20, plot.words.top(), width + 1, plot.words.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        left += width + 32;
    };
    word(tr("p99"), colors.secondary, QPen(plot.colour, 1.8));
    word(tr("p50"), colors.secondary, QPen(plot.colour, 1.2, Qt::DotLine));
    if (plot.limit) word(tr("SLO %1").arg(readableTime(*plot.limit).text()), colors.data, QPen(colors.data, 1.4, Qt::DashLine));
    drawAxes(painter, plot);
    drawCurve(painter, plot);
}

ChartHeading LoadChart::heading() const {
    if (!hasValues()) return {tr("Throughput and latency"), {}};
    const LoadKind kind = curve_->present.kind;
    const QString from = loadNumber(curve_->points.front().load), to = loadText(kind, curve_->points.back().load);
    return {tr("Throughput and latency"), curve_->points.size() > 1 ? tr("%1 to %2").arg(from, to) : to};
}

QString LoadChart::whyNothing() const {
    if (hasValues()) return {};
    return whyNothing_.isEmpty() ? tr("Choose “serving” as the kind of workload.") : whyNothing_;
}

void LoadChart::renderBody(QPainter& painter, const QRectF& area) const {
    if (!hasValues()) return drawEmptyState(painter, area, theme_, tr("Throughput against latency under rising load, and where it is too much."), whyNothing());
    painter.setRenderHint(QPainter::Antialiasing);
    drawWords(painter, area);
    for (const Plot& plot : plotsIn(area)) drawPlot(painter, plot);
}

void LoadChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    renderBody(painter, rect());
}

std::optional<std::size_t> LoadChart::pointAt(const QPointF& position) const {
    constexpr double reach = 14; // px
    std::optional<std::size_t> nearest;
    double least = reach;
    for (const Plot& plot : plotsIn(rect()))
        for (std::size_t i = 0; i < curve_->points.size(); ++i)
            for (const double seconds : {(curve_->points[i].served.*plot.values).p99, (curve_->points[i].served.*plot.values).p50}) {
                const QPointF away = plot.at(curve_->points[i], seconds) - position;
                const double distance = std::hypot(away.x(), away.y());
                if (distance > least) continue;
                least = distance;
                nearest = i;
            }
    return nearest;
}

void LoadChart::mouseMoveEvent(QMouseEvent* event) {
    const std::optional<std::size_t> point = pointAt(event->position());
    if (point != looked_) {
        looked_ = point;
        update();
    }
    if (point) QToolTip::showText(event->globalPosition().toPoint(), pointText(curve_->present.kind, curve_->points[*point]), this);
    else QToolTip::hideText();
}

void LoadChart::leaveEvent(QEvent*) {
    looked_.reset();
    update();
}

ChartPlot LoadChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::lines;
    plot.x = 1;
    plot.y = {2, 3, 4, 5};
    plot.xTitle = tr("output tokens/s per accelerator");
    plot.yTitle = tr("latency in s");
    return plot;
}

QByteArray LoadChart::csv() const {
    QByteArray lines = hasValues() && curve_->present.kind == LoadKind::users ? "users" : "requests_per_s";
    lines += ",output_tokens_per_s_per_accelerator,ttft_p50_s,ttft_p99_s,tpot_p50_s,tpot_p99_s,queue_p50_s,goodput_requests_per_s,kv_cache_mean,kv_cache_peak,preemptions,knee\n";
    if (!hasValues()) return lines;
    for (std::size_t i = 0; i < curve_->points.size(); ++i) {
        const LoadPoint& point = curve_->points[i];
        const ServingMetrics& served = point.served;
        const auto number = [](double value) { return QByteArray::number(value, 'g', 10); };
        lines += number(point.load);
        for (const double value : {point.outputTokensPerSecondPerAccelerator, served.ttft.p50, served.ttft.p99, served.tpot.p50, served.tpot.p99, served.queue.p50}) lines += ',' + number(value);
        lines += ',' + (served.goodput ? number(*served.goodput) : QByteArray());
        for (const double value : {served.kvCacheUtilisation, point.cachePeak, static_cast<double>(served.preemptions)}) lines += ',' + number(value);
        lines += curve_->knee && curve_->knee->point == i ? ",1\n" : ",0\n";
    }
    return lines;
}

} // namespace orrery
