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
    if (!gathersOnce() || !scenario_.execution.overlap.data) return;
    const std::vector<int>& held = chunks_.heldBy(stage);
    for (std::size_t slot = 0; slot < held.size(); ++slot)
        for (const Unit& unit : chunks_.units(held[slot]))
            parameterGather_[&unit] = gatherOnce(unit.piece->elements, unit.piece->frozenElements, unit.piece->expertElements, noTask,
                                                 {-1, unit.layer, static_cast<int>(slot)});
}

TaskId ReplicaTraffic::add(const std::string& name, RankGroup group, CollectiveKind kind, double bytes, TaskId before, const TaskPlace& place) {
    const int stage = iteration_.lanes.lane(lane_).stage;
    return writer_.addShared(lane_, writer_.collectiveSegment(name.c_str(), {group, kind, stage, stage}, bytes), before, place);
}

TaskId ReplicaTraffic::gather(double elements, double expertElements, TaskId release, const TaskPlace& place) {
    const char* name = "data.gather_parameters";
    TaskId last = noTask;
    const RankGroup group = inGroups() ? RankGroup::shard : RankGroup::data;
    if (elements > 0) last = add(name, group, CollectiveKind::all_gather, gatherBytes(elements), release, place);
    if (expertElements > 0 && expertReplicas() > 1)
        last = add(std::string(name) + "_of_experts", RankGroup::expert_data, CollectiveKind::all_gather, gatherBytes(expertElements), release, place);
    return last;
}

/// Frozen weights are whole on every rank, unless they are sharded too.
TaskId ReplicaTraffic::gatherOnce(double elements, double frozenElements, double expertElements, TaskId release, const TaskPlace& place) {
    return gather(elements + (keepsGathered_ ? frozenElements : 0), expertElements, release, place);
}

TaskId ReplicaTraffic::gatherUnits(const PlacedWork& next, TaskId release) {
    TaskId last = noTask;
    for (const UnitPass& pass : next) {
        if (!pass.readsWeights()) continue;
        const PieceWork& piece = *pass.unit->piece;
        last = gather(piece.elements + piece.frozenElements, piece.expertElements, release, placeOf(pass));
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
    bucketElements_ += pass.unit->piece->elements;
    bucketExpertElements_ += pass.unit->piece->expertElements;
    const bool everyUnit = plan_.zeroStage >= 2;
    if (!scenario_.execution.overlap.data && !everyUnit) return;
    const double bucket = scenario_.execution.profile.gradientBucketBytes;
    const bool full = everyUnit || (bucket > 0 && reduceBytes(bucketElements_ + bucketExpertElements_) >= bucket);
    if (full || pass.last) sendBucket(task, placeOf(pass));
}

TaskId ReplicaTraffic::endLane(TaskId last) {
    if (bucketElements_ + bucketExpertElements_ > 0) sendBucket(last, {});
    return gradientReady_;
}

void ReplicaTraffic::sendBucket(TaskId task, const TaskPlace& place) {
    const bool scattered = plan_.zeroStage >= 1;
    const CollectiveKind kind = scattered ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    const std::string name = scattered ? "data.reduce_scatter_gradients" : "data.all_reduce_gradients";
    if (bucketElements_ > 0 && scattered && inGroups()) {
        // Within the group, then each rank's shard with those that hold the same one.
        TaskId within = task;
        if (plan_.sharders() > 1) within = add(name, RankGroup::shard, kind, reduceBytes(bucketElements_), task, place);
        gradientReady_ = add("data.all_reduce_shards", RankGroup::replicate, CollectiveKind::all_reduce,
                             reduceBytes(bucketElements_ / plan_.sharders()), within, place);
    } else if (bucketElements_ > 0) {
        gradientReady_ = add(name, RankGroup::data, kind, reduceBytes(bucketElements_), task, place);
    }
    if (bucketExpertElements_ > 0 && expertReplicas() > 1)
        gradientReady_ = add(name + "_of_experts", RankGroup::expert_data, kind, reduceBytes(bucketExpertElements_), task, place);
    bucketElements_ = bucketExpertElements_ = 0;
}

TaskId ReplicaTraffic::gatherAfterStep(int lane, TaskId step) {
    if (!gathersOnce() || scenario_.execution.overlap.data) return step;
    lane_ = lane;
    const auto stage = static_cast<std::size_t>(iteration_.lanes.lane(lane).stage);
    return gatherOnce(iteration_.stageElements[stage], iteration_.stageFrozenElements[stage], iteration_.stageExpertElements[stage], step, {});
}

double ReplicaTraffic::optimizedAt(int stage) const {
    const auto at = static_cast<std::size_t>(stage);
    const double dense = iteration_.stageElements[at], experts = iteration_.stageExpertElements[at];
    return plan_.zeroStage >= 1 ? dense / plan_.sharders() + experts / expertReplicas() : dense + experts;
}

} // namespace orrery
