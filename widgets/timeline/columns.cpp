// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/columns.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t rowsBetweenStopChecks = 1 << 12;

BarStyle styleOf(Phase phase) {
    switch (phase) {
    case Phase::forward: return BarStyle::forward;
    case Phase::backward: return BarStyle::backward;
    case Phase::recompute: return BarStyle::recompute;
    case Phase::optimizer: return BarStyle::optimizer;
    case Phase::communication: return BarStyle::pipeline;
    }
    return BarStyle::pipeline;
}

BarStyle styleOf(RecordedWork work) {
    switch (work) {
    case RecordedWork::kernel: return BarStyle::forward;
    case RecordedWork::communication: return BarStyle::tensor;
    case RecordedWork::waiting: return BarStyle::waiting;
    case RecordedWork::copy: return BarStyle::pipeline;
    case RecordedWork::host:
    case RecordedWork::runtime: return BarStyle::host;
    case RecordedWork::beside: return BarStyle::beside;
    }
    return BarStyle::forward;
}

class RowBuilder {
public:
    RowBuilder(const Timeline& timeline, std::stop_token stop) : timeline_(timeline), stop_(std::move(stop)) {
        styles_.reserve(timeline.operators.size());
        if (timeline.kind == TimelineKind::recorded)
            for (const RecordedWork work : timeline.works) styles_.push_back(styleOf(work));
        else
            for (const TimedOperator& timed : timeline.operators) styles_.push_back(orrery::styleOf(timed.op));
    }

    TimelineRowsPtr build() {
        auto rows = std::make_shared<TimelineRows>();
        rows->kind = timeline_.kind;
        rows->duration = timeline_.duration;
        for (const StageTimeline& stage : timeline_.stages) {
            rows->stages.push_back(buildStage(stage));
            if (stop_.stop_requested()) return nullptr;
            for (const StreamRow& row : rows->stages.back().streams) rows->barCount += row.bars.size();
            for (const float bytes : rows->stages.back().memory.total) rows->memoryPeak = std::max(rows->memoryPeak, bytes);
        }
        return rows;
    }

private:
    StageRows buildStage(const StageTimeline& stage) {
        StageRows rows;
        // Compute and what rides with it first, however the engine orders its streams.
        for (std::uint32_t index = 0; index < stage.streams.size(); ++index) {
            const Stream& stream = stage.streams[index];
            if (stream.kind != StreamKind::compute) continue;
            rows.streams.push_back(buildStream(stream, index, StreamKind::compute));
            StreamRow tensor = buildStream(stream, index, StreamKind::within);
            if (!tensor.bars.empty()) rows.streams.push_back(std::move(tensor));
            if (rows.passes.passes.empty() && timeline_.kind != TimelineKind::recorded && timeline_.kind != TimelineKind::loop) rows.passes = buildPasses(stream, rows.chunked);
        }
        for (std::uint32_t index = 0; index < stage.streams.size(); ++index) {
            const Stream& stream = stage.streams[index];
            if (stream.kind == StreamKind::compute || stream.spans.empty()) continue;
            rows.streams.push_back(buildStream(stream, index, stream.kind));
        }
        rows.memory = buildMemory(stage);
        rows.isVirtual = timeline_.kind == TimelineKind::recorded && stage.role != "recorded";
        return rows;
    }

    /// Which entries of a carrier's segment belong to a row: as forEachOperator tells them apart.
    static bool belongs(const SegmentEntry& entry, StreamKind carrier, StreamKind row) {
        return carrier != StreamKind::compute || entry.stream == row;
    }

    StreamRow buildStream(const Stream& stream, std::uint32_t index, StreamKind kind) {
        StreamRow row;
        row.kind = kind;
        row.stream = index;
        std::vector<std::uint32_t> perSegment(timeline_.segments.size());
        for (std::size_t segment = 0; segment < perSegment.size(); ++segment)
            perSegment[segment] = static_cast<std::uint32_t>(
                std::count_if(timeline_.segments[segment].entries.begin(), timeline_.segments[segment].entries.end(),
                              [&](const SegmentEntry& entry) { return belongs(entry, stream.kind, kind); }));
        std::size_t count = 0;
        for (const Span& span : stream.spans) count += perSegment[span.segment];
        BarColumns& bars = row.bars;
        bars.start.reserve(count);
        bars.end.reserve(count);
        bars.style.reserve(count);
        bars.label.reserve(count);
        row.firstBar.reserve(stream.spans.size());
        for (std::size_t i = 0; i < stream.spans.size(); ++i) {
            if (i % rowsBetweenStopChecks == 0 && stop_.stop_requested()) return row;
            const Span& span = stream.spans[i];
            row.firstBar.push_back(static_cast<std::uint32_t>(bars.size()));
            if (perSegment[span.segment] == 0) continue;
            const Segment& segment = timeline_.segments[span.segment];
            for (const SegmentEntry& entry : segment.entries) {
                if (!belongs(entry, stream.kind, kind)) continue;
                bars.start.push_back(span.start + entry.start);
                bars.end.push_back(endOf(timeline_, entry, span));
                bars.style.push_back(styleIn(segment, styles_[entry.op]));
                bars.label.push_back(entry.op);
                row.covered += fillsSpans(timeline_) ? span.end - span.start : entry.end - entry.start;
            }
        }
        bars.mips = buildCoverageMips(bars.start, bars.end, bars.style, stop_);
        return row;
    }

