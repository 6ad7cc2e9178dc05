// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_timelines.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/value_axis.hpp"
#include "widgets/timeline/names.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double namesWidth = 104, rightMargin = 12, axisHeight = 20, hintHeight = 20;
constexpr double leastRowHeight = 30, mostRowHeight = 110;

/// The streams beside compute, in the lane below it.
template <typename Visit> void forEachSent(const Timeline& timeline, int stage, double from, double to, Visit&& visit) {
    for (const StreamKind kind : streamKinds(timeline))
        if (kind != StreamKind::compute) forEachOperator(timeline, stage, kind, from, to, visit);
}

} // namespace

CompareTimelines::CompareTimelines(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setAccessibleName(tr("Timelines on one axis"));
    connect(&theme_, &Theme::changed, this, [this] {
        image_ = {};
        update();
    });
}

QSize CompareTimelines::minimumSizeHint() const { return {300, static_cast<int>(axisHeight + hintHeight + leastRowHeight * double(std::clamp<std::size_t>(rows_.size(), 2, 5)))}; }

void CompareTimelines::setCompared(std::vector<ComparedScenario> scenarios) {
    rows_.clear();
    longest_ = 0;
    for (ComparedScenario& scenario : scenarios) {
        if (!scenario.result || scenario.result->timeline.stages.empty()) continue;
        longest_ = std::max(longest_, scenario.result->timeline.duration);
        rows_.push_back(std::move(scenario));
    }
    from_ = 0;
    to_ = longest_;
    image_ = {};
    setHovered(std::nullopt);
    updateGeometry();
    update();
}

void CompareTimelines::setStage(int stage) {
    if (stage == stage_) return;
    stage_ = stage;
    image_ = {};
    setHovered(std::nullopt);
    update();
}

int CompareTimelines::stages() const {
    std::size_t most = 1;
    for (const ComparedScenario& row : rows_) most = std::max(most, row.result->timeline.stages.size());
    return static_cast<int>(most);
}

int CompareTimelines::stageOf(std::size_t row) const { return std::min(stage_, static_cast<int>(rows_[row].result->timeline.stages.size()) - 1); }

QRectF CompareTimelines::plot() const { return QRectF(rect()).adjusted(namesWidth, axisHeight, -rightMargin, -hintHeight); }

QRectF CompareTimelines::lane(std::size_t row, int lane) const {
    const QRectF area = plot();
    const double height = std::min(mostRowHeight, area.height() / double(std::max<std::size_t>(1, rows_.size())));
    const double top = area.top() + height * double(row) + 3, inner = height - 6;
    return lane == 0 ? QRectF(area.left(), top, area.width(), inner * 0.62) : QRectF(area.left(), top + inner * 0.66, area.width(), inner * 0.34);
}

double CompareTimelines::x(double time) const { return plot().left() + (time - from_) / std::max(1e-15, to_ - from_) * plot().width(); }
double CompareTimelines::timeAt(double at) const { return from_ + (at - plot().left()) / std::max(1.0, plot().width()) * (to_ - from_); }
QPointF CompareTimelines::placeOf(std::size_t row, double time) const { return {x(time), lane(row, 0).center().y()}; }

void CompareTimelines::setRange(double from, double to) {
    constexpr double closest = 1e-6; // of the whole
    const double span = std::clamp(to - from, longest_ * closest, longest_);
    from_ = std::clamp(from, 0.0, longest_ - span);
    to_ = from_ + span;
    image_ = {};
    update();
}

