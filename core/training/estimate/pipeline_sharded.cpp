// SPDX-License-Identifier: GPL-3.0-or-later
// Plans whose data-parallel groups scatter gradients, and gather weights, at every unit: nearly all work is played unit by unit, and
// nearly always as the last time.
#include "core/training/estimate/pipeline_player.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
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
