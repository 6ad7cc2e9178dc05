// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/iteration.hpp"

#include "core/training/plan/host_copies.hpp"
#include "core/training/plan/program_writer.hpp"
#include "core/training/plan/replica_traffic.hpp"
#include "core/training/rank_work/model_chunks.hpp"
#include "core/training/rank_work/optimizer_work.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/replica_policy/replica_policy.hpp"
#include "core/training/segments/slowed_segment.hpp"

#include <map>
#include <memory>
#include <utility>

namespace orrery {
namespace {

class IterationBuilder {
public:
    IterationBuilder(const Scenario& scenario, RankWork work, JobTraffic& traffic, LaneMap lanes, bool expandTensor, const StepStretch* stretch)
        : scenario_(scenario), plan_(scenario.parallelism), iteration_(start(std::move(work), std::move(lanes))),
          writer_(scenario, traffic, iteration_, expandTensor, stretch), copies_(scenario, writer_) {
        iteration_.schedule = scheduleOf(scenario);
        chunks_ = std::make_unique<ModelChunks>(scenario, iteration_.work, placement());
        replicas_ = std::make_unique<ReplicaTraffic>(scenario_, iteration_, *chunks_, writer_);
        const std::size_t passes = 2 * static_cast<std::size_t>(scenario.microBatches()) * static_cast<std::size_t>(placement().chunksPerStage);
        entry_.assign(iteration_.lanes.lanes().size() * passes, noTask);
        transfer_.assign(iteration_.lanes.lanes().size() * passes, noTask);
    }

    Iteration run() {
        reserve();
        for (int stage = 0; stage < plan_.pipeline; ++stage) {
            iteration_.stageElements.push_back(chunks_->sumOver(stage, &PieceWork::elements));
            iteration_.stageFrozenElements.push_back(chunks_->sumOver(stage, &PieceWork::frozenElements));
            iteration_.stageExpertElements.push_back(chunks_->sumOver(stage, &PieceWork::expertElements));
        }
        for (int lane = 0; lane < laneCount(); ++lane) buildLane(lane);
        connectLanes();
        finishIteration();
        for (int stage = 0; stage < plan_.pipeline; ++stage) iteration_.shown.push_back(iteration_.lanes.first(stage));
        return std::move(iteration_);
    }

private:
    static Iteration start(RankWork work, LaneMap lanes) {
        Iteration iteration;
        iteration.work = std::move(work);
        iteration.lanes = std::move(lanes);
        return iteration;
    }

    const Placement& placement() const { return iteration_.schedule.placement; }
    int laneCount() const { return static_cast<int>(iteration_.lanes.lanes().size()); }
    int stageOf(int lane) const { return iteration_.lanes.lane(lane).stage; }
    const std::vector<PipelineStep>& stepsOf(int lane) const { return iteration_.schedule.stages[stageIndex(lane)]; }
    int slotOf(const PipelineStep& step) const { return placement().slotOf(step.chunk, step.microBatch); }

    void reserve() {
        std::size_t tasks = 0;
        for (int lane = 0; lane < laneCount(); ++lane)
            for (const int chunk : chunks_->heldBy(stageOf(lane))) {
                tasks += 4;
                for (const Unit& unit : chunks_->units(chunk)) tasks += writer_.tasksOf(unit.piece->forwardSegment) + writer_.tasksOf(unit.piece->backwardSegment);
            }
        tasks *= static_cast<std::size_t>(scenario_.microBatches()) * (replicas_->policy().meetsAtEveryUnit() ? 3 : 1);
        iteration_.program.reserve(tasks);
        iteration_.tasks.reserve(tasks);
    }

    // --- one lane --------------------------------------------------------------------------------------------------------

    void buildLane(int lane) {
        const std::vector<PlacedWork> order = stageOrder(stepsOf(lane), *chunks_);
        replicas_->beginLane(lane);
        copies_.beginLane(lane);
        std::vector<TaskId> pendingSends;
        TaskId previous = noTask;
        // One unit ahead: the next is gathered while this one runs, so two are alive at once.
        Needs needs = askFor(order.front(), noTask, noTask);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const PlacedWork& work = order[i];
            const auto [first, task] = addCompute(lane, work);
            writer_.after(first, needs.gather);
            writer_.after(first, needs.copy);
            for (const TaskId send : pendingSends) writer_.after(first, send);
            pendingSends.clear();
            for (const UnitPass& pass : work) writer_.after(first, replicas_->parameterGather(pass));
            if (i + 1 < order.size()) needs = askFor(order[i + 1], replicas_->policy().gathersAhead() ? previous : task, previous);
            previous = task;
            if (copies_.any()) copies_.store(work, task, slotOf(work.passes[0].step));
            for (const UnitPass& pass : work) {
                if (pass.endsGradients()) {
                    replicas_->reduceGradients(pass, task);
                    pendingSends.push_back(replicas_->awaitedReduction());
                }
                if (!pass.last || pass.step.kind == PassKind::backward_weight) continue;
                const TaskId send = addTransfer(lane, pass.step, task);
                if (send != noTask) pendingSends.push_back(send);
            }
        }
        gradientsReduced_.push_back(replicas_->endLane(previous));
        lastCompute_.push_back(previous);
    }

