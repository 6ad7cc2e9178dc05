// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/device_graph.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

namespace orrery {
namespace {

constexpr std::uint32_t none = DeviceGraph::noEvent;

/// Calls that return when the device has done what was asked for before.
bool waitsForDevice(std::string_view call) {
    constexpr std::array<std::string_view, 6> words{"StreamSynchronize", "DeviceSynchronize", "EventSynchronize", "MemcpyDtoH", "cudaMemcpy", "hipMemcpy"};
    if (call.ends_with("Async")) return false;
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return call.find(word) != std::string_view::npos; });
}

/// What becomes a node, before they are put in order.
struct Draft {
    Interval when;
    std::uint32_t deviceEvent = none;
    std::uint32_t call = none; ///< index into KinetoTrace::runtimeCalls
    bool returns = false;      ///< the moment at which a waiting call ends
};

std::vector<Draft> draftsOf(const KinetoTrace& trace) {
    std::vector<Draft> drafts;
    drafts.reserve(trace.runtimeCalls.size() + trace.device.size());
    for (std::uint32_t i = 0; i < trace.runtimeCalls.size(); ++i) {
        const HostCall& call = trace.runtimeCalls[i];
        if (!waitsForDevice(trace.names[call.name])) {
            drafts.push_back({call.when, none, i, false});
            continue;
        }
        drafts.push_back({{call.when.start, call.when.start}, none, i, false});
        drafts.push_back({{call.when.end, call.when.end}, none, i, true});
    }
    for (std::uint32_t i = 0; i < trace.device.size(); ++i) drafts.push_back({trace.device[i].when, i, none, false});
    std::stable_sort(drafts.begin(), drafts.end(), [](const Draft& a, const Draft& b) { return a.when.start < b.when.start; });
    return drafts;
}

/// Builds the edges in the order of starts, remembering what ran last wherever.
class EdgeMaker {
public:
    explicit EdgeMaker(const KinetoTrace& trace) : trace_(trace), lastOfThread_(trace.threads.size(), none), lastOfStream_(trace.streams.size(), none) {}

    DeviceGraph graph() {
        for (const Draft& draft : draftsOf(trace_)) {
            here_ = static_cast<std::uint32_t>(graph_.nodes.size());
            graph_.nodes.push_back({draft.when, draft.deviceEvent, static_cast<std::uint32_t>(graph_.edges.size()), 0});
            if (draft.deviceEvent == none) addCall(draft);
            else addDeviceEvent(trace_.device[draft.deviceEvent]);
            settleLag();
        }
        return std::move(graph_);
    }

private:
    void waitFor(std::uint32_t node, Dependency dependency = Dependency::end) {
        if (node != none) graph_.edges.push_back({node, dependency});
    }

    void addCall(const Draft& draft) {
        const HostCall& call = trace_.runtimeCalls[draft.call];
        std::uint32_t& last = lastOfThread_[call.thread];
        waitFor(last);
        last = here_;
        if (draft.returns) waitFor(lastDeviceEndBefore(draft.when.end, none));
        else if (call.correlation >= 0) launches_[call.correlation] = here_;
    }

    void addDeviceEvent(const DeviceEvent& event) {
        std::uint32_t& last = lastOfStream_[event.stream];
        waitFor(last);
        std::int64_t explained = last == none ? std::numeric_limits<std::int64_t>::min() : graph_.nodes[last].recorded.end;
        if (const auto launch = launches_.find(event.correlation); event.correlation >= 0 && launch != launches_.end()) {
            waitFor(launch->second, Dependency::start);
            explained = std::max(explained, graph_.nodes[launch->second].recorded.start);
        }
        const std::uint32_t other = lastDeviceEndBefore(event.when.start, event.stream);
        if (other != none && graph_.nodes[other].recorded.end > explained) waitFor(other);
        last = here_;
    }

    /// The stream's last work that ended by then, over all streams but `stream`; the one that ended last.
    std::uint32_t lastDeviceEndBefore(std::int64_t moment, std::uint32_t stream) const {
        std::uint32_t best = none;
        for (std::uint32_t other = 0; other < lastOfStream_.size(); ++other) {
            const std::uint32_t node = lastOfStream_[other];
            if (other == stream || node == none || graph_.nodes[node].recorded.end > moment) continue;
            if (best == none || graph_.nodes[node].recorded.end > graph_.nodes[best].recorded.end) best = node;
        }
        return best;
    }

    void settleLag() {
        DeviceGraph::Node& node = graph_.nodes.back();
        std::int64_t ready = std::numeric_limits<std::int64_t>::min();
        for (std::size_t e = node.firstEdge; e < graph_.edges.size(); ++e) {
            const Interval& before = graph_.nodes[graph_.edges[e].from].recorded;
            ready = std::max(ready, graph_.edges[e].dependency == Dependency::end ? before.end : before.start);
        }
        node.lag = node.firstEdge == graph_.edges.size() ? node.recorded.start : node.recorded.start - ready;
    }

    const KinetoTrace& trace_;
    DeviceGraph graph_;
    std::uint32_t here_ = 0;
    std::vector<std::uint32_t> lastOfThread_, lastOfStream_;
    std::unordered_map<std::int64_t, std::uint32_t> launches_;
};

} // namespace

DeviceGraph deviceGraph(const KinetoTrace& trace) { return EdgeMaker(trace).graph(); }

std::vector<Interval> replayed(const DeviceGraph& graph, const EventDuration& durationOf) {
    std::vector<Interval> runs(graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const DeviceGraph::Node& node = graph.nodes[i];
        const std::size_t end = i + 1 < graph.nodes.size() ? graph.nodes[i + 1].firstEdge : graph.edges.size();
        std::int64_t ready = node.firstEdge == end ? 0 : std::numeric_limits<std::int64_t>::min();
        for (std::size_t e = node.firstEdge; e < end; ++e) {
            const Interval& before = runs[graph.edges[e].from];
            ready = std::max(ready, graph.edges[e].dependency == Dependency::end ? before.end : before.start);
        }
        const std::int64_t start = ready + node.lag;
        const std::int64_t duration = node.deviceEvent == none ? node.recorded.end - node.recorded.start : durationOf(node.deviceEvent, start);
        runs[i] = {start, start + duration};
    }
    return runs;
}

} // namespace orrery
