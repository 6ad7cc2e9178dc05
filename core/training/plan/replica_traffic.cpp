// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/replica_traffic.hpp"

#include "core/training/plan/lanes.hpp"

#include <string>

namespace orrery {
namespace {

std::string nameOf(const ReplicaCollective& collective) {
    if (collective.group == RankGroup::replicate) return "data.all_reduce_shards";
    const std::string name = collective.kind == CollectiveKind::all_gather       ? "data.gather_parameters"
                             : collective.kind == CollectiveKind::reduce_scatter ? "data.reduce_scatter_gradients"
                                                                                 : "data.all_reduce_gradients";
    return collective.group == RankGroup::expert_data ? name + "_of_experts" : name;
}

} // namespace

ReplicaTraffic::ReplicaTraffic(const Scenario& scenario, const Iteration& iteration, const ModelChunks& chunks, ProgramWriter& writer)
    : policy_(scenario), iteration_(iteration), chunks_(chunks), writer_(writer) {}

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
    if (policy_.gathers() != GatherTime::once || !policy_.overlaps()) return;
    const std::vector<int>& held = chunks_.heldBy(stage);
    for (std::size_t slot = 0; slot < held.size(); ++slot) gatherFirst(chunks_.units(held[slot]), static_cast<int>(slot));
}

void ReplicaTraffic::gatherFirst(const std::vector<Unit>& units, int slot) {
    HeldWeights bucket;
    std::size_t first = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        bucket += weightsOf(*units[i].piece);
        if (i + 1 < units.size() && !policy_.fillsGather(bucket)) continue;
        const TaskId there = gather(bucket, noTask, {-1, units[first].layer, slot});
        for (; first <= i; ++first) parameterGather_[&units[first]] = there;
        bucket = {};
    }
}

TaskId ReplicaTraffic::add(const ReplicaCollective& collective, TaskId before, const TaskPlace& place) {
    const int stage = iteration_.lanes.lane(lane_).stage;
    const std::uint32_t segment = writer_.collectiveSegment(nameOf(collective).c_str(), {collective.group, collective.kind, stage, stage}, collective.bytes);
    return writer_.addShared(lane_, segment, before, place);
}

TaskId ReplicaTraffic::send(const ReplicaExchange& exchange, TaskId before, Repeats repeats, const TaskPlace& place) {
    TaskId last = noTask;
    for (int i = 0; i < exchange.repeats; ++i) {
        TaskId ready = i == 0 || repeats == Repeats::wait ? before : noTask;
        for (const ReplicaCollective& step : exchange.dense()) last = ready = add(step, ready, place);
    }
    if (last != noTask && exchange.copySeconds > 0) {
        const TaskId copied = writer_.addOn(lane_, TrainingStream::data, writer_.shareCopySegment(exchange.copySeconds), place);
        writer_.after(copied, last);
        last = copied;
    }
    if (exchange.experts) last = add(*exchange.experts, before, place);
    return last;
}

TaskId ReplicaTraffic::gatherUnits(const PlacedWork& next, TaskId release) {
    TaskId last = noTask;
    for (const UnitPass& pass : next)
        if (pass.readsWeights()) last = gather(weightsOf(*pass.unit->piece), release, placeOf(pass));
    return last;
}

TaskId ReplicaTraffic::parameterGather(const UnitPass& pass) const {
    if (!pass.isForward() || pass.step.microBatch != firstForward_[static_cast<std::size_t>(slotOf(pass.step))]) return noTask;
    const auto found = parameterGather_.find(pass.unit);
    return found == parameterGather_.end() ? noTask : found->second;
}

void ReplicaTraffic::reduceGradients(const UnitPass& pass, TaskId task) {
    const ReduceTime when = policy_.reduces();
    if (when == ReduceTime::never) return;
    const bool last = pass.step.microBatch == lastBackward_[static_cast<std::size_t>(slotOf(pass.step))];
    if (when != ReduceTime::each_pass && !last) return;
    bucket_.elements += pass.unit->piece->elements;
    bucket_.expertElements += pass.unit->piece->expertElements;
    bucket_.tensors += pass.unit->piece->weightTensors;
    if (when == ReduceTime::at_end) return;
    const bool full = when != ReduceTime::full_bucket || policy_.fillsBucket(bucket_.elements + bucket_.expertElements);
    if (full || pass.last) sendBucket(task, placeOf(pass));
}

TaskId ReplicaTraffic::endLane(TaskId last) {
    if (bucket_.elements + bucket_.expertElements > 0) sendBucket(last, {});
    return gradientReady_;
}

void ReplicaTraffic::sendBucket(TaskId task, const TaskPlace& place) {
    const TaskId last = send(policy_.reduce(bucket_), task, Repeats::wait, place);
    if (last != noTask) gradientReady_ = last;
    bucket_ = {};
}

TaskId ReplicaTraffic::gatherAfterStep(int lane, TaskId step) {
    if (policy_.gathers() != GatherTime::once || policy_.overlaps()) return step;
    lane_ = lane;
    const int stage = iteration_.lanes.lane(lane).stage;
    if (!policy_.wrapsUnits()) return gather(heldAt(stage), step, {});
    TaskId last = step;
    for (const int chunk : chunks_.heldBy(stage))
        for (const Unit& unit : chunks_.units(chunk))
            if (const TaskId there = gather(weightsOf(*unit.piece), step, {-1, unit.layer, -1}); there != noTask) last = there;
    return last;
}

HeldWeights ReplicaTraffic::heldAt(int stage) const {
    const auto at = static_cast<std::size_t>(stage);
    HeldWeights held{iteration_.stageElements[at], iteration_.stageFrozenElements[at], iteration_.stageExpertElements[at], 0, chunks_.sumOver(stage, &PieceWork::wideElements)};
    for (const int chunk : chunks_.heldBy(stage))
        for (const Unit& unit : chunks_.units(chunk)) held.tensors += unit.piece->weightTensors;
    return held;
}

} // namespace orrery
