// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/near_error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {

namespace {

constexpr double nearReach = 0.5; ///< of a distance: within it the nearest runs count
constexpr double wideReach = 2;
constexpr double widePairs = 2;    ///< pairs that the wider neighbourhood counts as
constexpr double outlierError = 1; ///< of a logarithm: an outlier counts as far off, and not as more

/// The weighted mean over pairs, and what it weighs.
std::pair<double, double> weightedMean(const std::vector<Neighbour>& around, double reach) {
    struct Pair {
        double error = 0, weight = 0, nearest = 0;
    };
    std::size_t count = 0;
    for (const Neighbour& one : around) count = std::max(count, one.pair + 1);
    std::vector<Pair> pairs(count);
    for (const Neighbour& one : around) {
        const double weight = std::exp(-one.distance / reach);
        Pair& pair = pairs[one.pair];
        pair.error += std::min(one.error, outlierError) * one.runs * weight;
        pair.weight += one.runs * weight;
        pair.nearest = std::max(pair.nearest, weight);
    }
    double sum = 0, total = 0;
    for (const Pair& pair : pairs) {
        if (pair.weight <= 0) continue;
        sum += pair.error / pair.weight * pair.nearest;
        total += pair.nearest;
    }
    return {total > 0 ? sum / total : 0, total};
}

} // namespace

double nearError(const std::vector<Neighbour>& around) {
    const auto [near, weight] = weightedMean(around, nearReach);
    const double wide = weightedMean(around, wideReach).first;
    return (near * weight + wide * widePairs) / (weight + widePairs);
}

} // namespace orrery
