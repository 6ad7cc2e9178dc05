// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/estimator.hpp"
#include "core/base/index.hpp"
#include "core/training/estimate/joint_runs.hpp"
#include "core/training/plan/jitter_shape.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// A grid that is given one set of constants after the other keeps so many: each set leaves its own patterns behind.
constexpr std::size_t mostPatterns = 300;
/// Plans whose runs are kept: some hundred bytes each.
constexpr std::size_t mostPlayed = 50000;

} // namespace

Estimator::Estimator(Scenario base) : base_(std::move(base)) {}
Estimator::~Estimator() = default;

Estimator::Grid& Estimator::grid(const PlanChoice& choice) {
    const Parallelism& plan = choice.parallelism;
    GridKey key(plan.tensor, plan.context, plan.data, plan.pipeline, plan.expert, plan.expertTensor, plan.sharders(), plan.order);
    auto known = grids_.find(key);
    if (known == grids_.end()) {
        Scenario scenario = base_;
        apply(choice, scenario);
        if (!fabric_) fabric_ = std::make_shared<RoutedFabric>(base_.cluster);
        known = grids_.emplace(std::move(key), std::make_unique<Grid>(std::move(scenario), fabric_, rankWorks_, together_, meetings_)).first;
    }
    known->second->times.choose(choice);
    return *known->second;
}

const StepGraph& Estimator::stepGraph(int microBatches) {
    const Scenario& scenario = grid_->scenario();
    const Parallelism& plan = scenario.parallelism;
    const auto pass = scenario.execution.passes.find("overlap");
    const bool overlaps = pass == scenario.execution.passes.end() || pass->second;
    const GraphKey key{plan.schedule, plan.pipeline, plan.virtualPipeline, microBatches, overlaps,
                       scenario.execution.overlap.expert && scenario.model.experts.has_value()};
    std::unique_ptr<StepGraph>& slot = graphs_[key];
    if (!slot) slot = std::make_unique<StepGraph>(makeStepGraph(scheduleOf(scenario, microBatches)));
    return *slot;
}

void Estimator::choose(const PlanChoice& choice) {
    Grid& own = grid(choice);
    grid_ = &own.times;
    memory_ = &*own.memory;
    laidOut_.grid = nullptr;
    findLevels();
    for (Level& level : levels_) {
        level.table = &grid_->pieces(level.slowdown);
        layOut(*level.table, choice.parallelism.layout, level.chunks);
    }
}

double Estimator::iterationTime(const PlanChoice& choice) {
    choose(choice);
    return seconds(choice);
}

void Estimator::recalibrate(const KernelConstants& kernels, const FrameworkProfile& profile) {
    base_.kernels = kernels;
    laidOut_.grid = nullptr;
    played_.clear();
    works_.clear();
    rankWorks_.clear();
    base_.execution.profile = profile;
    std::erase_if(grids_, [](const auto& grid) { return grid.second->times.patterns() > mostPatterns; });
    for (auto& [key, grid] : grids_) {
        grid->times.recalibrate(kernels, profile);
        grid->memory.emplace(grid->times); // it knows pieces by where they lie
    }
}

void Estimator::rebatch(int globalBatch) {
    laidOut_.grid = nullptr;
    base_.training().globalBatch = globalBatch;
    for (auto& [key, grid] : grids_) grid->times.rebatch(globalBatch);
}

void Estimator::rewire(const Scenario& scenario) {
    base_ = scenario;
    laidOut_.grid = nullptr;
    played_.clear();
    works_.clear(); // it knows pieces by where they lie
    grids_.clear();
    fabric_.reset();
}

double Estimator::allocatedPeak(const PlanChoice& choice) {
    choose(choice);
    const std::vector<double> stages = memory_->allocated(table(), chunks(), stepGraph(playedMicroBatches()), keptBeyondPlayed());
    return *std::max_element(stages.begin(), stages.end());
}

