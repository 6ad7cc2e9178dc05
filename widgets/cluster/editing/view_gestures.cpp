// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/editing/view_gestures.hpp"

#include "widgets/common/theme.hpp"

#include <QPainter>

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

} // namespace orrery
