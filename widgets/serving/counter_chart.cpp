// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/counter_chart.hpp"

#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"

#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {

/// One counter on the paper.
struct CounterChart::Lane {
    QRectF area;
    QString name, unit;
    double (*value)(const CounterSample&) = nullptr;
    double most = 1;  ///< at the top
    double limit = 0; ///< 0: none
    QColor colour;
};

namespace {

constexpr double laneLeft = 92, laneRight = 16, laneTop = 8, laneBottom = 22, laneGap = 12;

} // namespace

CounterChart::CounterChart(const Theme& theme, Selection& selection, QWidget* parent) : ChartWidget(theme, {QStringLiteral("engine-over-time"), tr("Engine over time"), {480, 200}, {200, 120}, Qt::NoFocus}, parent), selection_(selection) {
    const auto repaint = [this] { update(); };
    connect(&selection_, &Selection::cursorChanged, this, repaint);
    connect(&selection_, &Selection::rangeChanged, this, repaint);
}

void CounterChart::setResult(ResultPtr result) {
    result_ = std::move(result);
    counters_ = result_ && result_->serving() ? countersOf(*result_->serving()) : ServingCounters();
    setBusy(false);
    setAccessibleDescription(heading().subtitle);
    update();
}

QRectF CounterChart::plotIn(const QRectF& area) const { return area.adjusted(laneLeft, laneTop, -laneRight, -laneBottom); }

double CounterChart::x(const QRectF& plot, double seconds) const { return plot.left() + seconds / counters_.duration * plot.width(); }

void CounterChart::drawLane(QPainter& painter, const Lane& lane) const {
    const ThemeColors& colors = theme_.colors();
    const auto y = [&](double value) { return lane.area.bottom() - std::min(1.0, value / lane.most) * lane.area.height(); };
    painter.setPen(QPen(colors.line, 1));
    painter.drawLine(lane.area.bottomLeft(), lane.area.bottomRight());

    // The most in each pixel: runs have a million steps.
    const int width = std::max(1, static_cast<int>(lane.area.width()));
    std::vector<double> most(static_cast<std::size_t>(width), 0);
    for (std::size_t i = 0; i < counters_.samples.size(); ++i) {
        const double from = counters_.samples[i].time, to = i + 1 < counters_.samples.size() ? counters_.samples[i + 1].time : counters_.duration;
        const double value = lane.value(counters_.samples[i]);
        const int first = std::clamp(static_cast<int>(from / counters_.duration * width), 0, width - 1);
        const int last = std::clamp(static_cast<int>(to / counters_.duration * width), first, width - 1);
        for (int column = first; column <= last; ++column) most[static_cast<std::size_t>(column)] = std::max(most[static_cast<std::size_t>(column)], value);
    }
    QPolygonF shape{lane.area.bottomLeft()};
    for (int column = 0; column < width; ++column) {
        const double top = y(most[static_cast<std::size_t>(column)]);
        shape << QPointF(lane.area.left() + column, top) << QPointF(lane.area.left() + column + 1, top);
    }
    shape << lane.area.bottomRight();
    QColor fill = lane.colour;
    fill.setAlphaF(theme_.isDark() ? 0.35f : 0.25f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(shape);
    shape.removeFirst();
    shape.removeLast();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(lane.colour, 1.2));
    painter.drawPolyline(shape);

    if (lane.limit > 0 && lane.limit <= lane.most) {
        painter.setPen(QPen(colors.data, 1.4, Qt::DashLine));
        painter.drawLine(QPointF(lane.area.left(), y(lane.limit)), QPointF(lane.area.right(), y(lane.limit)));
    }
    const double left = lane.area.left() - laneLeft + 12, room = laneLeft - 18;
    const auto text = [&](double top, const QFont& font, const QColor& ink, const QString& what) {
        painter.setFont(font);
        painter.setPen(ink);
        painter.drawText(QRectF(left, top, room, 15), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(font).elidedText(what, Qt::ElideRight, room));
    };
    text(lane.area.top() - 2, theme_.secondaryFont(), colors.ink, lane.name);
    if (lane.area.height() >= 28) text(lane.area.top() + 12, theme_.axisFont(), colors.secondary, lane.unit);
}

void CounterChart::drawTimes(QPainter& painter, const QRectF& plot) const {
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    const double unit = counters_.duration >= 1 ? 1 : 1e-3;
    const QString name = counters_.duration >= 1 ? QStringLiteral("s") : QStringLiteral("ms");
    const double step = roundTickStep(counters_.duration, std::max(1, static_cast<int>(plot.width() / 64)));
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)));
    for (int tick = 0; tick * step <= counters_.duration * (1 + 1e-9); ++tick) {
        const double value = tick * step;
        const QString text = Readable{grouped(value / unit, decimals), name}.text();
        const double width = metrics.horizontalAdvance(text) + 2;
        painter.setPen(QPen(theme_.colors().grid, 1));
        painter.drawLine(QPointF(x(plot, value), plot.top()), QPointF(x(plot, value), plot.bottom() + 3));
        painter.setPen(theme_.colors().secondary);
        const double left = std::min(x(plot, value) - width / 2, plot.right() + laneRight - width - 2);
        painter.drawText(QRectF(left, plot.bottom() + 4, width, metrics.height()), Qt::AlignCenter, text);
    }
}

