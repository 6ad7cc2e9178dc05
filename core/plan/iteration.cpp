#include "core/plan/iteration.hpp"

#include "core/plan/model_chunks.hpp"
#include "core/plan/optimizer_work.hpp"
#include "core/plan/pair_segment.hpp"
#include "core/plan/program_writer.hpp"
#include "core/plan/schedule.hpp"
#include "core/plan/stage_order.hpp"

#include <map>
#include <memory>
#include <utility>

namespace orrery {
namespace {

class IterationBuilder {
public:
    IterationBuilder(const Scenario& scenario, RankWork work, JobTraffic& traffic, LaneMap lanes, bool expandTensor)
        : scenario_(scenario), plan_(scenario.parallelism), iteration_(start(std::move(work), std::move(lanes))),
          writer_(scenario, traffic, iteration_, expandTensor) {
        iteration_.schedule = scheduleOf(scenario);
        chunks_ = std::make_unique<ModelChunks>(scenario, iteration_.work, placement());
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
            for (const int chunk : chunks_->heldBy(stageOf(lane))) tasks += chunks_->units(chunk).size() + 2;
        tasks *= 2 * static_cast<std::size_t>(scenario_.microBatches()) * (plan_.zeroStage >= 2 ? 3 : 1);
        iteration_.program.reserve(tasks);
        iteration_.tasks.reserve(tasks);
    }

    // --- one lane --------------------------------------------------------------------------------------------------------

    TaskPlace placeOf(const UnitPass& pass) const { return {pass.step.microBatch, pass.unit->layer, slotOf(pass.step)}; }

    void buildLane(int lane) {
        const std::vector<PlacedWork> order = stageOrder(stepsOf(lane), *chunks_);
        findEnds(stepsOf(lane));
        const bool gathers = plan_.zeroStage >= 3 && plan_.replicas() > 1;
        gradientReady_ = noTask;
        std::vector<TaskId> pendingSends;
        TaskId previous = noTask;
        TaskId gather = gathers ? addGathers(lane, order.front(), noTask) : noTask;
        if (!gathers) addParameterGathers(lane);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const PlacedWork& work = order[i];
            const auto [first, task] = addCompute(lane, work);
            writer_.after(first, gather);
            for (const TaskId send : pendingSends) writer_.after(first, send);
            pendingSends.clear();
            for (const UnitPass& pass : work) writer_.after(first, parameterGather(pass));
            if (gathers && i + 1 < order.size()) {
                // One unit ahead: the next is gathered while this one runs, so two are alive at once.
                const TaskId release = scenario_.execution.overlap.data ? previous : task;
                gather = addGathers(lane, order[i + 1], release);
            }
            previous = task;
            for (const UnitPass& pass : work) {
                if (pass.endsGradients()) reduceGradients(lane, pass, task);
                if (!pass.last || pass.step.kind == PassKind::backward_weight) continue;
                const TaskId send = addTransfer(lane, pass.step, task);
                if (send != noTask) pendingSends.push_back(send);
            }
        }
        flushGradients(lane, previous);
        lastCompute_.push_back(previous);
    }

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

    /// By slot: the first micro-batch to go forward, the last whose gradients are completed.
    void findEnds(const std::vector<PipelineStep>& steps) {
        firstForward_.assign(static_cast<std::size_t>(placement().chunksPerStage), -1);
        lastBackward_ = firstForward_;
        for (const PipelineStep& step : steps) {
            const auto slot = static_cast<std::size_t>(slotOf(step));
            if (step.kind == PassKind::forward && firstForward_[slot] < 0) firstForward_[slot] = step.microBatch;
            if (step.kind == PassKind::backward || step.kind == PassKind::backward_weight) lastBackward_[slot] = step.microBatch;
        }
    }

    // --- data parallelism ------------------------------------------------------------------------------------------------

    double reduceBytes(double elements) const { return elements * scenario_.execution.profile.gradientReduceBytes; }
    double gatherBytes(double elements) const { return elements * scenario_.execution.profile.gatheredWeightBytes; }

    /// Ranks that hold the same routed experts.
    int expertReplicas() const { return plan_.tensor * plan_.replicas() / (plan_.expert * plan_.expertTensor); }

