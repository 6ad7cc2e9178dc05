// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segments/pair_segment.hpp"

#include "core/training/segments/segment_placement.hpp"
#include "core/training/segments/slowed_segment.hpp"

#include <limits>

namespace orrery {
namespace {

/// A segment's operators in the order in which they were placed, and how many are placed again.
struct Half {
    const Segment& segment;
    SegmentPlacement placement;
    std::vector<double> toCollective; ///< s of kernels from each operator to the next collective; infinite where none follows
    std::size_t next = 0;

    Half(const Segment& placed, const SegmentOptions& options, SegmentClocks& clocks, const std::vector<TimedOperator>& pool)
        : segment(placed), placement(tensorsOf(placed, pool), options, clocks), toCollective(placed.entries.size()) {
        double seconds = std::numeric_limits<double>::infinity();
        for (std::size_t entry = placed.entries.size(); entry-- > 0;) {
            const TimedOperator& timed = pool[placed.entries[entry].op];
            seconds = timed.op.kind == OperatorKind::collective ? 0 : seconds + timed.time;
            toCollective[entry] = seconds;
        }
    }

    bool done() const { return next == segment.entries.size(); }
    std::uint32_t op() const { return segment.entries[next].op; }
    /// Whichever can start first; of two that can at once, the one that comes to its next collective sooner, so that the other's kernels run
    /// beside that.
    bool goesBefore(const Half& other, const std::vector<TimedOperator>& pool) const {
        const double start = placement.earliestStart(pool[op()]), theirs = other.placement.earliestStart(pool[other.op()]);
        if (start < theirs || theirs < start) return start < theirs;
        return toCollective[next] <= other.toCollective[other.next];
    }
};

struct PlacedPair {
    SegmentClocks clocks;
    std::vector<SegmentEntry> entries;
    std::vector<PlacedOperator> order;
};

PlacedPair placedPair(const Segment& one, const Segment& other, const SegmentOptions& options, const std::vector<TimedOperator>& pool) {
    PlacedPair pair;
    Half first(one, options, pair.clocks, pool), second(other, options, pair.clocks, pool);
    pair.entries.reserve(one.entries.size() + other.entries.size());
    while (!first.done() || !second.done()) {
        const bool takeFirst = second.done() || (!first.done() && first.goesBefore(second, pool));
        Half& half = takeFirst ? first : second;
        pair.order.push_back({half.op(), takeFirst ? 0u : 1u});
        pair.entries.push_back(half.placement.place(pool[half.op()], half.op()));
        ++half.next;
    }
    return pair;
}

} // namespace

BuiltSegment buildPairSegment(const Segment& one, const Segment& other, const SegmentOptions& options, const std::vector<TimedOperator>& pool) {
    SegmentOptions together = options;
    together.asyncCollectives = true; // a collective that stopped the compute stream would hide nothing
    together.waitsForTensor = false;
    PlacedPair pair = placedPair(one, other, together, pool);
    BuiltSegment built = finishSegment(one.name + " + " + other.name, Phase::backward, std::move(pair.entries), pair.clocks);
    slowBesideCollectives(built, pair.order, together, pool);
    if (waitsBesideKernels(built.parts, together)) {
        SegmentOptions slow = together;
        slow.kernelStretch = options.overlapSlowdown;
        built.parts.withSlowKernels = placedPair(one, other, slow, pool).clocks.end();
    }
    return built;
}

} // namespace orrery
