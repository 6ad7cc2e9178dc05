// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/timeline_segments.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/training/plan/lanes.hpp"

#include <algorithm>
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

namespace {

/// The segment of an instance that ran operator by operator.
std::uint32_t expandedSegment(const Iteration& iteration, const TaskTimes& times, const ExpandedSegment& expanded, TimelineSegments& segments) {
    const std::uint32_t model = iteration.tasks[expanded.end].segment;
    Segment segment = segments.emptyLike(model);
    const double begin = times.start[expanded.begin];
    segment.duration = times.end[expanded.end] - begin;
    for (TaskId task = expanded.begin + 1; task < expanded.end; ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.segment == noOperator) continue;
        const SegmentEntry entry{info.segment, times.start[task] - begin, times.end[task] - begin, info.stream};
        // A collective of several kernels is one bar.
        if (!segment.entries.empty() && segment.entries.back().op == entry.op) segment.entries.back().end = entry.end;
        else segment.entries.push_back(entry);
    }
    std::stable_sort(segment.entries.begin(), segment.entries.end(),
                     [](const SegmentEntry& a, const SegmentEntry& b) { return a.start < b.start; });
    return segments.shared(model, std::move(segment));
}

} // namespace

Timeline assembleTimeline(const Scenario& scenario, const Iteration& iteration, const TaskTimes& times) {
    Timeline timeline;
    timeline.duration = times.duration;
    timeline.operators = iteration.work.operators;
    timeline.segments = iteration.work.segments;
    timeline.streamNames = trainingStreamNames();
    const RankGrid grid(scenario.parallelism);
    for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) timeline.stages.push_back(emptyRow(stage, describeRanks(grid.stageRanks(stage)), TrainingStream::count));
    TimelineSegments segments(times.duration, timeline.segments);
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (!iteration.isShown(info)) continue;
        const ExpandedSegment* expanded = iteration.expandedEndingAt(task);
        const std::uint32_t segment = expanded ? expandedSegment(iteration, times, *expanded, segments)
                                               : segments.stretched(info.segment, times.end[task] - times.start[task]);
        Stream& stream = timeline.stages[static_cast<std::size_t>(info.stage)].streams[static_cast<std::size_t>(info.stream)];
        stream.spans.push_back({times.start[task], times.end[task], segment, info.microBatch, info.layer, info.chunk});
    }
    return timeline;
}

} // namespace orrery
