// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/segments/segment_builder.hpp"

#include <algorithm>

namespace orrery {

/// What a rank's tasks are to each other when they run at once. Copies to and from the host have engines of their own and the
/// host's launches no part in it: neither slows nor is slowed.
enum class RankLoad : LoadClass { none,
                                  compute,
                                  collective,
                                  send };

/// How many times as long kernels take while their own rank communicates. A collective takes multiprocessors and memory bandwidth
/// from them (KernelConstants::overlapSlowdown; the same over scale-up and scale-out links, for it is mostly the multiprocessors:
/// DeepSeek-V3, arXiv 2412.19437, section 3.2.2, gives 20 of 132 to communication). Communication is not slowed: its kernels come
/// first. A send to another stage takes fewer channels: PhysicsConstants::sendShareOfOverlap of the effect.
struct OverlapSlowdown {
    double collective = 1;
    double send = 1;

    bool any() const { return collective > 1; }
};

inline OverlapSlowdown overlapSlowdown(const Scenario& scenario) {
    const double slowdown = scenario.kernels.overlapSlowdown;
    if (slowdown <= 1) return {};
    return {slowdown, 1 + scenario.kernels.physics.sendShareOfOverlap * (slowdown - 1)};
}

/// When a collective had the rank's collective stream.
struct CollectiveSpan {
    double start = 0, end = 0;
    RankGroup group = RankGroup::none;
};

/// Books what the compute stream waits from one moment to another for a collective: each moment is of the group whose collective has the
/// stream then, and of the host where none has, for the next one is yet to be launched. `spans` in the stream's order.
void bookWait(SegmentParts& parts, const std::vector<CollectiveSpan>& spans, double from, double to);

/// When a rank's streams and its host are free again, and what the compute stream's time went to so far.
struct SegmentClocks {
    double compute = 0;
    double tensor = 0;
    double host = 0;
    std::vector<CollectiveSpan> spans;
    SegmentParts parts;

    double end() const { return std::max(compute, tensor); }
    /// With the wait for the last collective.
    SegmentParts settledParts() const;
};

/// How many tensors a placement of the segment's operators must know.
std::size_t tensorsOf(const Segment& segment, const std::vector<TimedOperator>& pool);

/// Places operators one after the other on a rank's streams. Several lists may share the rank's clocks.
class SegmentPlacement {
public:
    SegmentPlacement(std::size_t tensors, const SegmentOptions& options, SegmentClocks& clocks)
        : options_(options), clocks_(clocks), ready_(tensors) {}

    /// When the operator would start if it came next.
    double earliestStart(const TimedOperator& timed) const;
    SegmentEntry place(const TimedOperator& timed, std::uint32_t index);

private:
    /// When a tensor can be read, and, where its producer works in chunks, when its first chunk can.
    struct Readiness {
        double first = 0;
        double whole = 0;
        double producerTime = 0; ///< s the producer takes alone; 0 for what came from outside
        bool collective = false;
        RankGroup group = RankGroup::none; ///< of a collective
    };
    /// What an operator waits for.
    struct Inputs {
        double ready = 0;
        double earliestEnd = 0;               ///< of one that works in chunks beside its producer
        RankGroup beside = RankGroup::tensor; ///< the producer's, where it is a collective
    };

    SegmentEntry placeKernel(const TimedOperator& timed, std::uint32_t index);
    SegmentEntry placeCollective(const TimedOperator& timed, std::uint32_t index);
    Inputs inputsOfKernel(const TimedOperator& timed) const;
    Inputs inputsOfCollective(const TimedOperator& timed) const;
    double timeOf(const TimedOperator& kernel) const { return kernel.time * options_.kernelStretch; }
    bool chunked(const Operator& op) const { return options_.chunkedOverlap && op.kind == OperatorKind::gemm; }
    void settle(const Operator& op, Readiness readiness);

    const SegmentOptions& options_;
    SegmentClocks& clocks_;
    std::vector<Readiness> ready_;
};

} // namespace orrery
