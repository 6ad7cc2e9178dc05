// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_over_time.hpp"

#include "core/base/units.hpp"
#include "widgets/common/axis_ticks.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/memory/memory_kinds.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double chartMargin = 12;
constexpr double lightShare = 0.4; ///< opacity of what is alive only part of a column's time

QColor faded(QColor color, double share) {
    color.setAlphaF(static_cast<float>(color.alphaF() * share));
    return color;
}

/// A stepped band between two heights a column each. Columns that equal their neighbour add no points, so that exports stay small.
template <typename Low, typename High>
QPainterPath band(const std::vector<FoldedMemory>& columns, const QRectF& plot, Low&& low, High&& high) {
    QPolygonF upper, lower;
    const double step = plot.width() / static_cast<double>(columns.size());
    const auto add = [&](QPolygonF& line, std::size_t i, double y) {
        const double left = plot.left() + step * static_cast<double>(i), right = left + step;
        if (!line.isEmpty() && std::abs(line.back().y() - y) < 0.05) line.back().setX(right);
        else line << QPointF(left, y) << QPointF(right, y);
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
        add(upper, i, high(columns[i]));
        add(lower, i, low(columns[i]));
    }
    QPainterPath path;
    path.addPolygon(upper);
    std::reverse(lower.begin(), lower.end());
    path.connectPath([&] { QPainterPath back; back.addPolygon(lower); return back; }());
    path.closeSubpath();
    return path;
}

} // namespace

MemoryOverTime::MemoryOverTime(const Theme& theme, Selection& selection, QWidget* parent)
    : ChartWidget(theme, {QStringLiteral("memory-over-time"), tr("Memory over time"), {340, 240}, {220, 140}}, parent), selection_(selection) {
    const auto repaint = [this] { update(); };
    connect(&selection_, &Selection::cursorChanged, this, repaint);
    connect(&selection_, &Selection::momentChanged, this, repaint);
    connect(&selection_, &Selection::rangeChanged, this, repaint);
    connect(&selection_, &Selection::stageChanged, this, repaint);
}

void MemoryOverTime::setResult(ResultPtr result) {
    result_ = std::move(result);
    foldedStage_ = nullptr;
    setBusy(false);
    update();
}

const StageTimeline* MemoryOverTime::stageTimeline() const {
    if (result_ == nullptr || result_->timeline.stages.empty() || !(result_->timeline.duration > 0)) return nullptr;
    // A static batch has no account of its memory over time: an empty chart would say that nothing is held.
    if (result_->timeline.kind == TimelineKind::batch) return nullptr;
    int wanted = selection_.stage();
    if (wanted < 0 && result_->timeline.kind == TimelineKind::iteration) {
        double highest = -1;
        for (const StageMemory& stage : result_->memory.stages) {
            if (stage.peakBytes <= highest) continue;
            highest = stage.peakBytes;
            wanted = stage.stage;
        }
    }
    for (const StageTimeline& stage : result_->timeline.stages)
        if (stage.stage == wanted) return &stage;
    return &result_->timeline.stages.front();
}

MemoryKind MemoryOverTime::changingKind() const {
    return result_ != nullptr && result_->timeline.kind == TimelineKind::requests ? MemoryKind::kv_cache : MemoryKind::activations;
}

int MemoryOverTime::shownStage() const {
    const StageTimeline* stage = stageTimeline();
    return stage != nullptr ? stage->stage : -1;
}

QString MemoryOverTime::subtitle() const {
    const StageTimeline* stage = stageTimeline();
    if (stage == nullptr) return {};
    if (result_->timeline.kind == TimelineKind::requests) return tr("instance %1").arg(stage->stage);
    return tr("stage %1").arg(stage->stage);
}

