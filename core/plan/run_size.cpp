#include "core/plan/run_size.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Of a task with its edges in the program, in the engine and on the timeline, each with the room that growing leaves: 307 measured on
/// ZeRO-3 of 1.4 and 3.4 million tasks.
constexpr double bytesPerTask = 400;

/// Tasks of a unit's pass: one; or the moments its segment begins and ends, each operator with its launch, each kernel of a collective.
double tasksOfPass(const RankWork& work, std::uint32_t segment, bool expandTensor) {
    const std::vector<SegmentEntry>& entries = work.segments[segment].entries;
    const auto communicates = [](const SegmentEntry& entry) { return entry.stream == StreamKind::tensor; };
    if (!expandTensor || std::none_of(entries.begin(), entries.end(), communicates)) return 1;
    double tasks = 2;
    for (const SegmentEntry& entry : entries) tasks += communicates(entry) ? std::max(2, work.operators[entry.op].op.kernels) : 2;
    return tasks;
}

} // namespace

RunSize sizeOfRun(const Scenario& scenario, const RankWork& work, const LaneMap& lanes, bool expandTensor) {
    const Parallelism& plan = scenario.parallelism;
    const double lanesOfStage = double(lanes.lanes().size()) / plan.pipeline;
    // A collective that several lanes join has, for each of them, a moment at which it arrives and one at which it leaves.
    const double shared = lanesOfStage > 1 ? 2 + 1 / lanesOfStage : 1;
    double perPass = 0; // what a unit's forward or backward brings with it
    if (plan.sharders() > 1 && plan.zeroStage >= 3) perPass += shared;
    if (scenario.execution.offload.any()) perPass += 2;
    const double reductions = plan.zeroStage >= 2 && plan.replicas() > 1 ? shared : 0;
    const auto ofPiece = [&](const PieceWork& piece) {
        const double backward = piece.backwardInputSegment != piece.backwardWeightSegment ? tasksOfPass(work, piece.backwardInputSegment, expandTensor) + tasksOfPass(work, piece.backwardWeightSegment, expandTensor)
                                                                : tasksOfPass(work, piece.backwardSegment, expandTensor);
        return tasksOfPass(work, piece.forwardSegment, expandTensor) + backward + 2 * perPass + reductions;
    };
    double perMicroBatch = ofPiece(work.embedding) + ofPiece(work.head);
    for (const int kind : work.kindOfLayer) perMicroBatch += ofPiece(work.layers[static_cast<std::size_t>(kind)]);
    if (work.nextToken) perMicroBatch += double(scenario.model.nextTokenModules) * ofPiece(*work.nextToken);
    perMicroBatch += 2.0 * (plan.pipeline * plan.virtualPipeline - 1); // sends of activations and of their gradients
    RunSize size;
    size.tasks = perMicroBatch * scenario.microBatches() * lanesOfStage;
    size.bytes = size.tasks * bytesPerTask;
    return size;
}

} // namespace orrery
