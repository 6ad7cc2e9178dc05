// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/rank_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace orrery {

std::optional<double> rankCorrelation(std::vector<std::pair<double, double>> pairs) {
    constexpr std::size_t least = 3;
    if (pairs.size() < least) return std::nullopt;
    const auto ranksOf = [&](auto member) {
        std::vector<std::size_t> order(pairs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pairs[a].*member < pairs[b].*member; });
        std::vector<double> ranks(pairs.size());
        for (std::size_t from = 0; from < order.size();) {
            std::size_t to = from;
            while (to < order.size() && pairs[order[to]].*member == pairs[order[from]].*member) ++to;
            for (std::size_t i = from; i < to; ++i) ranks[order[i]] = double(from + to - 1) / 2; // equal ones share their ranks
            from = to;
        }
        return ranks;
    };
    const std::vector<double> a = ranksOf(&std::pair<double, double>::first), b = ranksOf(&std::pair<double, double>::second);
    const double mean = double(pairs.size() - 1) / 2;
    double both = 0, ofA = 0, ofB = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        both += (a[i] - mean) * (b[i] - mean);
        ofA += (a[i] - mean) * (a[i] - mean);
        ofB += (b[i] - mean) * (b[i] - mean);
    }
    if (ofA == 0 || ofB == 0) return std::nullopt;
    return both / std::sqrt(ofA * ofB);
}

} // namespace orrery
