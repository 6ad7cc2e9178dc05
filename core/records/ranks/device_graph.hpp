// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace orrery {

/// What a recorded event waits for.
enum class Dependency : std::uint8_t {
    end,  ///< the other's end
    start ///< the other's start: a kernel may begin while the call that launches it still returns
};

/// The record of one rank as a graph: calls of a host's thread follow each other, a kernel follows its launch and what stands before it in its stream, a
/// call that waits for the device ends after what it waits for. Which event a stream waits for is not written down: where a stream's work begins
/// later than its own order and launch explain, it is taken to wait for the last work of another stream to end before.
struct DeviceGraph {
    static constexpr std::uint32_t noEvent = std::numeric_limits<std::uint32_t>::max();

    struct Node {
        Interval recorded;
        std::uint32_t deviceEvent = noEvent; ///< index into KinetoTrace::device; a host's call otherwise
        std::uint32_t firstEdge = 0;         ///< its edges end where the next node's begin
        std::int64_t lag = 0;                ///< from the last of what it waits for to its start; below 0 where they overlap
    };
    struct Edge {
        std::uint32_t from = 0;
        Dependency dependency = Dependency::end;
    };
    std::vector<Node> nodes; ///< by recorded start
    std::vector<Edge> edges;
};

DeviceGraph deviceGraph(const KinetoTrace& trace);

/// How long a device event takes that begins at `start`, ns.
using EventDuration = std::function<std::int64_t(std::uint32_t deviceEvent, std::int64_t start)>;

/// When each node runs: each begins its lag after the last of what it waits for. With the recorded durations the record itself.
std::vector<Interval> replayed(const DeviceGraph& graph, const EventDuration& durationOf);

} // namespace orrery
