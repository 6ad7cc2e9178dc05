// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace orrery {

/// From `start` until `end`, without it; ns.
struct Interval {
    std::int64_t start = 0, end = 0;
};

/// The length of time that at least one of them covers.
std::int64_t coveredBy(std::vector<Interval> intervals);

/// From the first start to the last end; 0 for none.
std::int64_t spanOf(const std::vector<Interval>& intervals);

} // namespace orrery
