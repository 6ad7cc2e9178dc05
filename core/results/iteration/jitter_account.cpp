// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/jitter_account.hpp"

#include "core/training/rank_work/slow_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orrery {
namespace {

/// Iterations drawn: enough for a 95th percentile to within one of two of its neighbours, and quick.
constexpr int drawsOfOwn = 512, drawsOfCurve = 128;

/// The closed form and the timeline differ by what the latter hides and by how both approximate, hardly by as much as this.
constexpr double mostScale = 2;

constexpr int fewestRanks = 8, mostCurveRanks = 16384;

LogNormal relative(const Moments& segment, double alone) {
    return alone > 0 ? logNormalOf({segment.mean / alone, segment.variance / (alone * alone)}) : LogNormal{};
}

/// What an iteration of a pipeline of such cells computes without jitter, s.
std::vector<double> secondsOfPipelines(const Scenario& scenario, const RankWork& work, const std::vector<SlowCells>& cells, const ReplicaShape& fastest) {
    std::vector<double> seconds{fastest.span(fastest.alone)};
    for (std::size_t i = 1; i < cells.size(); ++i) {
        const RankWork slow = withSlowKernels(work, cells[i].slowdown, segmentOptions(scenario));
        const ReplicaShape shape = jitterShape(scenario, slow, scenario.parallelism.data).replica;
        seconds.push_back(shape.span(shape.alone));
    }
    return seconds;
}

} // namespace

JitterAccount::JitterAccount(const Scenario& scenario, const RankWork& work, const JitterBase& base, std::vector<SlowCells> slow)
    : scenario_(scenario), work_(work), base_(base), slow_(std::move(slow)), shape_(jitterShape(scenario, work, scenario.parallelism.data)),
      secondsOf_(secondsOfPipelines(scenario, work, slow_, shape_.replica)), spread_(spreadOf(shape_, draws(drawsOfOwn))) {}

FactorSpread JitterAccount::spreadOf(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places, int draws) const {
    return draws == 0 ? analyticSpread(shape, hosts, places) : sampledSpread(shape, hosts, places, scenario_.jitter.seed, draws);
}

int JitterAccount::draws(int ifSampled) const { return scenario_.jitter.method == JitterMethod::sampled ? ifSampled : 0; }

