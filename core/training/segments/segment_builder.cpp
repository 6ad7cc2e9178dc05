// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segments/segment_builder.hpp"

#include "core/training/segments/segment_placement.hpp"
#include "core/training/segments/slowed_segment.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace orrery {
namespace {

struct PlacedSegment {
    SegmentClocks clocks;
    std::vector<SegmentEntry> entries;
    /// s that the host is ahead when the device has ended.
    double lead() const { return std::max(0.0, clocks.end() - clocks.host); }
};

PlacedSegment placedAhead(double lead, const std::vector<std::uint32_t>& operators, std::size_t tensorCount, const SegmentOptions& options,
                          const std::vector<TimedOperator>& pool) {
    PlacedSegment result;
    result.clocks.host = -lead;
    SegmentPlacement placement(tensorCount, options, result.clocks);
    result.entries.reserve(operators.size());
    for (const std::uint32_t op : operators) result.entries.push_back(placement.place(pool[op], op));
    return result;
}

PlacedSegment placed(const std::vector<std::uint32_t>& operators, std::size_t tensorCount, const SegmentOptions& options, const std::vector<TimedOperator>& pool) {
    PlacedSegment first = placedAhead(0, operators, tensorCount, options, pool);
    // Between ranks that meet in a layer's collectives the lead does not last: vTrain's tensor-parallel runs take as long as if each
    // layer began without one; what ends it is not known.
    if (!options.repeats || first.clocks.host <= 0 || first.clocks.tensor != 0 || options.synchronousLaunches) return first;
    const double lead = first.lead();
    PlacedSegment next = placedAhead(lead, operators, tensorCount, options, pool);
    if (next.lead() <= lead * (1 + 1e-9)) return next;
    // A lead that grows from one to the next goes on growing: the device is the slower of the two.
    return placedAhead(std::numeric_limits<double>::infinity(), operators, tensorCount, options, pool);
}

} // namespace

double shareSlowedByOthers(const Segment& segment, const SegmentParts& parts, double overlapSlowdown) {
    if (segment.duration <= 0) return 0;
    if (parts.withSlowKernels) return std::max(0.0, (*parts.withSlowKernels / segment.duration - 1) / (overlapSlowdown - 1));
    return (parts.work() - parts.interference - parts.overlapped) / segment.duration;
}

bool waitsBesideKernels(const SegmentParts& parts, const SegmentOptions& options) {
    if (options.overlapSlowdown <= 1) return false;
    const double tensor = options.waitsForTensor ? 0 : parts.tensorExposed;
    return parts.overhead > 0 || (options.asyncCollectives && tensor + parts.contextExposed + parts.expertExposed > 0);
}

double& exposedPart(SegmentParts& parts, RankGroup group) {
    if (group == RankGroup::context) return parts.contextExposed;
    return group == RankGroup::expert || group == RankGroup::expert_tensor ? parts.expertExposed : parts.tensorExposed;
}

double& workPart(SegmentParts& parts, Phase phase) {
    switch (phase) {
    case Phase::forward: return parts.forward;
    case Phase::recompute: return parts.recompute;
    case Phase::optimizer: return parts.optimizer;
    default: return parts.backward;
    }
}

bool stopsCompute(const SegmentOptions& options, const Operator& op) {
    return !options.asyncCollectives || (options.waitsForTensor && op.group == RankGroup::tensor);
}

double hostTime(const SegmentOptions& options, const Operator& op) {
    const double launch = op.eager ? options.eagerLaunch : options.hostLaunch;
    if (launch <= 0) return 0;
    if (op.kind == OperatorKind::collective) return launch * op.kernels * options.collectiveLaunches;
    const double expert = op.format == MatrixFormat::sixteen_bit ? options.expertHost : options.quantisedExpertHost;
    const double launches = launch * op.kernels * (op.phase == Phase::backward ? options.backwardHostShare : 1);
    return launches + (op.kind == OperatorKind::grouped_gemm ? op.shape.batch * expert : 0);
}

BuiltSegment finishSegment(std::string name, Phase phase, std::vector<SegmentEntry> entries, const SegmentClocks& clocks) {
    BuiltSegment built;
    built.segment.name = std::move(name);
    built.segment.phase = phase;
    built.segment.entries = std::move(entries);
    std::stable_sort(built.segment.entries.begin(), built.segment.entries.end(),
                     [](const SegmentEntry& a, const SegmentEntry& b) { return a.start < b.start; });
    built.parts = clocks.settledParts();
    built.segment.duration = clocks.end();
    return built;
}

BuiltSegment buildSegment(std::string name, Phase phase, const std::vector<Operator>& operators, std::size_t tensorCount,
                          const SegmentOptions& options, const TimeOperator& timeOperator, std::vector<TimedOperator>& pool) {
    std::vector<std::uint32_t> timed;
    for (const Operator& op : operators) {
        timed.push_back(static_cast<std::uint32_t>(pool.size()));
        pool.push_back(timeOperator(op));
    }
    return buildSegment(std::move(name), phase, timed, tensorCount, options, pool);
}

BuiltSegment buildSegment(std::string name, Phase phase, const std::vector<std::uint32_t>& operators, std::size_t tensorCount,
                          const SegmentOptions& options, const std::vector<TimedOperator>& pool) {
    PlacedSegment result = placed(operators, tensorCount, options, pool);
    BuiltSegment built = finishSegment(std::move(name), phase, std::move(result.entries), result.clocks);
    std::vector<PlacedOperator> order;
    order.reserve(operators.size());
    for (const std::uint32_t op : operators) order.push_back({op, 0});
    slowBesideCollectives(built, order, options, pool);
    built.segment.repeats = options.repeats;
    if (waitsBesideKernels(built.parts, options)) {
        SegmentOptions slow = options;
        slow.kernelStretch = options.overlapSlowdown;
        built.parts.withSlowKernels = placed(operators, tensorCount, slow, pool).clocks.end();
    }
    return built;
}

} // namespace orrery
