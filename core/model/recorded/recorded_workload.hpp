// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/model/recorded/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a step occupies while it runs.
enum class RecordedStream : std::uint8_t { host,
                                           compute,
                                           communication };

/// One operator of a recorded graph as something that runs; step i runs operator i of the graph.
struct RecordedStep {
    RecordedStream stream = RecordedStream::compute;
    std::optional<double> recorded;   ///< s, when the recording says how long it took
    bool causal = true;               ///< of attention
    bool mapped = true;               ///< false: nobody knows what it does, or how much it sends; it takes its recorded time, or none
    double rankBytes = 0;             ///< of communication: what one rank gives or sends
    int groupSize = 0;                ///< ranks it was recorded with; 0: unknown
    std::vector<std::uint32_t> after; ///< earlier steps
};

/// What a tensor of the graph is to the iteration.
enum class RecordedTensorRole : std::uint8_t {
    inside,          ///< made and dropped in it
    weights,         ///< there before it, first touched in forward
    gradients,       ///< there before it, first touched in backward
    optimizer_states ///< there before it, first touched by the optimizer
};

/// Nodes of one name that could not be mapped.
struct UnmappedNodes {
    std::string name;
    std::size_t count = 0;
    std::string place; ///< of the first
    double time = 0;   ///< s recorded for them
};

/// A graph from elsewhere, ready to be timed: one rank's iteration.
struct RecordedWorkload {
    std::string format;
    Graph graph; ///< all operators stand in `forward`, in an order that respects all dependencies, each with its own phase
    std::vector<RecordedStep> steps;
    std::vector<RecordedTensorRole> roles; ///< by tensor of the graph
    std::vector<UnmappedNodes> unmapped;   ///< most frequent first
    std::size_t nodes = 0;                 ///< of the recording
    std::size_t unmappedNodes = 0;
    double recordedTime = 0; ///< s, sum over all nodes with a duration
    double unmappedTime = 0;
    bool hostRecorded = false; ///< host work stands in the recording with its time
    bool controlIgnored = false;
    double parameters = 0; ///< elements of the tensors that weights' arguments name
};

/// Maps a recording's nodes to operators.
///
/// In a call tree the outermost operator that is known stands for what it calls; views, allocations and annotations take
/// nothing. A device kernel is what its launching operator is, or else what its own name says. Phases: what the recording says,
/// what names say (backward, optimizer), otherwise forward. Without recorded dependencies a step waits for the last writer of
/// what it reads, and for the readers of what it overwrites.
RecordedWorkload makeRecordedWorkload(const Recording& recording);

} // namespace orrery
