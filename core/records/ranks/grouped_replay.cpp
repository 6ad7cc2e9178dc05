// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/grouped_replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace orrery {
namespace {

constexpr std::int64_t never = GroupedReplay::never;
constexpr std::uint32_t noOperation = std::numeric_limits<std::uint32_t>::max();

/// Which event of which rank.
struct Event {
    std::uint32_t place = 0, node = 0;
};

/// All ranks' graphs as one, in which members of a collective end together. Runs what has nothing left to wait for until nothing is left.
class JointGraph {
public:
    JointGraph(const std::vector<GraphedRank>& ranks, const std::vector<JointOperation>& operations, const RankWhatIfs& whatIfs) : ranks_(ranks), operations_(operations), whatIfs_(whatIfs) {
        for (const GraphedRank& rank : ranks) {
            const std::size_t count = rank.graph.nodes.size();
            runs_.emplace_back(count, Interval{never, never});
            operationOf_.emplace_back(count, noOperation);
            indexOf_.emplace_back(count, 0);
            for (std::uint32_t i = 0; i < rank.collectives.size(); ++i) indexOf_.back()[rank.collectives[i]] = i;
            linkForward(rank.graph);
        }
        for (std::uint32_t i = 0; i < operations.size(); ++i)
            for (const JointOperation::Member& member : operations[i].members) operationOf_[member.place][ranks[member.place].collectives[member.index]] = i;
        takeRecordedArrivals();
    }

    GroupedReplay run() {
        arrivals_.resize(operations_.size());
        for (std::size_t place = 0; place < ranks_.size(); ++place) {
            const DeviceGraph& graph = ranks_[place].graph;
            missing_.emplace_back(graph.nodes.size(), 0);
            for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
                forEachEdge(graph, node, [&](const DeviceGraph::Edge&) { ++missing_[place][node]; });
                if (missing_[place][node] == 0) ready_.push_back({static_cast<std::uint32_t>(place), node});
            }
        }
        for (std::size_t i = 0; i < operations_.size(); ++i) arrivals_[i].assign(operations_[i].members.size(), never);
        while (!ready_.empty()) {
            const Event event = ready_.back();
            ready_.pop_back();
            begin(event);
        }
        return result();
    }

private:
    template <typename Visit>
    static void forEachEdge(const DeviceGraph& graph, std::uint32_t node, Visit&& visit) {
        const std::size_t end = node + 1 < graph.nodes.size() ? graph.nodes[node + 1].firstEdge : graph.edges.size();
        for (std::size_t e = graph.nodes[node].firstEdge; e < end; ++e) visit(graph.edges[e]);
    }

