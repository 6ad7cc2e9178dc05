// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/plan/program_writer.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <map>

namespace orrery {

/// Tasks for what the ranks that hold the same weights send each other: gradients, in buckets, and sharded weights. What they send and when
/// is ReplicaPolicy's to say. One lane is written at a time.
class ReplicaTraffic {
public:
    ReplicaTraffic(const Scenario& scenario, const Iteration& iteration, const ModelChunks& chunks, ProgramWriter& writer);

    const ReplicaPolicy& policy() const { return policy_; }

    void beginLane(int lane);
    /// Weights of the work's units, after `release`; of units that run together one after the other. Gives the last, or `noTask`.
    TaskId gatherUnits(const PlacedWork& next, TaskId release);
    /// What a pass waits for because last iteration's optimizer changed its shard only.
    TaskId parameterGather(const UnitPass& pass) const;
    /// Collects gradients that are final (or to be reduced after every pass) and sends a bucket when it is full.
    void reduceGradients(const UnitPass& pass, TaskId task);
    /// Sends what is left after `last`; gives the task that ends the lane's gradients, or `noTask`.
    TaskId endLane(TaskId last);

    /// The last reduction, which computation waits for where nothing overlaps; else `noTask`.
    TaskId awaitedReduction() const { return policy_.overlaps() ? noTask : gradientReady_; }

    /// Without overlap: what the optimizer changed, gathered right after its step.
    TaskId gatherAfterStep(int lane, TaskId step);
    /// Parameters that a rank of the stage steps over.
    double optimizedAt(int stage) const { return policy_.optimizedElements(heldAt(stage)); }

private:
    /// Whether each repetition waits for what the exchange waits for: a stream runs them in order anyway.
    enum class Repeats { follow,
                         wait };
    TaskId add(const ReplicaCollective& collective, TaskId before, const TaskPlace& place);
    /// Gives the last task, or `noTask`.
    TaskId send(const ReplicaExchange& exchange, TaskId before, Repeats repeats, const TaskPlace& place);
    TaskId gather(const HeldWeights& what, TaskId release, const TaskPlace& place) {
        return send(policy_.gather(what), release, Repeats::follow, place);
    }
    /// What the first forward of a chunk needs, bucket by bucket.
    void gatherFirst(const std::vector<Unit>& units, int slot);
    HeldWeights heldAt(int stage) const;
    void sendBucket(TaskId task, const TaskPlace& place);
    int slotOf(const PipelineStep& step) const { return iteration_.schedule.placement.slotOf(step.chunk, step.microBatch); }
    TaskPlace placeOf(const UnitPass& pass) const { return {pass.step.microBatch, pass.unit->layer, slotOf(pass.step)}; }

    const ReplicaPolicy policy_;
    const Iteration& iteration_;
    const ModelChunks& chunks_;
    ProgramWriter& writer_;
    int lane_ = 0;
    std::vector<int> firstForward_, lastBackward_; ///< micro-batches, by slot: the first to go forward, the last whose gradients are completed
    std::map<const Unit*, TaskId> parameterGather_;
    HeldWeights bucket_;            ///< whose gradients are not sent yet
    TaskId gradientReady_ = noTask; ///< last bucket
};

} // namespace orrery
