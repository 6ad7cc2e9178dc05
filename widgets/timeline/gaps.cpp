// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/gaps.hpp"

#include "widgets/common/format.hpp"
#include "widgets/timeline/names.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

struct GapText {
    Q_DECLARE_TR_FUNCTIONS(TimelineView)
};

const Stream* streamOf(const StageTimeline& stage, StreamKind kind) {
    const auto found = std::find_if(stage.streams.begin(), stage.streams.end(), [kind](const Stream& stream) { return stream.kind == kind; });
    return found != stage.streams.end() ? &*found : nullptr;
}

/// The first span that ends after `time`.
std::vector<Span>::const_iterator spanAfter(const std::vector<Span>& spans, double time) {
    return std::upper_bound(spans.begin(), spans.end(), time, [](double moment, const Span& span) { return moment < span.end; });
}

/// Only of the compute stream: between the operators of one span. The tensor stream has no spans of its own.
Gap insideSpan(const Timeline& timeline, const Span& span, StreamKind stream, double time) {
    Gap gap{span.start, span.end};
    for (const SegmentEntry& entry : timeline.segments[span.segment].entries) {
        if (entry.stream != stream) continue;
        if (span.start + entry.end <= time) gap.from = std::max(gap.from, span.start + entry.end);
        else if (span.start + entry.start >= time) {
            gap.to = std::min(gap.to, span.start + entry.start);
            break;
        }
    }
    return gap;
}

/// What another stage does with the same micro-batch last before `until`: the work that this one's pass goes on from.
struct Producer {
    int stage = -1;
    const Span* span = nullptr;
};

Producer producerOf(const Timeline& timeline, int stage, const Span& waiting, double until) {
    const Phase phase = timeline.segments[waiting.segment].phase;
    const bool backward = phase == Phase::backward || phase == Phase::recompute;
    const double slack = 1e-9 * timeline.duration;
    Producer best;
    for (std::size_t other = 0; other < timeline.stages.size(); ++other) {
        if (static_cast<int>(other) == stage) continue;
        const Stream* compute = streamOf(timeline.stages[other], StreamKind::compute);
        if (!compute) continue;
        // Backwards from the end of the gap: the last span of this micro-batch on this stage.
        auto span = std::lower_bound(compute->spans.begin(), compute->spans.end(), until + slack, [](const Span& s, double moment) { return s.end <= moment; });
        for (int steps = 0; span != compute->spans.begin() && steps < 4096; ++steps) {
            --span;
            if (span->microBatch != waiting.microBatch) continue;
            const Phase done = timeline.segments[span->segment].phase;
            // A backward follows the backward of the next stage, on the last one its own forward; a forward another forward.
            const bool leads = backward ? done != Phase::forward : done == Phase::forward;
            const bool neighbour = waiting.layer < 0 || span->layer < 0 || (backward ? span->layer > waiting.layer : span->layer < waiting.layer);
            if (leads && neighbour && (!best.span || span->end > best.span->end)) best = {static_cast<int>(other), &*span};
            break;
        }
    }
    return best;
}

/// A transfer of this stage that is under way at `time` or, if none is, before the gap ends. `kind`: on streams of this kind; of none: null.
const Span* transferIn(const StageTimeline& stage, std::optional<StreamKind> kind, const Gap& gap, double time, double slack) {
    for (const Stream& stream : stage.streams) {
        if (stream.kind != kind) continue;
        const auto now = spanAfter(stream.spans, time);
        if (now != stream.spans.end() && now->start <= time) return &*now;
        const auto last = spanAfter(stream.spans, gap.to - slack);
        if (last != stream.spans.end() && last->start < gap.to && last->end <= gap.to + slack) return &*last;
    }
    return nullptr;
}

QString inEarnest(const QString& whom, double until, double time) {
    return until > time ? GapText::tr("waits for %1, done in %2").arg(whom, readableTime(until - time).text()) : GapText::tr("waits for %1").arg(whom);
}

} // namespace

std::optional<Gap> gapAt(const Timeline& timeline, int stage, StreamKind kind, double time) {
    const StageTimeline& line = timeline.stages[static_cast<std::size_t>(stage)];
    // What the tensor stream does stands inside the spans of the compute stream.
    const Stream* stream = streamOf(line, kind == StreamKind::within ? StreamKind::compute : kind);
    if (!stream || time < 0 || time > timeline.duration) return std::nullopt;
    Gap gap{0, timeline.duration};
    const auto next = spanAfter(stream->spans, time);
    if (next != stream->spans.begin()) gap.from = std::prev(next)->end;
    if (next == stream->spans.end()) return gap;
    if (next->start > time) {
        gap.to = next->start;
        return gap;
    }
    if (kind != StreamKind::compute && kind != StreamKind::within) return std::nullopt;
    const Gap inside = insideSpan(timeline, *next, kind, time);
    const auto& entries = timeline.segments[next->segment].entries;
    const bool works = std::any_of(entries.begin(), entries.end(), [&](const SegmentEntry& entry) {
        return entry.stream == kind && next->start + entry.start <= time && time < endOf(timeline, entry, *next);
    });
    return works ? std::nullopt : std::optional(inside);
}

