// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/timeline.hpp"

#include <cstddef>
#include <vector>

namespace orrery {

/// One micro-batch's work in one direction without a break on a stage's compute stream: the slice above its operators in a trace.
struct TracePass {
    int position = 0; ///< in Timeline::stages
    int microBatch = 0;
    int chunk = 0;
    bool forward = true; ///< recomputation counts as backward: it runs for its sake
    double start = 0;    ///< s
    double end = 0;
};

/// Passes by stage, then by start. Those of a stage don't overlap.
std::vector<TracePass> tracePasses(const Timeline& timeline);

/// From a pass to the one that waits for what it sends: indices into `passes`.
struct TraceArrow {
    std::size_t from = 0;
    std::size_t to = 0;
};

/// A micro-batch's way through the pipeline: forward through all chunks of all stages, and back. A stage that several classes
/// of ranks stand for is passed once, on the first of them. A later half of a split backward (W) is on nobody's way.
std::vector<TraceArrow> traceArrows(const Timeline& timeline, const std::vector<TracePass>& passes);

} // namespace orrery
