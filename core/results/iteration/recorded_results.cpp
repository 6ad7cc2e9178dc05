// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/operation_rows.hpp"
#include "core/results/iteration/recorded_run.hpp"
#include "core/results/iteration/timeline_segments.hpp"
#include "core/scenario/rank_groups.hpp"

#include <utility>

namespace orrery {
namespace {

/// A recording is shown as one micro-batch, which is all there is of it.
constexpr std::int32_t onlyMicroBatch = 0;

StreamKind shownOn(RecordedStream stream) { return stream == RecordedStream::communication ? recordedCommunication : StreamKind::compute; }

} // namespace

Timeline recordedTimeline(const Scenario& scenario, const RecordedProgram& program, const TaskTimes& times) {
    Timeline timeline;
    timeline.duration = times.duration;
    timeline.operators = program.work.operators;
    timeline.segments = program.work.segments;
    timeline.streamNames = {"compute", "collectives", "communication"};
    StageTimeline row = emptyRow(0, describeRanks(RankGrid(scenario.parallelism).stageRanks(0)), timeline.streamNames.size());
    TimelineSegments segments(times.duration, timeline.segments);
    for (TaskId task = 0; task < program.tasks.size(); ++task) {
        const RecordedTask& recorded = program.tasks[task];
        if (recorded.stream == RecordedStream::host) continue;
        Span span;
        span.start = times.start[task];
        span.end = times.end[task];
        span.segment = segments.stretched(recorded.segment, span.end - span.start);
        span.microBatch = onlyMicroBatch;
        row.streams[static_cast<std::size_t>(shownOn(recorded.stream))].spans.push_back(span);
    }
    timeline.stages.push_back(std::move(row));
    return timeline;
}

std::vector<OperationRow> recordedOperations(const RecordedProgram& program, const TaskTimes& times) {
    OperationRows rows;
    for (TaskId task = 0; task < program.tasks.size(); ++task) {
        if (program.tasks[task].stream == RecordedStream::host) continue;
        const Segment& segment = program.work.segments[program.tasks[task].segment];
        const double spent = times.end[task] - times.start[task], stretch = segment.duration > 0 ? spent / segment.duration : 1;
        for (const SegmentEntry& entry : segment.entries) {
            const TimedOperator& timed = program.work.operators[entry.op];
            rows.add(timed, 1, timed.time * stretch);
        }
    }
    return rows.take();
}

} // namespace orrery
