// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"

namespace orrery {

/// Where a stage takes in what another has made for it; sends always follow the step that made it.
enum class ReceivePlacement : std::uint8_t {
    before_use, ///< right before the step that needs it: the shortest list; with sends that block, interleaved, ZB-V and DualPipe stall
    as_sent,    ///< where the receiver stands when it is sent, all stages in step: runs even when every send blocks until it is received
};

/// The schedule with a send and a receive for every result that a chunk on another stage needs. `schedule` has none yet and is legal
/// without them; throws std::invalid_argument when it deadlocks.
PipelineSchedule withCommunication(const PipelineSchedule& schedule, ReceivePlacement placement);

} // namespace orrery
