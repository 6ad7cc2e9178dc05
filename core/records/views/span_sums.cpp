// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/span_sums.hpp"

#include <algorithm>

namespace orrery {
namespace {

RecordRow rowFor(SumBy by, bool host) {
    if (by == SumBy::rank) return RecordRow::summary;
    return host ? RecordRow::host : RecordRow::device;
}

} // namespace

std::vector<SpanSum> spanSums(const RecordTimeline& record, double from, double to, SumBy by, bool host, int stage) {
    const Timeline& timeline = record.timeline;
    std::vector<SpanSum> sums;
    if (by == SumBy::operation) sums.resize(timeline.operators.size());
    for (std::size_t place = 0; place < timeline.stages.size(); ++place) {
        if (stage >= 0 && static_cast<int>(place) != stage) continue;
        if (by == SumBy::rank) sums.emplace_back().stage = static_cast<int>(place);
        for (std::size_t row = 0; row < record.rows[place].size(); ++row) {
            if (record.rows[place][row] != rowFor(by, host)) continue;
            const Stream& stream = timeline.stages[place].streams[row];
            if (by == SumBy::stream) {
                sums.emplace_back().stage = static_cast<int>(place);
                sums.back().stream = stream.kind;
            }
            auto span = std::upper_bound(stream.spans.begin(), stream.spans.end(), from, [](double time, const Span& one) { return time < one.end; });
            for (; span != stream.spans.end() && span->start < to; ++span) {
                SpanSum& sum = by == SumBy::operation ? sums[span->segment] : sums.back();
                const double time = std::min(to, span->end) - std::max(from, span->start);
                ++sum.count;
                sum.time += time;
                sum.longest = std::max(sum.longest, time);
                sum.byWork[static_cast<std::size_t>(timeline.works[span->segment])] += time;
                if (by == SumBy::operation) sum.op = span->segment;
            }
        }
    }
    if (by != SumBy::rank) std::erase_if(sums, [](const SpanSum& sum) { return sum.count == 0; });
    std::stable_sort(sums.begin(), sums.end(), [](const SpanSum& a, const SpanSum& b) { return a.time > b.time; });
    return sums;
}

} // namespace orrery