    /// Edges by what they come from.
    struct Forward {
        std::vector<std::uint32_t> first, to; ///< of a node's edges `first[node]` to `first[node + 1]`
    };
    void linkForward(const DeviceGraph& graph) {
        Forward forward;
        forward.first.assign(graph.nodes.size() + 1, 0);
        for (const DeviceGraph::Edge& edge : graph.edges) ++forward.first[edge.from + 1];
        for (std::size_t i = 1; i < forward.first.size(); ++i) forward.first[i] += forward.first[i - 1];
        forward.to.resize(graph.edges.size());
        std::vector<std::uint32_t> next = forward.first;
        for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) forEachEdge(graph, node, [&](const DeviceGraph::Edge& edge) { forward.to[next[edge.from]++] = node; });
        forward_.push_back(std::move(forward));
    }

    const Interval& recorded(const JointOperation::Member& member) const { return ranks_[member.place].record.collectives[member.index]; }

    void takeRecordedArrivals() {
        for (const JointOperation& operation : operations_) {
            std::int64_t last = std::numeric_limits<std::int64_t>::min();
            for (const JointOperation::Member& member : operation.members) last = std::max(last, recorded(member).start);
            lastRecorded_.push_back(last);
        }
    }
    /// Who left before the last came did not wait for it.
    bool waitsForOthers(std::uint32_t operation, const Event& event) const { return ranks_[event.place].record.collectives[indexOf_[event.place][event.node]].end >= lastRecorded_[operation]; }

    std::int64_t readyAt(const Event& event) const {
        const DeviceGraph& graph = ranks_[event.place].graph;
        const std::vector<Interval>& runs = runs_[event.place];
        std::int64_t ready = std::numeric_limits<std::int64_t>::min();
        forEachEdge(graph, event.node, [&](const DeviceGraph::Edge& edge) { ready = std::max(ready, edge.dependency == Dependency::end ? runs[edge.from].end : runs[edge.from].start); });
        return ready == std::numeric_limits<std::int64_t>::min() ? 0 : ready;
    }

    void begin(const Event& event) {
        const GraphedRank& rank = ranks_[event.place];
        const std::uint32_t operation = operationOf_[event.place][event.node];
        std::int64_t start = readyAt(event) + rank.graph.nodes[event.node].lag;
        if (operation == noOperation) return end(event, start, start + rank.durations[event.node]);
        const std::uint32_t index = indexOf_[event.place][event.node];
        if (std::any_of(whatIfs_.stops.begin(), whatIfs_.stops.end(), [&](const RankStop& stop) { return stop.rank == rank.rank && stop.before <= index; })) return;
        for (const RankDelay& delay : whatIfs_.delays)
            if (delay.rank == rank.rank && delay.before == index) start += delay.delay;
        arrive(operation, event, start);
    }

    void arrive(std::uint32_t operation, const Event& event, std::int64_t start) {
        const std::vector<JointOperation::Member>& members = operations_[operation].members;
        std::vector<std::int64_t>& arrivals = arrivals_[operation];
        const auto own = std::find_if(members.begin(), members.end(), [&](const JointOperation::Member& member) { return member.place == event.place; });
        arrivals[static_cast<std::size_t>(own - members.begin())] = start;
        runs_[event.place][event.node].start = start;
        if (!waitsForOthers(operation, event)) end(event, start, start + ranks_[event.place].durations[event.node]);
        std::int64_t last = std::numeric_limits<std::int64_t>::min();
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (arrivals[i] == never) return;
            last = std::max(last, arrivals[i]);
        }
        for (std::size_t i = 0; i < members.size(); ++i) {
            const Event member{static_cast<std::uint32_t>(members[i].place), ranks_[members[i].place].collectives[members[i].index]};
            if (!waitsForOthers(operation, member)) continue;
            end(member, arrivals[i], std::max(arrivals[i], last + recorded(members[i]).end - lastRecorded_[operation]));
        }
    }

    void end(const Event& event, std::int64_t start, std::int64_t end) {
        runs_[event.place][event.node] = {start, end};
        const Forward& forward = forward_[event.place];
        for (std::uint32_t i = forward.first[event.node]; i < forward.first[event.node + 1]; ++i)
            if (--missing_[event.place][forward.to[i]] == 0) ready_.push_back({event.place, forward.to[i]});
    }

    GroupedReplay result() {
        GroupedReplay replay;
        const std::size_t count = operations_.size();
        std::size_t hangs = count;
        for (std::size_t i = 0; i < count; ++i) {
            replay.collectives.push_back(collective(i));
            if (isStuck(i) && (hangs == count || earliest(i) < earliest(hangs))) hangs = i;
        }
        if (hangs < count) findHang(hangs, replay);
        replay.runs = std::move(runs_);
        return replay;
    }
    JointCollective collective(std::size_t operation) const {
        JointCollective collective;
        collective.index = operation;
        collective.end = never;
        collective.transit = never;
        const std::vector<JointOperation::Member>& members = operations_[operation].members;
        std::int64_t last = std::numeric_limits<std::int64_t>::min();
        bool all = true;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const std::int64_t arrival = arrivals_[operation][i];
            collective.members.push_back(members[i].place);
            collective.arrivals.push_back(arrival);
            collective.transit = std::min(collective.transit, recorded(members[i]).end - recorded(members[i]).start);
            all = all && arrival != never;
            if (arrival == never || arrival <= last) continue;
            last = arrival;
            collective.last = members[i].place;
        }
        if (all) collective.end = last + collective.transit;
        return collective;
    }
    /// Whether somebody came to it and waits for ever.
    bool isStuck(std::size_t operation) const {
        const std::vector<JointOperation::Member>& members = operations_[operation].members;
        return std::any_of(members.begin(), members.end(), [&](const JointOperation::Member& member) {
            const Interval& run = runs_[member.place][ranks_[member.place].collectives[member.index]];
            return run.start != never && run.end == never;
        });
    }
    std::int64_t earliest(std::size_t operation) const { return *std::min_element(arrivals_[operation].begin(), arrivals_[operation].end()); }

    /// The hang is where a stopped rank is missed; others wait for ranks that wait there.
    void findHang(std::size_t first, GroupedReplay& replay) const {
        Hang hang;
        hang.collective = first;
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            if (!isStuck(i)) continue;
            const bool stopped = std::any_of(operations_[i].members.begin(), operations_[i].members.end(), [&](const JointOperation::Member& member) {
                return std::any_of(whatIfs_.stops.begin(), whatIfs_.stops.end(), [&](const RankStop& stop) { return stop.rank == ranks_[member.place].rank && stop.before <= member.index; });
            });
            if (!stopped) continue;
            hang.collective = i;
            break;
        }
        for (std::size_t i = 0; i < operations_[hang.collective].members.size(); ++i)
            (arrivals_[hang.collective][i] == never ? hang.missing : hang.waiting).push_back(ranks_[operations_[hang.collective].members[i].place].rank);
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            if (i == hang.collective || !isStuck(i)) continue;
            for (std::size_t m = 0; m < operations_[i].members.size(); ++m) {
                const std::int64_t rank = ranks_[operations_[i].members[m].place].rank;
                const auto isIn = [&](const std::vector<std::int64_t>& list) { return std::find(list.begin(), list.end(), rank) != list.end(); };
                if (arrivals_[i][m] != never && !isIn(hang.missing) && !isIn(hang.waiting) && !isIn(hang.blocked)) hang.blocked.push_back(rank);
            }
        }
        std::sort(hang.blocked.begin(), hang.blocked.end());
        replay.hang = std::move(hang);
    }

    const std::vector<GraphedRank>& ranks_;
    const std::vector<JointOperation>& operations_;
    const RankWhatIfs& whatIfs_;
    std::vector<Forward> forward_;
    std::vector<std::vector<Interval>> runs_;
    std::vector<std::vector<std::uint32_t>> operationOf_, indexOf_, missing_; ///< by place and node
    std::vector<std::int64_t> lastRecorded_;                                  ///< arrival, by operation
    std::vector<std::vector<std::int64_t>> arrivals_;                         ///< by operation and member
    std::vector<Event> ready_;
};

