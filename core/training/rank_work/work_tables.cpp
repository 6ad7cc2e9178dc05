// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/rank_work/work_tables.hpp"

#include <utility>

namespace orrery {

std::uint32_t WorkTables::addSingle(std::string name, TimedOperator timed, StreamKind stream) {
    Segment segment;
    segment.name = std::move(name);
    segment.phase = timed.op.phase;
    segment.duration = timed.time;
    segment.entries = {{static_cast<std::uint32_t>(operators.size()), 0, timed.time, stream}};
    SegmentParts singleParts;
    if (segment.phase == Phase::optimizer) singleParts.optimizer = timed.time;
    operators.push_back(std::move(timed));
    segments.push_back(std::move(segment));
    parts.push_back(singleParts);
    return static_cast<std::uint32_t>(segments.size()) - 1;
}

std::uint32_t WorkTables::add(BuiltSegment built) {
    segments.push_back(std::move(built.segment));
    parts.push_back(built.parts);
    return static_cast<std::uint32_t>(segments.size()) - 1;
}

} // namespace orrery
