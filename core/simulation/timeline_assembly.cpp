// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulation/assemble.hpp"

#include "core/scenario/rank_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {
namespace {

/// Segments of the timeline beside the model's own: for instances that ran operator by operator, or were stretched by other
/// traffic, stragglers or jitter. Instances that lie alike share one.
class VariantSegments {
public:
    VariantSegments(const Iteration& iteration, const TaskTimes& times, std::vector<Segment>& segments)
        : iteration_(iteration), times_(times), segments_(segments) {}

    std::uint32_t ofExpanded(const ExpandedSegment& expanded) {
        Segment segment = likeModel(iteration_.tasks[expanded.end].segment);
        const double begin = times_.start[expanded.begin];
        segment.duration = times_.end[expanded.end] - begin;
        for (TaskId task = expanded.begin + 1; task < expanded.end; ++task) {
            const TaskInfo& info = iteration_.tasks[task];
            if (info.segment == noOperator) continue;
            const SegmentEntry entry{info.segment, times_.start[task] - begin, times_.end[task] - begin, info.stream};
            // A collective of several kernels is one bar.
            if (!segment.entries.empty() && segment.entries.back().op == entry.op) segment.entries.back().end = entry.end;
            else segment.entries.push_back(entry);
        }
        std::stable_sort(segment.entries.begin(), segment.entries.end(),
                         [](const SegmentEntry& a, const SegmentEntry& b) { return a.start < b.start; });
        return shared(iteration_.tasks[expanded.end].segment, std::move(segment));
    }

    std::uint32_t ofTask(TaskId task) {
        const std::uint32_t model = iteration_.tasks[task].segment;
        const double alone = segments_[model].duration, spent = times_.end[task] - times_.start[task];
        if (std::abs(spent - alone) <= alike + rounding * times_.duration || alone <= 0) return model;
        Segment segment = likeModel(model);
        segment.duration = spent;
        for (const SegmentEntry& entry : segments_[model].entries)
            segment.entries.push_back({entry.op, entry.start * spent / alone, entry.end * spent / alone, entry.stream});
        return shared(model, std::move(segment));
    }

private:
    using Key = std::vector<long long>;
    static constexpr double alike = 1e-12;    ///< s: nobody sees a smaller difference
    static constexpr double rounding = 1e-14; ///< of the clock that starts and ends are read from

    Segment likeModel(std::uint32_t model) const {
        Segment segment;
        segment.name = segments_[model].name;
        segment.phase = segments_[model].phase;
        return segment;
    }

    std::uint32_t shared(std::uint32_t model, Segment segment) {
        Key key{model, std::llround(segment.duration / alike)};
        for (const SegmentEntry& entry : segment.entries) {
            key.push_back(std::llround(entry.start / alike));
            key.push_back(std::llround(entry.end / alike));
        }
        const auto [known, added] = made_.emplace(std::move(key), static_cast<std::uint32_t>(segments_.size()));
        if (added) segments_.push_back(std::move(segment));
        return known->second;
    }

    const Iteration& iteration_;
    const TaskTimes& times_;
    std::vector<Segment>& segments_;
    std::map<Key, std::uint32_t> made_;
};

} // namespace

Timeline assembleTimeline(const Scenario& scenario, const Iteration& iteration, const TaskTimes& times) {
    Timeline timeline;
    timeline.duration = times.duration;
    timeline.operators = iteration.work.operators;
    timeline.segments = iteration.work.segments;
    const RankGrid grid(scenario.parallelism);
    for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
        StageTimeline lane;
        lane.stage = stage;
        lane.ranks = describeRanks(grid.stageRanks(stage));
        for (StreamKind kind : streamKinds)
            lane.streams.push_back({kind, {}});
        timeline.stages.push_back(std::move(lane));
    }
    VariantSegments variants(iteration, times, timeline.segments);
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (!iteration.isShown(info)) continue;
        const ExpandedSegment* expanded = iteration.expandedEndingAt(task);
        Stream& stream = timeline.stages[static_cast<std::size_t>(info.stage)].streams[static_cast<std::size_t>(info.stream)];
        stream.spans.push_back({times.start[task], times.end[task], expanded ? variants.ofExpanded(*expanded) : variants.ofTask(task),
                                info.microBatch, info.layer, info.chunk});
    }
    return timeline;
}

} // namespace orrery
