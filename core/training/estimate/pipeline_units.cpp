// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/index.hpp"
#include "core/training/estimate/coupled.hpp"
#include "core/training/estimate/pipeline_player.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

// Work played unit by unit, where something happens beside it: collectives of the data-parallel group, copies to and from the host.

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

// Plans whose data-parallel groups scatter gradients, and gather weights, at every unit: nearly all work is played unit by unit, and
// nearly always as the last time.

/// What its units take and give the data-parallel group to send.
void PipelinePlayer::setTimes(const WorkClass& work, const WorkTimes& times) {
    for (std::uint32_t i = times.firstRun; i < times.firstRun + times.runCount; ++i) {
        UnitRun& run = runs_[i];
        PassTime made;
        const PassTime& time = unitTime(work, run, made);
        run.meets = time.meets;
        run.alone = time.alone;
        run.share = time.share;
        if (slowdown_.any()) {
            run.byCollective = slowingBy(slowedByData(time.share, 1));
            run.bySend = slowingBy(1 + time.share * (slowdown_.send - 1));
        }
        if (gatherEveryUnit_) {
            const ExchangeTime gather = gatherTime(work, run);
            run.gather = gather.seconds;
            run.gatherOnLinks = gather.shareOnLinks();
        }
        for (std::size_t side = 0; side < 2; ++side) {
            if (run.pieces[side] < 0 || !endsGradients(graph_->passes[work.passes[side]].kind)) continue;
            const ExchangeTime reduce = transfersOf(work.stage, run.pieces[side]).reduce;
            run.reduce[side] = reduce.seconds;
            run.reduceOnLinks[side] = reduce.shareOnLinks();
        }
    }
}

void PipelinePlayer::playSharded() {
    const bool mayMeet = table_->meetsData || slowdown_.any();
    const auto count = static_cast<std::uint32_t>(graph_->steps.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const StepGraph::Step& step = graph_->steps[i];
        if (gatherAtFirst_ && step.forwardIsFirst) {
            playSlowly(i, step.awaits[0] == StepGraph::none ? 0 : arrived_[step.awaits[0]]);
            continue;
        }
        const WorkTimes& times = works_[step.work];
        Stage& state = stages_[times.stage];
        double start = state.compute;
        for (const std::uint32_t result : step.awaits)
            if (result != StepGraph::none) start = std::max(start, arrived_[result]);
        std::array<double, 2> ends{};
        if (!gatherEveryUnit_ && !times.endsGradients && !(mayMeet && state.data > start)) playWhole(step, state, start, ends);
        else if (!recall(remembered_[step.work], state, step.nextWork, start, ends)) playShardedUnits(step, state, start, ends);
        if (times.isSingle) arrived_[2 * std::size_t{i}] = handOn(state, graph_->works[step.work].passes[0], ends[0]);
        else handOnBoth(i, state, ends);
    }
}

/// Whether the stage begins just as the last time; then it is moved on as then.
inline bool PipelinePlayer::recall(const Remembered& known, Stage& state, std::uint32_t next, double start, std::array<double, 2>& ends) const {
    const auto is = [&](double now, double then) { return std::abs(now - start - then) <= rounding * start; };
    if (known.next != next || !is(dataFrom(state, start), known.data)) return false;
    if (state.data > start && state.onLinks != known.onLinks) return false;
    if (gatherEveryUnit_ && !is(std::max(state.gathered, start), known.gathered)) return false;
    if (slowdown_.any() && !is(std::max(state.send, start), known.send)) return false;
    state.compute = start + known.computeAfter;
    state.previous = start + known.previousAfter;
    state.data = start + known.dataAfter;
    state.onLinks = known.onLinksAfter;
    state.gathered = start + known.gatheredAfter;
    if (known.reduces) state.reduced = start + known.reducedAfter;
    ends = {start + known.ends[0], start + known.ends[1]};
    return true;
}

