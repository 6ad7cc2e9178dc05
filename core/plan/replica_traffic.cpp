// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/replica_traffic.hpp"

#include "core/memory/static_memory.hpp"

namespace orrery {

ReplicaTraffic::ReplicaTraffic(const Scenario& scenario, const Iteration& iteration, const ModelChunks& chunks, ProgramWriter& writer)
    : scenario_(scenario), plan_(scenario.parallelism), iteration_(iteration), chunks_(chunks), writer_(writer),
      keepsGathered_(keepsGatheredWeights(scenario)), addsUpWhole_(addsUpWholeGradients(scenario)) {}

void ReplicaTraffic::beginLane(int lane) {
    lane_ = lane;
    gradientReady_ = noTask;
    const int stage = iteration_.lanes.lane(lane).stage;
    firstForward_.assign(static_cast<std::size_t>(iteration_.schedule.placement.chunksPerStage), -1);
    lastBackward_ = firstForward_;
    for (const PipelineStep& step : iteration_.schedule.stages[static_cast<std::size_t>(stage)]) {
        const auto slot = static_cast<std::size_t>(slotOf(step));
        if (step.kind == PassKind::forward && firstForward_[slot] < 0) firstForward_[slot] = step.microBatch;
        if (step.kind == PassKind::backward || step.kind == PassKind::backward_weight) lastBackward_[slot] = step.microBatch;
    }
    parameterGather_.clear();
    // With overlap: what last iteration's optimizer updated is gathered before the first forward needs it.
    if (!gathersOnce() || !overlapsReplicas(scenario_)) return;
    const std::vector<int>& held = chunks_.heldBy(stage);
    for (std::size_t slot = 0; slot < held.size(); ++slot)
        for (const Unit& unit : chunks_.units(held[slot]))
            parameterGather_[&unit] = gatherOnce({unit.piece->elements, unit.piece->expertElements, unit.piece->weightTensors},
                                                 unit.piece->frozenElements, noTask, {-1, unit.layer, static_cast<int>(slot)});
}

TaskId ReplicaTraffic::add(const std::string& name, RankGroup group, CollectiveKind kind, double bytes, TaskId before, const TaskPlace& place) {
    const int stage = iteration_.lanes.lane(lane_).stage;
    return writer_.addShared(lane_, writer_.collectiveSegment(name.c_str(), {group, kind, stage, stage}, bytes), before, place);
}

TaskId ReplicaTraffic::gather(const Weights& what, TaskId release, const TaskPlace& place) {
    const char* name = "data.gather_parameters";
    TaskId last = noTask;
    const RankGroup group = inGroups() ? RankGroup::shard : RankGroup::data;
    const int collectives = collectivesFor(scenario_, what.tensors, true);
    for (int i = 0; i < collectives && what.elements > 0; ++i)
        last = add(name, group, CollectiveKind::all_gather, gatherBytes(what.elements) / collectives, i == 0 ? release : noTask, place);
    if (last != noTask) last = copyShares(what.tensors, last, place);
    if (what.expertElements > 0 && expertReplicas() > 1)
        last = add(std::string(name) + "_of_experts", RankGroup::expert_data, CollectiveKind::all_gather, gatherBytes(what.expertElements), release, place);
    return last;
}

/// Frozen weights are whole on every rank, unless they are sharded too.
TaskId ReplicaTraffic::gatherOnce(Weights what, double frozenElements, TaskId release, const TaskPlace& place) {
    if (keepsGathered_) what.elements += frozenElements;
    return gather(what, release, place);
}

TaskId ReplicaTraffic::copyShares(int tensors, TaskId after, const TaskPlace& place) {
    const double seconds = shareCopies(scenario_, tensors);
    if (seconds <= 0) return after;
    const TaskId copied = writer_.addOn(lane_, StreamKind::data, writer_.shareCopySegment(seconds), place);
    writer_.after(copied, after);
    return copied;
}

TaskId ReplicaTraffic::gatherUnits(const PlacedWork& next, TaskId release) {
    TaskId last = noTask;
    for (const UnitPass& pass : next) {
        if (!pass.readsWeights()) continue;
        const PieceWork& piece = *pass.unit->piece;
        last = gather({piece.elements + piece.frozenElements, piece.expertElements, piece.weightTensors}, release, placeOf(pass));
    }
    return last;
}

TaskId ReplicaTraffic::parameterGather(const UnitPass& pass) const {
    if (!pass.isForward() || pass.step.microBatch != firstForward_[static_cast<std::size_t>(slotOf(pass.step))]) return noTask;
    const auto found = parameterGather_.find(pass.unit);
    return found == parameterGather_.end() ? noTask : found->second;
}

void ReplicaTraffic::reduceGradients(const UnitPass& pass, TaskId task) {
    if (plan_.replicas() == 1) return;
    const bool last = pass.step.microBatch == lastBackward_[static_cast<std::size_t>(slotOf(pass.step))];
    if ((plan_.zeroStage < 2 || addsUpWhole_) && !last) return;
    bucket_.elements += pass.unit->piece->elements;
    bucket_.expertElements += pass.unit->piece->expertElements;
    bucket_.tensors += pass.unit->piece->weightTensors;
    const bool everyUnit = plan_.zeroStage >= 2;
    if (!overlapsReplicas(scenario_) && !everyUnit) return;
    const double bucket = scenario_.execution.profile.gradientBucketBytes;
    const bool full = everyUnit || (bucket > 0 && reduceBytes(bucket_.elements + bucket_.expertElements) >= bucket);
    if (full || pass.last) sendBucket(task, placeOf(pass));
}

TaskId ReplicaTraffic::endLane(TaskId last) {
    if (bucket_.elements + bucket_.expertElements > 0) sendBucket(last, {});
    return gradientReady_;
}

void ReplicaTraffic::sendBucket(TaskId task, const TaskPlace& place) {
    const CollectiveKind kind = gradientCollective(scenario_);
    const bool scattered = kind == CollectiveKind::reduce_scatter;
    const std::string name = scattered ? "data.reduce_scatter_gradients" : "data.all_reduce_gradients";
    const int collectives = collectivesFor(scenario_, bucket_.tensors, false);
    for (int i = 0; i < collectives && bucket_.elements > 0; ++i) {
        const double elements = bucket_.elements / collectives;
        if (scattered && inGroups()) {
            // Within the group, then each rank's shard with those that hold the same one.
            TaskId within = task;
            if (plan_.sharders() > 1) within = add(name, RankGroup::shard, kind, reduceBytes(elements), task, place);
            gradientReady_ = add("data.all_reduce_shards", RankGroup::replicate, CollectiveKind::all_reduce, reduceBytes(elements / plan_.sharders()), within, place);
        } else {
            gradientReady_ = add(name, RankGroup::data, kind, reduceBytes(elements), task, place);
        }
    }
    if (scattered && bucket_.elements > 0) gradientReady_ = copyShares(bucket_.tensors, gradientReady_, place);
    if (bucket_.expertElements > 0 && expertReplicas() > 1)
        gradientReady_ = add(name + "_of_experts", RankGroup::expert_data, kind, reduceBytes(bucket_.expertElements), task, place);
    bucket_ = {};
}

TaskId ReplicaTraffic::gatherAfterStep(int lane, TaskId step) {
    if (!gathersOnce() || overlapsReplicas(scenario_)) return step;
    lane_ = lane;
    const int stage = iteration_.lanes.lane(lane).stage;
    const auto at = static_cast<std::size_t>(stage);
    return gatherOnce({iteration_.stageElements[at], iteration_.stageExpertElements[at], weightTensorsAt(stage)}, iteration_.stageFrozenElements[at], step, {});
}

int ReplicaTraffic::weightTensorsAt(int stage) const {
    int tensors = 0;
    for (const int chunk : chunks_.heldBy(stage))
        for (const Unit& unit : chunks_.units(chunk)) tensors += unit.piece->weightTensors;
    return tensors;
}

double ReplicaTraffic::optimizedAt(int stage) const {
    const auto at = static_cast<std::size_t>(stage);
    const double dense = iteration_.stageElements[at], experts = iteration_.stageExpertElements[at];
    return plan_.zeroStage >= 1 ? dense / plan_.sharders() + experts / expertReplicas() : dense + experts;
}

} // namespace orrery
