// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/move_gesture.hpp"

#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/editing/cluster_editing.hpp"
#include "widgets/common/theme.hpp"

#include <QPainter>

#include <cmath>

namespace orrery {
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

} // namespace orrery
