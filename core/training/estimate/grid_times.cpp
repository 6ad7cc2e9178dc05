// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/grid_times.hpp"

#include "core/order/schedule/schedule_traits.hpp"
#include "core/training/plan/jitter_shape.hpp"
#include "core/training/rank_work/optimizer_work.hpp"
#include "core/training/rank_work/slow_kernels.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

double secondsOf(const PhaseTimes& side, double scale) {
    double sum = side.latency;
    for (const double phase : side.seconds) sum += phase * scale;
    return sum;
}

/// How many times as long `own` takes while `other` goes through its phases again and again. Times are of bytes over the scales.
double stretchBeside(const PhaseTimes& own, double ownScale, const PhaseTimes& other, double otherScale) {
    const double whole = secondsOf(own, ownScale), period = secondsOf(other, otherScale);
    if (whole <= 0 || period <= 0) return 1;
    double sum = whole;
    std::size_t next = 0;
    for (const double beside : other.seconds)
        for (const double phase : own.seconds) sum += (own.beside[next++] * ownScale - phase * ownScale) * (beside * otherScale) / period;
    return std::max(1.0, sum / whole);
}

/// Bytes of the first set: times on links grow with the bytes, so that sets which differ in no more meet alike.
double scaleOf(const std::vector<std::pair<JobTraffic::Id, double>>& sets) { return !sets.empty() && sets.front().second > 0 ? sets.front().second : 1; }

/// Gradients to the host, its step, new weights back.
double hostStepSeconds(const Scenario& scenario, double elements) {
    const HostStep step = hostStep(scenario, elements);
    return elements * (step.gradientElementBytes + step.weightElementBytes) / scenario.cluster.accelerator.hostLinkBandwidth + step.seconds;
}

/// Its weights as one tensor: an example is sent at once.
template <class Piece> HeldWeights exampleOf(const Piece& piece) {
    HeldWeights held = weightsOf(piece);
    held.tensors = 1;
    return held;
}

/// How slow each stage of the plan's pipelines is, without those pipelines that another is as slow as in every stage.
std::vector<std::vector<double>> slowestPipelines(const Scenario& scenario, const JobTraffic& traffic) {
    const std::vector<std::vector<double>> cells = cellSlowdowns(scenario, traffic);
    const auto covers = [](const std::vector<double>& slow, const std::vector<double>& other) {
        return std::equal(slow.begin(), slow.end(), other.begin(), [](double a, double b) { return a >= b; });
    };
    std::vector<std::vector<double>> pipelines;
    for (std::size_t cell = 0; cell < cells.front().size(); ++cell) {
        std::vector<double> own;
        own.reserve(cells.size());
        for (const std::vector<double>& stage : cells) own.push_back(stage[cell]);
        if (std::any_of(pipelines.begin(), pipelines.end(), [&](const auto& known) { return covers(known, own); })) continue;
        std::erase_if(pipelines, [&](const auto& known) { return covers(own, known); });
        pipelines.push_back(std::move(own));
    }
    return pipelines;
}

std::vector<double> slowestStages(const std::vector<std::vector<double>>& pipelines) {
    std::vector<double> slowest = pipelines.front();
    for (const std::vector<double>& pipeline : pipelines)
        for (std::size_t stage = 0; stage < slowest.size(); ++stage) slowest[stage] = std::max(slowest[stage], pipeline[stage]);
    return slowest;
}

} // namespace

GridTimes::GridTimes(Scenario scenario, std::shared_ptr<RoutedFabric> fabric, RankWorks& works, TogetherTimes& together, MeetingTimes& meetings)
    : scenario_(std::move(scenario)), policy_(scenario_), traffic_(scenario_, std::move(fabric), {}),
      cost_(costModelOf(scenario_)), background_(traffic_.background()),
      slowPipelines_(slowestPipelines(scenario_, traffic_)), slowdown_(slowestStages(slowPipelines_)), works_(works), together_(together), meetings_(meetings) {}

