// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan takes at least, from sums: a search looks at this first, and at most plans never again.
#include "core/base/index.hpp"
#include "core/training/estimate/estimator.hpp"
#include "core/training/estimate/joint_runs.hpp"

#include <algorithm>

namespace orrery {
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
