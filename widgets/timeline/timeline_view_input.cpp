// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_view.hpp"

#include "widgets/timeline/names.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int dragDistance = 4;    ///< px before a press becomes a drag
constexpr double snapDistance = 3; ///< px to the nearest bar where none is under the mouse
constexpr double wheelZoom = 1.25; ///< for one notch
constexpr double keyZoom = 1.5;
constexpr double keyPan = 0.15;      ///< of the view
constexpr double readableWidth = 48; ///< px, a bar that was searched for
constexpr double visibleWidth = 8;   ///< px, a bar that was stepped to
constexpr double zoomMargin = 0.06;

QString wordFor(Phase phase) {
    const std::string_view word = toString(phase);
    return QString::fromUtf8(word.data(), static_cast<int>(word.size()));
}

} // namespace

const TimelineLane* TimelineView::laneAtPosition(const QPoint& position) const {
    const QRect lanes = lanesArea();
    if (!hasRows() || !lanes.contains(position)) return nullptr;
    return layout_.laneAt(position.y() - lanes.top() + scroll_->value());
}

int TimelineView::stageTitleAt(const QPoint& position) const {
    const QRect lanes = lanesArea();
    if (!hasRows() || position.x() >= lanes.left() || position.y() < lanes.top() || position.y() > lanes.bottom()) return -1;
    const int y = position.y() - lanes.top() + scroll_->value();
    for (std::size_t stage = 0; stage < layout_.stages.size(); ++stage)
        if (y >= layout_.stages[stage].top && y < layout_.stages[stage].top + layout_.stages[stage].height) return static_cast<int>(stage);
    return -1;
}

std::optional<BarReference> TimelineView::barAt(const QPoint& position) const {
    const TimelineLane* lane = laneAtPosition(position);
    if (lane == nullptr || lane->kind != LaneKind::bars) return std::nullopt;
    const BarColumns& bars = rows_->stages[static_cast<std::size_t>(lane->stage)].streams[static_cast<std::size_t>(lane->row)].bars;
    const double time = timeAtX(position.x() + 0.5);
    const std::size_t under = bars.at(time);
    if (under < bars.size()) return BarReference{lane->stage, lane->row, under};
    std::optional<BarReference> nearest = nearestBar(lane->stage, lane->row, time);
    if (!nearest) return std::nullopt;
    const double before = bars.start[nearest->bar] - time;
    const double after = time - bars.end[nearest->bar];
    return std::max(before, after) <= snapDistance * viewport_.secondsPerPixel() ? nearest : std::nullopt;
}

std::optional<BarReference> TimelineView::nearestBar(int stage, int row, double time) const {
    const BarColumns& bars = rows_->stages[static_cast<std::size_t>(stage)].streams[static_cast<std::size_t>(row)].bars;
    if (bars.empty()) return std::nullopt;
    std::size_t bar = std::min(bars.firstEndingAfter(time), bars.size() - 1);
    if (bar > 0 && bars.start[bar] > time && time - bars.end[bar - 1] < bars.start[bar] - time) --bar;
    return BarReference{stage, row, bar};
}

QString TimelineView::describeAt(const QPoint& position) const {
    const TimelineLane* lane = laneAtPosition(position);
    if (lane == nullptr) return {};
    const double time = timeAtX(position.x() + 0.5);
    if (lane->kind == LaneKind::memory) return describeMemory(timeline(), lane->stage, time);
    if (const std::optional<BarReference> bar = barAt(position)) return describeOperator(timeline(), lane->stage, instance(*bar), time);
    return describeIdle(timeline(), lane->stage, *lane, time);
}

