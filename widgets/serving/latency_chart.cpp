// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/latency_chart.hpp"

#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"

#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {

/// Where a curve stands on the paper.
struct LatencyChart::Plot {
    std::size_t curve = 0;
    QRectF words, plot;
    double longest = 1; ///< s at the right end

    double x(double seconds) const { return plot.left() + seconds / longest * plot.width(); }
    double y(double share) const { return plot.bottom() - share * plot.height(); }
};

namespace {

constexpr double curveLeft = 48, curveRight = 14, curveBottom = 22, wordLine = 17;
constexpr double leastPlotWidth = 150, leastPlotHeight = 120; // with words: below the one and above the other they stand one below the other
constexpr std::size_t mostPoints = 600;                       // of a curve

struct TimeUnit {
    double seconds = 1;
    QString name;
};

TimeUnit unitOf(double longest) {
    if (longest >= 1) return {1, QStringLiteral("s")};
    return longest >= 1e-3 ? TimeUnit{1e-3, QStringLiteral("ms")} : TimeUnit{1e-6, QStringLiteral("µs")};
}

/// The long tail is left out: the axis ends some way beyond the 99th percentile, or beyond a limit that is not far from it.
double longestShown(const LatencyValues& values) {
    const double tail = values.sorted.empty() ? 1 : values.sorted.back();
    double longest = std::min(tail, values.figures.p99 * 1.3);
    if (values.limit && *values.limit < 4 * longest) longest = std::max(longest, *values.limit * 1.08);
    return longest > 0 ? longest : 1;
}

} // namespace

LatencyChart::LatencyChart(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("latency"), tr("Latency of requests"), {480, 200}, {200, 120}, Qt::NoFocus}, parent) {
}

void LatencyChart::setResult(ResultPtr result) {
    result_ = std::move(result);
    latencies_ = result_ ? latenciesOf(*result_) : std::vector<LatencyValues>();
    setBusy(false);
    QStringList all;
    for (std::size_t i = 0; i < latencies_.size(); ++i) all << latencies_[i].name + QLatin1Char(' ') + percentileText(i);
    setAccessibleDescription(all.join(QStringLiteral("; ")));
    update();
}

bool LatencyChart::hasValues() const { return !latencies_.empty() && !latencies_.back().sorted.empty(); }

QString LatencyChart::percentileText(std::size_t curve) const {
    const LatencyValues& values = latencies_[curve];
    if (values.sorted.empty()) return tr("of no request");
    return tr("p50 %1 · p90 %2 · p99 %3").arg(readableTime(values.figures.p50).text(), readableTime(values.figures.p90).text(), readableTime(values.figures.p99).text());
}

QString LatencyChart::limitText(std::size_t curve) const {
    const LatencyValues& values = latencies_[curve];
    if (!values.limit || values.sorted.empty()) return {};
    return tr("%1 within the SLO of %2").arg(readablePercent(values.shareWithin(*values.limit)).text(), readableTime(*values.limit).text());
}

std::vector<LatencyChart::Plot> LatencyChart::plotsIn(const QRectF& area) const {
    std::vector<Plot> plots;
    const std::size_t count = latencies_.size();
    if (count == 0) return plots;
    const bool beside = area.width() / double(count) >= leastPlotWidth || area.height() / double(count) < leastPlotHeight;
    const double words = 3 * wordLine + 4;
    for (std::size_t i = 0; i < count; ++i) {
        const double part = double(i) / double(count), size = 1.0 / double(count);
        const QRectF cell = beside ? QRectF(area.left() + part * area.width(), area.top(), size * area.width(), area.height())
                                   : QRectF(area.left(), area.top() + part * area.height(), area.width(), size * area.height());
        Plot plot;
        plot.curve = i;
        plot.words = QRectF(cell.left() + 12, cell.top(), cell.width() - 12 - curveRight, words);
        plot.plot = cell.adjusted(curveLeft, words + 4, -curveRight, -curveBottom);
        plot.longest = longestShown(latencies_[i]);
        if (plot.plot.height() >= 16 && plot.plot.width() >= 40) plots.push_back(plot);
    }
    return plots;
}