Problems Estimator::problems(const PlanChoice& choice) { return grid(choice).times.unreachable(); }

Estimate Estimator::estimate(const PlanChoice& choice) {
    choose(choice);
    Estimate result;
    result.iterationTime = seconds(choice);
    addMemory(result);
    result.problems = grid_->unreachable();
    return result;
}

void Estimator::findLevels() {
    levels_.resize(1);
    levels_.front().stretch = 1;
    const Scenario& scenario = grid_->scenario();
    if (scenario.execution.stragglers.empty() && !scenario.jitter.any()) return;
    const std::vector<SlowCells> slow = grid_->slowCells();
    levels_.resize(slow.size());
    for (std::size_t i = 0; i < slow.size(); ++i) {
        levels_[i].slowdown = slow[i].slowdown;
        levels_[i].stretch = 1;
    }
    if (!scenario.jitter.any()) return;
    std::shared_ptr<SharedWork>& work = works_[&grid_->pieces()];
    if (!work) work = grid_->rankWork();
    const JitterShape shape = jitterShape(scenario, work->rank(), scenario.parallelism.data);
    for (std::size_t i = 0; i < slow.size(); ++i) {
        const TeamPlaces places = i == 0 ? shape.places : shape.placesOf(slow[i].cells);
        levels_[i].stretch = analyticSpread(shape.replica, HostFactors(scenario.jitter.hosts), places).mean;
    }
}

/// Those cells that take longest among the stage's that are slowed down at most by `slowdown`.
std::size_t Estimator::levelAt(double slowdown, const std::vector<int>& chunks) const {
    std::size_t slowest = 0;
    for (std::size_t level = 1; level < levels_.size() && levels_[level].slowdown <= slowdown; ++level)
        if (pieceSeconds(level, chunks) > pieceSeconds(slowest, chunks)) slowest = level;
    return slowest;
}

/// s of one forward and backward through the chunks.
double Estimator::pieceSeconds(std::size_t level, const std::vector<int>& chunks) const {
    double seconds = 0;
    for (const int chunk : chunks)
        for (const PassKind kind : {PassKind::forward, PassKind::backward}) seconds += levels_[level].chunks[at(chunk)].time[static_cast<std::size_t>(kind)];
    return seconds * levels_[level].stretch;
}

/// A schedule that repeats itself takes as long each time: what has been played longer than it takes to settle is prolonged. Where chunks' weights come
/// over beside other passes, how far they are ahead settles later than the order of passes does.
Repetition Estimator::repetition() const {
    const Scenario& scenario = grid_->scenario();
    const Parallelism& plan = scenario.parallelism;
    Repetition repetition = repetitionOf(traitsOf(plan.schedule), plan.pipeline, scenario.execution.overlap.expert);
    constexpr int untilGathersSettle = 6; // periods
    const ReplicaPolicy& policy = grid_->policy();
    if (plan.pipeline > 1 && plan.virtualPipeline > 1 && policy.overlaps() && policy.gathers() == GatherTime::each_pass) repetition.settled += untilGathersSettle * repetition.period;
    return repetition;
}

/// The longer of the two runs that a plan's time is prolonged from, or all micro-batches.
int Estimator::playedMicroBatches() const {
    const Repetition repetition = this->repetition();
    const int all = grid_->scenario().microBatches();
    const int settled = repetition.settled + repetition.period;
    return all <= settled ? all : settled + (all - settled) % repetition.period;
}

double Estimator::seconds(const PlanChoice& choice) {
    const int all = grid_->scenario().microBatches();
    const int period = repetition().period;
    const int second = playedMicroBatches(), first = second - period;
    if (second == all) return playedTime(stepGraph(all));
    const Played& played = playedOf(choice, first, second);
    const double more = double(all - second) / period;
    double time = played.longer + more * (played.longer - played.shorter);
    // A stage with more to do than those that hold the pipeline up at first does so in the end.
    for (const Pace& stage : played.went) time = std::max(time, played.longer + stage.start + all * stage.busy - stage.end);
    return time;
}

