// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/names.hpp"

#include "widgets/common/format.hpp"
#include "widgets/timeline/gaps.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace orrery {
namespace {

struct TimelineText {
    Q_DECLARE_TR_FUNCTIONS(TimelineView)
};

QString separator() { return QStringLiteral(" · "); }

QString prefixFor(const Timeline& timeline, int stage, double time) {
    const int number = timeline.stages[static_cast<std::size_t>(stage)].stage;
    switch (timeline.kind) {
    case TimelineKind::iteration: break;
    case TimelineKind::batch: return readableTime(time).text();
    case TimelineKind::requests: return TimelineText::tr("%1 — instance %2").arg(readableTime(time).text()).arg(number);
    case TimelineKind::loop:
    case TimelineKind::recorded: return TimelineText::tr("%1 — %2", "time, rank").arg(readableTime(time).text(), stageTitle(timeline, timeline.stages[static_cast<std::size_t>(stage)]));
    }
    return TimelineText::tr("%1 — stage %2").arg(readableTime(time).text()).arg(number);
}

/// What a step of an engine, or a part of a loop's step, does, as a person reads it.
QString stepName(const Segment& segment) {
    if (segment.name == "prefill") return TimelineText::tr("prefill");
    if (segment.name == "decode") return TimelineText::tr("decode");
    if (segment.name == "mixed") return TimelineText::tr("mixed", "a step with prefill and decode");
    if (segment.name == "rollout") return TimelineText::tr("rollout");
    if (segment.name == "reward") return TimelineText::tr("rewards");
    if (segment.name == "training") return TimelineText::tr("training");
    if (segment.name == "sync") return TimelineText::tr("new weights");
    if (segment.name == "offload") return TimelineText::tr("parking the trainer");
    return QString::fromStdString(segment.name);
}

QString roleName(const std::string& role) {
    if (role == "prefill") return TimelineText::tr("prefill");
    if (role == "decode") return TimelineText::tr("decode");
    return role == "rollout" ? TimelineText::tr("Rollout") : TimelineText::tr("Training");
}

} // namespace

QString stageTitle(const Timeline& timeline, const StageTimeline& stage) {
    switch (timeline.kind) {
    case TimelineKind::iteration: break;
    case TimelineKind::batch: return TimelineText::tr("Batch");
    case TimelineKind::requests: return TimelineText::tr("Instance %1").arg(stage.stage);
    case TimelineKind::loop: return roleName(stage.role);
    case TimelineKind::recorded: {
        const QString name = QString::fromStdString(stage.ranks);
        const bool isNumber = !name.isEmpty() && std::all_of(name.begin(), name.end(), [](QChar c) { return c.isDigit(); });
        return isNumber ? TimelineText::tr("Rank %1").arg(name) : name;
    }
    }
    return TimelineText::tr("Stage %1").arg(stage.stage);
}

QString spanName(const Timeline& timeline, const Span& span) {
    const Segment& segment = timeline.segments[span.segment];
    switch (timeline.kind) {
    case TimelineKind::iteration: break;
    case TimelineKind::batch: return span.microBatch > 0 ? TimelineText::tr("%1, token %2", "decode").arg(stepName(segment)).arg(span.microBatch + 1) : stepName(segment);
    case TimelineKind::requests: return TimelineText::tr("%1, step %2", "prefill, decode or mixed").arg(stepName(segment)).arg(span.microBatch);
    case TimelineKind::loop:
    case TimelineKind::recorded: return stepName(segment);
    }
    return span.microBatch < 0 ? QString::fromStdString(segment.name) : phaseName(segment.phase) + QLatin1Char(' ') + QString::number(span.microBatch);
}

QString stageSubtitle(const StageTimeline& stage) {
    if (stage.role == "recorded") return TimelineText::tr("recorded");
    if (stage.role == "simulated") return TimelineText::tr("simulated");
    if (stage.role.starts_with("like ")) return TimelineText::tr("in the likeness of rank %1").arg(QString::fromStdString(stage.role.substr(5)));
    QString ranks = QString::fromStdString(stage.ranks);
    const bool several = ranks.contains(QLatin1Char('-')) || ranks.contains(QLatin1Char(','));
    ranks.replace(QLatin1Char('-'), QChar(0x2013));
    const QString who = several ? TimelineText::tr("ranks %1").arg(ranks) : TimelineText::tr("rank %1").arg(ranks);
    if (stage.role.empty() || stage.role == "rollout" || stage.role == "training") return who; // its title says it
    return TimelineText::tr("%1, %2", "prefill or decode, ranks").arg(roleName(stage.role), who);
}

