// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class StreamKind : std::uint8_t {
    compute,
    tensor,   ///< collectives within a layer
    pipeline, ///< transfers between stages
    data,     ///< gradients and weights
    to_host,  ///< copies of what is offloaded
    from_host,
};
inline constexpr std::size_t streamKindCount = 6;
inline constexpr std::array<StreamKind, streamKindCount> streamKinds{StreamKind::compute, StreamKind::tensor, StreamKind::pipeline,
                                                                     StreamKind::data, StreamKind::to_host, StreamKind::from_host};
std::string_view toString(StreamKind kind);

/// An operator's place inside a segment.
struct SegmentEntry {
    std::uint32_t op = 0; ///< index into the timed operators that the segment was built with: Timeline::operators in a result
    double start = 0;     ///< s after the segment's start
    double end = 0;
    StreamKind stream = StreamKind::compute; ///< compute, or tensor for a collective that runs within the segment
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
