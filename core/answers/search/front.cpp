// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/front.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace orrery {

std::vector<std::size_t> frontOf(const std::vector<Costs>& plans) {
    std::vector<std::size_t> order(plans.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::tuple(plans[a].first, plans[a].second, a) < std::tuple(plans[b].first, plans[b].second, b); });
    std::vector<std::size_t> front;
    Costs last{0, std::numeric_limits<double>::infinity()};
    for (const std::size_t plan : order) {
        const bool equal = !front.empty() && plans[plan].first == last.first && plans[plan].second == last.second;
        if (!equal && !(plans[plan].second < last.second)) continue;
        last = plans[plan];
        front.push_back(plan);
    }
    return front;
}

} // namespace orrery