/// Named stragglers hold up the iteration without jitter already: only what lies beyond them counts.
JitterAccount::Spread JitterAccount::spreadOf(const JitterShape& shape, int draws) const {
    const HostFactors hosts(scenario_.jitter.hosts), alike{HostJitter{}};
    Spread slowest{{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (std::size_t i = 0; i < slow_.size(); ++i) {
        const TeamPlaces places = i > 0 ? shape.placesOf(slow_[i].cells) : shape.places;
        const double share = secondsOf_[i] / secondsOf_.back();
        const auto raise = [&](FactorSpread& most, const FactorSpread& own) {
            most = {std::max(most.mean, share * own.mean), std::max(most.p5, share * own.p5), std::max(most.p50, share * own.p50),
                    std::max(most.p95, share * own.p95)};
        };
        raise(slowest.with, spreadOf(shape.replica, hosts, places, draws));
        raise(slowest.withoutHosts, spreadOf(shape.replica, alike, places, draws));
    }
    return slowest;
}

double JitterAccount::transferStretch(RankGroup group, int data) const { return expectedTransferStretch(scenario_, group, data); }

/// Beyond what exposed transfers take without jitter, s.
double JitterAccount::transferSeconds(int data) const {
    return base_.data * (transferStretch(RankGroup::data, data) - 1) + base_.pipeline * (transferStretch(RankGroup::pipeline, data) - 1);
}

StepStretch JitterAccount::stretch(JitterMethod method) const {
    const JitterModel& jitter = scenario_.jitter;
    StepStretch stretch;
    stretch.seed = jitter.seed;
    for (std::size_t group = 0; group < rankGroupCount; ++group)
        stretch.ofTransfers[group] = transferStretch(static_cast<RankGroup>(group), scenario_.parallelism.data);
    const HostFactors hosts(jitter.hosts);
    const bool drawn = method == JitterMethod::sampled;
    for (std::size_t i = 0; i < slow_.size(); ++i) {
        const TeamPlaces places = i > 0 ? shape_.placesOf(slow_[i].cells) : shape_.places;
        std::vector<double>& ofStage = stretch.ofStage[slow_[i].slowdown];
        if (!drawn) {
            ofStage.assign(shape_.replica.alone.size(), analyticSpread(shape_.replica, hosts, places).mean);
            continue;
        }
        const std::uint64_t which = static_cast<std::uint64_t>(i) << 24; // named stragglers draw for themselves
        const IterationDraw draw = drawIteration(shape_.replica, orrery::spreadOf(shape_.replica, hosts, places), hosts, places, jitter.seed, which);
        ofStage = draw.ofStage;
        for (double& factor : ofStage) factor *= draw.noise;
    }
    // Within layers transfers that meet others are part of what the slowest pipeline's factor is of.
    const std::vector<double>& ofStage = stretch.ofStage.at(1);
    double slowest = std::accumulate(ofStage.begin(), ofStage.end(), 0.0) / static_cast<double>(ofStage.size());
    if (drawn) slowest *= orrery::spreadOf(shape_.replica).inLayers;
    for (const RankGroup group : {RankGroup::tensor, RankGroup::context}) stretch.ofTransfers[static_cast<std::size_t>(group)] = slowest;
    if (!drawn) return stretch;
    for (std::size_t segment = 0; segment < shape_.segments.size(); ++segment)
        stretch.ofSegment.push_back(relative(shape_.segments[segment], work_.segments[segment].duration));
    return stretch;
}

JitterPoint JitterAccount::point(const Spread& spread, int ranks, int data, double scale) const {
    const double computed = base_.iteration - base_.data - base_.pipeline, transfers = transferSeconds(data);
    const auto seconds = [&](double factor) { return base_.iteration + scale * (computed * (factor - 1) + transfers); };
    return {ranks, seconds(spread.with.mean), seconds(spread.with.p5), seconds(spread.with.p50), seconds(spread.with.p95),
            scale * computed * (spread.with.mean - spread.withoutHosts.mean)};
}

JitterReport JitterAccount::report(double shown) const {
    const JitterModel& jitter = scenario_.jitter;
    const Parallelism& plan = scenario_.parallelism;
    JitterReport report;
    report.method = jitter.method;
    report.seed = jitter.seed;
    report.draws = draws(drawsOfOwn);
    report.without = base_.iteration;
    // The timeline with the expected factor says what hides behind what: its seconds stand, and all others go by it.
    const double computing = base_.iteration - base_.data - base_.pipeline;
    const double expected = computing * (spreadOf(shape_, 0).with.mean - 1) + transferSeconds(plan.data);
    const double excess = std::max(0.0, shown - base_.iteration);
    const double scale = expected > 0 ? std::min(excess / expected, mostScale) : 1;
    // What is left is of hosts: named stragglers may hide all else, but not how the others end the iteration after them.
    const double beyond = scale < mostScale ? 0 : excess - scale * expected;
    const auto pointAt = [&](const Spread& spread, int ranks, int data) {
        JitterPoint made = point(spread, ranks, data, scale);
        for (double* seconds : {&made.mean, &made.p5, &made.p50, &made.p95, &made.hosts}) *seconds += beyond;
        return made;
    };
    report.own = pointAt(spread_, plan.ranks(), plan.data);
    if (jitter.method == JitterMethod::analytic) report.own.mean = shown;

    const ReplicaSpread replica = orrery::spreadOf(shape_.replica);
    const double computed = scale * computing;
    report.parts = {computed * (replica.inLayers - 1), computed * (replica.span.mean - replica.inLayers),
                    computed * (spread_.withoutHosts.mean - replica.span.mean), report.own.hosts, scale * transferSeconds(plan.data)};
    report.hostCount = shape_.hosts;
    report.slowestHost = HostFactors(jitter.hosts).expectedSlowest(shape_.hosts);

    const int replicaRanks = plan.tensor * plan.context * plan.pipeline;
    for (int data = 1; data * replicaRanks <= mostCurveRanks; data *= 2) {
        const int ranks = data * replicaRanks;
        const bool holdsExperts = data * plan.tensor * plan.context >= plan.expert * plan.expertTensor;
        if (ranks < fewestRanks || !holdsExperts || ranks == plan.ranks()) continue;
        const JitterShape shape = jitterShape(scenario_, work_, data);
        report.curve.push_back(pointAt(spreadOf(shape, draws(drawsOfCurve)), ranks, data));
    }
    report.curve.push_back(report.own);
    std::sort(report.curve.begin(), report.curve.end(), [](const JitterPoint& a, const JitterPoint& b) { return a.ranks < b.ranks; });
    return report;
}

} // namespace orrery