void GridTimes::recalibrate(const KernelConstants& kernels, const FrameworkProfile& profile) {
    const KernelConstants& old = scenario_.kernels;
    if (kernels.scaleUpShare != old.scaleUpShare || kernels.scaleOutShare != old.scaleOutShare) {
        collectives_.clear();
        transfers_.clear();
    }
    scenario_.kernels = kernels;
    scenario_.execution.profile = profile;
    policy_ = ReplicaPolicy(scenario_);
    cost_ = costModelOf(scenario_);
    optimizers_.clear();
    pieces_.clear();
    found_.clear();
}

std::shared_ptr<SharedWork> GridTimes::rankWork() {
    const PieceKey key = pieceKey(1);
    const auto known = std::find_if(found_.begin(), found_.end(), [&](const auto& entry) { return entry.first == key; });
    if (known != found_.end())
        if (std::shared_ptr<SharedWork> work = known->second.lock()) return work;
    std::shared_ptr<SharedWork> work = works_.of(scenario_, policy_, cost_, traffic_);
    if (known != found_.end()) known->second = work;
    else found_.emplace_back(key, work);
    return work;
}

double GridTimes::collective(const TrafficKind& kind, double bytes) {
    const CollectiveKey key{kind.packed(), std::bit_cast<std::uint64_t>(bytes)};
    const auto known = collectives_.find(key);
    if (known != collectives_.end()) return known->second;
    return collectives_[key] = timeOf(kind, bytes);
}

double GridTimes::timeOf(const TrafficKind& kind, double bytes) {
    const JobTraffic::Id id = traffic_.patterns(kind, bytes);
    const double stretch = scenario_.jitter.any() ? expectedTransferStretch(scenario_, kind.group, scenario_.parallelism.data) : 1;
    const TrafficPatterns& set = traffic_.at(id);
    if (!set.connected) return 0;
    if (background_.empty() && traffic_.cellsAreApart(id)) return traffic_.alone(id, bytes).time * stretch;
    std::vector<Transfer> transfers;
    for (const TransferPattern& pattern : set.ofCells) transfers.push_back({&pattern, bytes, stretch});
    return together_.seconds(transfers, traffic_.capacities(), background_);
}

ExchangeTime GridTimes::exchangeTime(int stage, const ReplicaExchange& exchange) {
    const auto seconds = [&](const ReplicaCollective& one) { return collective({one.group, one.kind, stage, stage}, one.bytes); };
    ExchangeTime time;
    for (const ReplicaCollective& step : exchange.dense()) time.onLinks += seconds(step);
    time.onLinks *= exchange.repeats;
    time.seconds = time.onLinks + exchange.copySeconds;
    if (!exchange.experts) return time;
    const double experts = seconds(*exchange.experts);
    time.onLinks += experts;
    time.seconds += experts;
    return time;
}

StageTransfers& GridTimes::stageTransfers() {
    const Parallelism& plan = scenario_.parallelism;
    StageTransfers& transfers = transfers_[{transferBytes(), plan.zeroStage, layer_.elements, layer_.frozenElements + layer_.wideElements, layer_.expertElements}];
    if (!transfers.known_.empty()) return transfers;
    transfers.stages_ = plan.pipeline;
    transfers.bytes_ = transferBytes();
    transfers.known_.resize(static_cast<std::size_t>(plan.pipeline) * static_cast<std::size_t>(plan.pipeline));
    return transfers;
}

double StageTransfers::seconds(GridTimes& grid, int stage, int toStage) {
    double& time = between(stage, toStage).seconds;
    if (time < 0) time = grid.collective({RankGroup::pipeline, CollectiveKind::send_receive, stage, toStage}, bytes_);
    return time;
}

