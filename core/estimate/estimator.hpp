#pragma once

#include "core/base/problem.hpp"
#include "core/estimate/grid_times.hpp"
#include "core/estimate/pipeline_player.hpp"
#include "core/estimate/plan_choice.hpp"

#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace orrery {

/// Memory of one stage at its peak, bytes.
struct StageEstimate {
    double allocated = 0; ///< as PyTorch counts
    double reserved = 0;
    double device = 0;    ///< what the device reports
};

/// What a plan takes, without a timeline.
struct Estimate {
    double iterationTime = 0; ///< s
    std::vector<StageEstimate> stages;
    double allocatedPeak = 0, reservedPeak = 0, devicePeak = 0; ///< bytes, of the stage with most
    bool fits = false;
    Problems problems; ///< what makes it impossible; then the rest means nothing
};

/// Estimates plans of one scenario by the same pieces, collectives and states as the event simulation, with the schedule played step
/// by step instead of task by task and each transfer alone on its links.
///
/// Not for use by two threads at once: each thread has an estimator of its own. The estimate of a plan is the same bytes whatever
/// was asked before.
class Estimator {
public:
    explicit Estimator(Scenario base);
    ~Estimator();
    Estimator(const Estimator&) = delete;
    Estimator& operator=(const Estimator&) = delete;

    /// The choice must keep to the rules of the contract (core/scenario/rules.hpp); `recompute` is not `automatic`.
    Estimate estimate(const PlanChoice& choice);

private:
    using GridKey = std::tuple<int, int, int, int, int, int, int, std::string>;

    GridTimes& grid(const PlanChoice& choice);
    const StepGraph& stepGraph(int microBatches);
    double seconds();
    int playedMicroBatches() const;
    double playedTime(const StepGraph& graph);
    double tail(const StepGraph& graph);
    void meetPair(int stage, int other, double bytes);
    double optimizedAt(int stage) const;
    double normAt(int stage) const;
    OptimizerTimes optimizerAt(int stage) const;
    void addMemory(Estimate& result);
    double activationPeak(const StepGraph& graph, const StepGraph::FullMoment& moment, int unplayed) const;

    using GraphKey = std::tuple<PipelineOrder, int, int, int, bool, bool>;
    Scenario base_;
    std::map<GridKey, std::unique_ptr<GridTimes>> grids_;
    std::map<GraphKey, std::unique_ptr<StepGraph>> graphs_;

    // Working memory of one estimate, kept for the next.
    struct StageSums {
        double elements = 0, expertElements = 0, frozenElements = 0, orthogonalFlops = 0;
        double met = 0; ///< s: gradients are added up with another stage's
    };
    GridTimes* grid_ = nullptr;
    const PieceTable* table_ = nullptr;
    std::vector<ChunkWork> chunks_;
    PipelinePlayer player_;
    std::vector<StageSums> sums_;
};

} // namespace orrery