bool TimelineView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString text = describeAt(help->pos());
        if (text.isEmpty()) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    // Plain letters steer this view while it has the focus; the window's shortcuts wait.
    if (event->type() == QEvent::ShortcutOverride && handlesKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void TimelineView::updatePointer(const QPoint& position) {
    switch (overview_.partAt(position, viewport_)) {
    case TimelineOverview::Part::from_handle:
    case TimelineOverview::Part::to_handle: setCursor(Qt::SizeHorCursor); return;
    case TimelineOverview::Part::window: setCursor(Qt::OpenHandCursor); return;
    case TimelineOverview::Part::before:
    case TimelineOverview::Part::after: setCursor(Qt::PointingHandCursor); return;
    case TimelineOverview::Part::outside: break;
    }
    if (stageTitleAt(position) >= 0) setCursor(Qt::PointingHandCursor);
    else unsetCursor();
}

void TimelineView::hover(const QPoint& position) {
    mouse_ = position;
    updatePointer(position);
    std::optional<BarReference> bar = barAt(position);
    // An outline says something only around a bar that can be seen as one.
    if (bar && rowOf(*bar).bars.end[bar->bar] - rowOf(*bar).bars.start[bar->bar] < 3 * viewport_.secondsPerPixel()) bar.reset();
    if (bar != hovered_) {
        hovered_ = bar;
        update();
    }
    if (!lanesArea().contains(position)) return;
    selection_.setCursor(std::clamp(timeAtX(position.x() + 0.5), 0.0, rows_->duration));
    selection_.setHint(describeAt(position));
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (!hasRows()) return;
    const QPoint position = event->position().toPoint();
    pressedAt_ = position;
    pressedViewport_ = viewport_;
    pressedTime_ = std::clamp(timeAtX(position.x()), 0.0, rows_->duration);
    if (event->button() == Qt::MiddleButton) {
        drag_ = Drag::pan;
        return;
    }
    if (event->button() != Qt::LeftButton) return;
    switch (overview_.partAt(position, viewport_)) {
    case TimelineOverview::Part::from_handle: drag_ = Drag::overview_from; return;
    case TimelineOverview::Part::to_handle: drag_ = Drag::overview_to; return;
    case TimelineOverview::Part::window: drag_ = Drag::overview_move; return;
    case TimelineOverview::Part::before:
    case TimelineOverview::Part::after: {
        // A press beside the window brings it there; from then on it is dragged.
        const double half = viewport_.span() / 2;
        const double middle = overview_.timeAtX(position.x());
        setViewport(clamped({middle - half, middle + half, viewport_.width}, rows_->duration));
        pressedViewport_ = viewport_;
        drag_ = Drag::overview_move;
        return;
    }
    case TimelineOverview::Part::outside: break;
    }
    for (int stage = 0; stage < static_cast<int>(folded_.size()); ++stage)
        if (foldArea(stage).adjusted(-2, -4, 2, 4).contains(position)) return setFolded(stage, !isFolded(stage));
    if (const int stage = stageTitleAt(position); stage >= 0) {
        const int number = timeline().stages[static_cast<std::size_t>(stage)].stage;
        selection_.setStage(selection_.stage() == number ? -1 : number);
        return;
    }
    if (lanesArea().contains(position)) drag_ = Drag::pressed;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    if (!hasRows()) return;
    const QPoint position = event->position().toPoint();
    if (drag_ == Drag::pressed && std::abs(position.x() - pressedAt_.x()) >= dragDistance) drag_ = Drag::range;
    switch (drag_) {
    case Drag::none:
    case Drag::pressed: hover(position); return;
    case Drag::range: {
        const double time = std::clamp(timeAtX(position.x()), 0.0, rows_->duration);
        selection_.setRange(std::min(pressedTime_, time), std::max(pressedTime_, time));
        hover(position);
        return;
    }
    case Drag::pan:
        setViewport(panned(pressedViewport_, pressedAt_.x() - position.x(), rows_->duration));
        return;
    case Drag::overview_move:
    case Drag::overview_from:
    case Drag::overview_to: dragOverview(position.x()); return;
    }
}

void TimelineView::dragOverview(double x) {
    const double time = std::clamp(overview_.timeAtX(x), 0.0, rows_->duration);
    if (drag_ == Drag::overview_move) {
        const double shift = time - overview_.timeAtX(pressedAt_.x());
        setViewport(clamped({pressedViewport_.from + shift, pressedViewport_.to + shift, viewport_.width}, rows_->duration));
        return;
    }
    // A handle pulled past the other swaps with it.
    const double fixed = drag_ == Drag::overview_from ? pressedViewport_.to : pressedViewport_.from;
    setVisibleRange(std::min(fixed, time), std::max(fixed, time));
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(drag_, Drag::none);
    if (hasRows() && drag == Drag::pressed && event->button() == Qt::LeftButton) clickAt(event->position().toPoint());
}

void TimelineView::chooseOperator(const TimedOperator& timed, int stage) {
    selection_.setOperator(QString::fromStdString(timed.op.name), wordFor(timed.op.phase), timeline().stages[static_cast<std::size_t>(stage)].stage);
}

void TimelineView::clickAt(const QPoint& position) {
    const std::optional<BarReference> bar = barAt(position);
    focused_ = bar;
    if (bar) {
        const TimedOperator& timed = timeline().operators[instance(*bar).op];
        chooseOperator(timed, bar->stage);
    } else {
        selection_.setOperator({}, {});
        selection_.setRange(0, 0);
    }
    emit focusChanged();
    update();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (hasRows() && event->button() == Qt::LeftButton && lanesArea().contains(event->position().toPoint()))
        zoomToWhatIsAt(event->position().toPoint());
}

/// The largest of pass, span and operator that would still be a zoom.
void TimelineView::zoomToWhatIsAt(const QPoint& position) {
    const std::optional<BarReference> bar = barAt(position);
    if (!bar) return;
    const OperatorInstance one = instance(*bar);
    const StageRows& stage = rows_->stages[static_cast<std::size_t>(bar->stage)];
    std::vector<std::pair<double, double>> candidates;
    if (const std::size_t pass = stage.passes.bars.at((one.start + one.end) / 2);
        pass < stage.passes.bars.size() && (rowOf(*bar).kind == StreamKind::compute || rowOf(*bar).kind == StreamKind::within))
        candidates.emplace_back(stage.passes.bars.start[pass], stage.passes.bars.end[pass]);
    candidates.emplace_back(one.span->start, one.span->end);
    candidates.emplace_back(one.start, one.end);
    for (const auto& [from, to] : candidates) {
        if (to <= from) continue;
        const Viewport next = framing(viewport_, from, to, zoomMargin, rows_->duration);
        if (next.span() > 0.8 * viewport_.span()) continue;
        setViewport(next);
        return;
    }
}

void TimelineView::leaveEvent(QEvent*) {
    mouse_ = {-1, -1};
    if (hovered_) {
        hovered_.reset();
        update();
    }
    selection_.setHint({});
}

void TimelineView::zoomBy(double factor, double pixel) { setViewport(zoomedAbout(viewport_, pixel, factor, rows_->duration)); }

void TimelineView::wheelEvent(QWheelEvent* event) {
    if (!hasRows()) {
        event->ignore();
        return;
    }
    const QPoint pixels = event->pixelDelta();
    const QPoint angle = event->angleDelta();
    const double notch = 120;
    if (event->modifiers() & Qt::ControlModifier) {
        zoomBy(std::pow(wheelZoom, angle.y() / notch), event->position().x() - lanesArea().left());
    } else if (event->modifiers() & Qt::ShiftModifier) {
        const int turned = angle.y() != 0 ? angle.y() : angle.x();
        setViewport(panned(viewport_, -turned / notch * viewport_.width * keyPan, rows_->duration));
    } else {
        const double sideways = !pixels.isNull() ? pixels.x() : angle.x() / notch * viewport_.width * keyPan;
        if (sideways != 0) setViewport(panned(viewport_, -sideways, rows_->duration));
        const int upwards = !pixels.isNull() ? pixels.y() : angle.y() / 2;
        if (scroll_->isVisible()) scroll_->setValue(scroll_->value() - upwards);
        else if (sideways == 0) {
            event->ignore();
            return;
        }
    }
    event->accept();
    hover(event->position().toPoint());
}

std::vector<KeyHelp> TimelineView::keyHelp() {
    return {{tr("W, S"), tr("Zoom in, out"), {Qt::Key_W, Qt::Key_S}},
            {tr("A, D"), tr("Earlier, later"), {Qt::Key_A, Qt::Key_D}},
            {tr("F"), tr("Show all of it"), {Qt::Key_F}},
            {tr("Left, Right"), tr("Operator before, after"), {Qt::Key_Left, Qt::Key_Right}},
            {tr("Up, Down"), tr("Lane above, below"), {Qt::Key_Up, Qt::Key_Down}},
            {tr("Home, End"), tr("First, last operator"), {Qt::Key_Home, Qt::Key_End}},
            {tr("Enter"), tr("Zoom to the operator"), {Qt::Key_Return, Qt::Key_Enter}},
            {tr("O"), tr("Fold a recorded rank, or open it"), {Qt::Key_O}},
            {tr("Esc"), tr("Choose nothing"), {Qt::Key_Escape}}};
}

bool TimelineView::handlesKey(const QKeyEvent& event) const {
    if (!hasRows() || (event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) != 0) return false;
    switch (event.key()) {
    case Qt::Key_W:
    case Qt::Key_S:
    case Qt::Key_A:
    case Qt::Key_D:
    case Qt::Key_F:
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Escape: return true;
    case Qt::Key_O: return folds();
    default: return false;
    }
}

double TimelineView::zoomCentre() const {
    const QRect lanes = lanesArea();
    if (mouse_.x() >= lanes.left() && mouse_.x() <= lanes.right()) return mouse_.x() + 0.5 - lanes.left();
    const double cursor = pixelAt(viewport_, selection_.cursor());
    return selection_.cursor() >= 0 && cursor >= 0 && cursor <= viewport_.width ? cursor : viewport_.width / 2;
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    if (!handlesKey(*event)) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_W: zoomBy(keyZoom, zoomCentre()); break;
    case Qt::Key_S: zoomBy(1 / keyZoom, zoomCentre()); break;
    case Qt::Key_A: setViewport(panned(viewport_, -viewport_.width * keyPan, rows_->duration)); break;
    case Qt::Key_D: setViewport(panned(viewport_, viewport_.width * keyPan, rows_->duration)); break;
    case Qt::Key_F: fit(); break;
    case Qt::Key_Left: stepBar(-1); break;
    case Qt::Key_Right: stepBar(1); break;
    case Qt::Key_Up: stepRow(-1); break;
    case Qt::Key_Down: stepRow(1); break;
    case Qt::Key_Home:
    case Qt::Key_End: {
        BarReference bar = focused_.value_or(firstBar());
        if (rowOf(bar).bars.empty()) break;
        bar.bar = event->key() == Qt::Key_Home ? 0 : rowOf(bar).bars.size() - 1;
        focusBar(bar, false);
        break;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (focused_) {
            const OperatorInstance one = instance(*focused_);
            setViewport(framing(viewport_, one.start, one.end, zoomMargin, rows_->duration));
        }
        break;
    case Qt::Key_Escape:
        focused_.reset();
        selection_.setOperator({}, {});
        selection_.setRange(0, 0);
        emit focusChanged();
        update();
        break;
    case Qt::Key_O: toggleFold(); break;
    default: break;
    }
    event->accept();
}

void TimelineView::ensureVisible(const BarReference& bar, bool zoomIn) {
    const OperatorInstance one = instance(bar);
    Viewport next = viewport_;
    const double wanted = zoomIn ? readableWidth : visibleWidth;
    if (one.end > one.start && (one.end - one.start) / next.secondsPerPixel() < wanted / 2) {
        const double span = (one.end - one.start) * next.width / wanted;
        const double middle = (one.start + one.end) / 2;
        next = clamped({middle - span / 2, middle + span / 2, next.width}, rows_->duration);
    } else if (one.start < next.from || one.end > next.to) {
        const double middle = (one.start + one.end) / 2;
        next = clamped({middle - next.span() / 2, middle + next.span() / 2, next.width}, rows_->duration);
    }
    setViewport(next);
    for (const TimelineLane& lane : layout_.lanes) {
        if (lane.kind != LaneKind::bars || lane.stage != bar.stage || lane.row != bar.row) continue;
        if (lane.top < scroll_->value()) scroll_->setValue(layout_.stages[static_cast<std::size_t>(lane.stage)].top);
        else if (lane.top + lane.height > scroll_->value() + lanesArea().height())
            scroll_->setValue(lane.top + lane.height - lanesArea().height());
    }
}

void TimelineView::focusBar(const BarReference& bar, bool zoomIn) {
    focused_ = bar;
    const OperatorInstance one = instance(bar);
    const TimedOperator& timed = timeline().operators[one.op];
    const QString text = describeOperator(timeline(), bar.stage, one, one.start);
    ensureVisible(bar, zoomIn);
    selection_.setCursor(one.start);
    chooseOperator(timed, bar.stage);
    selection_.setHint(text);
    setAccessibleDescription(text);
    emit focusChanged();
    update();
}

BarReference TimelineView::firstBar() const {
    const TimelineLane& top = layout_.lanes.front(); // lanes of bars stand above those of memory, and there is one
    return {top.stage, std::max(top.row, 0), 0};
}

void TimelineView::stepBar(int direction) {
    if (focused_) {
        const std::size_t count = rowOf(*focused_).bars.size();
        BarReference next = *focused_;
        if (direction < 0 ? next.bar == 0 : next.bar + 1 >= count) return;
        next.bar = direction < 0 ? next.bar - 1 : next.bar + 1;
        focusBar(next, false);
    } else if (const auto first = nearestBar(firstBar().stage, firstBar().row, selection_.cursor() >= 0 ? selection_.cursor() : viewport_.from)) {
        focusBar(*first, false);
    }
}

void TimelineView::stepRow(int direction) {
    if (!focused_) {
        stepBar(1);
        return;
    }
    const double time = instance(*focused_).start;
    BarReference next = *focused_;
    while (true) {
        next.row += direction;
        if (next.row < 0 || next.row >= static_cast<int>(rows_->stages[static_cast<std::size_t>(next.stage)].streams.size())) {
            next.stage += direction;
            if (next.stage < 0 || next.stage >= static_cast<int>(rows_->stages.size())) return;
            next.row = direction > 0 ? 0 : static_cast<int>(rows_->stages[static_cast<std::size_t>(next.stage)].streams.size()) - 1;
            if (next.row < 0) continue;
        }
        if (isHidden(next.stage) || (next.row > 0 && isFolded(next.stage))) continue;
        if (const auto bar = nearestBar(next.stage, next.row, time)) {
            focusBar(*bar, false);
            return;
        }
    }
}

} // namespace orrery
