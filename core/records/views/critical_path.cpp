// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/critical_path.hpp"
#include "core/records/ranks/device_graph.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace orrery {
namespace {

/// A node of one rank's graph.
struct Spot {
    std::size_t place = 0;
    std::uint32_t node = 0;
};

class PathFinder {
public:
    explicit PathFinder(const RecordedJob& job) : job_(job), nodeOf_(job.ranks.size()), lastAt_(job.ranks.size()) {
        for (std::size_t place = 0; place < job.ranks.size(); ++place) {
            graphs_.push_back(deviceGraph(*job.ranks[place].trace));
            const DeviceGraph& graph = graphs_.back();
            nodeOf_[place].assign(job.ranks[place].trace->device.size(), DeviceGraph::noEvent);
            for (std::uint32_t node = 0; node < graph.nodes.size(); ++node)
                if (graph.nodes[node].deviceEvent != DeviceGraph::noEvent) nodeOf_[place][graph.nodes[node].deviceEvent] = node;
            for (const JobCollective& collective : job.collectives)
                if (collective.events[place] != JobCollective::noEvent && collective.events[collective.last] != JobCollective::noEvent) lastAt_[place].emplace(collective.events[place], Spot{collective.last, collective.events[collective.last]});
        }
    }

    std::vector<PathStep> find() const {
        std::vector<PathStep> path;
        auto at = lastWork();
        std::int64_t until = at ? endOf(*at) : 0; // the step at hand is on the path until then
        while (at) {
            // Who waited in a collective is not what took the time: the last to come is.
            if (const auto last = lastInCollective(*at)) at = last;
            const std::int64_t start = startOf(*at);
            add(path, {at->place, graphs_[at->place].nodes[at->node].deviceEvent, std::min(start, until), std::min(endOf(*at), until)});
            until = std::min(start, until);
            at = before(*at, until);
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

private:
    const DeviceGraph::Node& nodeAt(const Spot& spot) const { return graphs_[spot.place].nodes[spot.node]; }
    std::int64_t startOf(const Spot& spot) const { return job_.onClock(spot.place, nodeAt(spot).recorded.start); }
    std::int64_t endOf(const Spot& spot) const { return job_.onClock(spot.place, nodeAt(spot).recorded.end); }

    std::optional<Spot> lastWork() const {
        std::optional<Spot> last;
        for (std::size_t place = 0; place < graphs_.size(); ++place)
            for (std::uint32_t node = 0; node < graphs_[place].nodes.size(); ++node) {
                const Spot spot{place, node};
                if (graphs_[place].nodes[node].deviceEvent != DeviceGraph::noEvent && (!last || endOf(spot) > endOf(*last))) last = spot;
            }
        return last;
    }

    std::optional<Spot> lastInCollective(const Spot& spot) const {
        const std::uint32_t event = nodeAt(spot).deviceEvent;
        if (event == DeviceGraph::noEvent) return std::nullopt;
        const auto found = lastAt_[spot.place].find(event);
        if (found == lastAt_[spot.place].end() || found->second.place == spot.place) return std::nullopt;
        const std::uint32_t node = nodeOf_[found->second.place][found->second.node];
        return node == DeviceGraph::noEvent ? std::nullopt : std::optional(Spot{found->second.place, node});
    }

    /// What a node waited for last: the one of its edges that came true latest. Nodes are in order of start, so that the way back ends.
    std::optional<Spot> before(const Spot& spot, std::int64_t until) const {
        const DeviceGraph& graph = graphs_[spot.place];
        const std::uint32_t first = graph.nodes[spot.node].firstEdge;
        const std::size_t end = spot.node + 1 < graph.nodes.size() ? graph.nodes[spot.node + 1].firstEdge : graph.edges.size();
        std::optional<Spot> best;
        std::int64_t latest = std::numeric_limits<std::int64_t>::min();
        for (std::size_t edge = first; edge < end; ++edge) {
            const Spot from{spot.place, graph.edges[edge].from};
            if (from.node >= spot.node) continue;
            const std::int64_t when = graph.edges[edge].dependency == Dependency::end ? endOf(from) : startOf(from);
            if (when > until || when <= latest) continue;
            latest = when;
            best = from;
        }
        return best;
    }

    static void add(std::vector<PathStep>& path, const PathStep& step) {
        // Calls of the host one after the other are one step.
        if (!path.empty() && path.back().deviceEvent == PathStep::onHost && step.deviceEvent == PathStep::onHost && path.back().place == step.place) path.back().start = step.start;
        else path.push_back(step);
    }

    const RecordedJob& job_;
    std::vector<DeviceGraph> graphs_;
    std::vector<std::vector<std::uint32_t>> nodeOf_;
    std::vector<std::map<std::uint32_t, Spot>> lastAt_; ///< by rank and its device event: the last rank's place, and its event
};

} // namespace

std::vector<PathStep> criticalPath(const RecordedJob& job) { return PathFinder(job).find(); }

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
