// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/segments/segment_builder.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// What tasks of a program run: timed operators, and the segments that place them. Who made them, a plan or a recording, doesn't show.
struct WorkTables {
    std::vector<TimedOperator> operators;
    std::vector<Segment> segments;
    std::vector<SegmentParts> parts; ///< by segment

    /// Adds a segment of one operator.
    std::uint32_t addSingle(std::string name, TimedOperator timed, StreamKind stream);
    std::uint32_t add(BuiltSegment built);
};

} // namespace orrery
