// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, keyboard and drops of ClusterCanvas, and the tool they work with.

#include "core/base/json.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/editing/gestures.hpp"
#include "widgets/common/own_markup.hpp"
#include "widgets/common/selection.hpp"

#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QToolButton>
#include <QToolTip>

#include <cmath>

namespace orrery {

int ClusterCanvas::handleAt(QPointF point) const { return tool_ == ClusterTool::select ? parts_->link.handleAt(point) : -1; }

void ClusterCanvas::updateCursor() {
    if (const auto shape = gesture_ ? gesture_->cursor() : std::nullopt) setCursor(*shape);
    else if (spaceHeld_) setCursor(Qt::OpenHandCursor);
    else if (tool_ != ClusterTool::select || handleAt(scene_.mouse) >= 0) setCursor(Qt::CrossCursor);
    else unsetCursor();
}

void ClusterCanvas::hover(QPointF point) {
    ClusterLook& look = scene_.look;
    const bool inside = drawingArea().contains(point);
    int node = inside ? scene_.nodeUnder(point) : -1;
    if (node < 0 && look.hoveredNode >= 0 && handleAt(point) >= 0) node = look.hoveredNode; // half a handle lies outside
    const int link = node < 0 && tool_ == ClusterTool::select && inside ? scene_.linkNear(point) : -1;
    if (node != look.hoveredNode || link != look.hoveredLink) {
        look.hoveredNode = node;
        look.hoveredLink = link;
        redraw();
        shared_.setHint(inside ? parts_->description.hintAt(point) : QString());
    }
    updateCursor();
}

// Tools.

void ClusterCanvas::setTool(ClusterTool tool) {
    connectButton_->setChecked(tool == ClusterTool::connect);
    parts_->link.cancel();
    if (tool != ClusterTool::place && parts_->placement.isArmed()) {
        parts_->placement.disarm();
        emit placementEnded();
    }
    if (tool == tool_) return update();
    tool_ = tool;
    updateCursor();
    update();
    emit toolChanged(tool);
}

void ClusterCanvas::armPlacement(const Json& fragment, const QString& label) {
    parts_->placement.arm(fragment, label);
    setTool(ClusterTool::place);
    setFocus();
}

void ClusterCanvas::cancelTool() {
    if (const auto gesture = std::move(gesture_)) gesture->cancel();
    if (tool_ != ClusterTool::select && parts_->link.isPending()) parts_->link.cancel(); // first the pending end, then the tool
    else if (tool_ != ClusterTool::select) setTool(ClusterTool::select);
    update();
}

// The mouse.

void ClusterCanvas::begin(std::unique_ptr<CanvasGesture> gesture) {
    if (const auto former = std::move(gesture_)) former->cancel(); // another button came down before the first went up
    gesture_ = std::move(gesture);
    updateCursor();
}

void ClusterCanvas::mousePressEvent(QMouseEvent* event) {
    const QPointF point = event->position();
    scene_.mouse = scene_.pressedAt = point;
    if (!drawingArea().contains(point)) return QWidget::mousePressEvent(event);
    parts_->nudge.commit();
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && spaceHeld_))
        return begin(std::make_unique<PanGesture>(asActions()));
    if (event->button() != Qt::LeftButton) return;
    hover(point);
    switch (tool_) {
    case ClusterTool::place: {
        const Json fragment = parts_->placement.fragment();
        const QString label = parts_->placement.label();
        if (!(event->modifiers() & Qt::ShiftModifier)) setTool(ClusterTool::select);
        return placeAt(fragment, label, scene_.view.toScene(point));
    }
    case ClusterTool::connect:
        parts_->link.click(scene_.nodeUnder(point));
        return update();
    case ClusterTool::select: break;
    }
    if (const int from = handleAt(point); from >= 0) {
        parts_->link.begin(from);
        return begin(std::make_unique<LinkGesture>(scene_, parts_->link));
    }
    pressToSelect(event->modifiers());
}