MemoryOverTime::Frame MemoryOverTime::frame(const QRectF& area) const {
    const QFontMetricsF axis(theme_.axisFont());
    const QFontMetricsF body(theme_.secondaryFont());
    Frame frame;
    frame.duration = result_->timeline.duration;
    double highest = gib(result_->memory.capacityBytes);
    for (const MemorySample& sample : stageTimeline()->memory)
        highest = std::max(highest, gib(stageTimeline()->staticBytes + sample.activations + sample.temporary));
    frame.maximum = highest > 0 ? highest : 1;
    const double left = area.left() + chartMargin + axis.horizontalAdvance(grouped(frame.maximum, frame.maximum < 10 ? 1 : 0)) + 8;
    const double top = area.top() + body.height() * 2 + 6; // capacity's label, legend
    const double bottom = area.bottom() - axis.height() - 8;
    frame.plot = QRectF(left, top, std::max(20.0, area.right() - chartMargin - left), std::max(20.0, bottom - top));
    return frame;
}

void MemoryOverTime::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    draw(painter, rect(), true);
}

void MemoryOverTime::draw(QPainter& painter, const QRectF& area, bool marks) const {
    if (stageTimeline() == nullptr) {
        const bool batch = result_ != nullptr && result_->timeline.kind == TimelineKind::batch;
        drawEmptyState(painter, area, theme_, tr("Memory over time, against the accelerator's capacity."),
                       batch ? tr("A static batch holds its cache from the first token to the last: “By stage” says what of.")
                             : tr("Choose a model and a cluster; the chart follows the first run."));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    const Frame at = frame(area);
    drawAxes(painter, at);
    drawBands(painter, at);
    drawCapacity(painter, at);
    drawLegend(painter, at, area);
    if (marks) drawMarks(painter, at);
}

void MemoryOverTime::drawAxes(QPainter& painter, const Frame& at) const {
    const ThemeColors& colors = theme_.colors();
    const QFontMetricsF metrics(theme_.axisFont());
    painter.setFont(theme_.axisFont());
    const double step = roundTickStep(at.maximum, std::max(2, static_cast<int>(at.plot.height() / 32)));
    for (double value = 0; value <= at.maximum * (1 + 1e-9); value += step) {
        const double y = at.y(value);
        painter.setPen(QPen(value == 0 ? colors.line : colors.grid, 1));
        painter.drawLine(QPointF(at.plot.left(), y), QPointF(at.plot.right(), y));
        painter.setPen(colors.secondary);
        const QString text = grouped(value, step < 1 ? 1 : 0);
        const double width = metrics.horizontalAdvance(text) + 2;
        painter.drawText(QRectF(at.plot.left() - 5 - width, y - metrics.height() / 2, width, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, text);
    }
    const double unitWidth = metrics.horizontalAdvance(tr("GiB")) + 2;
    painter.drawText(QRectF(at.plot.left() - 5 - unitWidth, at.plot.top() - 1.6 * metrics.height() - 2, unitWidth, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, tr("GiB"));

    const double timeStep = roundTickStep(at.duration, std::max(2, static_cast<int>(at.plot.width() / 64)));
    // One unit for the whole axis: 0 s, 5 s, 10 s; in 0.5 ms, 1.0 ms the step decides the decimals.
    const double unit = at.duration >= 1 ? 1 : at.duration >= 1e-3 ? 1e-3
                                                                   : 1e-6;
    const QString unitName = at.duration >= 1 ? QStringLiteral("s") : at.duration >= 1e-3 ? QStringLiteral("ms")
                                                                                          : QStringLiteral("µs");
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(timeStep / unit) - 1e-9)));
    double after = at.plot.left() - 10;
    for (double value = 0; value <= at.duration * (1 + 1e-9); value += timeStep) {
        const QString text = Readable{grouped(value / unit, decimals), unitName}.text();
        const double width = metrics.horizontalAdvance(text) + 2;
        const double left = std::clamp(at.x(value) - width / 2, at.plot.left() - 4, at.plot.right() + chartMargin - 2 - width);
        if (left < after + 6) continue;
        painter.drawText(QRectF(left, at.plot.bottom() + 4, width, metrics.height()), Qt::AlignCenter, text);
        after = left + width;
    }
}

