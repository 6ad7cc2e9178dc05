// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/checker.hpp"
#include "core/order/schedule/step_table.hpp"

#include <map>
#include <tuple>

namespace orrery {

/// "Stage 1, step 4 (forward of micro-batch 2, chunk 1): " before `message`.
ScheduleFault faultAt(ScheduleFaultKind kind, const PipelineSchedule& schedule, StepPlace place, const std::string& message);

/// "step 4 of stage 1".
std::string toText(StepPlace place);

/// Where the communication steps of each result stand.
struct TransferPlaces {
    StepPlace send;
    StepPlace receive;
};
using TransferTable = std::map<std::tuple<bool, int, int>, TransferPlaces>; ///< gradients or not, chunk, micro-batch

bool handsGradients(PassKind communication);

/// Faults of the communication steps, and `transfers` filled. The passes are already known to be in order.
void checkTransfers(const PipelineSchedule& schedule, const StepTable& table, TransferTable& transfers, std::vector<ScheduleFault>& faults);

/// Runs the streams and names, for each stage that cannot get to its end, the step it is stuck at and what that waits for.
void checkDeadlocks(const PipelineSchedule& schedule, const StepTable& table, const TransferTable& transfers, SendMode mode,
                    std::vector<ScheduleFault>& faults);

} // namespace orrery
