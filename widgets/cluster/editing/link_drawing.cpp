// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/link_drawing.hpp"

#include "widgets/cluster/editing/cluster_editing.hpp"
#include "widgets/common/theme.hpp"

#include <QPainter>

#include <set>
#include <string>
#include <utility>

namespace orrery {
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
