// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/canvas_view.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr double leastZoom = 0.04;
constexpr double mostZoom = 4;
constexpr double mostFitZoom = 1.25; ///< a single host does not fill the window

} // namespace

void CanvasView::zoomAbout(QPointF fixed, double factor) {
    const QPointF scene = toScene(fixed);
    zoom = std::clamp(zoom * factor, leastZoom, mostZoom);
    put(scene, fixed);
}

void CanvasView::fitInto(const QRectF& room, const QRectF& scene) {
    zoom = std::clamp(std::min(room.width() / scene.width(), room.height() / scene.height()), leastZoom, mostFitZoom);
    put(scene.center(), room.center());
}

} // namespace orrery
