// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/program_writer.hpp"
#include "core/plan/replica_rules.hpp"
#include "core/rank_work/stage_order.hpp"

#include <map>
#include <string>

namespace orrery {

/// What the ranks that hold the same weights send each other: gradients, in buckets, and sharded weights (ZeRO, Rajbhandari et al.
/// 2020; FSDP, Zhao et al. 2023). With `shard_group` (HSDP) weights are shared out within groups; gradients are reduce-scattered
/// within a group and the shards added up over the groups. One lane is written at a time.
class ReplicaTraffic {
public:
    ReplicaTraffic(const Scenario& scenario, const Iteration& iteration, const ModelChunks& chunks, ProgramWriter& writer);

    /// Whether each unit's weights are gathered before they are used, and dropped afterwards.
    bool gathersUnits() const { return plan_.zeroStage >= 3 && plan_.sharders() > 1 && !keepsGathered_; }

    void beginLane(int lane);
    /// Weights of the work's units, after `release`; of units that run together one after the other. Gives the last, or `noTask`.
    TaskId gatherUnits(const PlacedWork& next, TaskId release);
    /// What a pass waits for because last iteration's optimizer changed its shard only.
    TaskId parameterGather(const UnitPass& pass) const;
    /// Collects gradients that are final (or, from ZeRO-2 on, to be sharded at once, unless they are added up whole) and sends a bucket when it is full.
    void reduceGradients(const UnitPass& pass, TaskId task);
    /// Sends what is left after `last`; gives the task that ends the lane's gradients, or `noTask`.
    TaskId endLane(TaskId last);

    /// The last reduction, which computation waits for where nothing overlaps; else `noTask`.
    TaskId awaitedReduction() const { return overlapsReplicas(scenario_) ? noTask : gradientReady_; }

    /// Without overlap: what the optimizer changed, gathered right after its step.
    TaskId gatherAfterStep(int lane, TaskId step);
    /// Parameters that a rank of the stage steps over: its share of them from ZeRO-1 on.
    double optimizedAt(int stage) const;
    double reduceBytes(double elements) const { return elements * scenario_.execution.profile.gradientReduceBytes; }

private:
    double gatherBytes(double elements) const { return elements * scenario_.execution.profile.gatheredWeightBytes; }
    /// Ranks that hold the same routed experts.
    int expertReplicas() const { return plan_.tensor * plan_.replicas() / (plan_.expert * plan_.expertTensor); }
    /// Weights changed by the last optimizer step come over once an iteration.
    bool gathersOnce() const { return plan_.zeroStage >= 1 && plan_.sharders() > 1 && !gathersUnits(); }
    bool inGroups() const { return plan_.sharders() < plan_.replicas(); }
    TaskId add(const std::string& name, RankGroup group, CollectiveKind kind, double bytes, TaskId before, const TaskPlace& place);
    struct Weights {
        double elements = 0, expertElements = 0;
        int tensors = 0; ///< of the former
    };
    TaskId gather(const Weights& what, TaskId release, const TaskPlace& place);
    TaskId gatherOnce(Weights what, double frozenElements, TaskId release, const TaskPlace& place);
    TaskId copyShares(int tensors, TaskId after, const TaskPlace& place);
    int weightTensorsAt(int stage) const;
    void sendBucket(TaskId task, const TaskPlace& place);
    int slotOf(const PipelineStep& step) const { return iteration_.schedule.placement.slotOf(step.chunk, step.microBatch); }
    TaskPlace placeOf(const UnitPass& pass) const { return {pass.step.microBatch, pass.unit->layer, slotOf(pass.step)}; }

    const Scenario& scenario_;
    const Parallelism& plan_;
    const Iteration& iteration_;
    const ModelChunks& chunks_;
    ProgramWriter& writer_;
    const bool keepsGathered_, addsUpWhole_;
    int lane_ = 0;
    std::vector<int> firstForward_, lastBackward_; ///< micro-batches, by slot: the first to go forward, the last whose gradients are completed
    std::map<const Unit*, TaskId> parameterGather_;
    Weights bucket_;
    TaskId gradientReady_ = noTask; ///< last bucket
};

} // namespace orrery