const Stretch& StageTransfers::besideData(GridTimes& grid, int stage, int toStage) {
    Stretch& beside = between(stage, toStage).beside;
    if (beside.own < 0)
        beside = grid.besideData(grid.traffic_.patterns({RankGroup::pipeline, CollectiveKind::send_receive, stage, toStage}, bytes_), bytes_, {stage, toStage});
    return beside;
}

double GridTimes::transferBytes() const { return orrery::transferBytes(scenario_); }

OptimizerTimes GridTimes::optimizer(double elements, double orthogonalFlops) {
    const double onHost = scenario_.execution.offload.optimizer;
    const auto [known, fresh] = optimizers_.try_emplace({elements, orthogonalFlops, onHost});
    if (!fresh) return known->second;
    OptimizerTimes& times = known->second;
    times.norm = gradientNormOperator(scenario_, elements).time;
    for (const TimedOperator& part : optimizerOperators(scenario_, (1 - onHost) * elements, (1 - onHost) * orthogonalFlops)) times.step += part.time;
    if (onHost > 0) times.onHost = hostStepSeconds(scenario_, onHost * elements);
    return times;
}

// --- what meets on links ----------------------------------------------------------------------------------------------------------

std::vector<Transfer> GridTimes::transfersOf(const std::vector<std::pair<JobTraffic::Id, double>>& sets) const {
    std::vector<Transfer> transfers;
    for (const auto& [id, bytes] : sets)
        for (const TransferPattern& pattern : traffic_.at(id).ofCells) transfers.push_back({&pattern, bytes});
    return transfers;
}

Stretch GridTimes::stretch(std::vector<std::pair<JobTraffic::Id, double>> own, std::vector<std::pair<JobTraffic::Id, double>> other) {
    const double ownScale = scaleOf(own), otherScale = scaleOf(other);
    std::vector<std::uint64_t> key{own.size()};
    const auto addScaled = [&key](std::vector<std::pair<JobTraffic::Id, double>>& traffic, double scale) {
        for (auto& [id, bytes] : traffic) {
            bytes /= scale;
            key.insert(key.end(), {id, std::bit_cast<std::uint64_t>(bytes)});
        }
    };
    addScaled(own, ownScale);
    addScaled(other, otherScale);
    const auto [known, fresh] = met_.try_emplace(std::move(key));
    if (fresh) known->second = meetings_.between(transfersOf(own), transfersOf(other), traffic_.capacities());
    const Meeting& meeting = known->second;
    if (!meeting.meet) return {};
    return {stretchBeside(meeting.own, ownScale, meeting.other, otherScale), stretchBeside(meeting.other, otherScale, meeting.own, ownScale), true};
}

std::vector<GridTimes::DataShare> GridTimes::dataTraffic(int stage) {
    std::vector<DataShare> shares;
    double seconds = 0;
    const auto add = [&](const ReplicaCollective& one, double times) {
        if (one.bytes <= 0 || times <= 0) return;
        const TrafficKind kind{one.group, one.kind, stage, stage};
        const double time = times * collective(kind, one.bytes);
        shares.push_back({traffic_.patterns(kind, one.bytes), one.bytes, time});
        seconds += time;
    };
    // Without groups one kind of collective stands for all: gathers where anything is shared out, a scatter takes the same links.
    const bool scatters = policy_.gradientCollective() == CollectiveKind::reduce_scatter;
    const ReplicaExchange gathered = policy_.gather(layer_), reduced = policy_.reduce(layer_), example = scatters ? gathered : reduced;
    if (scatters && policy_.inGroups()) {
        for (const ReplicaCollective& step : gathered.dense()) add(step, policy_.gathers() == GatherTime::each_pass ? 2 : 0);
        for (const ReplicaCollective& step : reduced.dense()) add(step, 1);
    } else {
        for (const ReplicaCollective& step : example.dense()) add(step, 1);
    }
    if (example.experts) add(*example.experts, 1);
    for (DataShare& share : shares) share.share = seconds > 0 ? share.share / seconds : 0;
    return shares;
}

