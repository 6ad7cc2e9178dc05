// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/pipeline_player.hpp"

#include "core/base/index.hpp"
#include "core/training/estimate/coupled.hpp"
#include "core/training/estimate/joint_runs.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

void PipelinePlayer::play(GridTimes& grid, const StepGraph& graph, const std::vector<StagePace>& paces) {
    grid_ = &grid;
    graph_ = &graph;
    paces_ = &paces;
    table_ = paces.front().table;
    chunks_ = paces.front().chunks;
    prepare();
    if (reduceEveryUnit_ && !copies_) playSharded();
    else playPlainly();
    for (int stage = 0; stage < graph.stages; ++stage) {
        Stage& state = stages_[at(stage)];
        sendLastGradients(state, stage);
        ends_[at(stage)].compute = state.previous;
        ends_[at(stage)].data = state.data;
        ends_[at(stage)].reduced = state.reduced;
    }
}

/// Most work is played whole; the rest in playSlowly.
void PipelinePlayer::playPlainly() {
    const bool firstIsSlow = gatherAtFirst_, lastIsSlow = shares_ && !reduceEveryUnit_;
    const bool mayMeet = shares_ && (table_->meetsData || slowdown_.any()), sendsMeet = sendsMeet_, overlaps = overlapPipeline_;
    // Nothing here may look like it could change where these are.
    const StepGraph::Step* const steps = graph_->steps.data();
    const WorkTimes* const works = works_.data();
    Stage* const stages = stages_.data();
    double* const arrived = arrived_.data();
    const auto count = static_cast<std::uint32_t>(graph_->steps.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const StepGraph::Step& step = steps[i];
        const WorkTimes& times = works[step.work];
        Stage& state = stages[times.stage];
        const double ready = step.awaits[0] == StepGraph::none ? 0 : arrived[step.awaits[0]];
        const double start = std::max(state.compute, ready);
        const bool isSlow = !times.simple || (firstIsSlow && step.forwardIsFirst) || (lastIsSlow && step.gradientsAreLast) ||
                            (state.data > start && (mayMeet || (sendsMeet && times.sends)));
        if (isSlow) {
            playSlowly(i, ready);
            continue;
        }
        double end = start + times.total;
        if (state.send > start && times.besideSend > 1) end = start + slowed(times.total, state.send - start, times.besideSend);
        state.previous = end;
        if (!times.sends) {
            arrived[2 * std::size_t{i}] = state.compute = end;
            continue;
        }
        const double there = std::max(state.send, end) + times.send;
        arrived[2 * std::size_t{i}] = state.send = there;
        state.compute = overlaps ? end : there;
    }
}

void PipelinePlayer::playSlowly(std::uint32_t index, double ready) {
    const StepGraph::Step& step = graph_->steps[index];
    const WorkClass& work = graph_->works[step.work];
    Stage& state = stages_[at(work.stage)];
    if (step.awaits[1] != StepGraph::none) ready = std::max(ready, arrived_[step.awaits[1]]);
    std::array<double, 2> ends{};
    if (needsUnits(step, state, ready)) playUnits(index, ready, ends);
    else playWhole(step, state, std::max(state.compute, ready), ends);
    // Gradients that wait for the stage's last work set out with its result.
    if (graph_->nextStep[index] == StepGraph::none) sendLastGradients(state, work.stage);
    handOnBoth(index, state, ends);
}

void PipelinePlayer::playWhole(const StepGraph::Step& step, Stage& state, double start, std::array<double, 2>& ends) const {
    const WorkTimes& times = works_[step.work];
    const double total = slowed(times.total, state.send - start, times.besideSend), stretch = times.total > 0 ? total / times.total : 1;
    for (std::size_t pass = 0; pass < 2; ++pass) ends[pass] = start + times.ends[pass] * stretch;
    state.previous = state.compute = start + total;
    if (!step.gradientsAreLast || !shares_) return;
    for (const std::uint32_t pass : graph_->works[step.work].passes) {
        if (pass == WorkClass::none || !endsGradients(graph_->passes[pass].kind)) continue;
        state.bucket.elements += (*chunks_)[at(graph_->passes[pass].chunk)].elements;
        state.bucket.expertElements += (*chunks_)[at(graph_->passes[pass].chunk)].expertElements;
        state.bucket.tensors += (*chunks_)[at(graph_->passes[pass].chunk)].weightTensors;
    }
}

void PipelinePlayer::sendLastGradients(Stage& state, int stage) {
    if (state.bucket.elements + state.bucket.expertElements <= 0) return;
    state.data = std::max(state.data, state.previous);
    sendGradients(state, stage);
}

/// What ended first is sent on first.
void PipelinePlayer::handOnBoth(std::uint32_t step, Stage& state, const std::array<double, 2>& ends) {
    const WorkClass& work = graph_->works[graph_->steps[step].work];
    const std::size_t result = 2 * std::size_t{step};
    const bool secondFirst = work.isPair() && ends[1] < ends[0];
    if (secondFirst) arrived_[result + 1] = handOn(state, work.passes[1], ends[1]);
    arrived_[result] = handOn(state, work.passes[0], ends[0]);
    if (work.isPair() && !secondFirst) arrived_[result + 1] = handOn(state, work.passes[1], ends[1]);
}

