// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace orrery {

using FlowLink = std::uint32_t; ///< one direction of a physical link, by index

inline constexpr double unlimitedRate = std::numeric_limits<double>::infinity();

/// How many of an activity's flows cross a link.
struct FlowUse {
    FlowLink link = 0;
    double flows = 1;
    bool operator==(const FlowUse&) const = default;
};

/// Equal flows that advance together at one rate: a plain transfer is one flow; a ring is a flow on every edge, none of
/// which can outrun the others.
struct FlowDemand {
    std::vector<FlowUse> uses;  ///< each link once
    double cap = unlimitedRate; ///< bytes/s of one flow at most
};

/// Max-min fair rates of one flow of each demand, bytes/s: no flow can get more without taking from one that has less or as
/// much (Bertsekas, Gallager: Data Networks, section 6.5.2, progressive filling). On a link every flow counts as one.
/// A demand without links has its cap.
std::vector<double> maxMinRates(const std::vector<double>& capacities, const std::vector<FlowDemand>& demands);

} // namespace orrery
