// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/critical_path.hpp"

#include "core/records/ranks/device_graph.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

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

} // namespace orrery
