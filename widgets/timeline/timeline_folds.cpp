// SPDX-License-Identifier: GPL-3.0-or-later
// What records need beyond simulated timelines: ranks that fold or stand for others, arrows between rows, stretches that are underlined.

#include "widgets/timeline/names.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int foldWidth = 12;           ///< px at the left edge
constexpr std::size_t mostArrows = 400; ///< more can't be told apart
constexpr double arrowHead = 4;         ///< px

} // namespace

void TimelineView::setFolded(int stage, bool folded) {
    if (!folds() || stage < 0 || static_cast<std::size_t>(stage) >= folded_.size() || isFolded(stage) == folded) return;
    folded_[static_cast<std::size_t>(stage)] = folded;
    foldsChanged();
}

void TimelineView::setAllFolded(bool folded) {
    if (!folds()) return;
    folded_.assign(folded_.size(), folded);
    foldsChanged();
}

void TimelineView::showStandIns(std::map<int, QString> standIns) {
    if (!folds() || standIns == standIns_) return;
    standIns_ = std::move(standIns);
    if (focused_ && isHidden(focused_->stage)) {
        focused_.reset();
        emit focusChanged();
    }
    foldsChanged();
}

std::vector<StageShown> TimelineView::shownStages() const {
    std::vector<StageShown> shown;
    shown.reserve(folded_.size());
    for (int stage = 0; stage < static_cast<int>(folded_.size()); ++stage) shown.push_back(isHidden(stage) ? StageShown::hidden : isFolded(stage) ? StageShown::folded
                                                                                                                                                  : StageShown::whole);
    return shown;
}

QString TimelineView::subtitleOf(int stage) const {
    const auto standIn = standIns_.find(stage);
    return standIn == standIns_.end() ? stageSubtitle(timeline().stages[static_cast<std::size_t>(stage)]) : standIn->second;
}

void TimelineView::foldsChanged() {
    // A bar whose lane is folded away can't be looked at.
    if (hovered_ && (isFolded(hovered_->stage) || isHidden(hovered_->stage))) hovered_.reset();
    updateGeometryOfParts();
    updateTexts();
    updateGeometryOfParts();
    recompose();
}

/// Folds the rank whose bar is focused, else the chosen one, else all.
void TimelineView::toggleFold() {
    const int chosen = focused_ ? focused_->stage : selection_.stage();
    if (chosen >= 0 && static_cast<std::size_t>(chosen) < folded_.size()) setFolded(chosen, !isFolded(chosen));
    else setAllFolded(std::find(folded_.begin(), folded_.end(), false) != folded_.end());
}

QRect TimelineView::foldArea(int stage) const {
    if (!folds()) return {};
    const TimelineLane* lane = layout_.find(stage, StreamKind::compute);
    if (lane == nullptr) return {};
    const QRect area = areaOf(*lane);
    return {2, area.top() + (area.height() - 30) / 2, foldWidth, 16};
}

void TimelineView::setArrows(std::vector<TimelineArrow> arrows) {
    arrows_ = std::move(arrows);
    if (arrows_.size() > mostArrows) arrows_.resize(mostArrows);
    update();
}

void TimelineView::setMarkedStretches(std::vector<MarkedStretch> stretches) {
    stretches_ = std::move(stretches);
    update();
}

void TimelineView::setEmptyTexts(const QString& title, const QString& how) {
    emptyTitle_ = title;
    emptyHow_ = how;
    updateTexts();
    update();
}

std::optional<SpanPlace> TimelineView::focusedSpan() const {
    if (!hasRows() || !focused_) return std::nullopt;
    const StreamRow& row = rowOf(*focused_);
    return SpanPlace{focused_->stage, row.stream, row.spanOf(focused_->bar)};
}

void TimelineView::focusSpan(const SpanPlace& place) {
    if (!hasRows() || place.stage < 0 || static_cast<std::size_t>(place.stage) >= rows_->stages.size() || isHidden(place.stage)) return;
    const auto& streams = rows_->stages[static_cast<std::size_t>(place.stage)].streams;
    for (std::size_t row = 0; row < streams.size(); ++row) {
        if (streams[row].stream != place.stream || place.span >= streams[row].firstBar.size()) continue;
        if (row > 0) setFolded(place.stage, false);
        focusBar({place.stage, static_cast<int>(row), streams[row].firstBar[place.span]}, true);
        return;
    }
}

std::optional<QPointF> TimelineView::pointOf(int stage, std::uint32_t stream, double time) const {
    const TimelineLane* summary = nullptr;
    for (const TimelineLane& lane : layout_.lanes) {
        if (lane.kind != LaneKind::bars || lane.stage != stage) continue;
        if (summary == nullptr) summary = &lane;
        if (rows_->stages[static_cast<std::size_t>(stage)].streams[static_cast<std::size_t>(lane.row)].stream == stream) return QPointF(xOf(time), areaOf(lane).center().y());
    }
    if (summary == nullptr || !isFolded(stage)) return std::nullopt;
    return QPointF(xOf(time), areaOf(*summary).center().y());
}

void TimelineView::paintArrows(QPainter& painter) const {
    if (arrows_.empty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = theme_.colors().ink;
    painter.setPen(QPen(colour, 1.2));
    for (const TimelineArrow& arrow : arrows_) {
        const auto from = pointOf(arrow.fromStage, arrow.fromStream, arrow.fromTime), to = pointOf(arrow.toStage, arrow.toStream, arrow.toTime);
        if (!from || !to) continue;
        QPainterPath path(*from);
        const double bend = std::max(12.0, std::abs(to->x() - from->x()) / 3);
        path.cubicTo(*from + QPointF(bend, 0), *to - QPointF(bend, 0), *to);
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        painter.setBrush(colour);
        painter.drawPolygon(QPolygonF({*to, *to + QPointF(-arrowHead * 1.6, -arrowHead * 0.8), *to + QPointF(-arrowHead * 1.6, arrowHead * 0.8)}));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace orrery
