// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/order/schedule/step_table.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace orrery {

/// What a send does to the stream it stands on.
enum class SendMode : std::uint8_t {
    buffered,   ///< nothing: the result waits for its receiver
    rendezvous, ///< blocks until its receive is posted; communication steps in a row are posted together, as a group
};

enum class ScheduleFaultKind : std::uint8_t {
    wrong_shape,    ///< lists or claims that do not match the placement
    out_of_range,   ///< a chunk or micro-batch there is not
    wrong_stage,    ///< a chunk its stage does not hold
    repeated,       ///< a pass or transfer that stands twice
    missing,        ///< a pass or transfer that stands nowhere
    wrong_order,    ///< a step before one on its own stage that it needs
    broken_pair,    ///< steps marked to run together that are not a forward and a backward, or need each other
    stray_transfer, ///< a communication step for a result no other stage needs
    deadlock,       ///< stages that wait for each other
    over_memory,    ///< more activations in flight than claimed
};

struct ScheduleFault {
    ScheduleFaultKind kind = ScheduleFaultKind::wrong_shape;
    int stage = -1;      ///< −1: of the whole schedule
    int index = -1;      ///< in the stage's list, from 0; −1: of no one step
    std::string message; ///< "Stage 1, step 4 (forward of micro-batch 2, chunk 1): …"
};

/// Everything that keeps a schedule from being legal; empty means proven legal:
/// - every micro-batch passes every chunk forward once and backward once (whole, or input and weight part), on the stage that holds it;
/// - run in order on each stage, every step gets what it needs: no stages wait for each other for ever;
/// - no stage ever holds more activations than `mostInFlight` says (freed with the weight part);
/// - with communication steps: one send and one receive for each result another stage needs, after it is made and before it is used.
///
/// Without communication steps results reach other stages by themselves, and `mode` must be buffered. Deadlocks are looked for only where
/// nothing else is wrong with the order, for every missing step would show up as one.
std::vector<ScheduleFault> checkSchedule(const PipelineSchedule& schedule, SendMode mode = SendMode::buffered);

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
