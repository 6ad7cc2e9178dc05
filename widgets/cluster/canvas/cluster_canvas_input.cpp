// Mouse, keyboard and drops of ClusterCanvas.

#include "core/base/json.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"

#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/cluster_fragment.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"

#include <QDragEnterEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QTextDocumentFragment>
#include <QToolTip>

#include <cmath>

namespace orrery {
namespace {

constexpr double dragDistance = 4;   ///< px before a press becomes a drag
constexpr double handleRadius = 7;   ///< px around a connect handle
constexpr double linkTolerance = 5;  ///< px beside a link
constexpr double alignDistance = 5;  ///< px within which a dragged card lines up with another

} // namespace

std::vector<QPointF> ClusterCanvas::handles(int node) const {
    const QRectF& card = geometry_.cards()[static_cast<std::size_t>(node)];
    return {view_.toWidget({card.center().x(), card.top()}), view_.toWidget({card.center().x(), card.bottom()}),
            view_.toWidget({card.left(), card.center().y()}), view_.toWidget({card.right(), card.center().y()})};
}

int ClusterCanvas::handleAt(QPointF point) const {
    if (tool_ != ClusterTool::select || view_.zoom < 0.3) return -1;
    if (look_.hoveredNode < 0) return -1;
    for (const QPointF& handle : handles(look_.hoveredNode))
        if (QLineF(handle, point).length() <= handleRadius) return look_.hoveredNode;
    return -1;
}

int ClusterCanvas::linkNear(QPointF point) const { return geometry_.linkAt(view_.toScene(point), linkTolerance / view_.zoom); }

void ClusterCanvas::updateCursor() {
    if (gesture_ == Gesture::pan) setCursor(Qt::ClosedHandCursor);
    else if (spaceHeld_) setCursor(Qt::OpenHandCursor);
    else if (tool_ != ClusterTool::select || gesture_ == Gesture::connect) setCursor(Qt::CrossCursor);
    else if (handleAt(mouse_) >= 0) setCursor(Qt::CrossCursor);
    else unsetCursor();
}

void ClusterCanvas::hover(QPointF point) {
    const QPointF scene = view_.toScene(point);
    int node = drawingArea().contains(point) ? geometry_.nodeAt(scene) : -1;
    if (node < 0 && look_.hoveredNode >= 0 && handleAt(point) >= 0) node = look_.hoveredNode; // half a handle lies outside
    const int link = node < 0 && tool_ == ClusterTool::select && drawingArea().contains(point) ? linkNear(point) : -1;
    if (node != look_.hoveredNode || link != look_.hoveredLink) {
        look_.hoveredNode = node;
        look_.hoveredLink = link;
        redraw();
        // The row at the bottom is one line of plain text.
        shared_.setHint(QTextDocumentFragment::fromHtml(describe(point)).toPlainText().trimmed().replace(QLatin1Char('\n'), QStringLiteral(" · ")));
    }
    updateCursor();
}

void ClusterCanvas::mousePressEvent(QMouseEvent* event) {
    const QPointF point = event->position();
    mouse_ = pressedAt_ = point;
    if (!drawingArea().contains(point)) return QWidget::mousePressEvent(event);
    commitNudge();
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && spaceHeld_)) {
        gesture_ = Gesture::pan;
        return updateCursor();
    }
    if (event->button() != Qt::LeftButton) return;
    hover(point);
    const QPointF scene = view_.toScene(point);
    const int node = geometry_.nodeAt(scene);

    if (tool_ == ClusterTool::place) {
        const Json fragment = armed_;
        const QString label = armedLabel_;
        if (!(event->modifiers() & Qt::ShiftModifier)) setTool(ClusterTool::select);
        return placeAt(fragment, label, scene);
    }
    if (tool_ == ClusterTool::connect) {
        if (node < 0) connectFrom_ = -1;
        else if (connectFrom_ < 0) connectFrom_ = node;
        else connectNodes(connectFrom_, node);
        return update();
    }
    if (const int from = handleAt(point); from >= 0) {
        gesture_ = Gesture::connect;
        connectFrom_ = from;
        return updateCursor();
    }
    const bool adds = event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier);
    ClusterSelection selection = adds ? look_.selection : ClusterSelection{};
    if (node >= 0) {
        const std::string& id = document_.nodes()[static_cast<std::size_t>(node)].id;
        const bool had = look_.selection.nodes.contains(id);
        if (adds && had) selection.nodes.erase(id);
        else if (!had) selection.nodes.insert(id);
        else selection = look_.selection; // a press on one of several may begin to drag them all
        setSelection(selection);
        gesture_ = Gesture::move;
        return;
    }
    if (const int link = linkNear(point); link >= 0) {
        const LinkKey key = document_.keyOf(document_.links()[static_cast<std::size_t>(link)]);
        if (!selection.links.insert(key).second) selection.links.erase(key);
        return setSelection(selection);
    }
    beforeBand_ = selection;
    setSelection(selection);
    gesture_ = Gesture::rubber_band;
}

void ClusterCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF point = event->position();
    const QPointF step = point - mouse_;
    mouse_ = point;
    const bool dragged = QLineF(pressedAt_, point).length() >= dragDistance;
    switch (gesture_) {
    case Gesture::pan:
        viewIsUsers_ = true;
        view_.origin += step;
        return redraw();
    case Gesture::move:
        if (dragged || !dragOffset_.isNull()) dragSelection(point, event->modifiers() & Qt::AltModifier);
        return;
    case Gesture::rubber_band: {
        if (!dragged) return;
        const QRectF band = QRectF(view_.toScene(pressedAt_), view_.toScene(point)).normalized();
        ClusterSelection selection = beforeBand_;
        for (std::size_t i = 0; i < document_.nodes().size(); ++i)
            if (band.intersects(geometry_.cards()[i])) selection.nodes.insert(document_.nodes()[i].id);
        setSelection(selection);
        return update();
    }
    case Gesture::connect:
    case Gesture::none: break;
    }
    if (tool_ == ClusterTool::place) {
        ghostAt_ = view_.toScene(point);
        return update();
    }
    hover(point);
    if (connectFrom_ >= 0) update();
}

void ClusterCanvas::mouseReleaseEvent(QMouseEvent* event) {
    mouse_ = event->position();
    const Gesture gesture = gesture_;
    gesture_ = Gesture::none;
    const bool dragged = QLineF(pressedAt_, mouse_).length() >= dragDistance;
    if (gesture == Gesture::move) {
        if (!dragOffset_.isNull()) finishDrag();
        else if (!dragged && !(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) && look_.selection.nodes.size() > 1) {
            // A click on one of several, without a drag: that one alone.
            if (const int node = geometry_.nodeAt(view_.toScene(mouse_)); node >= 0)
                setSelection({{document_.nodes()[static_cast<std::size_t>(node)].id}, {}});
        }
    } else if (gesture == Gesture::connect) {
        connectNodes(connectFrom_, geometry_.nodeAt(view_.toScene(mouse_)));
    }
    updateCursor();
    update();
}

void ClusterCanvas::dragSelection(QPointF point, bool freely) {
    QPointF offset = (point - pressedAt_) / view_.zoom;
    guides_.clear();
    // The card under the press leads: it lands on the grid, or in line with another card.
    const int leader = [&] {
        for (std::size_t i = 0; i < document_.nodes().size(); ++i)
            if (look_.selection.nodes.contains(document_.nodes()[i].id)) {
                const QSizeF size = cardSize(document_.nodes()[i]);
                const QPointF at = document_.nodes()[i].position;
                if (QRectF(at.x() - size.width() / 2, at.y() - size.height() / 2, size.width(), size.height())
                        .contains(view_.toScene(pressedAt_)))
                    return static_cast<int>(i);
            }
        return -1;
    }();
    if (!freely && leader >= 0) {
        const QPointF start = document_.nodes()[static_cast<std::size_t>(leader)].position;
        const QPointF wanted = start + offset;
        QPointF at = snapped(wanted);
        const double near = alignDistance / view_.zoom;
        double bestX = near, bestY = near;
        int alignX = -1, alignY = -1;
        for (std::size_t i = 0; i < document_.nodes().size(); ++i) {
            if (look_.selection.nodes.contains(document_.nodes()[i].id)) continue;
            const QPointF other = document_.nodes()[i].position;
            if (const double d = std::abs(other.x() - wanted.x()); d < bestX) bestX = d, alignX = static_cast<int>(i);
            if (const double d = std::abs(other.y() - wanted.y()); d < bestY) bestY = d, alignY = static_cast<int>(i);
        }
        if (alignX >= 0) at.setX(document_.nodes()[static_cast<std::size_t>(alignX)].position.x());
        if (alignY >= 0) at.setY(document_.nodes()[static_cast<std::size_t>(alignY)].position.y());
        if (alignX >= 0) guides_.emplace_back(at, document_.nodes()[static_cast<std::size_t>(alignX)].position);
        if (alignY >= 0) guides_.emplace_back(at, document_.nodes()[static_cast<std::size_t>(alignY)].position);
        offset = at - start;
    } else {
        offset = offset.toPoint();
    }
    if (offset == dragOffset_) return update();
    dragOffset_ = offset;
    relayout();
    update();
}

void ClusterCanvas::finishDrag() {
    const QPointF by = dragOffset_;
    dragOffset_ = {};
    guides_.clear();
    const std::size_t count = look_.selection.nodes.size();
    std::vector<ScenarioEdit> edits = document_.move(look_.selection.nodes, by);
    relayout(); // an application that refuses the edit leaves everything where it was
    request(count == 1 ? tr("Move %1").arg(QString::fromStdString(*look_.selection.nodes.begin()))
                       : tr("Move %1 nodes").arg(grouped(static_cast<double>(count))),
            std::move(edits));
}

void ClusterCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    // A fast second click places or connects like any other; on empty ground a double click shows everything.
    if (tool_ != ClusterTool::select || event->button() != Qt::LeftButton) return mousePressEvent(event);
    if (drawingArea().contains(event->position()) && geometry_.nodeAt(view_.toScene(event->position())) < 0 &&
        linkNear(event->position()) < 0)
        return fit();
    mousePressEvent(event);
}

void ClusterCanvas::wheelEvent(QWheelEvent* event) {
    viewIsUsers_ = true;
    if (event->modifiers() & Qt::ControlModifier) {
        view_.zoomAbout(event->position(), std::pow(1.0015, event->angleDelta().y()));
    } else {
        QPointF delta = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2.0 : QPointF(event->pixelDelta());
        if (event->modifiers() & Qt::ShiftModifier) delta = {delta.y(), delta.x()};
        view_.origin += delta;
    }
    event->accept();
    redraw();
}

std::vector<KeyHelp> ClusterCanvas::keyHelp() {
    return {{tr("Tab, Shift+Tab"), tr("Next host or switch, the one before"), {Qt::Key_Tab, Qt::Key_Backtab}},
            {tr("Arrows, with Shift further"), tr("Move what is marked"), {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down}},
            {tr("Space and drag"), tr("Move the view"), {Qt::Key_Space}},
            {tr("Esc"), tr("Put the tool down, mark nothing"), {Qt::Key_Escape}}};
}

void ClusterCanvas::keyPressEvent(QKeyEvent* event) {
    const double step = event->modifiers() & Qt::ShiftModifier ? 4 * gridStep : gridStep;
    const bool canNudge = !look_.selection.nodes.empty() && gesture_ == Gesture::none;
    switch (event->key()) {
    case Qt::Key_Escape:
        if (tool_ == ClusterTool::select && gesture_ == Gesture::none && look_.selection.empty()) return QWidget::keyPressEvent(event);
        if (tool_ == ClusterTool::select && gesture_ == Gesture::none) return setSelection({});
        return cancelTool();
    case Qt::Key_Space:
        spaceHeld_ = true;
        return updateCursor();
    case Qt::Key_Left: if (canNudge) return nudge({-step, 0}); break;
    case Qt::Key_Right: if (canNudge) return nudge({step, 0}); break;
    case Qt::Key_Up: if (canNudge) return nudge({0, -step}); break;
    case Qt::Key_Down: if (canNudge) return nudge({0, step}); break;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

void ClusterCanvas::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        spaceHeld_ = false;
        updateCursor();
    }
    QWidget::keyReleaseEvent(event);
}

void ClusterCanvas::focusInEvent(QFocusEvent* event) {
    focusByKey_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
    QWidget::focusInEvent(event);
}

void ClusterCanvas::focusOutEvent(QFocusEvent* event) {
    spaceHeld_ = false;
    update();
    commitNudge();
    QWidget::focusOutEvent(event);
}

void ClusterCanvas::leaveEvent(QEvent* event) {
    ghostAt_.reset();
    if (look_.hoveredNode >= 0 || look_.hoveredLink >= 0) {
        look_.hoveredNode = look_.hoveredLink = -1;
        redraw();
    }
    shared_.setHint({});
    update();
    QWidget::leaveEvent(event);
}

bool ClusterCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString text = describe(help->pos());
        if (text.isEmpty()) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool forward = key->key() == Qt::Key_Tab, back = key->key() == Qt::Key_Backtab;
        const int n = static_cast<int>(document_.nodes().size());
        if ((forward || back) && !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) && n > 0) {
            int current = -1;
            if (look_.selection.nodes.size() == 1) current = document_.indexOf(*look_.selection.nodes.begin());
            // Past the last node the focus goes on, so that the keyboard is not caught here.
            const bool leaves = current >= 0 && (forward ? current == n - 1 : current == 0);
            if (!leaves) {
                stepNode(forward ? 1 : -1);
                return true;
            }
        }
    }
    return QWidget::event(event);
}

void ClusterCanvas::dragEnterEvent(QDragEnterEvent* event) {
    if (!event->mimeData()->hasFormat(fragmentMimeType)) return;
    if (const std::optional<Json> fragment = readFragment(event->mimeData()->data(fragmentMimeType))) {
        armPlacement(*fragment, event->mimeData()->text());
        event->acceptProposedAction();
    }
}

void ClusterCanvas::dragMoveEvent(QDragMoveEvent* event) {
    if (tool_ != ClusterTool::place) return;
    ghostAt_ = view_.toScene(event->position());
    update();
    event->acceptProposedAction();
}

void ClusterCanvas::dragLeaveEvent(QDragLeaveEvent*) { setTool(ClusterTool::select); }

void ClusterCanvas::dropEvent(QDropEvent* event) {
    const std::optional<Json> fragment = readFragment(event->mimeData()->data(fragmentMimeType));
    if (!fragment) return;
    event->acceptProposedAction();
    setTool(ClusterTool::select);
    placeAt(*fragment, event->mimeData()->text(), view_.toScene(event->position()));
    setFocus();
}

} // namespace orrery