    /// What work waits for besides its place in the order: gathered weights, copies from the host.
    struct Needs {
        TaskId gather = noTask;
        TaskId copy = noTask;
    };
    Needs askFor(const PlacedWork& work, TaskId gatherAfter, TaskId copyAfter) {
        Needs needs;
        if (replicas_->policy().gathers() == GatherTime::each_pass) needs.gather = replicas_->gatherUnits(work, gatherAfter);
        if (copies_.any()) needs.copy = copies_.fetch(work, copyAfter, slotOf(work.passes[0].step));
        return needs;
    }

    TaskPlace placeOf(const UnitPass& pass) const { return {pass.step.microBatch, pass.unit->layer, slotOf(pass.step)}; }

    ComputeTasks addCompute(int lane, const PlacedWork& work) {
        const std::uint32_t segment = work.count == 1 ? segmentOf(work.passes[0]) : pairSegment(segmentOf(work.passes[0]), segmentOf(work.passes[1]));
        const ComputeTasks tasks = writer_.addCompute(lane, segment, placeOf(work.passes[0]));
        for (const UnitPass& pass : work)
            if (pass.first && pass.step.kind != PassKind::backward_weight) entry_[passIndex(lane, pass.step)] = tasks.first;
        return tasks;
    }

    std::uint32_t pairSegment(std::uint32_t one, std::uint32_t other) {
        const auto [entry, added] = iteration_.pairs.emplace(std::make_pair(one, other), 0);
        if (added) {
            RankWork& work = iteration_.work;
            entry->second = work.add(buildPairSegment(work.segments[one], work.segments[other], segmentOptions(scenario_), work.operators));
        }
        return entry->second;
    }

    std::size_t passIndex(int lane, const PipelineStep& step) const {
        const std::size_t kind = step.kind == PassKind::forward ? 0 : 1;
        const std::size_t slot = (static_cast<std::size_t>(lane) * 2 + kind) * static_cast<std::size_t>(placement().chunksPerStage) +
                                 static_cast<std::size_t>(slotOf(step));
        return slot * static_cast<std::size_t>(scenario_.microBatches()) + static_cast<std::size_t>(step.microBatch);
    }

    /// Sends a step's result on. Gives the task that the lane's next compute waits for, if transfers are not overlapped.
    TaskId addTransfer(int lane, const PipelineStep& step, TaskId task) {
        const int target = step.kind == PassKind::forward ? step.chunk + 1 : step.chunk - 1;
        if (target < 0 || target >= chunks_->count()) return noTask;
        const int targetStage = placement().stageOf(target, step.microBatch);
        TaskId& slot = transfer_[passIndex(lane, step)];
        if (targetStage == stageOf(lane)) {
            slot = task;
            return noTask;
        }
        slot = writer_.addTransfer(lane, targetStage, transferBytes(scenario_), {step.microBatch, -1, slotOf(step)});
        writer_.after(slot, task);
        return scenario_.execution.overlap.pipeline ? noTask : slot;
    }

    void connectLanes() {
        for (int lane = 0; lane < laneCount(); ++lane) {
            for (const PipelineStep& step : stepsOf(lane)) {
                if (step.kind == PassKind::backward_weight) continue;
                PipelineStep source = step;
                source.chunk = static_cast<std::int16_t>(step.kind == PassKind::forward ? step.chunk - 1 : step.chunk + 1);
                // The last chunk's backward begins where its forward ended: same stream, schedule order.
                if (source.chunk < 0 || source.chunk >= chunks_->count()) continue;
                const int sourceLane = iteration_.lanes.partner(lane, placement().stageOf(source.chunk, step.microBatch));
                writer_.after(entry_[passIndex(lane, step)], transfer_[passIndex(sourceLane, source)]);
            }
        }
    }

    // --- the end of the iteration ----------------------------------------------------------------------------------------

    void finishIteration() {
        std::vector<TaskId> pairReduced(static_cast<std::size_t>(laneCount()), noTask);
        const auto [first, last] = embeddingStages();
        switch (stagePairs(scenario_, placement().kind == PlacementKind::two_way, first, last)) {
        case StagePairs::mirrored: reduceMirrored(pairReduced); break;
        case StagePairs::tied_embedding: reduceTiedEmbedding(pairReduced); break;
        case StagePairs::none: break;
        }

        std::vector<TaskId> norms;
        for (int lane = 0; lane < laneCount(); ++lane) {
            const auto index = static_cast<std::size_t>(lane);
            const TaskId norm = addOptimizerTask(lane, gradientNormOperator(scenario_, replicas_->optimizedAt(stageOf(lane))));
            writer_.after(norm, gradientsReduced_[index]);
            writer_.after(norm, pairReduced[index]);
            norms.push_back(norm);
        }
        for (int lane = 0; lane < laneCount(); ++lane) addStep(lane, norms);
    }

