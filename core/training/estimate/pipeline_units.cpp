// SPDX-License-Identifier: GPL-3.0-or-later
// Work played unit by unit, where something happens beside it: collectives of the data-parallel group, copies to and from the host.
#include "core/base/index.hpp"
#include "core/training/estimate/coupled.hpp"
#include "core/training/estimate/pipeline_player.hpp"
#include "core/training/replica_policy/host_share.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
PipelinePlayer::PieceTransfers& PipelinePlayer::transfersOf(int stage, int index) {
    PieceTransfers& transfers = transfers_[at(stage) * table_->pieces.size() + at(index)];
    if (transfers.isKnown) return transfers;
    const HeldWeights held = weightsOf(table_->piece(index));
    transfers.isKnown = true;
    if (gatherEveryUnit_) transfers.gather = grid_->gather(stage, held);
    if (reduceEveryUnit_) transfers.reduce = grid_->reduce(stage, held);
    return transfers;
}

ExchangeTime PipelinePlayer::gatherTime(const WorkClass& work, const UnitRun& run) {
    ExchangeTime time;
    for (std::size_t side = 0; side < 2; ++side) {
        if (run.pieces[side] < 0 || graph_->passes[work.passes[side]].kind == PassKind::backward_weight) continue;
        const ExchangeTime gather = transfersOf(work.stage, run.pieces[side]).gather;
        time.seconds += gather.seconds;
        time.onLinks += gather.onLinks;
    }
    return time;
}

void PipelinePlayer::sendGradients(Stage& state, int stage) {
    const ExchangeTime time = grid_->reduce(stage, state.bucket);
    state.bucket = {};
    if (time.seconds <= 0) return;
    state.data += time.seconds;
    state.onLinks = time.shareOnLinks();
    state.reduced = state.data;
}

void PipelinePlayer::endGradients(Stage& state, const WorkClass& work, const UnitRun& run, bool isLast, const std::array<bool, 2>& lastOfPass) {
    if (!shares_) return;
    for (std::size_t side = 0; side < 2; ++side) {
        if (run.pieces[side] < 0 || !endsGradients(graph_->passes[work.passes[side]].kind)) continue;
        const PieceNumbers& piece = table_->piece(run.pieces[side]);
        if (reduceEveryUnit_) {
            const ExchangeTime time = transfersOf(work.stage, run.pieces[side]).reduce;
            if (time.seconds <= 0) continue;
            state.reduced = state.data = std::max(state.data, state.previous) + time.seconds;
            state.onLinks = time.shareOnLinks();
            continue;
        }
        if (!isLast) continue;
        state.bucket.elements += piece.elements;
        state.bucket.expertElements += piece.expertElements;
        state.bucket.tensors += piece.weightTensors;
        if (!buckets_) continue;
        const bool full = reduceUnitsOnce_ || grid_->policy().fillsBucket(state.bucket.elements + state.bucket.expertElements);
        if (!full && !lastOfPass[side]) continue;
        state.data = std::max(state.data, state.previous);
        sendGradients(state, work.stage);
    }
}

// --- copies to and from the host ---------------------------------------------------------------------------------------------------

void PipelinePlayer::prepareCopies() {
    mostUnits_ = 0;
    for (const ChunkWork& chunk : *chunks_) {
        int units = 0;
        for (const PieceRun& run : chunk.runs) units += run.count;
        mostUnits_ = std::max(mostUnits_, units);
    }
    stored_.assign(chunks_->size() * at(graph_->microBatchCount) * at(mostUnits_), 0);
    for (int stage = 0; stage < graph_->stages; ++stage) {
        const std::uint32_t first = graph_->firstStep[at(stage)];
        stages_[at(stage)].copied = fetch(stages_[at(stage)], {&runs_[works_[graph_->steps[first].work].firstRun], first, {}}, 0);
    }
}