void PipelinePlayer::prepare() {
    const Scenario& scenario = grid_->scenario();
    const ReplicaPolicy& policy = grid_->policy();
    overlapPipeline_ = scenario.execution.overlap.pipeline;
    overlapData_ = policy.overlaps();
    gathersAhead_ = policy.gathersAhead();
    shares_ = policy.reduces() != ReduceTime::never;
    gatherEveryUnit_ = policy.gathers() == GatherTime::each_pass;
    reduceEveryUnit_ = policy.reduces() == ReduceTime::each_pass;
    gatherAtFirst_ = policy.gathers() == GatherTime::once && overlapData_;
    reduceUnitsOnce_ = policy.reduces() == ReduceTime::last_pass;
    buckets_ = reduceUnitsOnce_ || policy.reduces() == ReduceTime::full_bucket;
    copies_ = scenario.execution.offload.any();
    slowdown_ = overlapSlowdown(scenario);
    sendsMeet_ = shares_;

    stages_.assign(at(graph_->stages), {});
    ends_.assign(at(graph_->stages), {});
    arrived_.resize(2 * graph_->steps.size());
    transfers_.assign(at(graph_->stages) * table_->pieces.size(), {});

    sendTimes_.clear();
    transfersBetween_ = &grid_->stageTransfers();
    for (const PassClass& pass : graph_->passes) {
        sendTimes_.push_back(pass.sendTo >= 0 ? transfersBetween_->seconds(*grid_, pass.stage, pass.sendTo) : 0);
    }
    works_.resize(graph_->works.size());
    if (reduceEveryUnit_) remembered_.assign(graph_->works.size(), {});
    runs_.clear();
    for (std::size_t i = 0; i < works_.size(); ++i) {
        const WorkClass& work = graph_->works[i];
        WorkTimes& times = works_[i];
        times = {};
        times.stage = static_cast<std::uint32_t>(work.stage);
        for (const std::uint32_t pass : work.passes) times.endsGradients = times.endsGradients || (pass != WorkClass::none && endsGradients(graph_->passes[pass].kind));
        if (work.isPair()) {
            zip(work, times);
            times.besideSend = 1 + times.share * (slowdown_.send - 1);
            if (reduceEveryUnit_) setTimes(work, times);
            continue;
        }
        const PassClass& pass = graph_->passes[work.passes[0]];
        const StagePace& pace = (*paces_)[at(work.stage)];
        const ChunkWork& chunk = (*pace.chunks)[at(pass.chunk)];
        times.total = times.ends[0] = chunk.time[at(pass.kind)] * pace.stretch;
        times.share = chunk.time[at(pass.kind)] > 0 ? chunk.slowed[at(pass.kind)] / chunk.time[at(pass.kind)] : 0;
        times.besideSend = 1 + times.share * (slowdown_.send - 1);
        times.isSingle = true;
        times.sends = pass.sendTo >= 0;
        times.send = sendTimes_[work.passes[0]];
        times.simple = !gatherEveryUnit_ && !reduceEveryUnit_ && !copies_;
        if (shares_ || copies_) listRuns(pass, times);
        if (reduceEveryUnit_) setTimes(work, times);
    }
    prepareGathers();
    if (copies_) prepareCopies();
}

void PipelinePlayer::prepareGathers() {
    if (gatherAtFirst_) {
        const std::size_t slots = graph_->held.front().size();
        gathered_.resize(at(graph_->stages) * slots);
        for (int stage = 0; stage < graph_->stages; ++stage)
            for (std::size_t slot = 0; slot < slots; ++slot) gatherFirst(stage, (*chunks_)[at(graph_->held[at(stage)][slot])].runs, gathered_[at(stage) * slots + slot]);
    }
    if (!gatherEveryUnit_) return;
    for (int stage = 0; stage < graph_->stages; ++stage) {
        const std::uint32_t first = graph_->steps[graph_->firstStep[at(stage)]].work;
        const ExchangeTime gather = gatherTime(graph_->works[first], runs_[works_[first].firstRun]);
        stages_[at(stage)].data = stages_[at(stage)].gathered = gather.seconds;
        stages_[at(stage)].onLinks = gather.shareOnLinks();
    }
}

/// What a chunk's first forward needs, bucket by bucket: when each unit's weights are there.
void PipelinePlayer::gatherFirst(int stage, const std::vector<PieceRun>& runs, std::vector<double>& ends) {
    const ReplicaPolicy& policy = grid_->policy();
    Stage& state = stages_[at(stage)];
    ends.clear();
    HeldWeights bucket;
    std::size_t waiting = 0;
    for (std::size_t r = 0; r < runs.size(); ++r)
        for (int left = runs[r].count; left > 0; --left) {
            bucket += weightsOf(table_->piece(runs[r].piece));
            ++waiting;
            const bool last = r + 1 == runs.size() && left == 1;
            if (!last && !policy.fillsGather(bucket)) continue;
            const ExchangeTime gather = grid_->gather(stage, bucket);
            state.data += gather.seconds;
            if (gather.seconds > 0) state.onLinks = gather.shareOnLinks();
            ends.insert(ends.end(), waiting, state.data);
            bucket = {};
            waiting = 0;
        }
}

