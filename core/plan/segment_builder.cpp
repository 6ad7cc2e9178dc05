#include "core/plan/segment_builder.hpp"

#include "core/plan/segment_placement.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

BuiltSegment finishSegment(std::string name, Phase phase, std::vector<SegmentEntry> entries, const SegmentClocks& clocks) {
    BuiltSegment built;
    built.segment.name = std::move(name);
    built.segment.phase = phase;
    built.segment.entries = std::move(entries);
    std::stable_sort(built.segment.entries.begin(), built.segment.entries.end(),
                     [](const SegmentEntry& a, const SegmentEntry& b) { return a.start < b.start; });
    built.parts = clocks.settledParts();
    built.segment.duration = clocks.end();
    return built;
}

BuiltSegment buildSegment(std::string name, Phase phase, const std::vector<Operator>& operators, std::size_t tensorCount,
                          const SegmentOptions& options, const TimeOperator& timeOperator, std::vector<TimedOperator>& pool) {
    std::vector<SegmentEntry> entries;
    SegmentClocks clocks;
    SegmentPlacement placement(tensorCount, options, clocks);
    for (const Operator& op : operators) {
        pool.push_back(timeOperator(op));
        entries.push_back(placement.place(pool.back(), static_cast<std::uint32_t>(pool.size() - 1)));
    }
    return finishSegment(std::move(name), phase, std::move(entries), clocks);
}

BuiltSegment buildSegment(std::string name, Phase phase, const std::vector<std::uint32_t>& operators, std::size_t tensorCount,
                          const SegmentOptions& options, const std::vector<TimedOperator>& pool) {
    std::vector<SegmentEntry> entries;
    SegmentClocks clocks;
    SegmentPlacement placement(tensorCount, options, clocks);
    for (const std::uint32_t op : operators) entries.push_back(placement.place(pool[op], op));
    return finishSegment(std::move(name), phase, std::move(entries), clocks);
}

} // namespace orrery
