// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/timed_operator.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// One instance of a segment. Spans of a stream are sorted by start and do not overlap: the views search them by bisection.
struct Span {
    double start = 0;
    double end = 0;
    std::uint32_t segment = 0;    ///< index into Timeline::segments
    std::int32_t microBatch = -1; ///< -1: belongs to none
    std::int32_t layer = -1;      ///< in the whole model; -1: none
    std::int16_t chunk = 0;
};

struct Stream {
    StreamKind kind = StreamKind::compute;
    std::vector<Span> spans; ///< none of StreamKind::within: its entries come with the compute spans
};

/// Memory that changes during the iteration, after the event at `time`; what stays is in the result's memory account.
struct MemorySample {
    double time = 0;
    double activations = 0; ///< bytes saved for backward
    double temporary = 0;   ///< bytes in use only inside the running operator or segment
};

/// One representative rank of a pipeline stage; of served requests an instance of the engine.
struct StageTimeline {
    int stage = 0;     ///< or the instance, or of a record its place
    std::string ranks; ///< "0-31": the ranks it stands for; of a record whose rank nobody knows the file's name
    std::string role;  ///< of an instance: "prefill" or "decode" where others do the rest; of a loop's half "rollout" or "training"; of a record "recorded", "like 3" or "simulated"
    std::vector<Stream> streams;
    std::vector<MemorySample> memory; ///< sorted by time
    double staticBytes = 0;           ///< weights, gradients, optimizer, buffers, framework
};

/// What a timeline is of, and so what its words mean.
enum class TimelineKind : std::uint8_t {
    iteration, ///< of training; rows are stages, spans are of a micro-batch
    batch,     ///< static: one row, `microBatch` of a span is the token that its step makes, 0 the first
    requests,  ///< served: rows are instances, spans are steps, `microBatch` is the number of the step; MemorySample::activations are keys and values
    recorded,  ///< by a profiler; rows are ranks, a span is one event, `layer` its number in the record; MemorySample::activations are allocated, `temporary` reserved beyond it
    loop,      ///< of reinforcement learning: rows are its halves, a span is a part of the step
};

/// What an operator of a recorded timeline is.
enum class RecordedWork : std::uint8_t {
    kernel,
    communication,
    waiting, ///< of a collective for the last rank to come
    copy,    ///< or a fill
    host,    ///< an operator of the framework, on a thread
    runtime, ///< a call of the device's driver or runtime
    beside,  ///< of the lane that sums a device up: kernels and communication at once
};
inline constexpr std::size_t recordedWorkCount = 7;

/// What ran. Immutable; operators of long runs are expanded on demand from the segments.
struct Timeline {
    TimelineKind kind = TimelineKind::iteration;
    double duration = 0;
    std::vector<TimedOperator> operators;
    std::vector<Segment> segments;
    std::vector<StageTimeline> stages;
    StreamNames streamNames;         ///< every kind of stream in `stages` has one
    std::vector<RecordedWork> works; ///< of each operator; empty unless recorded
};

/// Whether spans differ in length and have segments of one entry, which fills its span: steps of served requests, and events of a record.
inline bool fillsSpans(const Timeline& timeline) { return timeline.kind == TimelineKind::requests || timeline.kind == TimelineKind::recorded || timeline.kind == TimelineKind::loop; }

/// Every kind of stream that the timeline may have, in the order of their names.
std::vector<StreamKind> streamKinds(const Timeline& timeline);
/// The word of its program; empty where the kind has none.
std::string_view streamName(const Timeline& timeline, StreamKind kind);
/// The kind that its program calls so; nothing where no kind is.
std::optional<StreamKind> streamCalled(const Timeline& timeline, std::string_view name);

/// When an entry of a span's segment ends, s.
inline double endOf(const Timeline& timeline, const SegmentEntry& entry, const Span& span) {
    return fillsSpans(timeline) ? span.end : span.start + entry.end;
}

/// Whether a segment of an engine makes the next token of running requests, and nothing else.
inline bool isDecode(const Timeline& timeline, const Segment& segment) { return (timeline.kind == TimelineKind::batch || timeline.kind == TimelineKind::requests) && segment.name == "decode"; }

/// One bar of the expanded timeline.
struct OperatorInstance {
    double start = 0;
    double end = 0;
    std::uint32_t op = 0; ///< index into Timeline::operators
    const Span* span = nullptr;
};

/// Calls `visit(const OperatorInstance&)` for every operator of a stage's stream that begins before `to` and ends after `from`, in order of start.
template <typename Visit>
void forEachOperator(const Timeline& timeline, int stage, StreamKind stream, double from, double to, Visit&& visit);

/// How many operators that would visit over the whole iteration.
std::size_t operatorCount(const Timeline& timeline, int stage, StreamKind stream);

/// Chrome trace event JSON that Perfetto and chrome://tracing open: a process per stage, a thread per stream, above its operators a
/// slice for each pass of a micro-batch with arrows (flow events) between these (trace_passes.hpp). Memory is written as counter events.
void writeChromeTrace(const Timeline& timeline, std::ostream& out);

} // namespace orrery

#include "core/results/report/timeline_inl.hpp"
