// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/max_min.hpp"

#include <vector>

namespace orrery {

/// A transfer of its own over a fixed path.
struct PointFlow {
    double start = 0; ///< s
    double bytes = 0;
    std::vector<FlowLink> path; ///< a link named twice is crossed twice
    double cap = unlimitedRate; ///< bytes/s it can use at most
};

/// When each flow ends, s, if all links are shared max-min fairly and a change of rates takes no time. No latency.
std::vector<double> finishTimes(const std::vector<double>& capacities, const std::vector<PointFlow>& flows);

} // namespace orrery