    /// One collective of the data group and, where there are experts, one of the ranks that hold the same; gives the last.
    TaskId addOfBoth(int lane, const char* name, CollectiveKind kind, double bytes, double expertBytes, TaskId before, const TaskPlace& place) {
        const int stage = stageOf(lane);
        TaskId last = noTask;
        if (bytes > 0)
            last = writer_.addShared(lane, writer_.collectiveSegment(name, {RankGroup::data, kind, stage, stage}, bytes), before, place);
        if (expertBytes > 0 && expertReplicas() > 1) {
            const std::string expertName = std::string(name) + "_of_experts";
            last = writer_.addShared(lane, writer_.collectiveSegment(expertName.c_str(), {RankGroup::expert_data, kind, stage, stage}, expertBytes),
                                     before, place);
        }
        return last;
    }

    TaskId gather(int lane, const PieceWork& piece, TaskId release, const TaskPlace& place) {
        return addOfBoth(lane, "data.gather_parameters", CollectiveKind::all_gather, gatherBytes(piece.elements + piece.frozenElements),
                         gatherBytes(piece.expertElements), release, place);
    }

    /// Those of work that runs together come one after the other; gives the last.
    TaskId addGathers(int lane, const PlacedWork& next, TaskId release) {
        TaskId last = noTask;
        for (const UnitPass& pass : next)
            if (pass.readsWeights()) last = gather(lane, *pass.unit->piece, release, placeOf(pass));
        return last;
    }

    /// ZeRO-1 and 2 with overlap: what last iteration's optimizer updated is gathered before the first forward needs it.
    void addParameterGathers(int lane) {
        parameterGather_.clear();
        if (plan_.zeroStage < 1 || plan_.replicas() == 1 || !scenario_.execution.overlap.data) return;
        const std::vector<int>& held = chunks_->heldBy(stageOf(lane));
        for (std::size_t slot = 0; slot < held.size(); ++slot)
            for (const Unit& unit : chunks_->units(held[slot]))
                parameterGather_[&unit] = gather(lane, *unit.piece, noTask, {-1, unit.layer, static_cast<int>(slot)});
    }

    TaskId parameterGather(const UnitPass& pass) const {
        if (!pass.isForward() || pass.step.microBatch != firstForward_[static_cast<std::size_t>(slotOf(pass.step))]) return noTask;
        const auto found = parameterGather_.find(pass.unit);
        return found == parameterGather_.end() ? noTask : found->second;
    }

    /// Collects gradients that are final (or, from ZeRO-2 on, to be sharded at once) and sends a bucket when it is full.
    void reduceGradients(int lane, const UnitPass& pass, TaskId task) {
        if (plan_.replicas() == 1) return;
        const bool last = pass.step.microBatch == lastBackward_[static_cast<std::size_t>(slotOf(pass.step))];
        if (plan_.zeroStage < 2 && !last) return;
        bucketElements_ += pass.unit->piece->elements;
        bucketExpertElements_ += pass.unit->piece->expertElements;
        const bool everyUnit = plan_.zeroStage >= 2;
        if (!scenario_.execution.overlap.data && !everyUnit) return;
        const double bucket = scenario_.execution.profile.gradientBucketBytes;
        const bool full = everyUnit || (bucket > 0 && reduceBytes(bucketElements_ + bucketExpertElements_) >= bucket);
        if (full || pass.last) sendBucket(lane, task, placeOf(pass));
    }

    void flushGradients(int lane, TaskId last) {
        if (bucketElements_ + bucketExpertElements_ > 0) sendBucket(lane, last, {});
        gradientsReduced_.push_back(gradientReady_);
    }

    void sendBucket(int lane, TaskId task, const TaskPlace& place) {
        const bool scattered = plan_.zeroStage >= 1;
        const TaskId reduced = addOfBoth(lane, scattered ? "data.reduce_scatter_gradients" : "data.all_reduce_gradients",
                                         scattered ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, reduceBytes(bucketElements_),
                                         reduceBytes(bucketExpertElements_), task, place);
        if (reduced != noTask) gradientReady_ = reduced;
        bucketElements_ = bucketExpertElements_ = 0;
    }

    // --- the end of the iteration ----------------------------------------------------------------------------------------

