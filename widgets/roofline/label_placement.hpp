// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QPolygonF>
#include <QRectF>

#include <optional>
#include <vector>

namespace orrery {

/// A text that wants to stand beside a round mark.
struct LabelRequest {
    QPointF anchor;    ///< centre of the mark
    double radius = 0; ///< of the mark
    QSizeF size;       ///< of the text
};

/// What labels keep clear of.
struct LabelObstacles {
    QRectF bounds;                ///< labels stay inside
    std::vector<QPolygonF> areas; ///< other texts, turned ones too
    std::vector<QLineF> lines;
    struct Disc {
        QPointF centre;
        double radius;
    };
    std::vector<Disc> discs;
};

struct PlacedLabel {
    QRectF rect;
    std::optional<QLineF> leader; ///< drawn when the label had to move away from its mark
};

/// Greedy: the first request chooses first; each takes the nearest place that covers no mark, line, text or leader, and has
/// none when there is no such place. One entry a request.
std::vector<std::optional<PlacedLabel>> placeLabels(const std::vector<LabelRequest>& requests, const LabelObstacles& obstacles);

/// Whether a segment has a point inside a rectangle.
bool crosses(const QLineF& line, const QRectF& rect);

} // namespace orrery
