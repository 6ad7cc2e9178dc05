#include "core/plan/iteration.hpp"

#include "core/plan/optimizer_work.hpp"
#include "core/plan/rank_groups.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace orrery {
namespace {

constexpr TaskId noTask = ~TaskId{0};
constexpr StreamId streamsPerStage = 3;
constexpr int embeddingUnit = -1;

/// A layer, the embedding or the head of one chunk, one after the other on the compute stream.
struct Unit {
    const PieceWork* piece = nullptr;
    int layer = embeddingUnit; ///< in the model; -1 for embedding and head
    bool head = false;
};

class IterationBuilder {
public:
    IterationBuilder(const Scenario& scenario, RankWork work)
        : scenario_(scenario), plan_(scenario.parallelism), grid_(scenario.parallelism) {
        iteration_.work = std::move(work);
        iteration_.schedule = makeSchedule(plan_.schedule, plan_.pipeline, plan_.virtualPipeline, scenario.microBatches());
        chunks_ = plan_.pipeline * plan_.virtualPipeline;
        for (int chunk = 0, layer = 0; chunk < chunks_; layer += plan_.layout[static_cast<std::size_t>(chunk++)])
            units_.push_back(unitsOf(chunk, layer));
        const std::size_t passes = static_cast<std::size_t>(scenario.microBatches()) * static_cast<std::size_t>(chunks_);
        entry_.assign(2 * passes, noTask);
        transfer_.assign(2 * passes, noTask);
    }

    Iteration run() {
        reserve();
        for (StreamId i = 0; i < streamsPerStage * static_cast<StreamId>(plan_.pipeline); ++i) iteration_.program.addStream();
        for (int stage = 0; stage < plan_.pipeline; ++stage) {
            iteration_.stageElements.push_back(elementsOf(stage));
            buildStage(stage);
        }
        connectStages();
        finishIteration();
        return std::move(iteration_);
    }

private:
    // --- the model on the stages -----------------------------------------------------------------------------------------

    std::vector<Unit> unitsOf(int chunk, int firstLayer) const {
        std::vector<Unit> units;
        const RankWork& work = iteration_.work;
        if (chunk == 0) units.push_back({&work.embedding, embeddingUnit, false});
        for (int i = 0; i < plan_.layout[static_cast<std::size_t>(chunk)]; ++i)
            units.push_back({&work.layer, firstLayer + i, false});
        if (chunk == chunks_ - 1) units.push_back({&work.head, embeddingUnit, true});
        return units;
    }

    const std::vector<Unit>& units(int stage, int chunk) const { return units_[modelChunk(stage, chunk)]; }
    std::size_t modelChunk(int stage, int chunk) const {
        return static_cast<std::size_t>(chunk) * static_cast<std::size_t>(plan_.pipeline) + static_cast<std::size_t>(stage);
    }

    double elementsOf(int stage) const {
        double elements = 0;
        for (int chunk = 0; chunk < plan_.virtualPipeline; ++chunk)
            for (const Unit& unit : units(stage, chunk)) elements += unit.piece->elements;
        return elements;
    }

    void reserve() {
        std::size_t tasks = 0;
        for (const std::vector<Unit>& units : units_) tasks += units.size() + 2;
        tasks *= 2 * static_cast<std::size_t>(scenario_.microBatches()) * (plan_.zeroStage >= 2 ? 3 : 1);
        iteration_.program.reserve(tasks);
        iteration_.tasks.reserve(tasks);
    }

    // --- tasks -----------------------------------------------------------------------------------------------------------

    TaskId add(int stage, StreamKind stream, std::uint32_t segment, std::int32_t microBatch = -1, std::int32_t layer = -1,
               int chunk = 0) {
        const StreamId lane = stream == StreamKind::compute ? 0 : (stream == StreamKind::pipeline ? 1 : 2);
        TaskInfo info;
        info.segment = segment;
        info.microBatch = microBatch;
        info.layer = layer;
        info.chunk = static_cast<std::int16_t>(chunk);
        info.stage = static_cast<std::int16_t>(stage);
        info.stream = stream;
        iteration_.tasks.push_back(info);
        return iteration_.program.addTask(static_cast<StreamId>(stage) * streamsPerStage + lane,
                                          iteration_.work.segments[segment].duration);
    }

    void after(TaskId task, TaskId before) {
        if (before != noTask) iteration_.program.addDependency(task, before);
    }

