// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/record_links.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// The last span of rows with this meaning that carries the number and begins within `when`, s.
std::optional<RecordSpan> find(const RecordTimeline& record, int stage, RecordRow meaning, std::uint32_t number, double start, double end) {
    const auto place = static_cast<std::size_t>(stage);
    const auto& streams = record.timeline.stages[place].streams;
    std::optional<RecordSpan> found;
    for (std::size_t row = 0; row < streams.size(); ++row) {
        if (record.rows[place][row] != meaning) continue;
        const auto& spans = streams[row].spans;
        auto span = std::lower_bound(spans.begin(), spans.end(), start, [](const Span& one, double time) { return one.end < time; });
        for (; span != spans.end() && span->start <= end; ++span)
            if (span->layer == static_cast<std::int32_t>(number)) found = RecordSpan{stage, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(span - spans.begin())};
        if (found) return found;
    }
    return found;
}

double secondsAt(const RecordedJob& job, int stage, std::int64_t when) {
    return static_cast<double>(job.onClock(static_cast<std::size_t>(stage), when) - job.begin) * 1e-9;
}

/// Launches of one rank, by the number that their kernels have as well.
class Launches {
public:
    explicit Launches(const KinetoTrace& trace) : trace_(trace) {}

    std::optional<std::uint32_t> launchOf(const DeviceEvent& event) const {
        if (event.correlation < 0) return std::nullopt;
        for (std::uint32_t i = 0; i < trace_.runtimeCalls.size(); ++i)
            if (trace_.runtimeCalls[i].correlation == event.correlation) return i;
        return std::nullopt;
    }
    /// Events whose launches lie in a call, in the trace's order.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> launchedWithin(const HostCall& call) const {
        constexpr std::size_t most = 200;
        std::vector<std::pair<std::int64_t, std::uint32_t>> launches;
        for (std::uint32_t i = 0; i < trace_.runtimeCalls.size(); ++i) {
            const HostCall& one = trace_.runtimeCalls[i];
            if (one.correlation >= 0 && one.thread == call.thread && one.when.start >= call.when.start && one.when.end <= call.when.end) launches.emplace_back(one.correlation, i);
        }
        std::sort(launches.begin(), launches.end());
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs; // runtime call, device event
        for (std::uint32_t i = 0; i < trace_.device.size() && pairs.size() < most; ++i) {
            const auto found = std::lower_bound(launches.begin(), launches.end(), std::pair(trace_.device[i].correlation, std::uint32_t{0}));
            if (found != launches.end() && found->first == trace_.device[i].correlation) pairs.emplace_back(found->second, i);
        }
        return pairs;
    }

private:
    const KinetoTrace& trace_;
};

} // namespace

std::optional<RecordSpan> deviceSpan(const RecordTimeline& record, const RecordedJob& job, int stage, std::uint32_t event) {
    const Interval when = job.ranks[static_cast<std::size_t>(stage)].trace->device[event].when;
    return find(record, stage, RecordRow::device, event, secondsAt(job, stage, when.start), secondsAt(job, stage, when.end));
}

std::optional<RecordSpan> hostSpan(const RecordTimeline& record, const RecordedJob& job, int stage, std::uint32_t call) {
    const KinetoTrace& trace = *job.ranks[static_cast<std::size_t>(stage)].trace;
    const Interval when = call < trace.operators.size() ? trace.operators[call].when : trace.runtimeCalls[call - trace.operators.size()].when;
    return find(record, stage, RecordRow::host, call, secondsAt(job, stage, when.start), secondsAt(job, stage, when.end));
}

std::vector<RecordLink> linksOf(const RecordTimeline& record, const RecordedJob& job, const RecordSpan& span) {
    std::vector<RecordLink> links;
    const auto place = static_cast<std::size_t>(span.stage);
    if (place >= job.ranks.size() || place >= record.rows.size()) return links;
    const Span& one = record.timeline.stages[place].streams[span.stream].spans[span.span];
    if (one.layer < 0) return links;
    const auto number = static_cast<std::uint32_t>(one.layer);
    const KinetoTrace& trace = *job.ranks[place].trace;
    const auto operators = static_cast<std::uint32_t>(trace.operators.size());
    const Launches launches(trace);
    const auto link = [&](std::uint32_t runtimeCall, std::uint32_t event) {
        const auto from = hostSpan(record, job, span.stage, operators + runtimeCall);
        const auto to = deviceSpan(record, job, span.stage, event);
        if (from && to) links.push_back({*from, *to, true});
    };
    if (record.rows[place][span.stream] == RecordRow::host) {
        const HostCall& call = number < operators ? trace.operators[number] : trace.runtimeCalls[number - operators];
        for (const auto& [runtimeCall, event] : launches.launchedWithin(call)) link(runtimeCall, event);
        return links;
    }
    if (record.rows[place][span.stream] != RecordRow::device) return links;
    if (const auto launch = launches.launchOf(trace.device[number])) link(*launch, number);
    if (!trace.device[number].communication) return links;
    for (const JobCollective& collective : job.collectives) {
        if (collective.events[place] != number) continue;
        if (collective.events[collective.last] == JobCollective::noEvent) continue;
        const auto from = deviceSpan(record, job, static_cast<int>(collective.last), collective.events[collective.last]);
        for (std::size_t other = 0; other < collective.events.size() && from; ++other) {
            if (other == collective.last || collective.events[other] == JobCollective::noEvent) continue;
            if (const auto to = deviceSpan(record, job, static_cast<int>(other), collective.events[other])) links.push_back({*from, *to, true});
        }
    }
    return links;
}

} // namespace orrery
