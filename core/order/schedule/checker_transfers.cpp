// SPDX-License-Identifier: GPL-3.0-or-later
// Whether every result another stage needs is sent once and received once, in time.
#include "core/order/schedule/checker_parts.hpp"

namespace orrery {
namespace {

/// A result that crosses from the stage that makes it to the one that needs it.
struct Crossing {
    StepPlace maker;
    StepPlace user;
};

std::optional<Crossing> crossingOf(const PipelineStep& transfer, const PipelineSchedule& schedule, const StepTable& table) {
    const bool gradients = handsGradients(transfer.kind);
    const int next = transfer.chunk + (gradients ? -1 : 1);
    if (next < 0 || next == schedule.placement.modelChunks()) return std::nullopt;
    const PassResult result = gradients ? PassResult::gradient : PassResult::activations;
    const StepPlace maker = table.maker({result, transfer.chunk, transfer.microBatch});
    const StepPlace user = table.maker({result, next, transfer.microBatch});
    if (maker.stage == user.stage) return std::nullopt;
    return Crossing{maker, user};
}

void checkTransfer(const PipelineSchedule& schedule, const StepTable& table, StepPlace place, TransferTable& transfers,
                   std::vector<ScheduleFault>& faults) {
    const PipelineStep& step = schedule.stages[static_cast<std::size_t>(place.stage)][static_cast<std::size_t>(place.index)];
    const auto report = [&](ScheduleFaultKind kind, const std::string& message) {
        faults.push_back(faultAt(kind, schedule, place, message));
    };
    const auto crossing = crossingOf(step, schedule, table);
    if (!crossing) return report(ScheduleFaultKind::stray_transfer, "no other stage needs this.");
    const int stage = isSend(step.kind) ? crossing->maker.stage : crossing->user.stage;
    if (stage != place.stage)
        return report(ScheduleFaultKind::wrong_stage, std::string("stage ") + std::to_string(stage) +
                                                          (isSend(step.kind) ? " has this to send." : " needs this."));
    TransferPlaces& both = transfers[{handsGradients(step.kind), step.chunk, step.microBatch}];
    StepPlace& mine = isSend(step.kind) ? both.send : both.receive;
    if (mine.stage >= 0) return report(ScheduleFaultKind::repeated, "this is done already by " + toText(mine) + ".");
    mine = place;
    if (isSend(step.kind) && place.index < crossing->maker.index)
        report(ScheduleFaultKind::wrong_order, "what it sends is made later, in step " + std::to_string(crossing->maker.index) + ".");
    if (!isSend(step.kind) && place.index > crossing->user.index)
        report(ScheduleFaultKind::wrong_order, "what it receives is used before, in step " + std::to_string(crossing->user.index) + ".");
}

void reportMissing(const PipelineSchedule& schedule, const Crossing& crossing, const PipelineStep& transfer,
                   std::vector<ScheduleFault>& faults) {
    const StepPlace at = isSend(transfer.kind) ? crossing.maker : crossing.user;
    faults.push_back(faultAt(ScheduleFaultKind::missing, schedule, at, toText(transfer) + " is missing."));
}

} // namespace

bool handsGradients(PassKind communication) {
    return communication == PassKind::send_gradients || communication == PassKind::receive_gradients;
}

void checkTransfers(const PipelineSchedule& schedule, const StepTable& table, TransferTable& transfers,
                    std::vector<ScheduleFault>& faults) {
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
        for (std::size_t index = 0; index < schedule.stages[stage].size(); ++index)
            if (isCommunication(schedule.stages[stage][index].kind))
                checkTransfer(schedule, table, {static_cast<int>(stage), static_cast<int>(index)}, transfers, faults);

    for (const bool gradients : {false, true}) {
        for (int chunk = 0; chunk < schedule.placement.modelChunks(); ++chunk) {
            for (int microBatch = 0; microBatch < schedule.placement.microBatches; ++microBatch) {
                PipelineStep transfer{gradients ? PassKind::send_gradients : PassKind::send_activations, false,
                                      static_cast<std::int16_t>(chunk), microBatch};
                const auto crossing = crossingOf(transfer, schedule, table);
                if (!crossing) continue;
                const TransferPlaces found = transfers[{gradients, chunk, microBatch}];
                if (found.send.stage < 0) reportMissing(schedule, *crossing, transfer, faults);
                transfer.kind = gradients ? PassKind::receive_gradients : PassKind::receive_activations;
                if (found.receive.stage < 0) reportMissing(schedule, *crossing, transfer, faults);
            }
        }
    }
}

} // namespace orrery