const Estimator::Played& Estimator::playedOf(const PlanChoice& choice, int shorter, int longer) {
    if (grid_->scenario().jitter.any()) {
        play(shorter, longer, playedOnce_);
        return playedOnce_;
    }
    if (played_.size() >= mostPlayed) played_.clear();
    const auto [known, fresh] = played_.try_emplace({keyOf(choice), longer});
    if (fresh) play(shorter, longer, known->second);
    return known->second;
}

void Estimator::play(int shorter, int longer, Played& played) {
    played.shorter = playedTime(stepGraph(shorter));
    played.longer = playedTime(stepGraph(longer));
    played.went = went_;
}

double Estimator::playedTime(const StepGraph& graph) {
    sums_.assign(at(graph.stages), {});
    for (int stage = 0; stage < graph.stages; ++stage)
        for (const int chunk : graph.held[at(stage)]) {
            sums_[at(stage)].elements += chunks()[at(chunk)].elements;
            sums_[at(stage)].weightTensors += chunks()[at(chunk)].weightTensors;
            sums_[at(stage)].expertElements += chunks()[at(chunk)].expertElements;
            sums_[at(stage)].frozenElements += chunks()[at(chunk)].frozenElements;
            sums_[at(stage)].wideElements += chunks()[at(chunk)].wideElements;
            sums_[at(stage)].orthogonalFlops += chunks()[at(chunk)].orthogonalFlops;
        }
    levelOf_.resize(at(graph.stages));
    for (int stage = 0; stage < graph.stages; ++stage) levelOf_[at(stage)] = levelAt(grid_->slowdown(stage), graph.held[at(stage)]);
    ends_.assign(at(graph.stages), {});
    went_.clear();
    if (!grid_->policy().meetsAtEveryUnit()) {
        for (const std::vector<double>& pipeline : grid_->slowPipelines()) playPipeline(graph, pipeline);
    } else { // pipelines meet at every unit: all wait for the slowest in each stage
        std::vector<double> slowest;
        slowest.reserve(at(graph.stages));
        for (int stage = 0; stage < graph.stages; ++stage) slowest.push_back(grid_->slowdown(stage));
        playPipeline(graph, slowest);
    }
    return tail(graph);
}

void Estimator::playPipeline(const StepGraph& graph, const std::vector<double>& slowdown) {
    paces_.resize(at(graph.stages));
    for (int stage = 0; stage < graph.stages; ++stage) {
        const Level& level = levels_[levelAt(slowdown[at(stage)], graph.held[at(stage)])];
        paces_[at(stage)] = {level.table, &level.chunks, level.stretch};
    }
    player_.play(*grid_, graph, paces_);
    for (int stage = 0; stage < graph.stages; ++stage) {
        const StageEnd& own = player_.ends()[at(stage)];
        StageEnd& last = ends_[at(stage)];
        last = {std::max(last.compute, own.compute), std::max(last.data, own.data), std::max(last.reduced, own.reduced)};
        went_.push_back({player_.start(stage), player_.busy(stage), own.compute});
    }
}

/// Parameters that the rank's optimizer steps over.
double Estimator::optimizedAt(int stage) const { return grid_->policy().optimizedElements(weightsOf(sums_[at(stage)])); }

OptimizerTimes Estimator::optimizerAt(int stage) const {
    OptimizerTimes times = grid_->optimizer(optimizedAt(stage), grid_->policy().optimizedFlops(sums_[at(stage)].orthogonalFlops));
    const Level& level = levels_[levelOf_[at(stage)]];
    times.norm *= level.slowdown * level.stretch;
    times.step *= level.slowdown * level.stretch;
    return times;
}