void MemoryOverTime::drawBands(QPainter& painter, const Frame& at) const {
    const StageTimeline& stage = *stageTimeline();
    const int width = std::max(1, static_cast<int>(std::lround(at.plot.width())));
    if (foldedStage_ != &stage || static_cast<int>(columns_.size()) != width) {
        columns_ = foldMemory(stage.memory, 0, at.duration, width);
        foldedStage_ = &stage;
    }
    const double floor = gib(stage.staticBytes);
    const auto y = [&](double bytes) { return at.y(floor + gib(bytes)); };
    const QColor activations = theme_.color(changingKind()), temporary = theme_.color(MemoryKind::temporary);
    const auto fill = [&](const QColor& color, auto low, auto high) { painter.fillPath(band(columns_, at.plot, low, high), color); };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(QPointF(at.plot.left(), at.y(floor)), at.plot.bottomRight()), faded(theme_.color(MemoryKind::weights), 0.55));
    using C = const FoldedMemory&;
    fill(
        activations, [&](C) { return at.y(floor); }, [&](C c) { return y(c.activationsLow); });
    fill(
        faded(activations, lightShare), [&](C c) { return y(c.activationsLow); }, [&](C c) { return y(c.activationsHigh); });
    fill(
        faded(temporary, lightShare), [&](C c) { return y(c.activationsHigh); }, [&](C c) { return y(std::max(c.activationsHigh, c.totalHigh)); });
    fill(
        temporary, [&](C c) { return y(c.activationsHigh); }, [&](C c) { return y(std::max(c.activationsHigh, c.totalLow)); });
    painter.restore();
}

void MemoryOverTime::drawCapacity(QPainter& painter, const Frame& at) const {
    const double capacity = gib(result_->memory.capacityBytes);
    if (!(capacity > 0)) return;
    const QFontMetricsF metrics(theme_.axisFont());
    const double y = at.y(capacity);
    QPen dashes(theme_.colors().data, 1.5);
    dashes.setDashPattern({3, 2});
    dashes.setCapStyle(Qt::FlatCap);
    painter.setPen(dashes);
    painter.drawLine(QPointF(at.plot.left(), y), QPointF(at.plot.right(), y));
    painter.setFont(theme_.axisFont());
    painter.setPen(theme_.colors().data);
    const bool whole = std::abs(capacity - std::round(capacity)) < 0.05;
    const QString text = tr("capacity %1").arg(grouped(capacity, whole ? 0 : 1));
    const double width = metrics.horizontalAdvance(text) + 2;
    // Above the line, unless the stage is over it and the line stands lower: then the label keeps to the plot's top edge.
    painter.drawText(QRectF(at.plot.right() - width, at.plot.top() - metrics.height() - 2, width, metrics.height()), Qt::AlignRight | Qt::AlignVCenter, text);
}

void MemoryOverTime::drawLegend(QPainter& painter, const Frame& at, const QRectF& area) const {
    const QFontMetricsF metrics(theme_.secondaryFont());
    painter.setFont(theme_.secondaryFont());
    const struct {
        QString name;
        QColor color;
    } entries[] = {
        {tr("what stays"), faded(theme_.color(MemoryKind::weights), 0.55)},
        {memoryKindName(changingKind()), theme_.color(changingKind())},
        {memoryKindName(MemoryKind::temporary), theme_.color(MemoryKind::temporary)},
    };
    const bool serves = changingKind() == MemoryKind::kv_cache; // nothing comes and goes within a step that is known
    double x = at.plot.left();
    for (const auto& entry : entries) {
        if (serves && &entry == &entries[2]) break;
        const double width = metrics.horizontalAdvance(entry.name) + 2;
        if (x + 16 + width > area.right() - 4) break;
        const QRectF line(x, area.top() + 2, width, metrics.height());
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.color);
        painter.drawRoundedRect(QRectF(line.left(), line.center().y() - 4.5, 9, 9), 2, 2);
        painter.setPen(theme_.colors().ink);
        painter.drawText(line.translated(15, 0), Qt::AlignLeft | Qt::AlignVCenter, entry.name);
        x += 15 + width + 14;
    }
}