    /// Communication segments are made once per kind, group size and bytes.
    std::uint32_t collectiveSegment(const char* name, CollectiveKind kind, RankGroup group, double bytes) {
        const auto key = std::make_pair(std::string(name), bytes);
        const auto known = communication_.find(key);
        if (known != communication_.end()) return known->second;
        Operator op;
        op.name = name;
        op.kind = OperatorKind::collective;
        op.phase = Phase::communication;
        op.collective = kind;
        op.group = group;
        op.messageBytes = bytes;
        const StreamKind stream = StreamKind::data;
        const std::uint32_t segment = iteration_.work.addSingle(name, timedCollective(scenario_, std::move(op)), stream);
        communication_[key] = segment;
        return segment;
    }

    std::uint32_t transferSegment(int from, int to) {
        const double bytes = transferBytes(scenario_);
        const GroupPlacement placement = place(scenario_.cluster, grid_.neighbours(from, to));
        const auto key = std::make_pair(std::string("pipeline.") + (from < to ? "send" : "return"),
                                        double(placement.membersPerDomain));
        const auto known = communication_.find(key);
        if (known != communication_.end()) return known->second;
        TimedOperator timed;
        timed.op.name = from < to ? "pipeline.send_activations" : "pipeline.send_gradients";
        timed.op.kind = OperatorKind::send_receive;
        timed.op.phase = Phase::communication;
        timed.op.collective = CollectiveKind::send_receive;
        timed.op.group = RankGroup::pipeline;
        timed.op.messageBytes = bytes;
        timed.time = collectiveTime(placement, CollectiveKind::send_receive, bytes).time;
        timed.bound = Bound::network;
        const std::string name = timed.op.name;
        const std::uint32_t segment = iteration_.work.addSingle(name, std::move(timed), StreamKind::pipeline);
        communication_[key] = segment;
        return segment;
    }

    // --- one stage -------------------------------------------------------------------------------------------------------

    struct PlacedUnit {
        const Unit* unit;
        Step step;
        bool first, last; ///< of its step
    };

