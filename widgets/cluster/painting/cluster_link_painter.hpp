// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/painting/cluster_painter.hpp"

namespace orrery {

struct ThemeColors;

/// The links of a drawing, as paintCluster() paints them below the cards.
void paintLinks(QPainter& painter, const ClusterDocument& document, const ClusterGeometry& geometry, const ClusterLook& look,
                const Theme& theme, double zoom, const QRectF& visible);

/// From `idle` over amber to pink as a link fills up.
QColor loadColour(double load, const ThemeColors& colours, const QColor& idle);
/// The tone of a link that carries nothing.
QColor idleLinkColour(const ThemeColors& colours);
/// How much wider a link is painted for what it carries.
double loadWidening(double load);

/// What is supposed of one card: a strike through what is down, a dashed frame around what is degraded, a badge on a straggler.
void paintNodeMark(QPainter& painter, const QRectF& card, const NodeMark& mark, const Theme& theme, double zoom);

/// A second job's traffic as arrows over the cards, bent apart where several join the same two.
void paintArrows(QPainter& painter, const ClusterGeometry& geometry, const ClusterLook& look, const Theme& theme, double zoom);

} // namespace orrery