void ClusterCanvas::pressToSelect(Qt::KeyboardModifiers modifiers) {
    const bool adds = modifiers & (Qt::ControlModifier | Qt::ShiftModifier);
    ClusterSelection marked = adds ? selection() : ClusterSelection{};
    if (const int node = scene_.nodeUnder(scene_.mouse); node >= 0) {
        const std::string& id = scene_.node(node).id;
        const bool had = selection().nodes.contains(id);
        if (adds && had) marked.nodes.erase(id);
        else if (!had) marked.nodes.insert(id);
        else marked = selection(); // a press on one of several may begin to drag them all
        setSelection(marked);
        return begin(std::make_unique<MoveGesture>(scene_, parts_->editing, asActions()));
    }
    if (const int link = scene_.linkNear(scene_.mouse); link >= 0) {
        const LinkKey key = document().keyOf(scene_.link(link));
        if (!marked.links.insert(key).second) marked.links.erase(key);
        return setSelection(marked);
    }
    setSelection(marked);
    begin(std::make_unique<BandGesture>(scene_, asActions()));
}

void ClusterCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF point = event->position();
    const QPointF step = point - scene_.mouse;
    scene_.mouse = point;
    if (gesture_ && gesture_->move(step, event->modifiers())) return;
    if (tool_ == ClusterTool::place) {
        parts_->placement.showAt(point);
        return update();
    }
    hover(point);
    if (parts_->link.isPending()) update();
}

void ClusterCanvas::mouseReleaseEvent(QMouseEvent* event) {
    scene_.mouse = event->position();
    if (const auto gesture = std::move(gesture_)) gesture->release(event->modifiers());
    // With the tool a drag joins as two clicks do: it ends on another node than it began on.
    else if (tool_ == ClusterTool::connect && event->button() == Qt::LeftButton && parts_->link.isPending())
        if (const int node = scene_.nodeUnder(scene_.mouse); node >= 0 && !parts_->link.isFrom(node)) parts_->link.finish(node);
    updateCursor();
    update();
}

void ClusterCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    // A fast second click places or connects like any other; on empty ground a double click shows everything.
    if (tool_ != ClusterTool::select || event->button() != Qt::LeftButton) return mousePressEvent(event);
    const QPointF point = event->position();
    if (drawingArea().contains(point) && scene_.nodeUnder(point) < 0 && scene_.linkNear(point) < 0) return fit();
    mousePressEvent(event);
}

void ClusterCanvas::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ControlModifier) {
        zoom(event->position(), std::pow(1.0015, event->angleDelta().y()));
    } else {
        const QPointF delta = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2.0 : QPointF(event->pixelDelta());
        moveView(event->modifiers() & Qt::ShiftModifier ? delta.transposed() : delta);
    }
    event->accept();
}

void ClusterCanvas::leaveEvent(QEvent* event) {
    parts_->placement.hide();
    if (scene_.look.hoveredNode >= 0 || scene_.look.hoveredLink >= 0) {
        scene_.look.hoveredNode = scene_.look.hoveredLink = -1;
        redraw();
    }
    shared_.setHint({});
    update();
    QWidget::leaveEvent(event);
}

void ClusterCanvas::selectForMenu(QPointF point) {
    CanvasScene::Marked there;
    if (const int node = scene_.nodeUnder(point); node >= 0) there = scene_.marked({node}, {});
    else if (const int link = scene_.linkNear(point); link >= 0) there = scene_.marked({}, {link});
    const bool has = std::includes(selection().nodes.begin(), selection().nodes.end(), there.selection.nodes.begin(), there.selection.nodes.end()) &&
                     std::includes(selection().links.begin(), selection().links.end(), there.selection.links.begin(), there.selection.links.end());
    if (there.selection.empty() || !has) setSelection(there.selection); // a menu on one of several is about them all
}

void ClusterCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (!drawingArea().contains(event->pos())) return;
    if (event->reason() == QContextMenuEvent::Mouse) selectForMenu(event->pos());
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu);
    menu->popup(event->globalPos());
}

// The keyboard.