    void buildStage(int stage) {
        std::vector<PlacedUnit> order;
        for (const Step& step : iteration_.schedule[static_cast<std::size_t>(stage)]) {
            const std::vector<Unit>& chunk = units(stage, step.chunk);
            const std::size_t count = chunk.size();
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t index = step.kind == StepKind::forward ? i : count - 1 - i;
                order.push_back({&chunk[index], step, i == 0, i + 1 == count});
            }
        }
        const bool gathers = plan_.zeroStage >= 3 && plan_.data > 1;
        gradientReady_.clear();
        TaskId pendingSend = noTask;
        TaskId previous = noTask;
        TaskId gather = gathers ? addGather(stage, order.front(), noTask) : noTask;
        if (!gathers) addParameterGathers(stage);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const PlacedUnit& placed = order[i];
            const TaskId task = addCompute(stage, placed);
            after(task, gather);
            after(task, std::exchange(pendingSend, noTask));
            after(task, parameterGather(placed));
            if (gathers && i + 1 < order.size()) {
                // One unit ahead: the next is gathered while this one runs, so two are alive at once.
                const TaskId release = scenario_.execution.overlap.data ? previous : task;
                gather = addGather(stage, order[i + 1], release);
            }
            previous = task;
            if (placed.step.kind == StepKind::backward) reduceGradients(stage, placed, task);
            if (placed.last) pendingSend = addTransfer(stage, placed.step, task);
        }
        flushGradients(stage, previous);
        lastCompute_.push_back(previous);
    }

    TaskId addCompute(int stage, const PlacedUnit& placed) {
        const bool forward = placed.step.kind == StepKind::forward;
        const PieceWork& piece = *placed.unit->piece;
        const TaskId task = add(stage, StreamKind::compute, forward ? piece.forwardSegment : piece.backwardSegment,
                                placed.step.microBatch, placed.unit->layer, placed.step.chunk);
        if (placed.first) entry_[passIndex(placed.step, modelChunk(stage, placed.step.chunk))] = task;
        return task;
    }

    std::size_t passIndex(const Step& step, std::size_t chunk) const {
        const auto kind = static_cast<std::size_t>(step.kind);
        return (kind * static_cast<std::size_t>(chunks_) + chunk) * static_cast<std::size_t>(scenario_.microBatches()) +
               static_cast<std::size_t>(step.microBatch);
    }

    /// Sends a step's result on. Gives the task that the stage's next compute waits for, if transfers are not overlapped.
    TaskId addTransfer(int stage, const Step& step, TaskId task) {
        const int chunk = static_cast<int>(modelChunk(stage, step.chunk));
        const int target = step.kind == StepKind::forward ? chunk + 1 : chunk - 1;
        if (target < 0 || target >= chunks_) return noTask;
        const int targetStage = target % plan_.pipeline;
        TaskId& slot = transfer_[passIndex(step, static_cast<std::size_t>(chunk))];
        if (targetStage == stage) {
            slot = task;
            return noTask;
        }
        slot = add(stage, StreamKind::pipeline, transferSegment(stage, targetStage), step.microBatch, -1, step.chunk);
        after(slot, task);
        return scenario_.execution.overlap.pipeline ? noTask : slot;
    }

    void connectStages() {
        for (int chunk = 0; chunk < chunks_; ++chunk) {
            for (int i = 0; i < scenario_.microBatches(); ++i) {
                const auto at = static_cast<std::size_t>(chunk);
                const auto connect = [&](StepKind kind, std::size_t source) {
                    const Step step{kind, i, 0};
                    after(entry_[passIndex(step, at)], transfer_[passIndex(step, source)]);
                };
                if (chunk > 0) connect(StepKind::forward, at - 1);
                if (chunk + 1 < chunks_) connect(StepKind::backward, at + 1);
                // The last chunk's backward begins where its forward ended: same stream, schedule order.
            }
        }
    }

    // --- data parallelism ------------------------------------------------------------------------------------------------

    double reduceBytes(double elements) const { return elements * scenario_.execution.profile.gradientReduceBytes; }
    double gatherBytes(double elements) const { return elements * scenario_.execution.profile.gatheredWeightBytes; }

    TaskId addGather(int stage, const PlacedUnit& next, TaskId release) {
        const std::uint32_t segment = collectiveSegment("data.gather_parameters", CollectiveKind::all_gather, RankGroup::data,
                                                        gatherBytes(next.unit->piece->elements));
        const TaskId task = add(stage, StreamKind::data, segment, next.step.microBatch, next.unit->layer, next.step.chunk);
        after(task, release);
        return task;
    }

    /// ZeRO-1 and 2 with overlap: what last iteration's optimizer updated is gathered before the first forward needs it.
    void addParameterGathers(int stage) {
        parameterGather_.clear();
        if (plan_.zeroStage < 1 || plan_.data == 1 || !scenario_.execution.overlap.data) return;
        for (int chunk = 0; chunk < plan_.virtualPipeline; ++chunk) {
            for (const Unit& unit : units(stage, chunk)) {
                const std::uint32_t segment = collectiveSegment("data.gather_parameters", CollectiveKind::all_gather,
                                                                RankGroup::data, gatherBytes(unit.piece->elements));
                parameterGather_[&unit] = add(stage, StreamKind::data, segment, -1, unit.layer, chunk);
            }
        }
    }

    TaskId parameterGather(const PlacedUnit& placed) const {
        if (placed.step.kind != StepKind::forward || placed.step.microBatch != 0) return noTask;
        const auto found = parameterGather_.find(placed.unit);
        return found == parameterGather_.end() ? noTask : found->second;
    }

    /// Collects gradients that are final (or, from ZeRO-2 on, to be sharded at once) and sends a bucket when it is full.
    void reduceGradients(int stage, const PlacedUnit& placed, TaskId task) {
        if (plan_.data == 1) return;
        const bool last = placed.step.microBatch == scenario_.microBatches() - 1;
        if (plan_.zeroStage < 2 && !last) return;
        bucketElements_ += placed.unit->piece->elements;
        const bool everyUnit = plan_.zeroStage >= 2;
        if (!scenario_.execution.overlap.data && !everyUnit) return;
        const double bucket = scenario_.execution.profile.gradientBucketBytes;
        const bool full = everyUnit || (bucket > 0 && reduceBytes(bucketElements_) >= bucket);
        if (full || placed.last) sendBucket(stage, task, placed);
    }

    void flushGradients(int stage, TaskId last) {
        if (bucketElements_ > 0) {
            const PlacedUnit none{nullptr, {}, false, false};
            sendBucket(stage, last, none);
        }
        gradientsReduced_.push_back(gradientReady_.empty() ? noTask : gradientReady_.back());
    }

    void sendBucket(int stage, TaskId task, const PlacedUnit& placed) {
        const bool scattered = plan_.zeroStage >= 1;
        const std::uint32_t segment = collectiveSegment(
            scattered ? "data.reduce_scatter_gradients" : "data.all_reduce_gradients",
            scattered ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, RankGroup::data, reduceBytes(bucketElements_));
        const TaskId reduce = add(stage, StreamKind::data, segment, placed.unit ? placed.step.microBatch : -1,
                                  placed.unit ? placed.unit->layer : -1, placed.unit ? placed.step.chunk : 0);
        after(reduce, task);
        gradientReady_.push_back(reduce);
        bucketElements_ = 0;
    }

    // --- the end of the iteration ----------------------------------------------------------------------------------------

    void finishIteration() {
        const int stages = plan_.pipeline;
        const auto stageIndex = [](int stage) { return static_cast<std::size_t>(stage); };
        std::vector<TaskId> embeddingReduced(stageIndex(stages), noTask);
        if (scenario_.model.tiedEmbedding && stages > 1) reduceTiedEmbedding(embeddingReduced);

        std::vector<TaskId> norms;
        for (int stage = 0; stage < stages; ++stage) {
            const double elements = iteration_.stageElements[stageIndex(stage)];
            const TaskId norm = add(stage, StreamKind::compute, singleSegment(gradientNormOperator(scenario_, elements)));
            after(norm, gradientsReduced_[stageIndex(stage)]);
            after(norm, embeddingReduced[stageIndex(stage)]);
            norms.push_back(norm);
        }
        for (int stage = 0; stage < stages; ++stage) {
            const double elements = iteration_.stageElements[stageIndex(stage)];
            const TaskId step = add(stage, StreamKind::compute, singleSegment(optimizerOperator(scenario_, elements)));
            // Clipping needs the norm over all stages.
            for (TaskId norm : norms) after(step, norm);
            TaskId last = step;
            const bool gatherNow = plan_.data > 1 && (plan_.zeroStage == 1 || plan_.zeroStage == 2) && !scenario_.execution.overlap.data;
            if (gatherNow) {
                const std::uint32_t segment = collectiveSegment("data.gather_parameters", CollectiveKind::all_gather,
                                                                RankGroup::data, gatherBytes(elements));
                last = add(stage, StreamKind::data, segment);
                after(last, step);
            }
            const double overhead = scenario_.execution.profile.iterationOverhead;
            if (overhead > 0) after(add(stage, StreamKind::compute, overheadSegment(overhead)), last);
        }
    }

    /// First and last stage add up the gradients of the word embedding they share (Narayanan et al. 2021, section 2.2).
    void reduceTiedEmbedding(std::vector<TaskId>& reduced) {
        const double elements = double(scenario_.model.vocabulary) * double(scenario_.model.embeddingWidth) / plan_.tensor;
        const std::uint32_t segment = collectiveSegment("pipeline.all_reduce_embedding", CollectiveKind::all_reduce,
                                                        RankGroup::embedding, reduceBytes(elements));
        const std::size_t last = static_cast<std::size_t>(plan_.pipeline) - 1;
        for (std::size_t stage : {std::size_t{0}, last}) {
            reduced[stage] = add(static_cast<int>(stage), StreamKind::data, segment);
            for (std::size_t other : {std::size_t{0}, last}) {
                after(reduced[stage], lastCompute_[other]);
                after(reduced[stage], gradientsReduced_[other]);
            }
        }
    }

    std::uint32_t singleSegment(TimedOperator timed) {
        const auto key = std::make_pair(timed.op.name, timed.time);
        const auto known = communication_.find(key);
        if (known != communication_.end()) return known->second;
        const std::string name = timed.op.name;
        return communication_[key] = iteration_.work.addSingle(name, std::move(timed), StreamKind::compute);
    }

    std::uint32_t overheadSegment(double seconds) {
        if (overhead_ == noTask) {
            Segment segment;
            segment.name = "overhead";
            segment.phase = Phase::optimizer;
            segment.duration = seconds;
            SegmentParts parts;
            parts.overhead = seconds;
            iteration_.work.segments.push_back(std::move(segment));
            iteration_.work.parts.push_back(parts);
            overhead_ = static_cast<std::uint32_t>(iteration_.work.segments.size()) - 1;
        }
        return overhead_;
    }

    const Scenario& scenario_;
    const Parallelism& plan_;
    RankGrid grid_;
    Iteration iteration_;
    int chunks_ = 0;
    std::vector<std::vector<Unit>> units_; ///< by chunk of the model
    std::vector<TaskId> entry_;            ///< by pass: its first compute task
    std::vector<TaskId> transfer_;         ///< by pass: the task that hands its result on
    std::map<std::pair<std::string, double>, std::uint32_t> communication_;
    std::map<const Unit*, TaskId> parameterGather_;
    double bucketElements_ = 0;
    std::vector<TaskId> gradientReady_;
    std::vector<TaskId> gradientsReduced_; ///< by stage
    std::vector<TaskId> lastCompute_;      ///< by stage
    std::uint32_t overhead_ = noTask;
};

} // namespace

Iteration buildIteration(const Scenario& scenario, RankWork work) { return IterationBuilder(scenario, std::move(work)).run(); }

} // namespace orrery
