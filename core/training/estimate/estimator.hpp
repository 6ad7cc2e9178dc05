// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/network/routing/routed_fabric.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/training/estimate/grid_times.hpp"
#include "core/training/estimate/pipeline_player.hpp"
#include "core/training/estimate/plan_choice.hpp"
#include "core/training/estimate/plan_memory.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery {

/// What a plan takes, without a timeline.
struct Estimate {
    double iterationTime = 0; ///< s
    std::vector<StageEstimate> stages;
    double allocatedPeak = 0, reservedPeak = 0, devicePeak = 0; ///< bytes, of the stage with most
    bool fits = false;
    Problems problems; ///< what makes it impossible; then the rest means nothing
};

/// What no estimate of a plan says less than.
struct PlanFloor {
    double iterationTime = 0; ///< s
    double devicePeak = 0;    ///< bytes
};

/// Estimates plans of one scenario by the same pieces, collectives and states as the event simulation, with the schedule played step
/// by step instead of task by task and every transfer alone on its links but for what the data-parallel groups' traffic takes.
///
/// What an estimate is made of is kept: patterns and times of collectives by grid of ranks, group and bytes; pieces by grid, micro-batch,
/// recomputation and whatever else changes them; schedules by shape; how long they took by plan, for any other global batch; the allocator's holes by composition of a stage; peaks by
/// order of work where buffers come and go (ZeRO-3, offloading, kept outputs, pairs). Where all of that is known an estimate costs
/// what playing the schedule does, about a dozen ns a step of (p + 3) p v forwards and backwards, twice; ZeRO-3 in a pipeline several
/// times that. The first estimate on a new grid of ranks costs milliseconds, one with new pieces some tenths of a millisecond, and new
/// peaks cost as much as the memory part of a simulation (tests/bench/estimate_bench.cpp measures all of these).
///
/// Jitter (`Scenario::jitter`) counts as its expected slowest, whatever its method (analyticSpread), on all that is computed, and on transfers; that costs
/// about a ms an estimate. Jitter of every kernel by itself (`execution.jitter`) is left out.
///
/// Pipelines that named stragglers slow down in different stages are played one by one, as if what their cells send met on no link (a
/// plan in some hundreds is off by more than 5 % for that, by 8 at most; agreement_test.cpp). Where they meet at every unit, with ZeRO-2
/// and 3, all wait for the slowest cell of each stage.
///
/// Traffic of different stages meets on no link here. Where links above the hosts hold several stages back (core/network/routing/bisection.hpp says of none) a plan
/// may take several times as long as its estimate; less than 1/1.08 of it no plan was ever found to take.
///
/// Not for use by two threads at once: each thread has an estimator of its own. The estimate of a plan is the same bytes whatever
/// was asked before.
class Estimator {
public:
    explicit Estimator(Scenario base);
    ~Estimator();
    Estimator(const Estimator&) = delete;
    Estimator& operator=(const Estimator&) = delete;

    /// The choice must keep to the rules of the contract (core/scenario/rules/rules.hpp); `recompute` is not `automatic`.
    Estimate estimate(const PlanChoice& choice);
    /// What the plan takes at least: its kernels on the stage that has most of them, with the pipeline's fill; states and what passes keep.
    /// Costs some µs where pieces and schedule are known: nothing is played, no buffer followed, no allocator run.
    PlanFloor floor(const PlanChoice& choice);
    /// Its time alone, s: what a fit asks for over and over.
    double iterationTime(const PlanChoice& choice);
    /// `Estimate::allocatedPeak` alone, bytes.
    double allocatedPeak(const PlanChoice& choice);
    /// What makes a plan whose time was asked for impossible; then its time means nothing.
    Problems problems(const PlanChoice& choice);
    /// Estimates from now on are of the base scenario with these constants, as if it had been given with them.
    void recalibrate(const KernelConstants& kernels, const FrameworkProfile& profile);
    /// Estimates from now on are of the base scenario with this global batch, sequences: all that is known is of micro-batches, and stays.
    void rebatch(int globalBatch);
    int globalBatch() const { return base_.training().globalBatch; }
    /// Estimates from now on are of this base scenario, which differs from the one before in its links' bandwidths and latencies: what ranks
    /// compute stays where their collectives take no other time, schedules and the allocator's holes stay.
    void rewire(const Scenario& scenario);

private:
    using GridKey = std::tuple<int, int, int, int, int, int, int, std::string>;