/// Does what playUnits does, and remembers what came of it.
void PipelinePlayer::playShardedUnits(const StepGraph::Step& step, Stage& state, double start, std::array<double, 2>& ends) {
    const bool slows = slowdown_.any();
    const WorkTimes& work = works_[step.work];
    const UnitRun* run = runs_.data() + work.firstRun;
    const UnitRun* const beyond = run + work.runCount;
    static const UnitRun nothing;
    const UnitRun& afterLast = step.nextWork == StepGraph::none ? nothing : runs_[works_[step.nextWork].firstRun];
    const double onLinksBefore = state.onLinks;
    const double dataBefore = dataFrom(state, start) - start, gatheredBefore = std::max(state.gathered, start) - start, reducedBefore = state.reduced;
    const double send = state.send;
    double compute = start, previous = state.previous, data = state.data, onLinks = state.onLinks, gathered = state.gathered, reduced = state.reduced;
    for (; run != beyond; ++run) {
        const UnitRun& afterRun = run + 1 != beyond ? run[1] : afterLast;
        for (int left = run->count; left > 0; --left) {
            const double computeThen = compute, previousThen = previous, dataThen = data, gatheredThen = gathered, reducedThen = reduced;
            const UnitRun& next = left > 1 ? *run : afterRun;
            const double gather = next.gather;
            const double begin = std::max(compute, gathered);
            if (gather > 0 && gathersAhead_) {
                data = std::max(data, previous) + gather;
                onLinks = next.gatherOnLinks;
            }
            const double backlog = data - begin;
            double end = begin + run->alone;
            if (slows) {
                const double besideData = std::max(0.0, backlog), alone = begin + besideData; // from here on
                const Slowing byData = onLinks == 1 ? run->byCollective : slowingBy(slowedByData(run->share, onLinks));
                end = begin + byData.lasts(run->alone, besideData);
                if (end > alone && send > alone) end = alone + run->bySend.lasts(end - alone, send - alone);
            }
            if (backlog > 0 && run->meets) {
                PassTime made;
                const Coupled both = passBeside(unitTime(graph_->works[step.work], *run, made), backlog, onLinks);
                end = begin + both.first;
                state.gatherDelay += both.second - backlog;
                data = begin + both.second;
            }
            if (gather > 0 && !gathersAhead_) {
                data = std::max(data, end) + gather;
                onLinks = next.gatherOnLinks;
            }
            gathered = gather > 0 ? data : 0;
            previous = compute = end;
            for (std::size_t side = 0; side < 2; ++side) {
                if (run->pieces[side] >= 0) ends[side] = end;
                if (run->reduce[side] <= 0) continue;
                reduced = data = std::max(data, previous) + run->reduce[side];
                onLinks = run->reduceOnLinks[side];
            }
            if (!overlapData_) compute = std::max(compute, reduced);
            if (left <= 2 || (slows && send > begin)) continue;
            const double advance = compute - computeThen;
            const auto steady = [&](double after, double then) { return std::abs(after - then - advance) <= rounding * end; };
            const bool reduces = reduced > reducedThen, sends = gather > 0 || reduces;
            if (!steady(previous, previousThen)) continue;
            if (sends ? !steady(data, dataThen) : backlog > 0) continue;
            if (gather > 0 && !steady(gathered, gatheredThen)) continue;
            const double jump = (left - 2) * advance;
            compute += jump;
            previous += jump;
            if (sends) data += jump;
            if (gather > 0) gathered += jump;
            if (reduces) reduced += jump;
            left = 2;
        }
    }
    state.compute = compute;
    state.previous = previous;
    state.data = data;
    state.onLinks = onLinks;
    state.gathered = gathered;
    state.reduced = reduced;
    remembered_[step.work] = {step.nextWork, reduced > reducedBefore, dataBefore, gatheredBefore, onLinksBefore, std::max(send, start) - start, compute - start, previous - start, data - start, onLinks, gathered - start, reduced - start, {ends[0] - start, ends[1] - start}};
}

} // namespace orrery