/// Two stages add up gradients of what both hold.
void Estimator::meetPair(int stage, int other, double bytes) {
    const double time = grid_->collective({RankGroup::embedding, CollectiveKind::all_reduce, stage, other}, bytes);
    double begin = 0;
    for (const int side : {stage, other}) {
        const StageEnd& end = ends_[at(side)];
        begin = std::max({begin, end.compute, end.reduced, end.data});
    }
    sums_[at(stage)].met = sums_[at(other)].met = begin + time;
}

/// Gradient norm over all stages, optimizer, and what comes after it; gives the end of the iteration, s.
double Estimator::tail(const StepGraph& graph) {
    const Scenario& scenario = grid_->scenario();
    const ReplicaPolicy& policy = grid_->policy();
    switch (stagePairs(scenario, graph.twoWay, graph.firstStage, graph.lastStage)) {
    case StagePairs::mirrored:
        for (int stage = 0; stage < graph.stages / 2; ++stage) meetPair(stage, graph.stages - 1 - stage, policy.reduceBytes(optimizedAt(stage)));
        break;
    case StagePairs::tied_embedding: meetPair(graph.firstStage, graph.lastStage, policy.reduceBytes(wordEmbeddingElements(scenario))); break;
    case StagePairs::none: break;
    }
    // The host's part of the end is the unluckiest host's, whether its kernels are slow or not.
    const double overhead = scenario.execution.profile.iterationOverhead * levels_.front().stretch;
    double norms = 0;
    for (int stage = 0; stage < graph.stages; ++stage) norms = std::max(norms, normAt(stage));
    const bool gathersAfterStep = policy.gathers() == GatherTime::once && !policy.overlaps();
    double last = 0;
    for (int stage = 0; stage < graph.stages; ++stage) {
        const OptimizerTimes times = optimizerAt(stage);
        const double step = norms + times.step, onHost = times.onHost > 0 ? normAt(stage) + times.onHost : step;
        double end = onHost;
        if (gathersAfterStep) end += gatherAfterStep(graph, stage);
        last = std::max(last, std::max(end, step) + overhead);
    }
    return last;
}

/// s that a stage's weights take to come over after the step.
double Estimator::gatherAfterStep(const StepGraph& graph, int stage) {
    if (!grid_->policy().wrapsUnits()) return grid_->gather(stage, weightsOf(sums_[at(stage)])).seconds;
    double seconds = 0;
    for (const int chunk : graph.held[at(stage)])
        for (const PieceRun& run : chunks()[at(chunk)].runs) seconds += run.count * grid_->gather(stage, weightsOf(table().piece(run.piece))).seconds;
    return seconds;
}

/// When the stage knows its gradients' norm, s.
double Estimator::normAt(int stage) const {
    const StageEnd& end = ends_[at(stage)];
    return std::max({end.compute, end.reduced, sums_[at(stage)].met}) + optimizerAt(stage).norm;
}

// --- memory -----------------------------------------------------------------------------------------------------------------------

/// Micro-batches that stay in flight beyond those of the schedule that is played.
int Estimator::keptBeyondPlayed() const {
    const Scenario& scenario = grid_->scenario();
    return traitsOf(scenario.parallelism.schedule).keepsAll ? scenario.microBatches() - playedMicroBatches() : 0;
}

void Estimator::addMemory(Estimate& result) {
    result.stages = memory_->stages(table(), chunks(), stepGraph(playedMicroBatches()), keptBeyondPlayed());
    for (const StageEstimate& stage : result.stages) {
        result.allocatedPeak = std::max(result.allocatedPeak, stage.allocated);
        result.reservedPeak = std::max(result.reservedPeak, stage.reserved);
        result.devicePeak = std::max(result.devicePeak, stage.device);
    }
    result.fits = result.devicePeak <= grid_->scenario().cluster.accelerator.memoryBytes;
}

// What a plan takes at least, from sums: a search looks at this first, and at most plans never again.