/// Bars narrower than a pixel share it: the first one of a pixel stands for it.
void CompareTimelines::drawRow(QPainter& painter, std::size_t row) const {
    const Timeline& timeline = rows_[row].result->timeline;
    std::vector<QColor> colors;
    colors.reserve(timeline.operators.size());
    for (const TimedOperator& op : timeline.operators) {
        QColor color = theme_.color(op);
        if (hovered_ && (op.op.name != hovered_->name || op.op.phase != hovered_->phase)) color.setAlphaF(0.22F);
        colors.push_back(color);
    }
    // Answers have a hue of their own, as on the timeline.
    const auto colorOf = [&](const OperatorInstance& instance) {
        QColor color = colors[instance.op];
        if (timeline.operators[instance.op].op.phase == Phase::forward && timeline.operators[instance.op].op.group == RankGroup::none && isDecode(timeline, timeline.segments[instance.span->segment])) {
            const float alpha = color.alphaF();
            color = theme_.colors().backwardWeights;
            color.setAlphaF(alpha);
        }
        return color;
    };
    const QRectF area = plot();
    for (int which = 0; which < 2; ++which) {
        const QRectF box = lane(row, which);
        double painted = area.left() - 1; // right end of what is painted
        const auto bar = [&](const OperatorInstance& instance) {
            const double left = std::max(area.left(), x(instance.start)), right = std::min(area.right(), x(instance.end));
            if (right < painted + 0.75) return;
            const double width = std::max(0.75, right - std::max(left, painted));
            const double gap = width > 3 ? 0.5 : 0;
            painter.fillRect(QRectF(std::max(left, painted), box.top(), width - gap, box.height()), colorOf(instance));
            painted = std::max(painted, right);
            if (width < 46) return;
            painter.setPen(theme_.textOn(colorOf(instance)));
            const QString name = QString::fromStdString(timeline.operators[instance.op].op.name);
            const QFontMetricsF metrics(painter.font());
            if (which == 0 && box.height() >= metrics.height() && (!hovered_ || colors[instance.op].alpha() == 255))
                painter.drawText(QRectF(left + 3, box.top(), right - left - 6, box.height()), Qt::AlignCenter, metrics.elidedText(name, Qt::ElideMiddle, right - left - 6));
        };
        if (which == 0) forEachOperator(timeline, stageOf(row), StreamKind::compute, from_, to_, bar);
        else {
            // Streams one after the other: each begins again at the left.
            for (const StreamKind kind : streamKinds(timeline)) {
                painted = area.left() - 1;
                if (kind != StreamKind::compute) forEachOperator(timeline, stageOf(row), kind, from_, to_, bar);
            }
        }
    }
}

QImage CompareTimelines::drawn() const {
    const double ratio = devicePixelRatioF();
    QImage image(size() * ratio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(theme_.colors().panel);
    QPainter painter(&image);
    painter.setFont(theme_.axisFont());
    drawAxis(painter);
    for (std::size_t row = 0; row < rows_.size(); ++row) drawRow(painter, row);
    return image;
}

void CompareTimelines::drawAxis(QPainter& painter) const {
    const ThemeColors& colors = theme_.colors();
    const ValueAxis axis{from_, to_, false};
    const FigureScale scale = figureScale("/time_s", to_ - from_);
    const double step = axis.step(7, scale.factor);
    const std::vector<double> ticks = axis.ticks(7, scale.factor);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double at = x(ticks[i]);
        painter.setPen(colors.grid);
        painter.drawLine(QPointF(at, axisHeight - 2), QPointF(at, height() - hintHeight));
        painter.setPen(colors.secondary);
        const QString text = Readable{tickText(ticks[i] / scale.factor, step), scale.unit}.text();
        const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 2;
        painter.drawText(QRectF(std::min(at - wide / 2, width() - wide - 2.0), 2, wide, axisHeight - 4), Qt::AlignCenter, text);
    }
}

