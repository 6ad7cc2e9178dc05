// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_export.hpp"

#include <QString>

#include <algorithm>

namespace orrery {
namespace {

QByteArray number(double value) { return QByteArray::number(value, 'g', 17); }

QByteArray quoted(const std::string& text) {
    QByteArray bytes = QByteArray::fromStdString(text);
    if (!bytes.contains(',') && !bytes.contains('"') && !bytes.contains('\n')) return bytes;
    bytes.replace('"', "\"\"");
    return '"' + bytes + '"';
}

QByteArray word(std::string_view text) { return {text.data(), static_cast<qsizetype>(text.size())}; }

QByteArray placeColumns(const Span& span) {
    return QByteArray::number(span.microBatch) + ',' + QByteArray::number(span.chunk) + ',' + QByteArray::number(span.layer);
}

QByteArray timeColumns(double start, double end) { return number(start) + ',' + number(end) + ',' + number(end - start); }

QByteArray stageColumns(std::string_view level, const StageTimeline& stage, std::string_view stream) {
    return word(level) + ',' + QByteArray::number(stage.stage) + ',' + word(stream) + ',';
}

} // namespace

QByteArray timelineCsv(const Timeline& timeline, double from, double to) {
    QByteArray csv("level,stage,stream,start_s,end_s,duration_s,name,phase,micro_batch,chunk,layer,bound,source,flops,bytes\n");
    std::size_t count = 0;
    for (int stage = 0; stage < static_cast<int>(timeline.stages.size()); ++stage)
        for (const StreamKind stream : streamKinds(timeline)) forEachOperator(timeline, stage, stream, from, to, [&](const OperatorInstance&) { ++count; });

    for (int position = 0; position < static_cast<int>(timeline.stages.size()); ++position) {
        const StageTimeline& stage = timeline.stages[static_cast<std::size_t>(position)];
        if (count > mostCsvOperators) {
            for (const Stream& stream : stage.streams) {
                for (const Span& span : stream.spans) {
                    if (span.end <= from || span.start >= to) continue;
                    const Segment& segment = timeline.segments[span.segment];
                    csv += stageColumns("span", stage, streamName(timeline, stream.kind)) + timeColumns(span.start, span.end) + ',' + quoted(segment.name) + ',' +
                           word(toString(segment.phase)) + ',' + placeColumns(span) + ",,,,\n";
                }
            }
            continue;
        }
        for (const StreamKind stream : streamKinds(timeline)) {
            forEachOperator(timeline, position, stream, from, to, [&](const OperatorInstance& one) {
                const TimedOperator& timed = timeline.operators[one.op];
                csv += stageColumns("operator", stage, streamName(timeline, stream)) + timeColumns(one.start, one.end) + ',' + quoted(timed.op.name) + ',' +
                       word(toString(timed.op.phase)) + ',' + placeColumns(*one.span) + ',' + word(toString(timed.bound)) + ',' +
                       word(toString(timed.source)) + ',' + number(timed.op.flops) + ',' + number(timed.op.bytesRead + timed.op.bytesWritten) + '\n';
            });
        }
    }
    return csv;
}

} // namespace orrery