void MemoryOverTime::drawMarks(QPainter& painter, const Frame& at) const {
    const ThemeColors& colors = theme_.colors();
    if (selection_.rangeEnd() > selection_.rangeStart()) {
        const double left = std::clamp(at.x(selection_.rangeStart()), at.plot.left(), at.plot.right());
        const double right = std::clamp(at.x(selection_.rangeEnd()), at.plot.left(), at.plot.right());
        const QRectF chosen(left, at.plot.top(), right - left, at.plot.height());
        painter.fillRect(chosen, faded(colors.accent, 0.12));
        painter.setPen(QPen(colors.accent, 1));
        painter.drawLine(chosen.topLeft(), chosen.bottomLeft());
        painter.drawLine(chosen.topRight(), chosen.bottomRight());
    }
    if (selection_.moment() >= 0 && selection_.moment() <= at.duration) {
        const double x = at.x(selection_.moment());
        painter.setPen(QPen(colors.ink, 1));
        painter.drawLine(QPointF(x, at.plot.top()), QPointF(x, at.plot.bottom()));
        painter.setBrush(colors.ink);
        painter.drawPolygon(QPolygonF{QPointF(x - 4, at.plot.top() - 4), QPointF(x + 4, at.plot.top() - 4), QPointF(x, at.plot.top() + 2)});
    }
    if (selection_.cursor() >= 0 && selection_.cursor() <= at.duration) {
        const double x = at.x(selection_.cursor());
        painter.setPen(QPen(colors.accent, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, at.plot.top()), QPointF(x, at.plot.bottom()));
    }
}

QString MemoryOverTime::describe(double time) const {
    const StageTimeline& stage = *stageTimeline();
    const MemorySample sample = memoryAt(stage.memory, time);
    const double total = stage.staticBytes + sample.activations + sample.temporary;
    if (changingKind() == MemoryKind::kv_cache)
        return tr("%1 · instance %2 · %3 in use: %4 stays, %5 keys and values")
            .arg(readableTime(time).text())
            .arg(stage.stage)
            .arg(readableBytes(total).text(), readableBytes(stage.staticBytes).text(), readableBytes(sample.activations).text());
    return tr("%1 · stage %2 · %3 in use: %4 stays, %5 activations, %6 temporary")
        .arg(readableTime(time).text())
        .arg(stage.stage)
        .arg(readableBytes(total).text(), readableBytes(stage.staticBytes).text(), readableBytes(sample.activations).text(),
             readableBytes(sample.temporary).text());
}

void MemoryOverTime::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || stageTimeline() == nullptr) return;
    pressedAt_ = frame(rect()).time(event->position().x());
}

void MemoryOverTime::mouseMoveEvent(QMouseEvent* event) {
    if (stageTimeline() == nullptr) return;
    const Frame at = frame(rect());
    const double time = at.time(event->position().x());
    if (pressedAt_) {
        if (std::abs(at.x(*pressedAt_) - at.x(time)) >= 3) selection_.setRange(std::min(*pressedAt_, time), std::max(*pressedAt_, time));
    } else if (!at.plot.adjusted(-2, -2, 2, 2).contains(event->position())) {
        return;
    }
    selection_.setCursor(time);
    const QString text = describe(time);
    selection_.setHint(text);
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
}

