// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/conformal.hpp"

#include <algorithm>

namespace orrery {

std::optional<double> conformalQuantile(std::vector<WeightedScore> scores, double level) {
    std::sort(scores.begin(), scores.end(), [](const WeightedScore& a, const WeightedScore& b) {
        return a.score != b.score ? a.score < b.score : a.weight < b.weight;
    });
    double total = 1; // the new run's own
    for (const WeightedScore& one : scores) total += one.weight;
    // Sums of fractions such as 1/3 miss their whole by rounding.
    const double wanted = level * total - 1e-9 * total;
    double below = 0;
    for (const WeightedScore& one : scores) {
        below += one.weight;
        if (below >= wanted) return one.score;
    }
    return std::nullopt;
}

} // namespace orrery