/// When the activations of a unit of the pass are on the host, s.
double& PipelinePlayer::storedAt(std::uint32_t step, std::size_t side, int place) {
    const PassClass& pass = graph_->passes[graph_->works[graph_->steps[step].work].passes[side]];
    int units = 0;
    for (const PieceRun& run : (*chunks_)[at(pass.chunk)].runs) units += run.count;
    const int unit = pass.kind == PassKind::forward ? place : units - 1 - place;
    return stored_[(at(pass.chunk) * at(graph_->microBatchCount) + at(graph_->microBatches[step][side])) * at(mostUnits_) + at(unit)];
}

/// What units need from the host, not before `release`; gives when it is there.
double PipelinePlayer::fetch(Stage& state, const Following& next, double release) {
    const Scenario& scenario = grid_->scenario();
    const Offload& offload = scenario.execution.offload;
    const double bandwidth = scenario.cluster.accelerator.hostLinkBandwidth;
    const WorkClass& work = graph_->works[graph_->steps[next.step].work];
    double there = 0;
    for (std::size_t side = 0; side < 2; ++side) {
        if (next.run->pieces[side] < 0) continue;
        const PassKind kind = graph_->passes[work.passes[side]].kind;
        const PieceNumbers& piece = table_->piece(next.run->pieces[side]);
        if (offload.weights > 0 && kind != PassKind::backward_weight) {
            const double bytes = weightsFromHost(scenario, grid_->policy(), weightsOf(piece));
            if (bytes > 0) there = state.fromHost = std::max(state.fromHost, release) + bytes / bandwidth;
        }
        const bool backward = kind == PassKind::backward || kind == PassKind::backward_input;
        if (offload.activations <= 0 || !backward || piece.forwardSaved <= 0) continue;
        there = state.fromHost = std::max({state.fromHost, release, storedAt(next.step, side, next.places[side])}) +
                                 offload.activations * piece.forwardSaved / bandwidth;
    }
    return there;
}

/// Sends away what forwards have left for their backwards.
void PipelinePlayer::store(Stage& state, const Following& now) {
    const Scenario& scenario = grid_->scenario();
    const WorkClass& work = graph_->works[graph_->steps[now.step].work];
    for (std::size_t side = 0; side < 2; ++side) {
        if (now.run->pieces[side] < 0 || graph_->passes[work.passes[side]].kind != PassKind::forward) continue;
        const double bytes = scenario.execution.offload.activations * table_->piece(now.run->pieces[side]).forwardSaved;
        if (bytes <= 0) continue;
        state.toHost = std::max(state.toHost, state.previous) + bytes / scenario.cluster.accelerator.hostLinkBandwidth;
        storedAt(now.step, side, now.places[side]) = state.toHost;
    }
}

// --- unit by unit -----------------------------------------------------------------------------------------------------------------

/// When a unit ends that communication beside it slows: first what the data-parallel group sends, then a result on its way. Kernels
/// beside the group's traffic where both share links too: see passBeside.
double PipelinePlayer::endBeside(const Stage& state, double begin, const PassTime& time) const {
    const double backlog = std::max(0.0, state.data - begin), all = begin + slowed(time.alone, backlog, slowedByData(time.share, state.onLinks));
    const double alone = begin + backlog; // from here on
    if (all <= alone || state.send <= alone) return all;
    return alone + slowed(all - alone, state.send - alone, 1 + time.share * (slowdown_.send - 1));
}