Stretch GridTimes::besideData(JobTraffic::Id own, double bytes, const std::vector<int>& stages) {
    std::vector<std::vector<DataShare>> groups;
    groups.reserve(stages.size());
    for (const int stage : stages) groups.push_back(dataTraffic(stage));
    if (groups.front().empty()) return {};
    Stretch mean{0, 0, false};
    for (std::size_t i = 0; i < groups.front().size(); ++i) {
        std::vector<std::pair<JobTraffic::Id, double>> other;
        other.reserve(groups.size());
        for (const std::vector<DataShare>& group : groups) other.emplace_back(group[i].patterns, group[i].bytes);
        const Stretch one = stretch({{own, bytes}}, other);
        mean.own += groups.front()[i].share * one.own;
        mean.other += groups.front()[i].share * one.other;
        mean.meet = mean.meet || one.meet;
    }
    return {std::max(1.0, mean.own), std::max(1.0, mean.other), mean.meet};
}

// --- pieces -----------------------------------------------------------------------------------------------------------------------

GridTimes::PieceKey GridTimes::pieceKey(double slowdown) const {
    const Parallelism& plan = scenario_.parallelism;
    const Execution& execution = scenario_.execution;
    PieceKey key;
    key.sequence = plan.sequence;
    key.overlapTensor = execution.overlap.tensor;
    key.besideData = policy_.replicas() > 1 && plan.tensor * plan.context > 1 && !execution.overlap.tensor && policy_.sendsAmongUnits();
    key.unshards = policy_.unshardsWeights();
    key.zeroStage = key.besideData ? plan.zeroStage : 0;
    const ScheduleTraits& schedule = traitsOf(plan.schedule);
    key.splits = schedule.splitsBackward;
    key.endsMeet = schedule.endsMeet();
    key.pairs = schedule.pairsPasses || (execution.overlap.expert && scenario_.model.experts.has_value());
    key.contextMethod = plan.contextMethod;
    key.microBatch = scenario_.training().microBatch;
    key.recompute = execution.recompute;
    key.recomputeEvery = execution.recomputeEvery;
    key.recomputeModules = execution.recomputeModules;
    key.slowdown = slowdown;
    return key;
}

const PieceTable& GridTimes::piecesAlone() {
    PieceKey key = pieceKey(1);
    key.besideData = false;
    key.zeroStage = 0;
    return piecesOf(key);
}

const PieceTable& GridTimes::piecesOf(const PieceKey& key) {
    const auto known = std::find_if(pieces_.begin(), pieces_.end(), [&](const auto& entry) { return entry.first == key; });
    if (known != pieces_.end()) {
        layer_ = exampleOf(known->second->pieces.back());
        return *known->second;
    }
    const std::shared_ptr<SharedWork> shared = rankWork();
    layer_ = exampleOf(shared->rank().layers.back());
    const auto keep = [&](std::shared_ptr<const PieceTable> table) -> const PieceTable& { return *pieces_.emplace_back(key, std::move(table)).second; };
    if (key.slowdown == 1 && !key.besideData) return keep(shared->table(scenario_, key.pairs));
    std::vector<Stretch> stretches;
    if (key.besideData)
        for (const TimedOperator* timed : shared->meeting()) {
            const double bytes = timed->op.messageBytes / timed->op.kernels;
            stretches.push_back(besideData(traffic_.patterns({timed->op.group, timed->op.collective, 0, 0}, bytes), bytes, {0}));
        }
    if (key.slowdown == 1) return keep(shared->tableBeside(scenario_, key.pairs, stretches));
    const RankWork slow = withSlowKernels(shared->rank(), key.slowdown, segmentOptions(scenario_));
    return keep(std::make_shared<const PieceTable>(makePieceTable(scenario_, slow, key.pairs, key.besideData ? shared->stretchOf(stretches) : StretchOf())));
}

} // namespace orrery
