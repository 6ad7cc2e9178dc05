// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QLineF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
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

/// An operator in one phase as the roofline shows it.
struct RooflinePoint {
    OperationRow row;
    const TimedOperator* op = nullptr;           ///< of the timeline; null when it has none of that name and phase
    double intensity = 0;                        ///< FLOP/byte
    double achieved = 0;                         ///< FLOP/s
    double share = 0;                            ///< of the iteration
    double l2Intensity = 0, sharedIntensity = 0; ///< FLOP/byte of those levels' traffic by the hierarchical roofline; 0: not known
};

/// The ceilings of the accelerator for the workload's precision; what is not known is 0.
struct Roofs {
    QString accelerator;
    QString precision;
    double compute = 0;                               ///< FLOP/s, dense
    double bandwidth = 0;                             ///< bytes/s
    double l2Bandwidth = 0;                           ///< bytes/s, of the data sheet
    double l2LevelBandwidth = 0, sharedBandwidth = 0; ///< bytes/s as the hierarchical roofline takes them: derived where no sheet names them

    double at(double intensity) const; ///< FLOP/s that the lower of compute and memory roof allows; 0 when neither is known
};

struct RooflineData {
    Roofs roofs;
    std::vector<RooflinePoint> points; ///< longest total time first
    std::size_t omitted = 0;           ///< operators without FLOPs (copies, collectives): they have no place on a roofline
    double omittedTime = 0;            ///< s
};

RooflineData rooflineData(const Result& result);

} // namespace orrery
