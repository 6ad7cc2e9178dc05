// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace orrery {

/// How many replicas there were from a moment on.
struct FleetMoment {
    double time = 0; ///< s
    int paid = 0;    ///< starting, serving, draining or in repair
    int serving = 0; ///< that take requests
};

/// What became of a fleet's replicas.
struct FleetLog {
    std::vector<FleetMoment> moments; ///< whenever one of these numbers changed; the first at 0
    std::int64_t started = 0, stopped = 0, failures = 0;
    std::int64_t moved = 0; ///< requests that went on at another replica, each time counted

    /// Whether every replica served all the time.
    bool isSteady() const { return moments.size() <= 1; }
    /// s of replicas between two moments.
    double paidSeconds(double from, double to) const {
        double sum = 0;
        for (std::size_t i = 0; i < moments.size(); ++i) {
            const double begin = moments[i].time > from ? moments[i].time : from, next = i + 1 < moments.size() ? moments[i + 1].time : to;
            if (const double end = next < to ? next : to; end > begin) sum += moments[i].paid * (end - begin);
        }
        return sum;
    }
};

} // namespace orrery
