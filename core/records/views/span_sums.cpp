// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/span_sums.hpp"

#include <algorithm>
#include <map>

namespace orrery {

std::vector<KernelName> kernelNames(const RecordedJob& job) {
    struct Sum {
        std::int64_t kernels = 0, nanoseconds = 0;
    };
    std::map<std::string, Sum> sums;
    for (const RecordedRank& rank : job.ranks) {
        const KinetoTrace& trace = *rank.trace;
        std::vector<Sum> own(trace.names.size()); // texts are compared once a rank
        for (const DeviceEvent& event : trace.device) {
            if (event.work != DeviceWork::kernel || event.name >= own.size()) continue;
            own[event.name].kernels += 1;
            own[event.name].nanoseconds += event.when.end - event.when.start;
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (own[i].kernels == 0) continue;
            Sum& sum = sums[trace.names[i]];
            sum.kernels += own[i].kernels;
            sum.nanoseconds += own[i].nanoseconds;
        }
    }
    std::vector<KernelName> names;
    names.reserve(sums.size());
    for (const auto& [name, sum] : sums) names.push_back({name, sum.kernels, static_cast<double>(sum.nanoseconds) * 1e-9});
    std::stable_sort(names.begin(), names.end(), [](const KernelName& a, const KernelName& b) { return a.seconds > b.seconds; });
    return names;
}

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
