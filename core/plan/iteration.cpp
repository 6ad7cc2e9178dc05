#include "core/plan/iteration.hpp"

#include "core/plan/optimizer_work.hpp"
#include "core/plan/program_writer.hpp"

#include <map>
#include <utility>

namespace orrery {
namespace {

constexpr int embeddingUnit = -1;

/// A layer, the embedding or the head of one chunk, one after the other on the compute stream.
struct Unit {
    const PieceWork* piece = nullptr;
    int layer = embeddingUnit; ///< in the model; -1 for embedding and head
    bool head = false;
};

class IterationBuilder {
public:
    IterationBuilder(const Scenario& scenario, RankWork work, JobTraffic& traffic, LaneMap lanes, bool expandTensor)
        : scenario_(scenario), plan_(scenario.parallelism), iteration_(start(std::move(work), std::move(lanes))),
          writer_(scenario, traffic, iteration_, expandTensor) {
        iteration_.schedule = makeSchedule(plan_.schedule, plan_.pipeline, plan_.virtualPipeline, scenario.microBatches());
        chunks_ = plan_.pipeline * plan_.virtualPipeline;
        for (int chunk = 0, layer = 0; chunk < chunks_; layer += plan_.layout[static_cast<std::size_t>(chunk++)])
            units_.push_back(unitsOf(chunk, layer));
        const std::size_t passes = 2 * static_cast<std::size_t>(scenario.microBatches()) * static_cast<std::size_t>(plan_.virtualPipeline);
        entry_.assign(iteration_.lanes.lanes().size() * passes, noTask);
        transfer_.assign(iteration_.lanes.lanes().size() * passes, noTask);
    }

    Iteration run() {
        reserve();
        for (int stage = 0; stage < plan_.pipeline; ++stage) {
            iteration_.stageElements.push_back(sumOver(stage, &PieceWork::elements));
            iteration_.stageFrozenElements.push_back(sumOver(stage, &PieceWork::frozenElements));
            iteration_.stageExpertElements.push_back(sumOver(stage, &PieceWork::expertElements));
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

    // --- the model on the stages -----------------------------------------------------------------------------------------

    std::vector<Unit> unitsOf(int chunk, int firstLayer) const {
        std::vector<Unit> units;
        const RankWork& work = iteration_.work;
        if (chunk == 0) units.push_back({&work.embedding, embeddingUnit, false});
        for (int i = 0; i < plan_.layout[static_cast<std::size_t>(chunk)]; ++i)
            units.push_back({&work.layer(firstLayer + i), firstLayer + i, false});
        if (chunk != chunks_ - 1) return units;
        for (std::int64_t i = 0; work.nextToken && i < scenario_.model.nextTokenModules; ++i)
            units.push_back({&*work.nextToken, static_cast<int>(scenario_.model.layers + i), false});
        units.push_back({&work.head, embeddingUnit, true});
        return units;
    }

    int laneCount() const { return static_cast<int>(iteration_.lanes.lanes().size()); }
    int stageOf(int lane) const { return iteration_.lanes.lane(lane).stage; }
    const std::vector<Unit>& units(int stage, int chunk) const {
        return units_[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(plan_.pipeline) + static_cast<std::size_t>(stage)];
    }

    double sumOver(int stage, double PieceWork::*what) const {
        double sum = 0;
        for (int chunk = 0; chunk < plan_.virtualPipeline; ++chunk)
            for (const Unit& unit : units(stage, chunk)) sum += unit.piece->*what;
        return sum;
    }

    void reserve() {
        std::size_t tasks = 0;
        for (int lane = 0; lane < laneCount(); ++lane)
            for (int chunk = 0; chunk < plan_.virtualPipeline; ++chunk) tasks += units(stageOf(lane), chunk).size() + 2;
        tasks *= 2 * static_cast<std::size_t>(scenario_.microBatches()) * (plan_.zeroStage >= 2 ? 3 : 1);
        iteration_.program.reserve(tasks);
        iteration_.tasks.reserve(tasks);
    }

    // --- one lane --------------------------------------------------------------------------------------------------------

    struct PlacedUnit {
        const Unit* unit;
        Step step;
        bool first, last; ///< of its step
        TaskPlace place() const { return {step.microBatch, unit->layer, step.chunk}; }
    };

    void buildLane(int lane) {
        const int stage = stageOf(lane);
        std::vector<PlacedUnit> order;
        for (const Step& step : iteration_.schedule[static_cast<std::size_t>(stage)]) {
            const std::vector<Unit>& chunk = units(stage, step.chunk);
            const std::size_t count = chunk.size();
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t index = step.kind == StepKind::forward ? i : count - 1 - i;
                order.push_back({&chunk[index], step, i == 0, i + 1 == count});
            }
        }
        const bool gathers = plan_.zeroStage >= 3 && plan_.replicas() > 1;
        gradientReady_ = noTask;
        TaskId pendingSend = noTask;
        TaskId previous = noTask;
        TaskId gather = gathers ? addGather(lane, order.front(), noTask) : noTask;
        if (!gathers) addParameterGathers(lane);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const PlacedUnit& placed = order[i];
            const auto [first, task] = addCompute(lane, placed);
            writer_.after(first, gather);
            writer_.after(first, std::exchange(pendingSend, noTask));
            writer_.after(first, parameterGather(placed));
            if (gathers && i + 1 < order.size()) {
                // One unit ahead: the next is gathered while this one runs, so two are alive at once.
                const TaskId release = scenario_.execution.overlap.data ? previous : task;
                gather = addGather(lane, order[i + 1], release);
            }
            previous = task;
            if (placed.step.kind == StepKind::backward) reduceGradients(lane, placed, task);
            if (placed.last) pendingSend = addTransfer(lane, placed.step, task);
        }
        flushGradients(lane, previous);
        lastCompute_.push_back(previous);
    }

