// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/timeline_segments.hpp"

#include <cmath>
#include <utility>

namespace orrery {

std::uint32_t TimelineSegments::stretched(std::uint32_t model, double spent) {
    const double alone = segments_[model].duration;
    if (std::abs(spent - alone) <= alike + rounding * duration_ || alone <= 0) return model;
    Segment segment = emptyLike(model);
    segment.duration = spent;
    for (const SegmentEntry& entry : segments_[model].entries)
        segment.entries.push_back({entry.op, entry.start * spent / alone, entry.end * spent / alone, entry.stream});
    return shared(model, std::move(segment));
}

Segment TimelineSegments::emptyLike(std::uint32_t model) const {
    Segment segment;
    segment.name = segments_[model].name;
    segment.phase = segments_[model].phase;
    return segment;
}

std::uint32_t TimelineSegments::shared(std::uint32_t model, Segment segment) {
    Key key{model, std::llround(segment.duration / alike)};
    for (const SegmentEntry& entry : segment.entries) {
        key.push_back(std::llround(entry.start / alike));
        key.push_back(std::llround(entry.end / alike));
    }
    const auto [known, added] = made_.emplace(std::move(key), static_cast<std::uint32_t>(segments_.size()));
    if (added) segments_.push_back(std::move(segment));
    return known->second;
}

StageTimeline emptyRow(int row, std::string ranks, std::size_t streams) {
    StageTimeline lane;
    lane.stage = row;
    lane.ranks = std::move(ranks);
    for (std::size_t kind = 0; kind < streams; ++kind) lane.streams.push_back({static_cast<StreamKind>(kind), {}});
    return lane;
}

} // namespace orrery
