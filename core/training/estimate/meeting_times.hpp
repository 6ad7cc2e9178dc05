// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/estimate/together_times.hpp"

#include <unordered_map>
#include <vector>

namespace orrery {

/// Sets of patterns that run together, phase by phase, s: without any flow, each phase alone, and by others' phase each beside it.
struct PhaseTimes {
    double latency = 0;
    std::vector<double> seconds, beside;
};

/// Traffic of some transfers and of others that use common links.
struct Meeting {
    bool meet = false;
    PhaseTimes own, other;
};

/// What meetings of traffic come to, kept by the shape of the question as in TogetherTimes: transfers between one pair of stages after the other meet alike.
class MeetingTimes {
public:
    /// `together` outlives this.
    explicit MeetingTimes(TogetherTimes& together) : together_(together) {}
    /// The former run together phase by phase, and so do the latter. The answer holds until the next question.
    const Meeting& between(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities);

private:
    bool meet(const std::vector<Transfer>& own, const std::vector<Transfer>& other, std::size_t links);
    TrafficShape shapeOf(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities);
    Meeting played(const std::vector<Transfer>& own, const std::vector<Transfer>& other, const std::vector<double>& capacities);

    TogetherTimes& together_;
    std::unordered_map<TrafficShape, Meeting, TrafficShapeHash> known_;
    LinkNumbers numbers_;    ///< working memory, as what follows
    std::vector<char> used_; ///< by link
};

} // namespace orrery