namespace {

/// The words of our own programs in the user's language; others' stand as they are.
QString streamTitle(std::string_view name) {
    if (name == "tensor") return TimelineText::tr("tensor");
    if (name == "pipeline") return TimelineText::tr("pipeline");
    if (name == "data") return TimelineText::tr("data");
    if (name == "to_host") return TimelineText::tr("to host");
    if (name == "from_host") return TimelineText::tr("from host");
    if (name == "communication") return TimelineText::tr("communication");
    if (name.starts_with("stream ")) return TimelineText::tr("stream %1").arg(QString::fromUtf8(name.data() + 7, static_cast<qsizetype>(name.size() - 7)));
    if (name.starts_with("host ")) return TimelineText::tr("host %1", "a thread").arg(QString::fromUtf8(name.data() + 5, static_cast<qsizetype>(name.size() - 5)));
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

} // namespace

QString laneTitle(const Timeline& timeline, const TimelineLane& lane) {
    if (lane.kind == LaneKind::memory) return TimelineText::tr("memory");
    if (lane.stream == StreamKind::compute) return {};
    const QString title = streamTitle(streamName(timeline, lane.stream));
    return lane.ordinal == 0 ? title : TimelineText::tr("%1 %2", "a second lane of the same kind").arg(title).arg(lane.ordinal + 1);
}

QString passLabel(const Pass& pass, const Timeline& timeline, bool chunked) {
    if (pass.microBatch < 0) return QString::fromStdString(timeline.segments[pass.segment].name);
    if (timeline.kind != TimelineKind::iteration) return stepName(timeline.segments[pass.segment]);
    QString letter;
    switch (pass.phase) {
    case Phase::forward: letter = TimelineText::tr("F", "forward pass, followed by the micro-batch"); break;
    case Phase::backward: letter = TimelineText::tr("B", "backward pass, followed by the micro-batch"); break;
    case Phase::recompute: letter = TimelineText::tr("R", "recomputation, followed by the micro-batch"); break;
    case Phase::optimizer: letter = TimelineText::tr("O", "optimizer, followed by the micro-batch"); break;
    case Phase::communication: letter = TimelineText::tr("C", "communication, followed by the micro-batch"); break;
    }
    const QString label = letter + QString::number(pass.microBatch);
    return chunked ? label + QLatin1Char('.') + QString::number(pass.chunk) : label;
}

QString phaseName(Phase phase) {
    switch (phase) {
    case Phase::forward: return TimelineText::tr("forward");
    case Phase::backward: return TimelineText::tr("backward");
    case Phase::recompute: return TimelineText::tr("recomputation");
    case Phase::optimizer: return TimelineText::tr("optimizer");
    case Phase::communication: return TimelineText::tr("communication");
    }
    return {};
}

QString boundName(Bound bound) {
    switch (bound) {
    case Bound::compute: return TimelineText::tr("compute-bound");
    case Bound::memory: return TimelineText::tr("memory-bound");
    case Bound::network: return TimelineText::tr("network-bound");
    case Bound::latency: return TimelineText::tr("latency-bound");
    }
    return {};
}

QString sourceName(Source source) {
    switch (source) {
    case Source::measured: return TimelineText::tr("measured");
    case Source::predicted: return TimelineText::tr("predicted");
    case Source::roofline: return TimelineText::tr("roofline");
    case Source::assumed: return TimelineText::tr("assumed");
    case Source::given: return TimelineText::tr("given");
    case Source::derived: return TimelineText::tr("derived");
    }
    return {};
}

QString workName(RecordedWork work) {
    switch (work) {
    case RecordedWork::kernel: return TimelineText::tr("kernel");
    case RecordedWork::communication: return TimelineText::tr("communication");
    case RecordedWork::waiting: return TimelineText::tr("waiting");
    case RecordedWork::copy: return TimelineText::tr("copy or fill");
    case RecordedWork::host: return TimelineText::tr("operator on the host");
    case RecordedWork::runtime: return TimelineText::tr("call of the runtime");
    case RecordedWork::beside: return TimelineText::tr("both at once");
    }
    return {};
}

QString describeOperator(const Timeline& timeline, int stage, const OperatorInstance& instance, double time) {
    const TimedOperator& timed = timeline.operators[instance.op];
    QStringList parts{prefixFor(timeline, stage, time)};
    const Span& span = *instance.span;
    if (timeline.kind == TimelineKind::recorded) {
        if (span.layer >= 0) parts << workName(timeline.works[instance.op]);
        parts << QString::fromStdString(timed.op.name) << readableTime(instance.end - instance.start).text();
        return parts.join(separator());
    }
    if (timeline.kind == TimelineKind::requests || timeline.kind == TimelineKind::loop) { // one bar: nothing stands behind it that could bound it
        parts << spanName(timeline, span) << readableTime(instance.end - instance.start).text();
        return parts.join(separator());
    }
    const QString phase = phaseName(timeline.segments[span.segment].phase);
    parts << (timeline.kind == TimelineKind::batch ? spanName(timeline, span) : span.microBatch < 0 ? phase
                                                                                                    : phase + QLatin1Char(' ') + QString::number(span.microBatch));
    if (span.chunk > 0) parts << TimelineText::tr("chunk %1").arg(span.chunk);
    if (span.layer >= 0) parts << TimelineText::tr("layer %1").arg(span.layer);
    parts << QString::fromStdString(timed.op.name);
    // The table of operators has what it takes by itself; a bar is as long as it lasts here.
    const double lasts = instance.end - instance.start;
    constexpr double noDifference = 0.005; // of its time
    const bool slowed = timed.time > 0 && lasts > (1 + noDifference) * timed.time;
    parts << (slowed ? TimelineText::tr("%1, alone %2: slowed by what runs beside it").arg(readableTime(lasts).text(), readableTime(timed.time).text()) : readableTime(lasts).text());
    parts << TimelineText::tr("%1 (%2)", "bound, source").arg(boundName(timed.bound), sourceName(timed.source));
    return parts.join(separator());
}

QString describeMemory(const Timeline& timeline, int stage, double time) {
    const StageTimeline& line = timeline.stages[static_cast<std::size_t>(stage)];
    const auto after = std::upper_bound(line.memory.begin(), line.memory.end(), time,
                                        [](double moment, const MemorySample& sample) { return moment < sample.time; });
    const MemorySample sample = after == line.memory.begin() ? MemorySample{} : *(after - 1);
    QStringList parts{prefixFor(timeline, stage, time)};
    if (timeline.kind == TimelineKind::requests) {
        parts << TimelineText::tr("%1 keys and values in use").arg(readableBytes(sample.activations).text());
        return parts.join(separator());
    }
    if (timeline.kind == TimelineKind::recorded) {
        parts << TimelineText::tr("%1 allocated").arg(readableBytes(sample.activations).text()) << TimelineText::tr("%1 reserved").arg(readableBytes(sample.activations + sample.temporary).text());
        return parts.join(separator());
    }
    parts << TimelineText::tr("%1 activations").arg(readableBytes(sample.activations).text());
    parts << TimelineText::tr("%1 temporary").arg(readableBytes(sample.temporary).text());
    parts << TimelineText::tr("%1 in all").arg(readableBytes(line.staticBytes + sample.activations + sample.temporary).text());
    return parts.join(separator());
}

namespace {

/// Whether a gap of the compute lane lies between two passes of micro-batches, and not inside one or at the iteration's ends.
bool isBetweenPasses(const Timeline& timeline, int stage, const Gap& gap) {
    for (const Stream& stream : timeline.stages[static_cast<std::size_t>(stage)].streams) {
        if (stream.kind != StreamKind::compute) continue;
        bool before = false, after = false;
        for (const Span& span : stream.spans) {
            if (span.microBatch < 0) continue;
            if (span.start < gap.from && span.end > gap.to) return false;
            before = before || span.end <= gap.from * (1 + 1e-9);
            after = after || span.start >= gap.to * (1 - 1e-9);
        }
        return before && after;
    }
    return false;
}

} // namespace

QString describeIdle(const Timeline& timeline, int stage, const TimelineLane& lane, double time) {
    const QString title = lane.stream != StreamKind::compute        ? laneTitle(timeline, lane)
                          : timeline.kind == TimelineKind::recorded ? TimelineText::tr("device")
                                                                    : TimelineText::tr("compute");
    QStringList parts{prefixFor(timeline, stage, time)};
    const std::optional<Gap> gap = gapAt(timeline, stage, lane.stream, time);
    if (!gap) return parts.front() + separator() + TimelineText::tr("%1 idle", "a lane of the timeline").arg(title);
    // Between the passes of its micro-batches a stage's wait is what everybody calls it.
    const bool isBubble = timeline.kind == TimelineKind::iteration && lane.stream == StreamKind::compute && isBetweenPasses(timeline, stage, *gap);
    parts << (isBubble ? TimelineText::tr("bubble of %1: %2 idle", "time, a lane of the timeline").arg(readableTime(gap->to - gap->from).text(), title)
                       : TimelineText::tr("%1 idle for %2", "a lane of the timeline").arg(title, readableTime(gap->to - gap->from).text()));
    if (lane.stream == StreamKind::compute)
        if (const QString why = whyIdle(timeline, stage, *gap, time); !why.isEmpty()) parts << why;
    return parts.join(separator());
}

QString summaryOf(const TimelineRows& rows) {
    const std::size_t stages = rows.stages.size();
    if (rows.kind == TimelineKind::recorded)
        return (stages == 1 ? TimelineText::tr("one rank") : TimelineText::tr("%1 ranks").arg(stages)) + separator() + TimelineText::tr("%1 bars").arg(grouped(static_cast<double>(rows.barCount)));
    if (rows.kind == TimelineKind::loop) return TimelineText::tr("one step of the loop");
    if (rows.kind != TimelineKind::iteration) {
        const QString what = rows.kind == TimelineKind::batch ? TimelineText::tr("one batch")
                             : stages == 1                    ? TimelineText::tr("one instance")
                                                              : TimelineText::tr("%1 instances").arg(stages);
        return what + separator() + TimelineText::tr("%1 events").arg(grouped(static_cast<double>(rows.barCount)));
    }
    const QString classes = stages == 1 ? TimelineText::tr("one iteration, one class of ranks")
                                        : TimelineText::tr("one iteration, %1 classes of ranks").arg(stages);
    return classes + separator() +
           TimelineText::tr("%1 events").arg(grouped(static_cast<double>(rows.barCount)));
}

} // namespace orrery
