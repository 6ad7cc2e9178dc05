#include "core/plan/segment_builder.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// When a tensor can be read, and, where its producer works in chunks, when its first chunk can.
struct Readiness {
    double first = 0;
    double whole = 0;
    double producerTime = 0; ///< s the producer takes alone; 0 for what came from outside
    bool collective = false;
    RankGroup group = RankGroup::none; ///< of a collective
};

class Placement {
public:
    Placement(std::size_t tensors, const SegmentOptions& options) : options_(options), ready_(tensors) {}

    SegmentEntry place(const TimedOperator& timed, std::uint32_t index) {
        return timed.op.kind == OperatorKind::collective ? placeCollective(timed, index) : placeKernel(timed, index);
    }

    double end() const { return std::max(computeFree_, tensorFree_); }
    SegmentParts parts() const {
        SegmentParts parts = parts_;
        exposed(parts, lastGroup_) += std::max(0.0, tensorFree_ - computeFree_);
        return parts;
    }

private:
    SegmentEntry placeKernel(const TimedOperator& timed, std::uint32_t index) {
        const Operator& op = timed.op;
        hostFree_ += options_.hostLaunch * op.kernels;
        double inputs = 0;
        double earliestEnd = 0;
        RankGroup awaited = RankGroup::tensor;
        for (TensorId id : op.inputs) {
            const Readiness& r = ready_[static_cast<std::size_t>(id)];
            if (r.collective && r.whole > inputs) awaited = r.group;
            if (r.collective && chunked(op)) {
                inputs = std::max(inputs, r.first);
                earliestEnd = std::max(earliestEnd, r.whole + timed.time / options_.chunks);
            } else {
                inputs = std::max(inputs, r.whole);
            }
        }
        const double afterInputs = std::max(computeFree_, inputs);
        const double start = std::max(afterInputs, hostFree_);
        const double end = std::max(start + timed.time, earliestEnd);
        exposed(parts_, awaited) += (afterInputs - computeFree_) + std::max(0.0, earliestEnd - (start + timed.time));
        parts_.overhead += start - afterInputs;
        work(op.phase) += timed.time;
        computeFree_ = end;
        settle(op, {start + (end - start) / options_.chunks, end, timed.time, false, RankGroup::none});
        return {index, start, end, StreamKind::compute};
    }

    SegmentEntry placeCollective(const TimedOperator& timed, std::uint32_t index) {
        const Operator& op = timed.op;
        double inputs = 0;
        double earliestEnd = 0;
        for (TensorId id : op.inputs) {
            const Readiness& r = ready_[static_cast<std::size_t>(id)];
            if (options_.chunkedOverlap && r.producerTime > 0 && !r.collective) {
                inputs = std::max(inputs, r.first);
                earliestEnd = std::max(earliestEnd, r.whole + timed.time / options_.chunks);
            } else {
                inputs = std::max(inputs, r.whole);
            }
        }
        double start = std::max(tensorFree_, inputs);
        if (!options_.asyncCollectives) start = std::max(start, computeFree_);
        const double end = std::max(start + timed.time, earliestEnd);
        tensorFree_ = end;
        lastGroup_ = op.group;
        if (!options_.asyncCollectives) {
            exposed(parts_, op.group) += end - computeFree_;
            computeFree_ = end;
        }
        settle(op, {start + (end - start) / options_.chunks, end, timed.time, true, op.group});
        return {index, start, end, StreamKind::tensor};
    }

    bool chunked(const Operator& op) const { return options_.chunkedOverlap && op.kind == OperatorKind::gemm; }

    void settle(const Operator& op, Readiness readiness) {
        if (op.kind != OperatorKind::gemm && op.kind != OperatorKind::collective) readiness.producerTime = 0;
        for (TensorId id : op.outputs) ready_[static_cast<std::size_t>(id)] = readiness;
    }

    static double& exposed(SegmentParts& parts, RankGroup group) {
        if (group == RankGroup::context) return parts.contextExposed;
        return group == RankGroup::expert || group == RankGroup::expert_tensor ? parts.expertExposed : parts.tensorExposed;
    }

    double& work(Phase phase) {
        switch (phase) {
        case Phase::forward: return parts_.forward;
        case Phase::recompute: return parts_.recompute;
        case Phase::optimizer: return parts_.optimizer;
        default: return parts_.backward;
        }
    }

    const SegmentOptions& options_;
    std::vector<Readiness> ready_;
    SegmentParts parts_;
    double computeFree_ = 0;
    double tensorFree_ = 0;
    RankGroup lastGroup_ = RankGroup::tensor; ///< of the last collective
    double hostFree_ = 0;
};

} // namespace

BuiltSegment buildSegment(std::string name, Phase phase, const std::vector<Operator>& operators, std::size_t tensorCount,
                          const SegmentOptions& options, const TimeOperator& timeOperator, std::vector<TimedOperator>& pool) {
    BuiltSegment built;
    built.segment.name = std::move(name);
    built.segment.phase = phase;
    Placement placement(tensorCount, options);
    for (const Operator& op : operators) {
        pool.push_back(timeOperator(op));
        built.segment.entries.push_back(placement.place(pool.back(), static_cast<std::uint32_t>(pool.size() - 1)));
    }
    std::stable_sort(built.segment.entries.begin(), built.segment.entries.end(),
                     [](const SegmentEntry& a, const SegmentEntry& b) { return a.start < b.start; });
    built.parts = placement.parts();
    built.segment.duration = placement.end();
    return built;
}

} // namespace orrery