void MemoryOverTime::mouseReleaseEvent(QMouseEvent* event) {
    if (!pressedAt_ || stageTimeline() == nullptr) return;
    // A click, not a drag: the moment stays when the mouse goes.
    const Frame at = frame(rect());
    if (std::abs(at.x(*pressedAt_) - at.x(at.time(event->position().x()))) < 3) setMoment(*pressedAt_);
    pressedAt_.reset();
}

void MemoryOverTime::setMoment(double time) {
    if (const StageTimeline* stage = stageTimeline()) {
        selection_.setStage(stage->stage);
        selection_.setMoment(time);
        setAccessibleDescription(describe(time));
        selection_.setHint(describe(time));
    }
}

/// Left and right go from event to event of the stage, Home to its peak.
void MemoryOverTime::keyPressEvent(QKeyEvent* event) {
    const StageTimeline* stage = stageTimeline();
    if (stage == nullptr || stage->memory.empty()) return QWidget::keyPressEvent(event);
    const auto& samples = stage->memory;
    const double peak = peakTime();
    const double now = selection_.moment() >= 0 ? selection_.moment() : peak;
    const auto later = [](double t, const MemorySample& s) { return t < s.time; };
    const auto earlier = [](const MemorySample& s, double t) { return s.time < t; };
    if (event->key() == Qt::Key_Right) {
        const auto next = std::upper_bound(samples.begin(), samples.end(), now, later);
        if (next != samples.end()) setMoment(next->time);
    } else if (event->key() == Qt::Key_Left) {
        const auto next = std::lower_bound(samples.begin(), samples.end(), now, earlier);
        if (next != samples.begin()) setMoment(std::prev(next)->time);
    } else if (event->key() == Qt::Key_Home) {
        setMoment(peak);
    } else if (event->key() == Qt::Key_Escape && selection_.moment() >= 0) {
        selection_.setMoment(-1);
    } else {
        QWidget::keyPressEvent(event);
    }
}

double MemoryOverTime::peakTime() const {
    if (changingKind() == MemoryKind::kv_cache) {
        const auto& samples = stageTimeline()->memory;
        const auto most = std::max_element(samples.begin(), samples.end(), [](const MemorySample& a, const MemorySample& b) { return a.activations < b.activations; });
        return most == samples.end() ? 0 : most->time;
    }
    for (const StageMemory& stage : result_->memory.stages)
        if (stage.stage == shownStage()) return stage.peakTime;
    return 0;
}

void MemoryOverTime::mouseDoubleClickEvent(QMouseEvent*) {
    selection_.setRange(0, 0);
    selection_.setMoment(-1);
}

void MemoryOverTime::leaveEvent(QEvent*) {
    selection_.setCursor(-1);
    selection_.setHint({});
}

ChartHeading MemoryOverTime::heading() const { return {tr("Memory over time"), subtitle()}; }

QString MemoryOverTime::whyNothing() const {
    if (stageTimeline() != nullptr) return {};
    return tr("It shows the memory of a stage or an instance over time. Choose a model and a cluster; the chart follows the first run.");
}

void MemoryOverTime::renderBody(QPainter& painter, const QRectF& area) const { draw(painter, area, false); }

ChartPlot MemoryOverTime::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::lines;
    plot.x = 1;
    plot.y = {2, 3, 4, 5};
    plot.xTitle = tr("time in s");
    plot.yTitle = tr("GiB");
    plot.yUnit = units::gibibyte;
    return plot;
}

QByteArray MemoryOverTime::csv() const {
    QByteArray text("stage,time_s,static_bytes,activations_bytes,temporary_bytes,total_bytes\n");
    const StageTimeline* stage = stageTimeline();
    if (stage == nullptr) return text;
    for (const MemorySample& sample : stage->memory) {
        text += QByteArray::number(stage->stage);
        for (const double value : {sample.time, stage->staticBytes, sample.activations, sample.temporary,
                                   stage->staticBytes + sample.activations + sample.temporary})
            text += ',' + QByteArray::number(value, 'g', 17);
        text += '\n';
    }
    return text;
}

} // namespace orrery