void CompareTimelines::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors& colors = theme_.colors();
    if (rows_.empty()) {
        painter.fillRect(rect(), colors.panel);
        return drawEmptyState(painter, rect(), theme_, tr("No timeline yet."), tr("Choose scenarios that run."));
    }
    if (image_.isNull() || image_.size() != size() * devicePixelRatioF()) image_ = drawn();
    painter.drawImage(0, 0, image_);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const QRectF names(12, lane(row, 0).top(), namesWidth - 18, lane(row, 1).bottom() - lane(row, 0).top());
        const double line = QFontMetricsF(theme_.secondaryFont()).height();
        painter.setPen(colors.ink);
        painter.setFont(theme_.secondaryFont());
        const bool two = names.height() >= 1.8 * line;
        painter.drawText(two ? QRectF(names.left(), names.center().y() - line, names.width(), line) : names, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(rows_[row].name, Qt::ElideRight, names.width()));
        if (!two) continue;
        painter.setPen(colors.secondary);
        painter.setFont(theme_.axisFont());
        painter.drawText(QRectF(names.left(), names.center().y(), names.width(), line), Qt::AlignLeft | Qt::AlignVCenter, readableTime(rows_[row].result->timeline.duration).text());
    }
    painter.setFont(theme_.axisFont());
    painter.setPen(hint_.isEmpty() ? colors.secondary : colors.ink);
    const QString below = hint_.isEmpty() ? tr("Point at an operator to find it in the others; the wheel zooms, dragging moves.") : hint_;
    painter.drawText(QRectF(12, height() - hintHeight, width() - 24, hintHeight), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(below, Qt::ElideRight, width() - 24));
}

std::optional<CompareTimelines::Kind> CompareTimelines::kindAt(const QPointF& position) const {
    if (position.x() < plot().left() || position.x() > plot().right()) return std::nullopt;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        for (int which = 0; which < 2; ++which) {
            if (!lane(row, which).contains(position)) continue;
            const Timeline& timeline = rows_[row].result->timeline;
            const double time = timeAt(position.x()), pixel = (to_ - from_) / std::max(1.0, plot().width());
            std::optional<Kind> found;
            const auto take = [&](const OperatorInstance& instance) {
                const Operator& op = timeline.operators[instance.op].op;
                if (!found) found = Kind{op.name, op.phase};
            };
            if (which == 0) forEachOperator(timeline, stageOf(row), StreamKind::compute, time, time + pixel / 2, take);
            else forEachSent(timeline, stageOf(row), time, time + pixel / 2, take);
            return found;
        }
    }
    return std::nullopt;
}

void CompareTimelines::setHovered(std::optional<Kind> kind) {
    if (kind == hovered_) return;
    hovered_ = std::move(kind);
    image_ = {};
    hint_.clear();
    if (hovered_) {
        double reference = 0;
        QStringList each;
        for (const ComparedScenario& row : rows_) {
            double time = 0;
            for (const TimedOperator& op : row.result->timeline.operators)
                if (op.op.name == hovered_->name && op.op.phase == hovered_->phase) time = std::max(time, op.time);
            QString words = time > 0 ? tr("%1 %2").arg(row.name, readableTime(time).text()) : tr("%1 has none").arg(row.name);
            if (each.isEmpty()) reference = time;
            else if (time > 0 && reference > 0) words += tr(" (%1 × as fast)").arg(reference / time, 0, 'f', 2);
            each << words;
        }
        hint_ = tr("%1, %2: %3").arg(QString::fromStdString(hovered_->name), phaseName(hovered_->phase), each.join(QStringLiteral(" · ")));
    }
    update();
}

void CompareTimelines::wheelEvent(QWheelEvent* event) {
    if (rows_.empty()) return;
    const double at = timeAt(event->position().x()), factor = std::pow(0.998, event->angleDelta().y());
    setRange(at - (at - from_) * factor, at + (to_ - at) * factor);
    event->accept();
}

void CompareTimelines::mousePressEvent(QMouseEvent* event) {
    dragX_ = event->position().x();
    dragFrom_ = from_;
}

void CompareTimelines::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton)) {
        const double moved = (dragX_ - event->position().x()) / std::max(1.0, plot().width()) * (to_ - from_);
        return setRange(dragFrom_ + moved, dragFrom_ + moved + to_ - from_);
    }
    setHovered(kindAt(event->position()));
}

void CompareTimelines::mouseDoubleClickEvent(QMouseEvent*) { setRange(0, longest_); }

void CompareTimelines::leaveEvent(QEvent*) { setHovered(std::nullopt); }

} // namespace orrery