QString whyIdle(const Timeline& timeline, int stage, const Gap& gap, double time) {
    const StageTimeline& line = timeline.stages[static_cast<std::size_t>(stage)];
    const Stream* compute = streamOf(line, StreamKind::compute);
    if (!compute || timeline.kind == TimelineKind::recorded) return {};
    const double slack = 1e-9 * timeline.duration;
    const auto next = spanAfter(compute->spans, time);

    if (next != compute->spans.end() && next->start <= time) {
        // Between two operators: a collective of the layer, else the host.
        for (const SegmentEntry& entry : timeline.segments[next->segment].entries)
            if (entry.stream == StreamKind::within && next->start + entry.start <= time && time < next->start + entry.end)
                return inEarnest(QString::fromStdString(timeline.operators[entry.op].op.name), next->start + entry.end, time);
        return GapText::tr("waits for the host to launch the next kernel");
    }
    const auto inStream = [&](std::string_view name) { return transferIn(line, streamCalled(timeline, name), gap, time, slack); };
    if (const Span* copy = inStream("from_host")) return inEarnest(GapText::tr("a copy from the host"), copy->end, time);
    if (const Span* copy = inStream("to_host")) return inEarnest(GapText::tr("a copy to the host"), copy->end, time);
    if (const Span* recorded = inStream("communication")) return inEarnest(QString::fromStdString(timeline.segments[recorded->segment].name), recorded->end, time);
    if (timeline.kind == TimelineKind::requests && next == compute->spans.end()) return GapText::tr("no request is left");
    const bool ofMicroBatch = next != compute->spans.end() && next->microBatch >= 0;
    if (!ofMicroBatch) {
        if (const Span* gradients = inStream("data"))
            return inEarnest(GapText::tr("%1 over the data-parallel ranks", "gradients").arg(QString::fromStdString(timeline.segments[gradients->segment].name)),
                             gradients->end, time);
        // Whoever computes longest is waited for.
        int longest = -1;
        double until = time;
        for (std::size_t other = 0; other < timeline.stages.size(); ++other) {
            const Stream* theirs = streamOf(timeline.stages[other], StreamKind::compute);
            if (static_cast<int>(other) == stage || !theirs) continue;
            const auto last = std::lower_bound(theirs->spans.begin(), theirs->spans.end(), gap.to + slack, [](const Span& s, double moment) { return s.end <= moment; });
            if (last != theirs->spans.begin() && std::prev(last)->end > until) {
                until = std::prev(last)->end;
                longest = static_cast<int>(other);
            }
        }
        return longest < 0 ? QString() : inEarnest(GapText::tr("stage %1, which ends later").arg(timeline.stages[static_cast<std::size_t>(longest)].stage), until, time);
    }
    // Instances wait for requests and not for each other, a batch for nobody.
    if (timeline.kind != TimelineKind::iteration) return GapText::tr("next is %1").arg(spanName(timeline, *next));
    const Producer producer = producerOf(timeline, stage, *next, gap.to);
    const QString wanted = GapText::tr("next is %1").arg(spanName(timeline, *next));
    if (producer.span && producer.span->end > time)
        return GapText::tr("%1; it %2").arg(wanted, inEarnest(GapText::tr("%1 of stage %2").arg(spanName(timeline, *producer.span)).arg(timeline.stages[static_cast<std::size_t>(producer.stage)].stage), producer.span->end, time));
    if (inStream("pipeline") || producer.span) {
        const QString from = producer.span ? GapText::tr("its transfer from stage %1").arg(timeline.stages[static_cast<std::size_t>(producer.stage)].stage) : GapText::tr("a transfer between stages");
        return GapText::tr("%1; it %2").arg(wanted, inEarnest(from, gap.to, time));
    }
    if (const Span* gradients = inStream("data"))
        return GapText::tr("%1; it %2").arg(wanted, inEarnest(GapText::tr("%1 over the data-parallel ranks", "gradients").arg(QString::fromStdString(timeline.segments[gradients->segment].name)), gradients->end, time));
    return wanted;
}

} // namespace orrery