void LatencyChart::drawCurve(QPainter& painter, const Plot& plot) const {
    const ThemeColors& colors = theme_.colors();
    const LatencyValues& values = latencies_[plot.curve];
    const auto line = [&](double row, const QFont& font, const QColor& ink, const QString& text) {
        painter.setFont(font);
        painter.setPen(ink);
        const QRectF box(plot.words.left(), plot.words.top() + row * wordLine, plot.words.width(), wordLine);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(font).elidedText(text, Qt::ElideRight, box.width()));
    };
    // A narrow plot says less, not half.
    const auto fitting = [&](const QFont& font, const QStringList& longestFirst) {
        const auto fits = [&](const QString& text) { return QFontMetricsF(font).horizontalAdvance(text) <= plot.words.width(); };
        const auto found = std::find_if(longestFirst.begin(), longestFirst.end(), fits);
        return found != longestFirst.end() ? *found : longestFirst.back();
    };
    line(0, theme_.titleFont(), colors.ink, fitting(theme_.titleFont(), {values.name + QStringLiteral(", ") + values.meaning, values.name}));
    QStringList percentiles{percentileText(plot.curve)};
    if (!values.sorted.empty())
        percentiles << tr("p50 %1 · p99 %2").arg(readableTime(values.figures.p50).text(), readableTime(values.figures.p99).text()) << tr("p50 %1").arg(readableTime(values.figures.p50).text());
    line(1, theme_.axisFont(), colors.secondary, fitting(theme_.axisFont(), percentiles));
    QStringList within{limitText(plot.curve)};
    if (!within.front().isEmpty()) {
        const QString share = readablePercent(values.shareWithin(*values.limit)).text();
        within << tr("%1 within %2").arg(share, readableTime(*values.limit).text()) << tr("%1 within").arg(share);
    }
    line(2, theme_.axisFont(), colors.data, fitting(theme_.axisFont(), within));

    painter.setFont(theme_.axisFont());
    const QFontMetricsF metrics(theme_.axisFont());
    const bool tall = plot.plot.height() >= 3 * metrics.height();
    for (const double share : {0.0, 0.5, 1.0}) {
        painter.setPen(QPen(share == 0 ? colors.line : colors.grid, 1));
        painter.drawLine(QPointF(plot.plot.left(), plot.y(share)), QPointF(plot.plot.right(), plot.y(share)));
        if (share == 0.5 && !tall) continue;
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(plot.plot.left() - curveLeft, plot.y(share) - 8, curveLeft - 5, 16), Qt::AlignRight | Qt::AlignVCenter, grouped(100 * share) + QStringLiteral(" %"));
    }
    const TimeUnit unit = unitOf(plot.longest);
    const double step = roundTickStep(plot.longest, std::max(1, static_cast<int>(plot.plot.width() / 56)));
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit.seconds) - 1e-9)));
    double free = plot.plot.left() - 1e9;
    for (int tick = 0; tick * step <= plot.longest * (1 + 1e-9); ++tick) {
        const double value = tick * step;
        const QString text = Readable{grouped(value / unit.seconds, decimals), unit.name}.text();
        const double width = metrics.horizontalAdvance(text) + 2;
        const double left = std::clamp(plot.x(value) - width / 2, plot.plot.left() - curveLeft + 2, plot.plot.right() + curveRight - width - 2);
        painter.setPen(QPen(colors.grid, 1));
        painter.drawLine(QPointF(plot.x(value), plot.plot.bottom()), QPointF(plot.x(value), plot.plot.bottom() + 3));
        if (left < free) continue;
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(left, plot.plot.bottom() + 4, width, metrics.height()), Qt::AlignCenter, text);
        free = left + width + 6;
    }
    if (values.sorted.empty()) return;

    painter.save();
    painter.setClipRect(plot.plot.adjusted(-1, -4, 4, 1));
    QPolygonF curve{QPointF(plot.plot.left(), plot.y(0))};
    const std::size_t count = values.sorted.size(), stride = std::max<std::size_t>(1, count / mostPoints);
    for (std::size_t i = 0; i < count; i += stride) {
        const double x = plot.x(values.sorted[i]);
        if (x > plot.plot.right() + 1) break; // a drawing that leaves the window has no clipping
        curve << QPointF(x, plot.y(double(i + 1) / double(count)));
    }
    if (values.sorted.back() < plot.longest) curve << QPointF(plot.x(values.sorted.back()), plot.y(1)) << QPointF(plot.plot.right(), plot.y(1));
    painter.setPen(QPen(colors.accent, 1.8));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(curve);
    painter.restore();

    if (values.limit && *values.limit <= plot.longest) {
        painter.setPen(QPen(colors.data, 1.5, Qt::DashLine));
        painter.drawLine(QPointF(plot.x(*values.limit), plot.plot.top()), QPointF(plot.x(*values.limit), plot.plot.bottom()));
    }
    painter.setPen(QPen(colors.accent, 1.6));
    painter.setBrush(colors.panel);
    for (const auto& [share, seconds] : {std::pair(0.5, values.figures.p50), std::pair(0.9, values.figures.p90), std::pair(0.99, values.figures.p99)})
        if (seconds <= plot.longest) painter.drawEllipse(QPointF(plot.x(seconds), plot.y(share)), 3, 3);
}

