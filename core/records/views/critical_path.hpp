// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/views/record_timeline.hpp"
#include "core/records/views/recorded_job.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

/// A step of the longest chain of what waits for what, from the record's begin to its end.
struct PathStep {
    static constexpr std::uint32_t onHost = ~std::uint32_t{0};
    std::size_t place = 0;              ///< of the rank
    std::uint32_t deviceEvent = onHost; ///< index into its device events; onHost: calls of its host
    std::int64_t start = 0, end = 0;    ///< ns on the clock of all; steps meet or leave a gap that nothing recorded explains
};

/// The critical path through the ranks' dependency graphs (core/records/ranks/device_graph.hpp): from the last work of all devices back to what it waited for, at a collective over to the
/// rank that came to it last. In order of time.
std::vector<PathStep> criticalPath(const RecordedJob& job);

/// A span of a recorded timeline by its place.
struct RecordSpan {
    int stage = 0;            ///< the rank's place
    std::uint32_t stream = 0; ///< index into StageTimeline::streams
    std::uint32_t span = 0;   ///< index into Stream::spans
    bool operator==(const RecordSpan&) const = default;
};

/// What leads from one span to another: from the first's end, or its start, to the second's start.
struct RecordLink {
    RecordSpan from, to;
    bool fromStart = true; ///< a kernel may begin while the call that launches it still returns
};

/// The bar of a device's event; of two, the one after the wait. Nothing where it has none.
std::optional<RecordSpan> deviceSpan(const RecordTimeline& record, const RecordedJob& job, int stage, std::uint32_t event);
/// The bar of an operator of the host, or, from their count on, of a call of the runtime.
std::optional<RecordSpan> hostSpan(const RecordTimeline& record, const RecordedJob& job, int stage, std::uint32_t call);

/// What stands to a span in a relation that the record knows: the launch of a kernel, the kernels of a launch or of an operator's launches, and of a
/// collective how the last rank to come lets the others go on.
std::vector<RecordLink> linksOf(const RecordTimeline& record, const RecordedJob& job, const RecordSpan& span);

} // namespace orrery
