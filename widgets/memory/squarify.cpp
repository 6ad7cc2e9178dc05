// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/squarify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orrery {
namespace {

/// The worst ratio of sides in a row of areas from `least` to `most` that sum to `sum`, along a side.
double worstRatio(double least, double most, double sum, double side) {
    const double square = side * side, sums = sum * sum;
    return std::max(square * most / sums, sums / (square * least));
}

} // namespace

std::vector<QRectF> squarify(const QRectF& area, const std::vector<double>& weights) {
    std::vector<QRectF> rects(weights.size());
    std::vector<std::size_t> order;
    double left = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] > 0) || !std::isfinite(weights[i])) continue;
        order.push_back(i);
        left += weights[i];
    }
    if (order.empty() || !(area.width() > 0) || !(area.height() > 0)) return rects;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });

    QRectF rest = area;
    for (std::size_t begin = 0; begin < order.size();) {
        const double scale = rest.width() * rest.height() / left; // px² a unit of weight
        const double side = std::min(rest.width(), rest.height());
        double sum = 0;
        std::size_t end = begin;
        double ratio = 0;
        while (end < order.size()) {
            const double next = weights[order[end]] * scale;
            const double worst = worstRatio(next, weights[order[begin]] * scale, sum + next, side);
            if (end > begin && worst > ratio) break;
            ratio = worst;
            sum += next;
            ++end;
        }
        double rowWeight = 0;
        for (std::size_t i = begin; i < end; ++i) rowWeight += weights[order[i]];
        const bool last = end == order.size();
        const bool upright = rest.width() >= rest.height(); // the row stands at the left edge, else lies at the top
        // The last row takes what is there: nothing is lost to rounding.
        const double thickness = last ? (upright ? rest.width() : rest.height()) : (upright ? rest.width() : rest.height()) * (rowWeight / left);
        double along = upright ? rest.top() : rest.left(), passed = 0;
        const double from = along, length = upright ? rest.height() : rest.width();
        for (std::size_t i = begin; i < end; ++i) {
            passed += weights[order[i]];
            const double to = i + 1 == end ? from + length : from + length * (passed / rowWeight);
            rects[order[i]] = upright ? QRectF(rest.left(), along, thickness, to - along) : QRectF(along, rest.top(), to - along, thickness);
            along = to;
        }
        if (upright) rest.setLeft(rest.left() + thickness);
        else rest.setTop(rest.top() + thickness);
        left -= rowWeight;
        begin = end;
        if (!(left > 0) || !(rest.width() > 0) || !(rest.height() > 0)) {
            // What is left is below rounding: lines without an area at the far corner.
            for (std::size_t i = begin; i < order.size(); ++i) rects[order[i]] = QRectF(rest.bottomRight(), QSizeF(0, 0));
            break;
        }
    }
    return rects;
}

} // namespace orrery