    /// Forward work that decodes has a hue of its own.
    BarStyle styleIn(const Segment& segment, BarStyle style) const { return style == BarStyle::forward && isDecode(timeline_, segment) ? BarStyle::backward_weights : style; }

    PassRow buildPasses(const Stream& stream, bool& chunked) {
        PassRow row;
        const auto phaseOf = [&](const Span& span) { return timeline_.segments[span.segment].phase; };
        const auto direction = [&](const Span& span) { return phaseOf(span) == Phase::recompute ? Phase::backward : phaseOf(span); };
        const auto add = [&](std::size_t first, std::size_t last, Phase phase) {
            const Span& span = stream.spans[first];
            row.bars.start.push_back(span.start);
            row.bars.end.push_back(stream.spans[last - 1].end);
            row.bars.style.push_back(styleIn(timeline_.segments[span.segment], styleOf(phase)));
            row.bars.label.push_back(static_cast<std::uint32_t>(row.passes.size()));
            row.passes.push_back({span.microBatch, span.chunk, phase, span.segment});
            chunked |= span.chunk > 0;
        };
        for (std::size_t first = 0; first < stream.spans.size();) {
            const Span& begin = stream.spans[first];
            std::size_t last = first + 1;
            std::size_t change = 0; // where the phase changes, and how often
            int changes = 0;
            while (last < stream.spans.size()) {
                const Span& next = stream.spans[last];
                if (next.microBatch != begin.microBatch || next.chunk != begin.chunk || direction(next) != direction(begin)) break;
                if (begin.microBatch < 0 && next.segment != begin.segment) break;
                if (phaseOf(next) != phaseOf(stream.spans[last - 1])) {
                    change = last;
                    ++changes;
                }
                ++last;
            }
            if (changes == 1) {
                add(first, change, phaseOf(begin));
                add(change, last, phaseOf(stream.spans[change]));
            } else {
                add(first, last, changes == 0 ? phaseOf(begin) : direction(begin));
            }
            first = last;
        }
        row.bars.mips = buildCoverageMips(row.bars.start, row.bars.end, row.bars.style, stop_);
        return row;
    }

    static MemoryColumns buildMemory(const StageTimeline& stage) {
        MemoryColumns memory;
        memory.time.reserve(stage.memory.size());
        memory.activations.reserve(stage.memory.size());
        memory.total.reserve(stage.memory.size());
        for (const MemorySample& sample : stage.memory) {
            memory.time.push_back(sample.time);
            memory.activations.push_back(static_cast<float>(sample.activations));
            memory.total.push_back(static_cast<float>(sample.activations + sample.temporary));
        }
        memory.activationPeaks = PeakMips(memory.activations);
        memory.totalPeaks = PeakMips(memory.total);
        return memory;
    }

    const Timeline& timeline_;
    std::stop_token stop_;
    std::vector<BarStyle> styles_; ///< of each operator
};

} // namespace

BarStyle styleOf(const Operator& op) {
    switch (op.group) {
    case RankGroup::none: break;
    case RankGroup::tensor:
    case RankGroup::context:
    case RankGroup::expert_tensor:
    case RankGroup::expert: return BarStyle::tensor;
    case RankGroup::pipeline: return BarStyle::pipeline;
    case RankGroup::expert_data:
    case RankGroup::data:
    case RankGroup::shard:
    case RankGroup::replicate:
    case RankGroup::embedding: return BarStyle::data;
    }
    return styleOf(op.phase);
}

std::size_t BarColumns::firstEndingAfter(double time) const {
    return static_cast<std::size_t>(std::upper_bound(end.begin(), end.end(), time) - end.begin());
}

std::size_t BarColumns::firstStartingAtOrAfter(double time) const {
    return static_cast<std::size_t>(std::lower_bound(start.begin(), start.end(), time) - start.begin());
}

std::size_t BarColumns::at(double time) const {
    const std::size_t bar = firstEndingAfter(time);
    return bar < size() && start[bar] <= time ? bar : size();
}

std::size_t BarColumns::byteSize() const {
    return (start.capacity() + end.capacity()) * sizeof(double) + style.capacity() * sizeof(BarStyle) +
           label.capacity() * sizeof(std::uint32_t) + mips.byteSize();
}

std::uint32_t StreamRow::spanOf(std::size_t bar) const {
    // Spans without bars in this row share their first bar with the next: the last of equals is the one that has it.
    const auto after = std::upper_bound(firstBar.begin(), firstBar.end(), static_cast<std::uint32_t>(bar));
    return static_cast<std::uint32_t>(after - firstBar.begin()) - 1;
}

std::size_t TimelineRows::byteSize() const {
    std::size_t bytes = 0;
    for (const StageRows& stage : stages) {
        for (const StreamRow& row : stage.streams)
            bytes += row.bars.byteSize() + row.firstBar.capacity() * sizeof(std::uint32_t);
        bytes += stage.passes.bars.byteSize() + stage.passes.passes.capacity() * sizeof(Pass);
        bytes += stage.memory.time.capacity() * sizeof(double) + 2 * stage.memory.total.capacity() * sizeof(float);
        bytes += stage.memory.activationPeaks.byteSize() + stage.memory.totalPeaks.byteSize();
    }
    return bytes;
}

TimelineRowsPtr buildRows(const Timeline& timeline, std::stop_token stop) { return RowBuilder(timeline, std::move(stop)).build(); }

} // namespace orrery
