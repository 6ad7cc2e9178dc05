// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/model/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What keeps an operator from being faster.
enum class Bound : std::uint8_t { compute,
                                  memory,
                                  network,
                                  latency };
std::string_view toString(Bound bound);

/// An operator with its time, as it appears on the timeline; shared by all its instances. Per rank.
struct TimedOperator {
    Operator op;
    double time = 0; ///< s, one instance
    Bound bound = Bound::compute;
    Source source = Source::roofline;
};

/// A row of a rank's work: an index into the StreamNames of the program that made it. Every program has the two below; it numbers what it
/// has besides from 2 on.
enum class StreamKind : std::uint8_t {
    compute, ///< kernels
    within,  ///< collectives within a segment: they have no spans of their own and ride with those of the compute stream
};

/// What a program calls its rows, by kind: "compute", "tensor", "pipeline", … The Chrome trace and the CSV show these words as they are.
using StreamNames = std::vector<std::string>;

/// An operator's place inside a segment.
struct SegmentEntry {
    std::uint32_t op = 0; ///< index into the timed operators that the segment was built with: Timeline::operators in a result
    double start = 0;     ///< s after the segment's start
    double end = 0;
    StreamKind stream = StreamKind::compute; ///< `within` for a collective that runs inside the segment
};

/// What every instance of one piece of work does: a layer's forward, the head's backward, a gradient reduction.
/// Entries of one stream are sorted by start and do not overlap.
struct Segment {
    std::string name; ///< "layer", "embedding", "head", "optimizer", "gradients"
    Phase phase = Phase::forward;
    double duration = 0;
    std::vector<SegmentEntry> entries;
    bool repeats = false; ///< follows another of its kind, so that the host may have launched ahead
};

} // namespace orrery
