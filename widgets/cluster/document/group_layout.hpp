// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/document/cluster_document.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// Centres for hosts that all have a place in a torus of two or three dimensions (or a ring): the first coordinate to the
/// right, the second down, and the planes of a third beside each other. Nothing for any other drawing.
std::optional<std::vector<QPointF>> torusLayout(const std::vector<DrawnNode>& nodes);

/// Centres for a drawing whose switches are all in groups: each group with its hosts is a block, and the blocks stand around
/// an ellipse with the switches towards its middle, or in rows where there are too many. Nothing for any other drawing.
std::optional<std::vector<QPointF>> dragonflyLayout(const std::vector<DrawnNode>& nodes, const std::vector<DrawnLink>& links);

} // namespace orrery