ChartHeading CounterChart::heading() const {
    return {tr("Engine over time"), hasValues() ? tr("at most %1 running, %2 waiting").arg(grouped(counters_.mostRunning), grouped(counters_.mostWaiting)) : QString()};
}

QString CounterChart::whyNothing() const {
    if (hasValues()) return {};
    return result_ && result_->serving() ? tr("The engine ran no step.") : tr("Choose “serving” as the kind of workload.");
}

void CounterChart::renderBody(QPainter& painter, const QRectF& area) const {
    if (!hasValues()) return drawEmptyState(painter, area, theme_, tr("Requests that run and wait, and blocks of the cache in use, over the run."), whyNothing());
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF plot = plotIn(area);
    if (plot.width() < 40 || plot.height() < 60) return;
    drawTimes(painter, plot);
    const ThemeColors& colors = theme_.colors();
    const double blocks = static_cast<double>(counters_.blocks);
    // The number of blocks tops the lane where the cache is at least a tenth full; else nothing would be seen of what is in use.
    const double mostUsed = static_cast<double>(counters_.mostUsed);
    const bool toLimit = blocks > 0 && mostUsed >= 0.1 * blocks;
    const double height = (plot.height() - 2 * laneGap) / 3;
    Lane lanes[] = {
        {{}, tr("running"), tr("at most %1").arg(grouped(counters_.mostRunning)), [](const CounterSample& s) { return double(s.running); }, std::max(1.0, double(counters_.mostRunning)), 0, colors.pipeline},
        {{}, tr("waiting"), tr("at most %1").arg(grouped(counters_.mostWaiting)), [](const CounterSample& s) { return double(s.waiting); }, std::max(1.0, double(counters_.mostWaiting)), 0, colors.secondary},
        {{}, tr("KV blocks"), toLimit ? tr("of %1").arg(grouped(blocks)) : tr("≤ %1 of %2").arg(grouped(mostUsed), grouped(blocks)), [](const CounterSample& s) { return double(s.usedBlocks); }, std::max(1.0, toLimit ? blocks : mostUsed), toLimit ? blocks : 0, theme_.color(MemoryKind::kv_cache)},
    };
    double top = plot.top();
    for (Lane& lane : lanes) {
        lane.area = QRectF(plot.left(), top, plot.width(), height);
        drawLane(painter, lane);
        top += height + laneGap;
    }
}

void CounterChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    renderBody(painter, rect());
    if (!hasValues()) return;
    const QRectF plot = plotIn(rect());
    const auto inside = [&](double seconds) { return std::clamp(x(plot, seconds), plot.left(), plot.right()); };
    if (selection_.rangeEnd() > selection_.rangeStart()) {
        QColor tint = theme_.colors().accent;
        tint.setAlphaF(0.12f);
        painter.fillRect(QRectF(QPointF(inside(selection_.rangeStart()), plot.top()), QPointF(inside(selection_.rangeEnd()), plot.bottom())), tint);
    }
    if (selection_.cursor() < 0 || selection_.cursor() > counters_.duration) return;
    painter.setPen(QPen(theme_.colors().accent, 1, Qt::DashLine));
    painter.drawLine(QPointF(x(plot, selection_.cursor()), plot.top()), QPointF(x(plot, selection_.cursor()), plot.bottom()));
}

QString CounterChart::describe(double seconds) const {
    const CounterSample* sample = counters_.at(seconds);
    const CounterSample now = sample ? *sample : CounterSample();
    return tr("%1: %2 running, %3 waiting, %4 of %5 blocks")
        .arg(readableTime(seconds).text(), grouped(now.running), grouped(now.waiting), grouped(double(now.usedBlocks)), grouped(double(counters_.blocks)));
}

void CounterChart::mouseMoveEvent(QMouseEvent* event) {
    if (!hasValues()) return;
    const QRectF plot = plotIn(rect());
    const double seconds = (event->position().x() - plot.left()) / plot.width() * counters_.duration;
    if (seconds < 0 || seconds > counters_.duration) return leaveEvent(nullptr);
    selection_.setCursor(seconds);
    selection_.setHint(describe(seconds));
    QToolTip::showText(event->globalPosition().toPoint(), describe(seconds), this);
}

void CounterChart::leaveEvent(QEvent*) {
    selection_.setCursor(-1);
    selection_.setHint({});
    QToolTip::hideText();
}

ChartPlot CounterChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::lines;
    plot.x = 0;
    plot.y = {1, 2};
    plot.xTitle = tr("time in s");
    plot.yTitle = tr("requests");
    return plot;
}

QByteArray CounterChart::csv() const {
    QByteArray lines = "time_s,running,waiting,used_blocks\n";
    for (const CounterSample& sample : counters_.samples)
        lines += QByteArray::number(sample.time, 'g', 17) + ',' + QByteArray::number(sample.running) + ',' + QByteArray::number(sample.waiting) + ',' + QByteArray::number(qlonglong(sample.usedBlocks)) + '\n';
    return lines;
}

} // namespace orrery