    void addStep(int lane, const std::vector<TaskId>& norms) {
        const double elements = replicas_->optimizedAt(stageOf(lane)), onHost = scenario_.execution.offload.optimizer;
        std::vector<TaskId> done;
        for (TimedOperator& part : optimizerOperators(scenario_, (1 - onHost) * elements, (1 - onHost) * orthogonalFlops(lane))) {
            done.push_back(addOptimizerTask(lane, std::move(part)));
            waitForNorms(done.back(), lane, norms);
        }
        if (onHost > 0) {
            done.push_back(copies_.stepOnHost(lane, onHost * elements, norms[static_cast<std::size_t>(lane)]));
        }
        const TaskId gathered = replicas_->gatherAfterStep(lane, done.back());
        const double overhead = scenario_.execution.profile.iterationOverhead;
        if (overhead <= 0) return;
        const TaskId end = writer_.addCompute(lane, writer_.overheadSegment(overhead), {}).first;
        writer_.after(end, gathered);
        for (const TaskId task : done) writer_.after(end, task);
    }

    /// Muon's products, shared out like the elements they change.
    double orthogonalFlops(int lane) const {
        return replicas_->policy().optimizedFlops(chunks_->sumOver(stageOf(lane), &PieceWork::orthogonalFlops));
    }

    std::size_t stageIndex(int lane) const { return static_cast<std::size_t>(stageOf(lane)); }

    TaskId addOptimizerTask(int lane, TimedOperator timed) { return writer_.addCompute(lane, writer_.singleSegment(std::move(timed)), {}).last; }

    /// Clipping needs the norm over all stages. Lanes of a stage have met in its gradient collectives when there are any, so
    /// those of the lane's own pipeline say it all.
    void waitForNorms(TaskId step, int lane, const std::vector<TaskId>& norms) {
        for (int stage = 0; stage < plan_.pipeline; ++stage)
            writer_.after(step, norms[static_cast<std::size_t>(iteration_.lanes.partner(lane, stage))]);
    }

    /// Where the embedding and the head are.
    std::pair<int, int> embeddingStages() const { return {placement().stageOf(0, 0), placement().stageOf(chunks_->count() - 1, 0)}; }

    void reduceTiedEmbedding(std::vector<TaskId>& reduced) {
        const auto [stage, other] = embeddingStages();
        reducePair(stage, other, "pipeline.all_reduce_embedding", replicas_->policy().reduceBytes(wordEmbeddingElements(scenario_)), reduced);
    }

    void reduceMirrored(std::vector<TaskId>& reduced) {
        for (int stage = 0; stage < plan_.pipeline / 2; ++stage)
            reducePair(stage, plan_.pipeline - 1 - stage, "pipeline.all_reduce_mirrored_gradients",
                       replicas_->policy().reduceBytes(replicas_->optimizedAt(stage)), reduced);
    }

    void reducePair(int stage, int otherStage, const char* name, double bytes, std::vector<TaskId>& reduced) {
        const std::uint32_t segment =
            writer_.collectiveSegment(name, {RankGroup::embedding, CollectiveKind::all_reduce, stage, otherStage}, bytes);
        for (int lane = iteration_.lanes.first(stage); lane < iteration_.lanes.first(stage) + iteration_.lanes.count(stage); ++lane) {
            const int other = iteration_.lanes.partner(lane, otherStage);
            const auto mine = static_cast<std::size_t>(lane), theirs = static_cast<std::size_t>(other);
            const auto [here, there] = writer_.addPaired(
                lane, other, segment, {lastCompute_[mine], lastCompute_[theirs], gradientsReduced_[mine], gradientsReduced_[theirs]});
            reduced[mine] = here;
            reduced[theirs] = there;
        }
    }

    const Scenario& scenario_;
    const Parallelism& plan_;
    Iteration iteration_;
    ProgramWriter writer_;
    HostCopies copies_;
    std::unique_ptr<ModelChunks> chunks_;
    std::unique_ptr<ReplicaTraffic> replicas_;
    std::vector<TaskId> entry_;            ///< by lane and pass: its first compute task
    std::vector<TaskId> transfer_;         ///< by lane and pass: the task that hands its result on
    std::vector<TaskId> gradientsReduced_; ///< by lane
    std::vector<TaskId> lastCompute_;      ///< by lane
};

} // namespace

Iteration buildIteration(const Scenario& scenario, RankWork work, JobTraffic& traffic, LaneMap lanes, bool expandTensor, const StepStretch* stretch) {
    return IterationBuilder(scenario, std::move(work), traffic, std::move(lanes), expandTensor, stretch).run();
}

} // namespace orrery
