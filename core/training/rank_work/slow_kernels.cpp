// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/rank_work/slow_kernels.hpp"

#include "core/training/segments/segment_placement.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace orrery {

double slowdownOf(const Operator& op, double slowdown) { return op.kind == OperatorKind::collective ? 1 : slowdown; }

std::vector<TimedOperator> withSlowKernels(std::vector<TimedOperator> operators, double slowdown) {
    for (TimedOperator& timed : operators) timed.time *= slowdownOf(timed.op, slowdown);
    return operators;
}

BuiltSegment placedAgain(const Segment& segment, SegmentOptions options, const std::vector<TimedOperator>& pool) {
    options.repeats = segment.repeats;
    std::vector<std::uint32_t> operators;
    for (const SegmentEntry& entry : segment.entries) operators.push_back(entry.op);
    std::sort(operators.begin(), operators.end()); // as they were placed first
    return buildSegment(segment.name, segment.phase, operators, tensorsOf(segment, pool), options, pool);
}

RankWork withSlowKernels(RankWork work, double slowdown, const SegmentOptions& options) {
    work.operators = withSlowKernels(std::move(work.operators), slowdown);
    std::set<std::uint32_t> segments;
    const auto add = [&](const PieceWork& piece) {
        segments.insert({piece.forwardSegment, piece.backwardSegment, piece.backwardInputSegment, piece.backwardWeightSegment});
    };
    add(work.embedding);
    add(work.head);
    if (work.nextToken) add(*work.nextToken);
    for (const PieceWork& layer : work.layers) add(layer);
    for (const std::uint32_t segment : segments) {
        BuiltSegment built = placedAgain(work.segments[segment], options, work.operators);
        work.segments[segment] = std::move(built.segment);
        work.parts[segment] = built.parts;
    }
    return work;
}

} // namespace orrery
