// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <vector>

namespace orrery {

/// Divides an area among weights, as nearly square as can be (Bruls, Huizing, van Wijk 2000): each rectangle's area is its
/// weight's share of the whole, they fill the area and none overlaps another. One rectangle a weight, in the weights' order;
/// empty ones for weights that are not positive.
std::vector<QRectF> squarify(const QRectF& area, const std::vector<double>& weights);

} // namespace orrery