namespace {

/// s of kernels and of what they wait for within a pass, of all steps that run one work.
double secondsOf(const WorkClass& work, const StepGraph& graph, const PieceTable& table, const std::vector<ChunkWork>& chunks) {
    const PassClass& first = graph.passes[work.passes[0]];
    if (!work.isPair()) return chunks[at(first.chunk)].time[at(first.kind)];
    const PassClass& second = graph.passes[work.passes[1]];
    const auto runsOf = [&](const PassClass& pass) -> PassRuns { return {chunks[at(pass.chunk)].runs, pass.kind != PassKind::forward}; };
    const bool forwardFirst = first.kind == PassKind::forward;
    double seconds = 0;
    forEachJointRun(runsOf(first), runsOf(second), [&](const std::array<int, 2>& pieces, int count) {
        if (pieces[0] >= 0 && pieces[1] >= 0) seconds += count * table.pair(pieces[forwardFirst ? 0 : 1], pieces[forwardFirst ? 1 : 0]).alone;
        else seconds += count * table.piece(std::max(pieces[0], pieces[1])).time[at((pieces[0] >= 0 ? first : second).kind)].alone;
    });
    return seconds;
}

/// The same of all that each stage runs.
std::vector<double> busySeconds(const StepGraph& graph, const PieceTable& table, const std::vector<ChunkWork>& chunks) {
    std::vector<double> busy(at(graph.stages), 0);
    for (std::size_t i = 0; i < graph.works.size(); ++i)
        busy[at(graph.works[i].stage)] += graph.stepsOf[i] * secondsOf(graph.works[i], graph, table, chunks);
    return busy;
}

} // namespace

bool Estimator::isLaidOut(const PlanChoice& choice, const PieceTable& table) const {
    const Parallelism& plan = choice.parallelism;
    return laidOut_.grid == grid_ && laidOut_.table == &table && laidOut_.schedule == plan.schedule && laidOut_.chunksPerStage == plan.virtualPipeline &&
           laidOut_.overlapsExperts == choice.overlap.expert && laidOut_.layout == plan.layout;
}

PlanFloor Estimator::floor(const PlanChoice& choice) {
    Grid& own = grid(choice);
    grid_ = &own.times;
    memory_ = &*own.memory;
    levels_.resize(1);
    const PieceTable& pieces = grid_->piecesAlone();
    if (!isLaidOut(choice, pieces)) {
        levels_.front().table = &pieces;
        layOut(pieces, choice.parallelism.layout, levels_.front().chunks);
        laidOut_ = {grid_, &pieces, choice.parallelism.layout, choice.parallelism.schedule, choice.parallelism.virtualPipeline, choice.overlap.expert, leastSeconds()};
    }
    return {laidOut_.seconds, memory_->least(table(), chunks(), stepGraph(playedMicroBatches()), keptBeyondPlayed())};
}

/// The busiest stage's work, after the first micro-batch has come to it and, where whole backwards end the iteration, before the last one's
/// gradients are through the stages ahead of it.
double Estimator::leastSeconds() {
    const int all = grid_->scenario().microBatches(), played = playedMicroBatches(), period = repetition().period;
    const StepGraph& graph = stepGraph(played);
    std::vector<double> busy = busySeconds(graph, table(), chunks());
    if (played != all) {
        const std::vector<double> before = busySeconds(stepGraph(played - period), table(), chunks());
        for (std::size_t stage = 0; stage < busy.size(); ++stage) busy[stage] += double(all - played) / period * (busy[stage] - before[stage]);
    }
    double least = 0, ahead = 0;
    for (int stage = 0; stage < graph.stages; ++stage) {
        least = std::max(least, ahead + busy[at(stage)]);
        if (graph.twoWay) continue; // micro-batches come from both ends
        const ChunkWork& first = chunks()[at(stage)];
        ahead += first.time[at(PassKind::forward)] + (graph.splits ? 0 : first.time[at(PassKind::backward)]);
    }
    return least + grid_->scenario().execution.profile.iterationOverhead;
}

} // namespace orrery
