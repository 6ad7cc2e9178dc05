// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/gestures.hpp"
#include "core/base/json.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/editing/cluster_editing.hpp"
#include "widgets/common/theme.hpp"

#include <QPainter>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace orrery {

bool PanGesture::move(QPointF step, Qt::KeyboardModifiers) {
    actions_.moveView(step);
    return true;
}

bool BandGesture::move(QPointF, Qt::KeyboardModifiers) {
    if (!scene_.isDragged()) return true;
    const QRectF band = scene_.view.toScene(QRectF(scene_.pressedAt, scene_.mouse)).normalized();
    ClusterSelection selection = before_;
    for (std::size_t i = 0; i < scene_.document.nodes().size(); ++i)
        if (band.intersects(scene_.geometry.cards()[i])) selection.nodes.insert(scene_.document.nodes()[i].id);
    actions_.setSelection(selection);
    actions_.repaintOverlay();
    return true;
}

void BandGesture::paint(QPainter& painter, const ThemeColors& colours) const {
    if (!scene_.isDragged()) return;
    QColor fill = colours.accent;
    fill.setAlphaF(0.1F);
    painter.setPen(QPen(colours.accent, 1));
    painter.setBrush(fill);
    painter.drawRect(QRectF(scene_.pressedAt, scene_.mouse).normalized());
}

namespace {

constexpr double alignDistance = 5; ///< px within which a dragged card lines up with another

} // namespace

bool MoveGesture::move(QPointF, Qt::KeyboardModifiers modifiers) {
    if (!scene_.isDragged() && offset_.isNull()) return true;
    QPointF offset = (scene_.mouse - scene_.pressedAt) / scene_.view.zoom;
    guides_.clear();
    const int leading = modifiers & Qt::AltModifier ? -1 : leader();
    if (leading >= 0) {
        const QPointF start = scene_.node(leading).position;
        offset = landing(leading, start + offset) - start;
    } else {
        offset = offset.toPoint();
    }
    if (offset == offset_) {
        actions_.repaintOverlay();
    } else {
        offset_ = offset;
        actions_.relayout();
    }
    return true;
}

int MoveGesture::leader() const {
    const QPointF pressed = scene_.view.toScene(scene_.pressedAt);
    const std::vector<DrawnNode>& nodes = scene_.document.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!scene_.look.selection.nodes.contains(nodes[i].id)) continue;
        QRectF card({}, cardSize(nodes[i]));
        card.moveCenter(nodes[i].position);
        if (card.contains(pressed)) return static_cast<int>(i);
    }
    return -1;
}

QPointF MoveGesture::landing(int leader, QPointF wanted) {
    QPointF at = snapped(wanted);
    const double near = alignDistance / scene_.view.zoom;
    double bestX = near, bestY = near;
    int alignX = -1, alignY = -1;
    const std::vector<DrawnNode>& nodes = scene_.document.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (static_cast<int>(i) == leader || scene_.look.selection.nodes.contains(nodes[i].id)) continue;
        const QPointF other = nodes[i].position;
        if (const double d = std::abs(other.x() - wanted.x()); d < bestX) bestX = d, alignX = static_cast<int>(i);
        if (const double d = std::abs(other.y() - wanted.y()); d < bestY) bestY = d, alignY = static_cast<int>(i);
    }
    if (alignX >= 0) at.setX(scene_.node(alignX).position.x());
    if (alignY >= 0) at.setY(scene_.node(alignY).position.y());
    if (alignX >= 0) guides_.emplace_back(at, scene_.node(alignX).position);
    if (alignY >= 0) guides_.emplace_back(at, scene_.node(alignY).position);
    return at;
}

void MoveGesture::release(Qt::KeyboardModifiers modifiers) {
    const ClusterSelection& selection = scene_.look.selection;
    if (!offset_.isNull()) {
        editing_.move(offset_);
    } else if (!scene_.isDragged() && !(modifiers & (Qt::ControlModifier | Qt::ShiftModifier)) && selection.nodes.size() > 1) {
        // A click on one of several, without a drag: that one alone.
        if (const int node = scene_.nodeUnder(scene_.mouse); node >= 0) actions_.setSelection({{scene_.node(node).id}, {}});
    }
}

void MoveGesture::cancel() { actions_.relayout(); }

void MoveGesture::paint(QPainter& painter, const ThemeColors& colours) const {
    painter.setPen(QPen(colours.accent, 1, Qt::DashLine));
    for (const QLineF& guide : guides_) painter.drawLine(scene_.view.toWidget(guide.p1()), scene_.view.toWidget(guide.p2()));
}

Nudge::Nudge(const CanvasScene& scene, ClusterEditing& editing, CanvasActions& actions) : scene_(scene), editing_(editing), actions_(actions) {
    pause_.setSingleShot(true);
    pause_.setInterval(400);
    connect(&pause_, &QTimer::timeout, this, &Nudge::commit);
}

