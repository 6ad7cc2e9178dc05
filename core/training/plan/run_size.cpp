// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/run_size.hpp"

#include "core/training/plan/lanes.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// A task takes this with its edges in the program, in the engine and on the timeline, each with the room that growing leaves: 307 measured on
/// ZeRO-3 of 1.4 and 3.4 million tasks.
constexpr double bytesPerTask = 400;

/// A lane ends with so many tasks: it adds up gradients over stages, takes their norm, steps, and waits for what each of these needs.
constexpr double tasksOfStep = 20;

/// `once`: of the tasks, those that belong to no micro-batch.
RunSize ofTasks(double tasks, double once) { return {tasks, tasks * bytesPerTask, once * bytesPerTask}; }

/// Collectives of a unit's experts and copies around them, at most.
double furtherTransfers(const ReplicaPolicy& policy, const PieceWork& piece) {
    return (piece.expertElements > 0 ? 1 : 0) + (policy.shareCopies(piece.weightTensors) > 0 ? 1 : 0);
}

/// Transfers for a unit's weights or gradients among the ranks that hold the same ones, at most.
double gathersOf(const ReplicaPolicy& policy, const PieceWork& piece) { return policy.gathersOf(piece.weightTensors) + furtherTransfers(policy, piece); }
double reductionsOf(const ReplicaPolicy& policy, const PieceWork& piece) {
    return policy.reductionsOf(piece.weightTensors) * (policy.inGroups() ? 2 : 1) + furtherTransfers(policy, piece);
}

/// A segment as tasks: the moments it begins and ends, each operator with its launch, each kernel of a collective.
double tasksOfExpanded(const Iteration& iteration, std::uint32_t segment) {
    const std::vector<SegmentEntry>& entries = iteration.work.segments[segment].entries;
    const auto communicates = [](const SegmentEntry& entry) { return entry.stream == StreamKind::within; };
    if (iteration.isPair(segment) || std::none_of(entries.begin(), entries.end(), communicates)) return 1;
    double tasks = 2;
    for (const SegmentEntry& entry : entries) tasks += communicates(entry) ? 1 + std::max(2, iteration.work.operators[entry.op].op.kernels) : 2;
    return tasks;
}

} // namespace

RunSize sizeOfRun(const Scenario& scenario, const RankWork& work) {
    const Parallelism& plan = scenario.parallelism;
    const ReplicaPolicy policy(scenario);
    const bool replicas = policy.replicas() > 1;
    const bool gathersEachPass = policy.gathers() == GatherTime::each_pass, reducesEachPass = policy.reduces() == ReduceTime::each_pass;
    double once = tasksOfStep * plan.pipeline, perMicroBatch = 0;
    const auto addPiece = [&](const PieceWork& piece, double count) {
        const double gather = replicas ? gathersOf(policy, piece) : 0, reduction = replicas ? reductionsOf(policy, piece) : 0;
        const bool split = piece.backwardInputSegment != piece.backwardWeightSegment;
        const double passes = split ? 3 : 2;
        perMicroBatch += count * (passes + 2 * (gathersEachPass ? gather : 0) + (reducesEachPass ? reduction : 0) + (scenario.execution.offload.any() ? 4 : 0));
        once += count * (gather + reduction);
    };
    addPiece(work.embedding, 1);
    addPiece(work.head, 1);
    for (const int kind : work.kindOfLayer) addPiece(work.layers[static_cast<std::size_t>(kind)], 1);
    if (work.nextToken) addPiece(*work.nextToken, double(scenario.model.nextTokenModules));
    perMicroBatch += 2.0 * (plan.pipeline * plan.virtualPipeline - 1); // sends of activations and of their gradients
    return ofTasks(once + perMicroBatch * scenario.microBatches(), once);
}

RunSize sizeOfRun(const Iteration& plain, const LaneMap& lanes, bool expandTensor) {
    double tasks = 0, once = 0;
    for (const TaskInfo& info : plain.tasks) {
        const double count = info.stage < 0 ? 1 : lanes.count(info.stage);
        double each = 1;
        if (info.stream == StreamKind::compute && info.role == TaskRole::work && expandTensor) each = tasksOfExpanded(plain, info.segment);
        // A collective that several lanes join has, for each of them, a moment at which it arrives and one at which it leaves.
        if (info.stream == TrainingStream::data && count > 1) each = 2 + 1 / count;
        tasks += each * count;
        if (info.microBatch < 0) once += each * count;
    }
    return ofTasks(tasks, once);
}

} // namespace orrery
