// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/model/timed_operator.hpp"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace orrery {

/// How the operators of a segment share their rank's two streams.
struct SegmentOptions {
    bool asyncCollectives = true;     ///< a collective delays only who reads its result; false: it stops the compute stream
    bool waitsForTensor = false;      ///< those of the tensor group stop the compute stream all the same
    bool chunkedOverlap = false;      ///< a collective and the GEMM beside it run in chunks at once (Megatron's tp-comm-overlap)
    int chunks = 1;                   ///< how many: the tensor ranks
    double hostLaunch = 0;            ///< s the host needs to launch one kernel; the floor of eager execution; 0 inside CUDA graphs
    double eagerLaunch = 0;           ///< the same of what CUDA graphs never hold
    double backwardHostShare = 1;     ///< of a launch's time, what one of backward takes (PhysicsConstants::backwardHostShare)
    double collectiveLaunches = 0;    ///< launches that take the host as long as a collective does (PhysicsConstants::collectiveHostLaunches)
    double expertHost = 0;            ///< s of the host for each expert of a grouped product that it launches
    double quantisedExpertHost = 0;   ///< the same in 8 or 4 bit
    bool synchronousLaunches = false; ///< the host waits for each kernel before it launches the next
    bool repeats = false;             ///< segments of the same kind follow each other: how far the host is ahead carries over
    double overlapSlowdown = 1;       ///< how many times as long a kernel takes while a collective runs beside it
    bool choosesPairOrder = false;    ///< two segments that run together take turns as is best for them; false: whichever can start first goes on
    double kernelStretch = 1;         ///< how many times as long all kernels take
};

/// Whether the compute stream stands still for a collective, whoever reads its result.
bool stopsCompute(const SegmentOptions& options, const Operator& op);

/// s that the host works for an operator before it can run.
double hostTime(const SegmentOptions& options, const Operator& op);

/// A segment's wall clock on the compute stream by cause, in seconds; the parts sum to its duration.
struct SegmentParts {
    double forward = 0, backward = 0, recompute = 0;
    double optimizer = 0;
    double tensorExposed = 0;                     ///< waiting for a collective of the tensor group
    double contextExposed = 0, expertExposed = 0; ///< the same for the others that ride in a layer
    double overhead = 0;                          ///< waiting for the host
    double interference = 0;                      ///< of the work above, s that it takes longer because collectives of the segment run beside it
    double overlapped = 0;                        ///< of the work alone, s that is done beside them
    std::optional<double> withSlowKernels;        ///< s the segment lasts where communication outside it slows all its kernels; nothing: as much longer as they are
    double work() const { return forward + backward + recompute + optimizer; }
    double total() const { return forward + backward + recompute + optimizer + tensorExposed + contextExposed + expertExposed + overhead; }
};

/// The share of a segment's time that communication outside it slows: in which kernels run with nothing of the segment beside them, less where
/// slower kernels only make a wait shorter, for the host or for a collective.
double shareSlowedByOthers(const Segment& segment, const SegmentParts& parts, double overlapSlowdown);

/// Whether the compute stream waits for something that runs beside kernels, so that slower kernels may cost less than they are slower.
bool waitsBesideKernels(const SegmentParts& parts, const SegmentOptions& options);

double& exposedPart(SegmentParts& parts, RankGroup group);
double& workPart(SegmentParts& parts, Phase phase);

struct BuiltSegment {
    Segment segment;
    SegmentParts parts;
};

/// Times of operators on a rank; a collective's comes from the network.
using TimeOperator = std::function<TimedOperator(const Operator&)>;

/// Places `operators` in time. New timed operators are appended to `pool`; the segment's entries index into it.
BuiltSegment buildSegment(std::string name, Phase phase, const std::vector<Operator>& operators, std::size_t tensorCount,
                          const SegmentOptions& options, const TimeOperator& timeOperator, std::vector<TimedOperator>& pool);

struct SegmentClocks;

/// Sorts what was placed and closes the account.
BuiltSegment finishSegment(std::string name, Phase phase, std::vector<SegmentEntry> entries, const SegmentClocks& clocks);

/// The same for operators that are in the pool already, in this order.
BuiltSegment buildSegment(std::string name, Phase phase, const std::vector<std::uint32_t>& operators, std::size_t tensorCount,
                          const SegmentOptions& options, const std::vector<TimedOperator>& pool);

} // namespace orrery