void Nudge::by(QPointF step) {
    if (scene_.look.selection.nodes.empty()) return;
    offset_ += step;
    actions_.relayout();
    pause_.start();
}

void Nudge::commit() {
    const QPointF by = offset_;
    forget();
    if (!by.isNull()) editing_.move(by);
}

void Nudge::forget() {
    pause_.stop();
    offset_ = {};
}

void PendingPlacement::arm(const Json& fragment, const QString& label) {
    fragment_ = fragment;
    label_ = label;
    ghost_ = ClusterDocument(Json{{"cluster", {{"topology", fragment.at("topology")}}},
                                  {"view", {{"cluster", {{"positions", fragment.value("positions", Json::object())}}}}}},
                             catalog_);
    geometry_ = ClusterGeometry(ghost_);
    hide();
}

void PendingPlacement::disarm() {
    fragment_ = Json();
    hide();
}

void PendingPlacement::paint(QPainter& painter, const Theme& theme) const {
    if (!isArmed() || !at_ || ghost_.isEmpty()) return;
    const bool one = ghost_.nodes().size() == 1;
    const QPointF anchor = one ? ghost_.nodes()[0].position : ghost_.bounds().center();
    painter.save();
    painter.setOpacity(0.55);
    painter.translate(scene_.view.origin);
    painter.scale(scene_.view.zoom, scene_.view.zoom);
    painter.translate(one ? snapped(*at_) - anchor : snapped(*at_ - anchor));
    ClusterLook look;
    look.hostLabel = scene_.look.hostLabel;
    look.fabricLabel = scene_.look.fabricLabel;
    paintCluster(painter, ghost_, geometry_, look, theme, scene_.view.zoom, QRectF(-1e7, -1e7, 2e7, 2e7));
    painter.restore();
}

namespace {

constexpr double handleRadius = 7;      ///< px around a handle
constexpr double leastHandleZoom = 0.3; ///< below it handles would cover the cards

} // namespace

void LinkDrawing::finish(int node) {
    const int from = std::exchange(from_, -1);
    if (from < 0 || node < 0 || from == node) return actions_.repaintOverlay();
    const std::set<std::string>& marked = scene_.look.selection.nodes;
    const auto isMarked = [&](int which) { return marked.contains(scene_.node(which).id); };
    // From a marked node to another, or to a marked node from another: the others that are marked do the same.
    const int hub = isMarked(from) ? node : from;
    if (marked.size() > 1 && isMarked(from) != isMarked(node)) return editing_.connectAll(hub);
    editing_.connectNodes(from, node);
}

void LinkDrawing::click(int node) {
    if (node < 0) cancel();
    else if (!isPending()) begin(node);
    else finish(node);
}

bool LinkDrawing::hasHandles() const { return scene_.look.hoveredNode >= 0 && scene_.view.zoom >= leastHandleZoom; }

std::vector<QPointF> LinkDrawing::handles() const {
    const QRectF card = scene_.view.toWidget(scene_.card(scene_.look.hoveredNode));
    return {{card.center().x(), card.top()}, {card.center().x(), card.bottom()}, {card.left(), card.center().y()}, {card.right(), card.center().y()}};
}

int LinkDrawing::handleAt(QPointF widget) const {
    if (!hasHandles()) return -1;
    for (const QPointF& handle : handles())
        if (QLineF(handle, widget).length() <= handleRadius) return scene_.look.hoveredNode;
    return -1;
}

void LinkDrawing::paintHandles(QPainter& painter, const ThemeColors& colours) const {
    if (!hasHandles()) return;
    painter.setPen(QPen(colours.accent, 1.4));
    painter.setBrush(colours.panel);
    for (const QPointF& handle : handles()) painter.drawEllipse(handle, 4, 4);
}

void LinkDrawing::paint(QPainter& painter, const ThemeColors& colours) const {
    if (!isPending()) return;
    const CanvasView& view = scene_.view;
    const QRectF shown = view.toWidget(scene_.card(from_));
    painter.setPen(QPen(colours.accent, 1.6, Qt::DashLine));
    // From the edge that faces the mouse.
    const double side = scene_.mouse.y() < shown.center().y() ? shown.top() : shown.bottom();
    if (!shown.contains(scene_.mouse)) painter.drawLine(QPointF(shown.center().x(), side), scene_.mouse);
    painter.setPen(QPen(colours.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(shown, 7 * view.zoom, 7 * view.zoom);
    const int target = scene_.look.hoveredNode;
    if (target >= 0 && target != from_) painter.drawRoundedRect(view.toWidget(scene_.card(target)), 7 * view.zoom, 7 * view.zoom);
}

} // namespace orrery
