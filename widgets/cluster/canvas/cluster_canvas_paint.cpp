// SPDX-License-Identifier: GPL-3.0-or-later
// What ClusterCanvas paints, on screen and for export.

#include "widgets/cluster/canvas/canvas_parts.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/fields/cluster_csv.hpp"
#include "widgets/cluster/fields/cluster_summary.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/theme.hpp"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace orrery {

void ClusterCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF area = drawingArea();
    if (document().isEmpty() && !parts_->placement.isShown()) {
        painter.fillRect(rect(), theme_.colors().panel);
        drawEmptyState(painter, area, theme_, tr("The cluster: its hosts, its switches, and how they are connected"),
                       tr("Place a host from the palette, or drop a platform"));
        return paintOverlay(painter);
    }
    const double ratio = devicePixelRatioF();
    if (drawing_.isNull() || drawing_.size() != size() * ratio || drawing_.devicePixelRatio() != ratio) paintDrawing();
    painter.drawPixmap(0, 0, drawing_);
    painter.setClipRect(area);
    paintOverlay(painter);
}

void ClusterCanvas::paintDrawing() {
    drawing_ = QPixmap(size() * devicePixelRatioF());
    drawing_.setDevicePixelRatio(devicePixelRatioF());
    drawing_.fill(theme_.colors().panel);
    const QRectF area = drawingArea();
    QPainter painter(&drawing_);
    painter.setClipRect(area);
    painter.save();
    painter.translate(view().origin);
    painter.scale(view().zoom, view().zoom);
    paintCluster(painter, document(), scene_.geometry, look(), theme_, view().zoom, view().toScene(area));
    painter.restore();
    parts_->legend.paint(painter, area);
}

void ClusterCanvas::paintOverlay(QPainter& painter) const {
    const ThemeColors& colours = theme_.colors();
    painter.setRenderHint(QPainter::Antialiasing);
    if (gesture_) gesture_->paint(painter, colours);
    if (parts_->link.isPending()) parts_->link.paint(painter, colours);
    else if (tool_ == ClusterTool::select && !gesture_) parts_->link.paintHandles(painter, colours);
    if (tool_ == ClusterTool::place) parts_->placement.paint(painter, theme_);
    if (hasFocus() && focusByKey_ && selection().empty()) {
        painter.setPen(QPen(colours.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(drawingArea().adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

ChartHeading ClusterCanvas::heading() const { return {tr("Cluster"), document().isEmpty() ? QString() : clusterSummary(document(), catalog_)}; }

QString ClusterCanvas::whyNothing() const { return document().isEmpty() ? tr("The cluster is empty: place a host from the palette, or drop a platform.") : QString(); }

void ClusterCanvas::renderBody(QPainter& painter, const QRectF& body) const {
    if (document().isEmpty()) return drawEmptyState(painter, body, theme_, tr("The cluster is empty"), {});
    const QRectF room = body.adjusted(20, 6, -20, -20 - parts_->legend.height());
    const QRectF scene = scene_.geometry.bounds();
    const double zoom = std::min({room.width() / scene.width(), room.height() / scene.height(), 1.5});
    ClusterLook shown = look();
    shown.selection = {};
    shown.hoveredNode = shown.hoveredLink = -1;
    painter.save();
    painter.translate(room.center() - zoom * scene.center());
    painter.scale(zoom, zoom);
    paintCluster(painter, document(), scene_.geometry, shown, theme_, zoom, scene.adjusted(-50, -50, 50, 50));
    painter.restore();
    parts_->legend.paint(painter, body);
}

QString ClusterCanvas::exportName() const { return QStringLiteral("cluster"); }

QByteArray ClusterCanvas::csv() const { return clusterCsv(document()); }

} // namespace orrery
