// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/intervals.hpp"

#include <algorithm>

namespace orrery {

std::int64_t coveredBy(std::vector<Interval> intervals) {
    std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    std::int64_t covered = 0, until = 0;
    bool any = false;
    for (const Interval& interval : intervals) {
        const std::int64_t from = any ? std::max(interval.start, until) : interval.start;
        if (interval.end > from) covered += interval.end - from;
        until = any ? std::max(until, interval.end) : interval.end;
        any = true;
    }
    return covered;
}

std::int64_t spanOf(const std::vector<Interval>& intervals) {
    if (intervals.empty()) return 0;
    std::int64_t first = intervals.front().start, last = intervals.front().end;
    for (const Interval& interval : intervals) {
        first = std::min(first, interval.start);
        last = std::max(last, interval.end);
    }
    return last - first;
}

} // namespace orrery
