// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/timeline.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orrery {

/// Segments of a timeline beside those that its program was made of: for instances that took another time than alone, or lay otherwise.
/// Instances that lie alike share one.
class TimelineSegments {
public:
    /// Adds to `segments`, whose first ones are the program's. `duration`: of the timeline, s.
    TimelineSegments(double duration, std::vector<Segment>& segments) : duration_(duration), segments_(segments) {}

    /// The segment of an instance of `model` that took `spent` s: stretched where that is another time than alone.
    std::uint32_t stretched(std::uint32_t model, double spent);
    /// A segment of `model`'s name and phase with nothing in it.
    Segment emptyLike(std::uint32_t model) const;
    /// The number of a segment that stands for an instance of `model`.
    std::uint32_t shared(std::uint32_t model, Segment segment);

private:
    using Key = std::vector<long long>;
    static constexpr double alike = 1e-12;    ///< s: nobody sees a smaller difference
    static constexpr double rounding = 1e-14; ///< of the clock that starts and ends are read from

    double duration_;
    std::vector<Segment>& segments_;
    std::map<Key, std::uint32_t> made_;
};

/// A row with a stream of each of the first `streams` kinds, nothing on them yet.
StageTimeline emptyRow(int row, std::string ranks, std::size_t streams);

} // namespace orrery
