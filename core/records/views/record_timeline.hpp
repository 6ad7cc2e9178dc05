// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/records/views/recorded_job.hpp"
#include "core/results/report/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace orrery {

/// What the bars of a row of a recorded timeline are.
enum class RecordRow : std::uint8_t {
    summary, ///< what the device does, over all its streams
    device,  ///< events of one stream; those that overlap stand in a row of their own
    host,    ///< calls of one thread at one depth
};

/// Recorded ranks as a timeline: a stage for each rank, by its place; its streams are `rows`. A span's `layer` is in a row of the device the
/// number of the event, in a row of the host that of the operator, or, from their count on, of the call of the runtime; -1 in a summary.
struct RecordTimeline {
    Timeline timeline;
    std::vector<std::vector<RecordRow>> rows; ///< by stage and stream
    std::size_t hiddenCalls = 0;              ///< calls of the host that have no bar: too deep, or of one of too many threads
};
using RecordTimelinePtr = std::shared_ptr<const RecordTimeline>;

/// A collective has two bars where other ranks were waited for: the wait, and what came after. Nothing, an empty timeline, when stopped.
RecordTimeline recordTimeline(const RecordedJob& job, const RunControl& control = {});

} // namespace orrery