ChartHeading LatencyChart::heading() const {
    const ServingReport* report = result_ ? result_->serving() : nullptr;
    return {tr("Latency"), report ? tr("share of %1 completed requests").arg(grouped(double(report->served.completed))) : QString()};
}

QString LatencyChart::whyNothing() const {
    if (hasValues()) return {};
    return result_ && result_->serving() ? tr("No request was completed: the engine rejected them, or its memory holds no cache.")
                                         : tr("Choose “serving” as the kind of workload.");
}

void LatencyChart::renderBody(QPainter& painter, const QRectF& area) const {
    if (!hasValues()) return drawEmptyState(painter, area, theme_, tr("How long requests take: to the first token, by token and in all."), whyNothing());
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Plot& plot : plotsIn(area)) drawCurve(painter, plot);
}

void LatencyChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    renderBody(painter, rect());
}

QString LatencyChart::describeAt(const QPointF& position) const {
    if (!hasValues()) return {};
    for (const Plot& plot : plotsIn(rect())) {
        if (!plot.plot.contains(position)) continue;
        const LatencyValues& values = latencies_[plot.curve];
        const double seconds = (position.x() - plot.plot.left()) / plot.plot.width() * plot.longest;
        return tr("%1: %2 of the requests within %3").arg(values.name, readablePercent(values.shareWithin(seconds)).text(), readableTime(seconds).text());
    }
    return {};
}

void LatencyChart::mouseMoveEvent(QMouseEvent* event) {
    const QString text = describeAt(event->position());
    if (text.isEmpty()) QToolTip::hideText();
    else QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

ChartPlot LatencyChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::lines;
    plot.x = 1;
    plot.y = {2};
    plot.xTitle = tr("latency in s");
    plot.yTitle = tr("share of requests");
    plot.series = 0;
    return plot;
}

QByteArray LatencyChart::csv() const {
    QByteArray lines = "latency,seconds,share\n";
    for (const LatencyValues& values : latencies_)
        for (std::size_t i = 0; i < values.sorted.size(); ++i)
            lines += values.name.toUtf8() + ',' + QByteArray::number(values.sorted[i], 'g', 17) + ',' + QByteArray::number(double(i + 1) / double(values.sorted.size()), 'g', 10) + '\n';
    return lines;
}

} // namespace orrery
