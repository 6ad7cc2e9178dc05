// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/training/segments/segment_builder.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// Two segments that nothing binds, run together on one rank: each keeps its order, and whichever's next operator can start first
/// is started, so that the collectives of one hide behind the kernels of the other (DeepSeek-V3, arXiv 2412.19437, section 3.2.1). Where both
/// can, the one that is nearer to a collective goes first: the backward's combine runs beside the forward's attention, as in Megatron-Core
/// (core/models/common/model_chunk_schedule_plan.py).
/// Where options say so the best of that and of two orders by turns, each up to its next collective. `pool` holds the operators of both. The host
/// launches for both.
BuiltSegment buildPairSegment(const Segment& one, const Segment& other, const SegmentOptions& options, const std::vector<TimedOperator>& pool);

/// How a collective and traffic beside the segment slow each other on common links.
struct TrafficStretch {
    double collective = 1;
    double traffic = 1;
};

/// A segment's operators as tasks on the rank's streams, so that kernels are slowed exactly as long as a collective runs beside
/// them. Operators that work in chunks at once (`overlap.tensor`) are as many tasks, each of which the next operator's waits for.
class SlowedSegment {
public:
    explicit SlowedSegment(const SegmentOptions& options);

    /// The next in order. Operators of different sides share the streams and no tensors.
    void add(const TimedOperator& timed, std::uint32_t index, std::size_t side = 0, const TrafficStretch& stretch = {});
    /// Traffic of the data-parallel group that takes `seconds` alone, from the segment's start on.
    void addTraffic(double seconds);

    struct Times {
        double segment = 0; ///< s until the last operator has ended
        double traffic = 0; ///< until the traffic has
    };
    Times run();
    /// The segment as it ran.
    BuiltSegment built(std::string name, Phase phase) const;

private:
    struct Placed {
        std::uint32_t index = 0;
        TaskId first = 0;
        TaskId last = 0;
        bool isCollective = false;
        bool isProduct = false;
        bool stops = false; ///< the compute stream stands still for it
        RankGroup group = RankGroup::none;
        Phase phase = Phase::forward;
    };
    struct Wait {
        TaskId task, before;
    };

    LoadClass loadOf(const TrafficStretch& stretch);
    void addKernel(const TimedOperator& timed, Placed& placed, std::size_t side);
    void addCollective(const TimedOperator& timed, Placed& placed, std::size_t side);
    /// The host's part of it, where that takes time.
    void addLaunch(const Operator& op, Placed& placed);
    void addChunks(StreamId stream, double time, int chunks, LoadClass load, Placed& placed);
    void wait(TaskId task, TaskId before);
    /// Chunk by chunk where both have as many, else the first for the last.
    void wait(const Placed& placed, const Placed& before, bool chunked);
    const Placed* writerOf(TensorId tensor, std::size_t side) const;

    const SegmentOptions& options_;
    Program program_;
    std::vector<Placed> placed_;
    std::array<std::vector<std::pair<TensorId, std::uint32_t>>, 2> writers_; ///< by side: index into placed_
    std::vector<Wait> waits_;                                                ///< in the order of their tasks
    std::vector<std::pair<TrafficStretch, LoadClass>> stretches_;
    TaskId lastCompute_, lastCollective_, lastStopping_, lastLaunch_, awaited_, traffic_;
    TaskTimes times_;
};

struct PlacedOperator {
    std::uint32_t op = 0; ///< index into the pool
    std::size_t side = 0;
};
/// Makes of a segment that was placed as if nothing slowed anything what it is when kernels are slowed beside its own collectives.
void slowBesideCollectives(BuiltSegment& built, const std::vector<PlacedOperator>& order, const SegmentOptions& options,
                           const std::vector<TimedOperator>& pool);

} // namespace orrery