    void finishIteration() {
        std::vector<TaskId> pairReduced(static_cast<std::size_t>(laneCount()), noTask);
        if (placement().kind == PlacementKind::two_way) reduceMirrored(pairReduced);
        else if (scenario_.model.tiedEmbedding && embeddingStages().first != embeddingStages().second) reduceTiedEmbedding(pairReduced);

        std::vector<TaskId> norms;
        for (int lane = 0; lane < laneCount(); ++lane) {
            const auto index = static_cast<std::size_t>(lane);
            const TaskId norm = addOptimizerTask(lane, gradientNormOperator(scenario_, optimizedAt(lane)));
            writer_.after(norm, gradientsReduced_[index]);
            writer_.after(norm, pairReduced[index]);
            norms.push_back(norm);
        }
        for (int lane = 0; lane < laneCount(); ++lane) {
            const TaskId step = addOptimizerTask(lane, optimizerOperator(scenario_, optimizedAt(lane)));
            waitForNorms(step, lane, norms);
            TaskId last = step;
            const bool gatherNow = plan_.replicas() > 1 && (plan_.zeroStage == 1 || plan_.zeroStage == 2) && !scenario_.execution.overlap.data;
            if (gatherNow)
                last = addOfBoth(lane, "data.gather_parameters", CollectiveKind::all_gather, gatherBytes(iteration_.stageElements[stageIndex(lane)]),
                                 gatherBytes(iteration_.stageExpertElements[stageIndex(lane)]), step, {});
            const double overhead = scenario_.execution.profile.iterationOverhead;
            if (overhead > 0) writer_.after(writer_.addCompute(lane, writer_.overheadSegment(overhead), {}).first, last);
        }
    }

    std::size_t stageIndex(int lane) const { return static_cast<std::size_t>(stageOf(lane)); }

    /// Parameters that the rank's optimizer steps over: its share of them from ZeRO-1 on.
    double optimizedAt(int lane) const {
        const double dense = iteration_.stageElements[stageIndex(lane)], experts = iteration_.stageExpertElements[stageIndex(lane)];
        return plan_.zeroStage >= 1 ? dense / plan_.replicas() + experts / expertReplicas() : dense + experts;
    }
    TaskId addOptimizerTask(int lane, TimedOperator timed) { return writer_.addCompute(lane, writer_.singleSegment(std::move(timed)), {}).last; }

    /// Clipping needs the norm over all stages. Lanes of a stage have met in its gradient collectives when there are any, so
    /// those of the lane's own pipeline say it all.
    void waitForNorms(TaskId step, int lane, const std::vector<TaskId>& norms) {
        for (int stage = 0; stage < plan_.pipeline; ++stage)
            writer_.after(step, norms[static_cast<std::size_t>(iteration_.lanes.partner(lane, stage))]);
    }

    /// Where the embedding and the head are.
    std::pair<int, int> embeddingStages() const { return {placement().stageOf(0, 0), placement().stageOf(chunks_->count() - 1, 0)}; }

    /// First and last stage add up the gradients of the word embedding they share (Narayanan et al. 2021, section 2.2).
    void reduceTiedEmbedding(std::vector<TaskId>& reduced) {
        const double elements = double(scenario_.model.vocabulary) * double(scenario_.model.embeddingWidth) / plan_.tensor;
        const auto [stage, other] = embeddingStages();
        reducePair(stage, other, "pipeline.all_reduce_embedding", reduceBytes(elements), reduced);
    }

    /// DualPipe's stages hold the same chunks two by two and add up the gradients that each has of them: the shards of them that
    /// ZeRO leaves to a rank.
    void reduceMirrored(std::vector<TaskId>& reduced) {
        for (int stage = 0; stage < plan_.pipeline / 2; ++stage)
            reducePair(stage, plan_.pipeline - 1 - stage, "pipeline.all_reduce_mirrored_gradients",
                       reduceBytes(optimizedAt(iteration_.lanes.first(stage))), reduced);
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
    std::unique_ptr<ModelChunks> chunks_;
    std::vector<TaskId> entry_;            ///< by lane and pass: its first compute task
    std::vector<TaskId> transfer_;         ///< by lane and pass: the task that hands its result on
    std::vector<int> firstForward_, lastBackward_; ///< micro-batches, by slot, of the lane being built
    std::map<const Unit*, TaskId> parameterGather_;
    double bucketElements_ = 0;
    double bucketExpertElements_ = 0;
    TaskId gradientReady_ = noTask;        ///< last bucket of the lane being built
    std::vector<TaskId> gradientsReduced_; ///< by lane
    std::vector<TaskId> lastCompute_;      ///< by lane
};

} // namespace

Iteration buildIteration(const Scenario& scenario, RankWork work, JobTraffic& traffic, LaneMap lanes, bool expandTensor) {
    return IterationBuilder(scenario, std::move(work), traffic, std::move(lanes), expandTensor).run();
}

} // namespace orrery