std::vector<KeyHelp> ClusterCanvas::keyHelp() {
    return {{tr("Tab, Shift+Tab"), tr("Next host or switch, the one before"), {Qt::Key_Tab, Qt::Key_Backtab}},
            {tr("Arrows, with Shift further"), tr("Move what is marked"), {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down}},
            {tr("Space and drag"), tr("Move the view"), {Qt::Key_Space}},
            {tr("Esc"), tr("Put the tool down, mark nothing"), {Qt::Key_Escape}}};
}

void ClusterCanvas::keyPressEvent(QKeyEvent* event) {
    const double step = event->modifiers() & Qt::ShiftModifier ? 4 * gridStep : gridStep;
    const bool canNudge = !selection().nodes.empty() && !gesture_;
    const bool idle = tool_ == ClusterTool::select && !gesture_;
    switch (event->key()) {
    case Qt::Key_Escape:
        if (idle && selection().empty()) return QWidget::keyPressEvent(event);
        return idle ? setSelection({}) : cancelTool();
    case Qt::Key_Space:
        spaceHeld_ = true;
        return updateCursor();
    case Qt::Key_Left:
        if (canNudge) return parts_->nudge.by({-step, 0});
        break;
    case Qt::Key_Right:
        if (canNudge) return parts_->nudge.by({step, 0});
        break;
    case Qt::Key_Up:
        if (canNudge) return parts_->nudge.by({0, -step});
        break;
    case Qt::Key_Down:
        if (canNudge) return parts_->nudge.by({0, step});
        break;
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

bool ClusterCanvas::stepNode(int direction) {
    const int n = static_cast<int>(document().nodes().size());
    const int current = selection().nodes.size() == 1 ? document().indexOf(*selection().nodes.begin()) : -1;
    const int next = current >= 0 ? current + direction : direction > 0 ? 0
                                                                        : n - 1;
    if (next < 0 || next >= n) return false;
    reveal(scene_.marked({next}, {}));
    return true;
}

void ClusterCanvas::focusInEvent(QFocusEvent* event) {
    focusByKey_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
    QWidget::focusInEvent(event);
}

void ClusterCanvas::focusOutEvent(QFocusEvent* event) {
    spaceHeld_ = false;
    update();
    parts_->nudge.commit();
    QWidget::focusOutEvent(event);
}

bool ClusterCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString text = describe(help->pos());
        if (text.isEmpty()) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), ownMarkup(text), this);
        return true;
    }
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool forward = key->key() == Qt::Key_Tab, back = key->key() == Qt::Key_Backtab;
        // Past the last node the focus goes on, so that the keyboard is not caught here.
        if ((forward || back) && !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) && stepNode(forward ? 1 : -1)) return true;
    }
    return QWidget::event(event);
}

// What is dropped, and the widget's size.

void ClusterCanvas::dragEnterEvent(QDragEnterEvent* event) {
    if (!event->mimeData()->hasFormat(fragmentMimeType)) return;
    if (const std::optional<Json> fragment = readFragment(event->mimeData()->data(fragmentMimeType))) {
        armPlacement(*fragment, event->mimeData()->text());
        event->acceptProposedAction();
    }
}

void ClusterCanvas::dragMoveEvent(QDragMoveEvent* event) {
    if (tool_ != ClusterTool::place) return;
    parts_->placement.showAt(event->position());
    update();
    event->acceptProposedAction();
}

void ClusterCanvas::dragLeaveEvent(QDragLeaveEvent*) { setTool(ClusterTool::select); }

void ClusterCanvas::dropEvent(QDropEvent* event) {
    const std::optional<Json> fragment = readFragment(event->mimeData()->data(fragmentMimeType));
    if (!fragment) return;
    event->acceptProposedAction();
    setTool(ClusterTool::select);
    placeAt(*fragment, event->mimeData()->text(), scene_.view.toScene(event->position()));
    setFocus();
}

void ClusterCanvas::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    parts_->whatIfs.place();
    fitUnlessUsers();
    redraw();
}

} // namespace orrery