    /// What is known of one grid of ranks.
    struct Grid {
        Grid(Scenario scenario, std::shared_ptr<RoutedFabric> fabric, RankWorks& works, TogetherTimes& together, MeetingTimes& meetings)
            : times(std::move(scenario), std::move(fabric), works, together, meetings) { memory.emplace(times); }
        GridTimes times;
        std::optional<PlanMemory> memory;
    };
    Grid& grid(const PlanChoice& choice);
    void choose(const PlanChoice& choice);
    void findLevels();
    std::size_t levelAt(double slowdown, const std::vector<int>& chunks) const;
    void playPipeline(const StepGraph& graph, const std::vector<double>& slowdown);
    double pieceSeconds(std::size_t level, const std::vector<int>& chunks) const;
    const StepGraph& stepGraph(int microBatches);
    double seconds(const PlanChoice& choice);
    /// How a stage of one pipeline went, s: start, least time for a micro-batch more, end.
    struct Pace {
        double start = 0, busy = 0, end = 0;
    };
    /// What two runs of a plan's schedule gave that its time is prolonged from, whatever the global batch.
    struct Played {
        double shorter = 0, longer = 0; ///< s
        std::vector<Pace> went;         ///< of the longer
    };
    const Played& playedOf(const PlanChoice& choice, int shorter, int longer);
    void play(int shorter, int longer, Played& played);
    double leastSeconds();
    /// Whether the chunks of the floor asked for last, and its time, are those of this choice too.
    bool isLaidOut(const PlanChoice& choice, const PieceTable& table) const;
    int playedMicroBatches() const;
    Repetition repetition() const;
    double playedTime(const StepGraph& graph);
    double tail(const StepGraph& graph);
    void meetPair(int stage, int other, double bytes);
    double optimizedAt(int stage) const;
    double normAt(int stage) const;
    double gatherAfterStep(const StepGraph& graph, int stage);
    OptimizerTimes optimizerAt(int stage) const;
    int keptBeyondPlayed() const;
    void addMemory(Estimate& result);

    using GraphKey = std::tuple<PipelineOrder, int, int, int, bool, bool>;
    Scenario base_;
    std::shared_ptr<RoutedFabric> fabric_; ///< of the base's cluster, with the ways found over it; null: not asked for yet
    RankWorks rankWorks_;
    TogetherTimes together_;
    MeetingTimes meetings_{together_};
    std::map<GridKey, std::unique_ptr<Grid>> grids_;
    std::map<GraphKey, std::unique_ptr<StepGraph>> graphs_;
    std::map<const PieceTable*, std::shared_ptr<SharedWork>> works_; ///< what tables were made of, where jitter asks for it
    std::map<std::pair<std::string, int>, Played> played_;           ///< by choice and micro-batches of the longer
    Played playedOnce_;                                              ///< where jitter depends on how many micro-batches there are

    // Working memory of one estimate, kept for the next.
    struct StageSums {
        double elements = 0, expertElements = 0, frozenElements = 0, wideElements = 0, orthogonalFlops = 0;
        int weightTensors = 0;
        double met = 0; ///< s: gradients are added up with another stage's
    };
    /// Cells on which kernels are so slow, by named stragglers, and what jitter makes of the slowest of those: times all they compute.
    struct Level {
        double slowdown = 1, stretch = 1;
        const PieceTable* table = nullptr;
        std::vector<ChunkWork> chunks;
    };
    const PieceTable& table() const { return *levels_.front().table; }
    const std::vector<ChunkWork>& chunks() const { return levels_.front().chunks; }

    GridTimes* grid_ = nullptr;
    PlanMemory* memory_ = nullptr;
    std::vector<Level> levels_;        ///< the first without slowdown, for all cells
    std::vector<std::size_t> levelOf_; ///< by stage
    std::vector<StagePace> paces_;     ///< of the pipeline that is played
    std::vector<StageEnd> ends_;       ///< by stage, of its slowest pipeline
    std::vector<Pace> went_;           ///< of all pipelines played last
    PipelinePlayer player_;
    std::vector<StageSums> sums_;
    /// What the time of the floor asked for last depends on: plans one after the other mostly differ in what is none of it.
    struct LaidOut {
        const GridTimes* grid = nullptr; ///< null: chunks are another's by now
        const PieceTable* table = nullptr;
        std::vector<int> layout;
        ScheduleKind schedule = ScheduleKind::one_f_one_b;
        int chunksPerStage = 1;
        bool overlapsExperts = false;
        double seconds = 0;
    };
    LaidOut laidOut_;
};

} // namespace orrery
