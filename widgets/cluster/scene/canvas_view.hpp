// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>

namespace orrery {

/// How a view maps scene units to widget pixels: pixel = origin + zoom * unit.
struct CanvasView {
    double zoom = 1;
    QPointF origin;

    QPointF toWidget(QPointF scene) const { return origin + zoom * scene; }
    QRectF toWidget(const QRectF& scene) const { return {toWidget(scene.topLeft()), toWidget(scene.bottomRight())}; }
    QPointF toScene(QPointF widget) const { return (widget - origin) / zoom; }
    QRectF toScene(const QRectF& widget) const { return {toScene(widget.topLeft()), toScene(widget.bottomRight())}; }
    /// Zooms by `factor` with the scene point under `fixed` staying there.
    void zoomAbout(QPointF fixed, double factor);
    /// Shows all of `scene` in the middle of `room` (widget), as large as fits; a single host does not fill the window.
    void fitInto(const QRectF& room, const QRectF& scene);
    /// Moves so that a scene point lies at `place` (widget).
    void put(QPointF scene, QPointF place) { origin = place - zoom * scene; }
};

} // namespace orrery
