// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/timeline.hpp"
#include "widgets/timeline/mips.hpp"

#include <memory>
#include <stop_token>
#include <vector>

namespace orrery {

/// A row of bars as columns.
///
/// Invariant: `start` and `end` are each sorted, and no bar begins before the one before it ends (but for the rounding of
/// one addition). Every search in the view is a bisection that stands on it: broken, bars in view would be skipped and
/// the mouse would name the wrong operator, silently.
struct BarColumns {
    std::vector<double> start; ///< s
    std::vector<double> end;
    std::vector<BarStyle> style;
    std::vector<std::uint32_t> label; ///< an operator of the Timeline, or a pass of the PassRow
    CoverageMips mips;

    std::size_t size() const { return start.size(); }
    bool empty() const { return start.empty(); }
    std::size_t firstEndingAfter(double time) const;
    std::size_t firstStartingAtOrAfter(double time) const;
    /// The bar over `time`, or size() where there is none.
    std::size_t at(double time) const;
    std::size_t byteSize() const;
};

/// The operators of one stream. Which span a bar comes from is not a column of its own: bars of a span are neighbours,
/// so the first bar of each span says it.
struct StreamRow {
    StreamKind kind = StreamKind::compute;
    std::uint32_t stream = 0; ///< index into StageTimeline::streams, the one whose spans carry these bars
    BarColumns bars;
    std::vector<std::uint32_t> firstBar; ///< of each span of that stream; sorted
    double covered = 0;                  ///< s, over all bars

    std::uint32_t spanOf(std::size_t bar) const;
};

/// Consecutive work of one micro-batch in one direction: F0, B0. Recomputation is a pass of its own (R0) where it runs as
/// one piece, and part of the backward pass where it alternates with it layer by layer.
struct Pass {
    std::int32_t microBatch = -1; ///< -1: not of a micro-batch
    std::int16_t chunk = 0;
    Phase phase = Phase::forward;
    std::uint32_t segment = 0; ///< its first span's
};

struct PassRow {
    BarColumns bars; ///< label: index into passes
    std::vector<Pass> passes;
};

/// Memory that changes, as a step function: each value holds from its time to the next.
struct MemoryColumns {
    std::vector<double> time;
    std::vector<float> activations; ///< bytes
    std::vector<float> total;       ///< bytes, with temporaries
    PeakMips activationPeaks;
    PeakMips totalPeaks;
};

struct StageRows {
    std::vector<StreamRow> streams; ///< compute, tensor (where it has bars), then the others in the Timeline's order
    PassRow passes;                 ///< of the compute stream
    MemoryColumns memory;
    bool chunked = false;   ///< more than one chunk: labels name them
    bool isVirtual = false; ///< of a record: a rank that nobody recorded
};

/// What the view draws, made once from a Timeline and never changed. Refers to its operators and spans by index only.
struct TimelineRows {
    TimelineKind kind = TimelineKind::iteration;
    double duration = 0;
    std::vector<StageRows> stages; ///< by position in Timeline::stages
    std::size_t barCount = 0;
    float memoryPeak = 0; ///< bytes, the largest changing memory of any stage: the scale of all memory lanes

    bool hasPasses() const { return kind != TimelineKind::recorded && kind != TimelineKind::loop; } ///< above the operators of the compute rows
    std::size_t byteSize() const;
};
using TimelineRowsPtr = std::shared_ptr<const TimelineRows>;

BarStyle styleOf(const Operator& op);

/// Expands a timeline into rows, in time linear in the number of bars. Meant for a worker thread: it holds no reference to
/// the timeline afterwards. Gives null when asked to stop.
TimelineRowsPtr buildRows(const Timeline& timeline, std::stop_token stop = {});

} // namespace orrery