/// The graph and record with a clock set back by `offset`.
void setClockBack(GraphedRank& rank, std::int64_t offset) {
    rank.record = shifted(std::move(rank.record), offset);
    for (DeviceGraph::Node& node : rank.graph.nodes) node.recorded = {node.recorded.start - offset, node.recorded.end - offset};
    // Where a node waits for nothing its lag is a moment of the clock.
    for (std::size_t i = 0; i < rank.graph.nodes.size(); ++i) {
        const std::size_t end = i + 1 < rank.graph.nodes.size() ? rank.graph.nodes[i + 1].firstEdge : rank.graph.edges.size();
        if (rank.graph.nodes[i].firstEdge == end) rank.graph.nodes[i].lag -= offset;
    }
}

} // namespace

GraphedRank graphedRank(const KinetoTrace& trace, RankRecord record, const std::vector<double>& scale) {
    GraphedRank rank;
    rank.rank = record.rank.value_or(0);
    rank.record = std::move(record);
    rank.graph = deviceGraph(trace);
    std::vector<std::uint32_t> nodeOf(trace.device.size(), 0);
    for (std::uint32_t i = 0; i < rank.graph.nodes.size(); ++i) {
        const DeviceGraph::Node& node = rank.graph.nodes[i];
        std::int64_t duration = node.recorded.end - node.recorded.start;
        if (node.deviceEvent != DeviceGraph::noEvent) {
            nodeOf[node.deviceEvent] = i;
            const DeviceEvent& event = trace.device[node.deviceEvent];
            if (event.work == DeviceWork::kernel && !event.communication && !scale.empty()) duration = std::llround(static_cast<double>(duration) * scale[event.name]);
        }
        rank.durations.push_back(duration);
    }
    for (const std::uint32_t event : communicationOrder(trace)) rank.collectives.push_back(nodeOf[event]);
    return rank;
}

std::vector<std::int64_t> setClocksBack(std::vector<GraphedRank>& ranks, const std::vector<JointOperation>& operations) {
    std::vector<RankRecord> records;
    records.reserve(ranks.size());
    for (const GraphedRank& rank : ranks) records.push_back(rank.record);
    std::vector<std::int64_t> offsets = clockOffsets(records, operations);
    for (std::size_t i = 0; i < ranks.size(); ++i) setClockBack(ranks[i], offsets[i]);
    return offsets;
}

GroupedReplay replayGroups(const std::vector<GraphedRank>& ranks, const std::vector<JointOperation>& operations, const RankWhatIfs& whatIfs) {
    return JointGraph(ranks, operations, whatIfs).run();
}

} // namespace orrery
