// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/assemble.hpp"
#include "core/results/iteration/timeline_segments.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/training/plan/training_streams.hpp"

#include <algorithm>

namespace orrery {
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