/// A pair's units side by side; what one pass has more runs alone.
void PipelinePlayer::zip(const WorkClass& work, WorkTimes& times) {
    times.firstRun = static_cast<std::uint32_t>(runs_.size());
    double now = 0, slowedTime = 0;
    PassTime made;
    const auto sideOf = [&](std::size_t side) -> PassRuns {
        const PassClass& pass = graph_->passes[work.passes[side]];
        return {(*chunks_)[at(pass.chunk)].runs, pass.kind != PassKind::forward};
    };
    forEachJointRun(sideOf(0), sideOf(1), [&](const std::array<int, 2>& pieces, int count) {
        UnitRun& joint = runs_.emplace_back();
        joint.pieces = pieces;
        joint.count = count;
        const PassTime& time = unitTime(work, joint, made);
        now += count * time.alone;
        slowedTime += count * time.alone * time.share;
        for (std::size_t side = 0; side < 2; ++side)
            if (pieces[side] >= 0) times.ends[side] = now;
    });
    times.total = now;
    times.share = now > 0 ? slowedTime / now : 0;
    times.runCount = static_cast<std::uint32_t>(runs_.size()) - times.firstRun;
}

void PipelinePlayer::listRuns(const PassClass& pass, WorkTimes& times) {
    const std::vector<PieceRun>& runs = (*chunks_)[at(pass.chunk)].runs;
    times.firstRun = static_cast<std::uint32_t>(runs_.size());
    times.runCount = static_cast<std::uint32_t>(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const PieceRun& run = pass.kind == PassKind::forward ? runs[i] : runs[runs.size() - 1 - i];
        UnitRun& added = runs_.emplace_back();
        added.pieces[0] = run.piece;
        added.count = run.count;
    }
}

/// The time of a unit's pass; what is not in the table is made in `own`.
const PassTime& PipelinePlayer::unitTime(const WorkClass& work, const UnitRun& run, PassTime& own) const {
    const auto kind = [&](std::size_t side) { return graph_->passes[work.passes[side]].kind; };
    const auto& [table, chunks, stretch] = (*paces_)[at(work.stage)];
    if (run.pieces[0] >= 0 && run.pieces[1] >= 0) {
        const bool forwardFirst = kind(0) == PassKind::forward;
        const PieceTable::Pair& pair = table->pair(run.pieces[forwardFirst ? 0 : 1], run.pieces[forwardFirst ? 1 : 0]);
        own.alone = own.beside = pair.alone * stretch;
        own.share = pair.share;
        return own;
    }
    const std::size_t side = run.pieces[0] >= 0 ? 0 : 1;
    const PassTime& time = table->piece(run.pieces[side]).time[at(kind(side))];
    if (stretch == 1) return time;
    own = time;
    for (double* part : {&own.alone, &own.beside, &own.sent}) *part *= stretch;
    for (double& part : own.lasts) part *= stretch;
    for (double& part : own.done) part *= stretch;
    return own;
}

double PipelinePlayer::start(int stage) const {
    double ready = 0;
    for (const std::uint32_t result : graph_->steps[graph_->firstStep[at(stage)]].awaits)
        if (result != StepGraph::none) ready = std::max(ready, arrived_[result]);
    return ready;
}

double PipelinePlayer::busy(int stage) const {
    if (graph_->twoWay) return 0;
    double time = 0;
    std::array<bool, passKinds> runs{};
    for (std::size_t i = 0; i < works_.size(); ++i) {
        const WorkTimes& times = works_[i];
        if (times.stage != static_cast<std::uint32_t>(stage)) continue;
        if (!times.isSingle) return 0;
        runs[at(graph_->passes[graph_->works[i].passes[0]].kind)] = true;
        time += times.total + (overlapPipeline_ ? 0 : times.send);
    }
    // Whole backwards among split ones: how many of each differs from schedule to schedule.
    return runs[at(PassKind::backward)] && runs[at(PassKind::backward_input)] ? 0 : time;
}

bool PipelinePlayer::needsUnits(const StepGraph::Step& step, const Stage& state, double ready) const {
    if (copies_) return true;
    if (!shares_) return false;
    if (gatherEveryUnit_ || (gatherAtFirst_ && step.forwardIsFirst) || (buckets_ && step.gradientsAreLast)) return true;
    if ((table_->meetsData || slowdown_.any()) && state.data > std::max(state.compute, ready)) return true;
    return reduceEveryUnit_ && works_[step.work].endsGradients;
}

} // namespace orrery
