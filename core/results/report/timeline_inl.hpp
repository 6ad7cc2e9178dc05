// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Templates of timeline.hpp.

#include <algorithm>

namespace orrery {

template <typename Visit>
void forEachOperator(const Timeline& timeline, int stage, StreamKind stream, double from, double to, Visit&& visit) {
    const StageTimeline& stageTimeline = timeline.stages[static_cast<std::size_t>(stage)];
    // Collectives inside a segment ride with the compute spans.
    const StreamKind carrier = stream == StreamKind::within ? StreamKind::compute : stream;
    for (const Stream& candidate : stageTimeline.streams) {
        if (candidate.kind != carrier) continue;
        auto span = std::upper_bound(candidate.spans.begin(), candidate.spans.end(), from,
                                     [](double time, const Span& s) { return time < s.end; });
        for (; span != candidate.spans.end() && span->start < to; ++span) {
            for (const SegmentEntry& entry : timeline.segments[span->segment].entries) {
                const bool wanted = carrier == StreamKind::compute ? entry.stream == stream : true;
                if (!wanted) continue;
                const double start = span->start + entry.start;
                const double end = endOf(timeline, entry, *span);
                if (end <= from || start >= to) continue;
                visit(OperatorInstance{start, end, entry.op, &*span});
            }
        }
    }
}

} // namespace orrery