/// One unit after the other beside the other streams. Equal units soon advance all of them by the same time each; the rest of such
/// a run is added at once.
void PipelinePlayer::playUnits(std::uint32_t index, double ready, std::array<double, 2>& ends) {
    const StepGraph::Step& step = graph_->steps[index];
    const WorkClass& work = graph_->works[step.work];
    Stage& state = stages_[at(work.stage)];
    const WorkTimes& times = works_[step.work];
    const UnitRun* const own = runs_.data() + times.firstRun;
    const bool waitsForFirst = gatherAtFirst_ && step.forwardIsFirst;
    std::size_t forwardSide = 0;
    const std::vector<double>* gathered = nullptr;
    if (waitsForFirst) {
        forwardSide = graph_->passes[work.passes[0]].kind == PassKind::forward ? 0 : 1;
        gathered = &gathered_[at(work.stage) * graph_->held.front().size() + at(graph_->passes[work.passes[forwardSide]].slot)];
    }
    const bool jumps = !copies_ && !waitsForFirst && !(step.gradientsAreLast && !reduceEveryUnit_);
    std::array<int, 2> places{};
    state.compute = std::max(state.compute, ready);
    for (std::size_t r = 0; r < times.runCount; ++r) {
        const UnitRun& run = own[r];
        PassTime made;
        const PassTime& time = unitTime(work, run, made);
        for (int left = run.count; left > 0; --left) {
            const Stage before = state;
            const Following now{&run, index, places};
            Following next{&run, index, {}};
            for (std::size_t side = 0; side < 2; ++side) next.places[side] = places[side] += run.pieces[side] >= 0;
            if (left == 1) {
                if (r + 1 < times.runCount) next.run = &own[r + 1];
                else next = following(index);
            }
            const ExchangeTime gathers = gatherEveryUnit_ && next.run ? gatherTime(graph_->works[graph_->steps[next.step].work], *next.run) : ExchangeTime{};
            const double gather = gathers.seconds;
            double begin = std::max({state.compute, state.gathered, state.copied});
            if (waitsForFirst && run.pieces[forwardSide] >= 0) begin = std::max(begin, (*gathered)[at(places[forwardSide] - 1)] + state.gatherDelay);
            if (gather > 0 && gathersAhead_) {
                state.data = std::max(state.data, state.previous) + gather;
                state.onLinks = gathers.shareOnLinks();
            }
            double end = slowdown_.any() ? endBeside(state, begin, time) : begin + time.alone;
            const double backlog = state.data - begin;
            if (backlog > 0 && time.meets) {
                const Coupled both = passBeside(time, backlog, state.onLinks);
                end = begin + both.first;
                state.gatherDelay += both.second - backlog;
                state.data = begin + both.second;
            }
            if (gather > 0 && !gathersAhead_) {
                state.data = std::max(state.data, end) + gather;
                state.onLinks = gathers.shareOnLinks();
            }
            state.gathered = gather > 0 ? state.data : 0;
            if (copies_) state.copied = next.run ? fetch(state, next, state.previous) : 0;
            state.previous = state.compute = end;
            if (copies_) store(state, now);
            std::array<bool, 2> lastOfPass{};
            for (std::size_t side = 0; side < 2; ++side) {
                if (run.pieces[side] < 0) continue;
                ends[side] = end;
                lastOfPass[side] = left == 1 && (r + 1 == times.runCount || own[r + 1].pieces[side] < 0);
            }
            endGradients(state, work, run, step.gradientsAreLast, lastOfPass);
            if ((reduceEveryUnit_ || reduceUnitsOnce_) && !overlapData_) state.compute = std::max(state.compute, state.reduced);
            if (!jumps || left <= 2 || (slowdown_.any() && state.send > begin)) continue;
            const double advance = state.compute - before.compute;
            const auto steady = [&](double after, double then) { return std::abs(after - then - advance) <= rounding * end; };
            const bool sends = gather > 0 || state.reduced > before.reduced;
            if (!steady(state.previous, before.previous)) continue;
            if (sends ? !steady(state.data, before.data) : backlog > 0) continue;
            if (gather > 0 && !steady(state.gathered, before.gathered)) continue;
            const double jump = (left - 2) * advance;
            state.compute += jump;
            state.previous += jump;
            if (sends) state.data += jump;
            if (gather > 0) state.gathered += jump;
            if (state.reduced > before.reduced) state.reduced += jump;
            left = 2;
        }
    }
}

/// The first units of the stage's next step.
PipelinePlayer::Following PipelinePlayer::following(std::uint32_t step) const {
    const std::uint32_t next = graph_->nextStep[step];
    if (next == StepGraph::none) return {};
    return {&runs_[works_[graph_->steps[next].work].firstRun], next, {}};
}

} // namespace orrery
