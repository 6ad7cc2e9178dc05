// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/scene/canvas_scene.hpp"

#include <QCoreApplication>

class QPainter;

namespace orrery {

class RankStages;
class Theme;
class TrafficOverlay;

/// The row below the drawing: the colours of pipeline stages, and those of the links' loads.
class CanvasLegend {
    Q_DECLARE_TR_FUNCTIONS(orrery::CanvasLegend)
public:
    CanvasLegend(const CanvasScene& scene, const Theme& theme, const RankStages& stages, const TrafficOverlay& traffic)
        : scene_(scene), theme_(theme), stages_(stages), traffic_(traffic) {}

    double height() const;                                   ///< px; 0: there is nothing to explain
    void paint(QPainter& painter, const QRectF& area) const; ///< along the lower edge of `area`

private:
    double paintLoads(QPainter& painter, const QRectF& row) const; ///< gives the width it took at the right end
    void paintStages(QPainter& painter, const QRectF& row) const;

    const CanvasScene& scene_;
    const Theme& theme_;
    const RankStages& stages_;
    const TrafficOverlay& traffic_;
};

} // namespace orrery
