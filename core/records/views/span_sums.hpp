// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/views/record_timeline.hpp"
#include "core/records/views/recorded_job.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// All kernels of a job that have one name.
struct KernelName {
    std::string name;
    std::int64_t kernels = 0;
    double seconds = 0; ///< their durations, added
};

/// Names of a job's kernels, the one that takes longest first; those of equal times by the alphabet.
std::vector<KernelName> kernelNames(const RecordedJob& job);

/// What the rows of a table over a stretch of a recorded timeline are.
enum class SumBy : std::uint8_t { operation, ///< events of one name, by what they are
                                  stream,    ///< of a rank, or a thread
                                  rank };

/// One row; times in s, cut at the ends of the stretch.
struct SpanSum {
    std::uint32_t op = 0; ///< SumBy::operation: index into Timeline::operators
    int stage = -1;       ///< by stream and rank: the rank's place
    StreamKind stream = StreamKind::compute;
    std::size_t count = 0; ///< events that the stretch touches
    double time = 0;       ///< sum over them
    double longest = 0;
    std::array<double, recordedWorkCount> byWork{}; ///< the same time by what it was; of a rank from its summary, so that no moment counts twice
};

/// Sums over [from, to), by time, largest first. `host`: calls of threads, where a call counts all that it calls; otherwise events of devices. `stage`: of one rank alone;
/// -1: of all.
std::vector<SpanSum> spanSums(const RecordTimeline& record, double from, double to, SumBy by, bool host, int stage = -1);

} // namespace orrery