    ComputeTasks addCompute(int lane, const PlacedUnit& placed) {
        const PieceWork& piece = *placed.unit->piece;
        const bool forward = placed.step.kind == StepKind::forward;
        const ComputeTasks tasks = writer_.addCompute(lane, forward ? piece.forwardSegment : piece.backwardSegment, placed.place());
        if (placed.first) entry_[passIndex(lane, placed.step)] = tasks.first;
        return tasks;
    }

    static Step step(StepKind kind, int microBatch, int chunk) {
        Step made{};
        made.kind = kind;
        made.microBatch = microBatch;
        made.chunk = static_cast<decltype(made.chunk)>(chunk);
        return made;
    }

    std::size_t passIndex(int lane, const Step& step) const {
        const auto kind = static_cast<std::size_t>(step.kind);
        const std::size_t chunk = (static_cast<std::size_t>(lane) * 2 + kind) * static_cast<std::size_t>(plan_.virtualPipeline) +
                                  static_cast<std::size_t>(step.chunk);
        return chunk * static_cast<std::size_t>(scenario_.microBatches()) + static_cast<std::size_t>(step.microBatch);
    }

    /// Sends a step's result on. Gives the task that the lane's next compute waits for, if transfers are not overlapped.
    TaskId addTransfer(int lane, const Step& step, TaskId task) {
        const int chunk = step.chunk * plan_.pipeline + stageOf(lane);
        const int target = step.kind == StepKind::forward ? chunk + 1 : chunk - 1;
        if (target < 0 || target >= chunks_) return noTask;
        const int targetStage = target % plan_.pipeline;
        TaskId& slot = transfer_[passIndex(lane, step)];
        if (targetStage == stageOf(lane)) {
            slot = task;
            return noTask;
        }
        slot = writer_.addTransfer(lane, targetStage, transferBytes(scenario_), {step.microBatch, -1, step.chunk});
        writer_.after(slot, task);
        return scenario_.execution.overlap.pipeline ? noTask : slot;
    }

