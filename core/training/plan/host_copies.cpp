// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/host_copies.hpp"

#include "core/training/plan/lanes.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

namespace orrery {

HostCopies::HostCopies(const Scenario& scenario, ProgramWriter& writer) : scenario_(scenario), policy_(scenario), writer_(writer) {}

void HostCopies::beginLane(int lane) {
    lane_ = lane;
    stored_.clear();
}

TaskId HostCopies::copy(const char* name, StreamKind direction, double bytes, TaskId before, const TaskPlace& place) {
    TimedOperator timed;
    timed.op.name = name;
    timed.op.kind = OperatorKind::send_receive;
    timed.op.phase = Phase::communication;
    timed.op.messageBytes = bytes;
    timed.time = bytes / scenario_.cluster.accelerator.hostLinkBandwidth;
    timed.bound = Bound::network;
    const TaskId task = writer_.addOn(lane_, direction, writer_.singleSegment(std::move(timed), direction), place);
    writer_.after(task, before);
    return task;
}

TaskId HostCopies::fetch(const PlacedWork& work, TaskId release, int slot) {
    const Offload& offload = scenario_.execution.offload;
    TaskId last = noTask;
    for (const UnitPass& pass : work) {
        const PieceWork& piece = *pass.unit->piece;
        const TaskPlace place{pass.step.microBatch, pass.unit->layer, slot};
        if (offload.weights > 0 && pass.readsWeights()) {
            const double bytes = weightsFromHost(scenario_, policy_, weightsOf(piece));
            if (bytes > 0) last = copy("reload.weights", TrainingStream::from_host, bytes, release, place);
        }
        const bool backward = pass.step.kind == PassKind::backward || pass.step.kind == PassKind::backward_input;
        const double kept = piece.forwardMemory.saved;
        if (offload.activations <= 0 || !backward || kept <= 0) continue;
        last = copy("reload.activations", TrainingStream::from_host, offload.activations * kept, release, place);
        const auto stored = stored_.find({pass.unit, pass.step.microBatch});
        if (stored != stored_.end()) writer_.after(last, stored->second);
    }
    return last;
}

void HostCopies::store(const PlacedWork& work, TaskId task, int slot) {
    const double share = scenario_.execution.offload.activations;
    if (share <= 0) return;
    for (const UnitPass& pass : work) {
        const double kept = pass.unit->piece->forwardMemory.saved;
        if (!pass.isForward() || kept <= 0) continue;
        stored_[{pass.unit, pass.step.microBatch}] =
            copy("offload.activations", TrainingStream::to_host, share * kept, task, {pass.step.microBatch, pass.unit->layer, slot});
    }
}

TaskId HostCopies::stepOnHost(int lane, double elements, TaskId before) {
    lane_ = lane;
    const HostStep host = hostStep(scenario_, elements);
    const TaskId gradients = copy("offload.gradients", TrainingStream::to_host, host.elements * host.gradientElementBytes, before, {});
    TimedOperator step;
    step.op.name = "optimizer.on_host";
    step.op.kind = OperatorKind::optimizer;
    step.op.phase = Phase::optimizer;
    step.time = host.seconds;
    step.bound = Bound::memory;
    step.source = Source::assumed;
    const TaskId stepped = writer_.addOn(lane, TrainingStream::from_host, writer_.singleSegment(std::move(step), TrainingStream::from_host), {});
    writer_.after(stepped, gradients);
    return copy("reload.weights", TrainingStream::from_host, host.elements * host.weightElementBytes, stepped, {});
}

} // namespace orrery
