// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/document/cluster_document.hpp"

namespace orrery {

inline constexpr double cardGap = 16; ///< between cards, in scene units

/// Size of a node's card in scene units; a stack of replicas is drawn beyond it.
QSizeF cardSize(const DrawnNode& node);

/// How the accelerators of a host are arranged on its card.
struct RankSquares {
    int columns = 0;
    int rows = 0;
    double cell = 0; ///< edge of a square
    double gap = 0;
};
RankSquares rankSquares(int count);

/// Centres for all nodes: hosts in a grid at the bottom (those of a scale-up domain together), each switch above what
/// it connects, spines above leaves; a torus as a grid, a dragonfly group by group (see group_layout.hpp). Depends on nothing but the topology, so that a file without positions always
/// looks the same.
std::vector<QPointF> tidyLayout(const std::vector<DrawnNode>& nodes, const std::vector<DrawnLink>& links);

inline constexpr double gridStep = 8; ///< scene units that positions snap to
QPointF snapped(QPointF point);

} // namespace orrery