    void connectLanes() {
        for (int lane = 0; lane < laneCount(); ++lane) {
            for (int local = 0; local < plan_.virtualPipeline; ++local) {
                const int chunk = local * plan_.pipeline + stageOf(lane);
                for (int i = 0; i < scenario_.microBatches(); ++i) {
                    const auto connect = [&](StepKind kind, int source) {
                        const int sourceLane = iteration_.lanes.partner(lane, source % plan_.pipeline);
                        writer_.after(entry_[passIndex(lane, step(kind, i, local))],
                                      transfer_[passIndex(sourceLane, step(kind, i, source / plan_.pipeline))]);
                    };
                    if (chunk > 0) connect(StepKind::forward, chunk - 1);
                    if (chunk + 1 < chunks_) connect(StepKind::backward, chunk + 1);
                    // The last chunk's backward begins where its forward ended: same stream, schedule order.
                }
            }
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

    TaskId addGather(int lane, const PlacedUnit& next, TaskId release) { return gather(lane, *next.unit->piece, release, next.place()); }

    /// ZeRO-1 and 2 with overlap: what last iteration's optimizer updated is gathered before the first forward needs it.
    void addParameterGathers(int lane) {
        parameterGather_.clear();
        if (plan_.zeroStage < 1 || plan_.replicas() == 1 || !scenario_.execution.overlap.data) return;
        for (int chunk = 0; chunk < plan_.virtualPipeline; ++chunk)
            for (const Unit& unit : units(stageOf(lane), chunk))
                parameterGather_[&unit] = gather(lane, *unit.piece, noTask, {-1, unit.layer, chunk});
    }

    TaskId parameterGather(const PlacedUnit& placed) const {
        if (placed.step.kind != StepKind::forward || placed.step.microBatch != 0) return noTask;
        const auto found = parameterGather_.find(placed.unit);
        return found == parameterGather_.end() ? noTask : found->second;
    }

    /// Collects gradients that are final (or, from ZeRO-2 on, to be sharded at once) and sends a bucket when it is full.
    void reduceGradients(int lane, const PlacedUnit& placed, TaskId task) {
        if (plan_.replicas() == 1) return;
        const bool last = placed.step.microBatch == scenario_.microBatches() - 1;
        if (plan_.zeroStage < 2 && !last) return;
        bucketElements_ += placed.unit->piece->elements;
        bucketExpertElements_ += placed.unit->piece->expertElements;
        const bool everyUnit = plan_.zeroStage >= 2;
        if (!scenario_.execution.overlap.data && !everyUnit) return;
        const double bucket = scenario_.execution.profile.gradientBucketBytes;
        const bool full = everyUnit || (bucket > 0 && reduceBytes(bucketElements_ + bucketExpertElements_) >= bucket);
        if (full || placed.last) sendBucket(lane, task, placed.place());
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
        std::vector<TaskId> embeddingReduced(static_cast<std::size_t>(laneCount()), noTask);
        if (scenario_.model.tiedEmbedding && plan_.pipeline > 1) reduceTiedEmbedding(embeddingReduced);

        std::vector<TaskId> norms;
        for (int lane = 0; lane < laneCount(); ++lane) {
            const auto index = static_cast<std::size_t>(lane);
            const TaskId norm = addOptimizerTask(lane, gradientNormOperator(scenario_, optimizedAt(lane)));
            writer_.after(norm, gradientsReduced_[index]);
            writer_.after(norm, embeddingReduced[index]);
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

    /// First and last stage add up the gradients of the word embedding they share (Narayanan et al. 2021, section 2.2).
    void reduceTiedEmbedding(std::vector<TaskId>& reduced) {
        const double elements = double(scenario_.model.vocabulary) * double(scenario_.model.embeddingWidth) / plan_.tensor;
        const int lastStage = plan_.pipeline - 1;
        const std::uint32_t segment = writer_.collectiveSegment(
            "pipeline.all_reduce_embedding", {RankGroup::embedding, CollectiveKind::all_reduce, 0, lastStage}, reduceBytes(elements));
        for (int lane = iteration_.lanes.first(0); lane < iteration_.lanes.first(0) + iteration_.lanes.count(0); ++lane) {
            const int other = iteration_.lanes.partner(lane, lastStage);
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
    int chunks_ = 0;
    std::vector<std::vector<Unit>> units_; ///< by chunk of the model
    std::vector<TaskId> entry_;            ///< by lane and pass: its first compute task
    std::vector<TaskId> transfer_;         ///< by lane and pass: the task that hands its result on
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
