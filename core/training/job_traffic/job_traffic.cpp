// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/job_traffic/job_traffic.hpp"

#include "core/training/job_traffic/collective_choice.hpp"
#include "core/training/job_traffic/fabric_traffic.hpp"

#include <algorithm>
#include <tuple>

namespace orrery {
namespace {

/// Requests of a kind that are kept as they were asked. Where shares follow the bytes there are no end of them.
constexpr std::size_t mostMet = 16;

/// Whether no two patterns use a common link.
bool areApart(const std::vector<TransferPattern>& patterns, std::size_t links) {
    if (patterns.size() == 1) return true;
    std::vector<std::size_t> user(links, patterns.size());
    for (std::size_t i = 0; i < patterns.size(); ++i)
        for (const PatternPhase& phase : patterns[i].phases)
            for (const PatternFlows& flows : phase.flows)
                for (const FlowUse& use : flows.uses) {
                    if (user[use.link] != patterns.size() && user[use.link] != i) return false;
                    user[use.link] = i;
                }
    return true;
}

/// Adds another group's pattern of the same shape, which runs at the same time: as flows of its own, or in step with the first's.
void addPattern(TransferPattern& sum, TransferPattern&& other, bool inStep) {
    if (!other.connected && sum.connected) {
        sum.connected = false;
        sum.cutFrom = other.cutFrom;
        sum.cutTo = other.cutTo;
    }
    sum.hops = std::max(sum.hops, other.hops);
    for (std::size_t i = 0; i < std::min(sum.phases.size(), other.phases.size()); ++i) {
        PatternPhase& phase = sum.phases[i];
        phase.latency = std::max(phase.latency, other.phases[i].latency);
        for (std::size_t f = 0; f < other.phases[i].flows.size(); ++f) {
            PatternFlows& more = other.phases[i].flows[f];
            if (!inStep) {
                phase.flows.push_back(std::move(more));
                continue;
            }
            phase.flows[f].cap = std::min(phase.flows[f].cap, more.cap);
            std::vector<FlowUse> merged;
            std::merge(phase.flows[f].uses.begin(), phase.flows[f].uses.end(), more.uses.begin(), more.uses.end(), std::back_inserter(merged),
                       [](const FlowUse& a, const FlowUse& b) { return a.link < b.link; });
            std::size_t kept = 0;
            for (std::size_t u = 0; u < merged.size(); ++u) {
                if (kept > 0 && merged[kept - 1].link == merged[u].link) merged[kept - 1].flows += merged[u].flows;
                else merged[kept++] = merged[u];
            }
            merged.resize(kept);
            phase.flows[f].uses = std::move(merged);
        }
    }
}

} // namespace

JobTraffic::JobTraffic(const Scenario& scenario) : JobTraffic(scenario, std::make_shared<RoutedFabric>(scenario.cluster), {}) {}

JobTraffic::JobTraffic(const Scenario& scenario, std::shared_ptr<RoutedFabric> fabric, std::vector<int> placement)
    : scenario_(scenario), grid_(scenario.parallelism), fabric_(std::move(fabric)), placement_(std::move(placement)), maker_(fabric_->router()) {}

std::vector<int> JobTraffic::cell(int data, int stage) const {
    std::vector<int> ranks;
    for (int c = 0; c < scenario_.parallelism.context; ++c)
        for (int t = 0; t < scenario_.parallelism.tensor; ++t) ranks.push_back(grid_.rank(t, c, data, stage));
    return ranks;
}

std::vector<std::vector<int>> JobTraffic::groupsOf(const TrafficKind& kind, int data) const {
    const Parallelism& plan = scenario_.parallelism;
    std::vector<std::vector<int>> groups;
    switch (kind.group) {
    case RankGroup::tensor:
        for (int c = 0; c < plan.context; ++c) {
            groups.emplace_back();
            for (int t = 0; t < plan.tensor; ++t) groups.back().push_back(placed(t, c, data, kind.stage));
        }
        return groups;
    case RankGroup::context:
        for (int t = 0; t < plan.tensor; ++t) {
            groups.emplace_back();
            for (int c = 0; c < plan.context; ++c) groups.back().push_back(placed(t, c, data, kind.stage));
        }
        return groups;
    case RankGroup::data:
        // Context ranks hold the same weights: they add up gradients and share out optimizer states with the data ranks.
        for (int t = 0; t < plan.tensor; ++t) {
            groups.emplace_back();
            for (int d = 0; d < plan.data; ++d)
                for (int c = 0; c < plan.context; ++c) groups.back().push_back(placed(t, c, d, kind.stage));
        }
        return groups;
    case RankGroup::shard:
    case RankGroup::replicate: return shardGroups(kind);
    case RankGroup::expert:
    case RankGroup::expert_tensor:
    case RankGroup::expert_data: return expertGroups(kind);
    default:
        for (int c = 0; c < plan.context; ++c)
            for (int t = 0; t < plan.tensor; ++t) groups.push_back({placed(t, c, data, kind.stage), placed(t, c, data, kind.toStage)});
        return groups;
    }
}

/// Cut from each data group in its order: neighbours share a copy out, those in the same place of each cut hold the same shard.
std::vector<std::vector<int>> JobTraffic::shardGroups(const TrafficKind& kind) const {
    std::vector<std::vector<int>> cut;
    const auto sharders = static_cast<std::size_t>(scenario_.parallelism.sharders());
    for (const std::vector<int>& ranks : groupsOf({RankGroup::data, kind.collective, kind.stage, kind.toStage}, 0)) {
        const std::size_t copies = ranks.size() / sharders, first = cut.size();
        cut.resize(first + (kind.group == RankGroup::shard ? copies : sharders));
        for (std::size_t i = 0; i < ranks.size(); ++i)
            cut[first + (kind.group == RankGroup::shard ? i / sharders : i % sharders)].push_back(ranks[i]);
    }
    return cut;
}

/// Cut from the stage's ranks in their order: ranks of one expert's matrices first, then those of the other experts, then copies.
std::vector<std::vector<int>> JobTraffic::expertGroups(const TrafficKind& kind) const {
    const auto tensor = static_cast<std::size_t>(scenario_.parallelism.expertTensor), experts = static_cast<std::size_t>(scenario_.parallelism.expert);
    std::vector<int> ranks = grid_.stageRanks(kind.stage);
    for (int& rank : ranks) rank = placed(rank);
    const std::size_t copies = ranks.size() / (tensor * experts);
    const std::size_t groups = kind.group == RankGroup::expert ? copies * tensor : kind.group == RankGroup::expert_tensor ? copies * experts
                                                                                                                          : tensor * experts;
    std::vector<std::vector<int>> cut(groups);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::size_t t = i % tensor, e = i / tensor % experts, copy = i / (tensor * experts);
        const std::size_t group = kind.group == RankGroup::expert          ? copy * tensor + t
                                  : kind.group == RankGroup::expert_tensor ? copy * experts + e
                                                                           : e * tensor + t;
        cut[group].push_back(ranks[i]);
    }
    return cut;
}

JobTraffic::Id JobTraffic::patterns(const TrafficKind& kind, double bytes) {
    Known& known = known_[kind.packed()];
    const bool exchanges = kind.group == RankGroup::expert && kind.collective == CollectiveKind::all_to_all;
    const KernelConstants& constants = scenario_.kernels;
    // A library for experts' exchange was measured as training runs it.
    if (exchanges && deduplicatesTokens(scenario_)) return met(kind, known, chooseExchange(scenario_, fabric_->router(), groupsOf(kind, 0).front()));
    // A collective of a job that trains, beside its kernels, falls short of the library's alone.
    if (!known.question) known.question = libraryQuestion(scenario_, fabric_->router(), groupsOf(kind, 0).front(), kind.collective);
    LibraryRequest& question = *known.question;
    if (question.upKept != constants.scaleUpShare || question.outKept != constants.scaleOutShare) {
        question.upKept = constants.scaleUpShare;
        question.outKept = constants.scaleOutShare;
        known.chosen.clear();
    }
    const auto [chosen, fresh] = known.chosen.try_emplace(bytes, 0);
    if (fresh) chosen->second = choose(kind, known, bytes);
    return chosen->second;
}

JobTraffic::Id JobTraffic::choose(const TrafficKind& kind, Known& known, double bytes) {
    const std::vector<CollectiveOption> options = collectiveOptions(scenario_, *known.question, bytes);
    return met(kind, known, fastestOption(options, [&](const PatternRequest& request) { return alone(met(kind, known, request), bytes).time; }));
}

JobTraffic::Id JobTraffic::met(const TrafficKind& kind, Known& known, const PatternRequest& request) {
    for (const Known::Met& met : known.met)
        if (met.start == request.start && met.upShare == request.upShare && met.outShare == request.outShare && met.upWire == request.upWire && met.outWire == request.outWire &&
            met.algorithm == request.algorithm)
            return met.id;
    const Id id = idOf(kind, request);
    if (known.met.size() < mostMet) known.met.push_back({request.algorithm, request.start, request.upShare, request.outShare, request.upWire, request.outWire, id});
    return id;
}

/// Requests that rounding sets apart are one.
JobTraffic::Id JobTraffic::idOf(const TrafficKind& kind, const PatternRequest& request) {
    const auto word = [](double value) { return std::to_string(value * 1e9) + ' '; };
    const std::string key = std::to_string(static_cast<int>(kind.group)) + ' ' + std::to_string(static_cast<int>(kind.collective)) + ' ' +
                            std::to_string(kind.stage) + ' ' + std::to_string(kind.toStage) + ' ' + request.algorithm + ' ' +
                            word(request.start) + word(request.upShare) + word(request.outShare) + word(request.upWire) + word(request.outWire);
    const auto known = ids_.find(key);
    if (known != ids_.end()) return known->second;
    sets_.push_back(make(kind, request));
    findings_.emplace_back();
    const Id id = static_cast<Id>(sets_.size()) - 1;
    if (!sets_.back().connected && !cut_) cut_ = id;
    ids_.emplace(key, id);
    return id;
}

TrafficPatterns JobTraffic::make(const TrafficKind& kind, const PatternRequest& request) {
    TrafficPatterns set;
    set.kind = kind;
    set.predicted = !request.stepLatency;
    // Groups that reach over cells can't be told apart by cell.
    const bool ofCell = kind.group == RankGroup::tensor || kind.group == RankGroup::context || kind.group == RankGroup::pipeline ||
                        kind.group == RankGroup::embedding;
    set.shared = !ofCell;
    const int cells = set.shared ? 1 : scenario_.parallelism.data;
    for (int data = 0; data < cells; ++data) {
        const std::vector<std::vector<int>> groups = groupsOf(kind, data);
        TransferPattern sum = maker_.make(groups.front(), request);
        // The transfers of a cell's ranks are equal and end together; groups that span the cells keep a rate of their own each.
        for (std::size_t group = 1; group < groups.size(); ++group) addPattern(sum, maker_.make(groups[group], request), ofCell);
        set.connected = set.connected && sum.connected;
        set.ofCells.push_back(std::move(sum));
    }
    return set;
}

AloneTime JobTraffic::alone(Id id, double bytes) {
    std::vector<AloneTiming>& timings = findings_[id].alone;
    if (timings.empty())
        for (const TransferPattern& pattern : sets_[id].ofCells) {
            AloneTiming timing(pattern, capacities());
            if (std::find(timings.begin(), timings.end(), timing) == timings.end()) timings.push_back(std::move(timing));
        }
    AloneTime slowest;
    for (const AloneTiming& timing : timings) {
        const AloneTime one = timing.of(bytes);
        if (one.time > slowest.time) slowest = one;
    }
    return slowest;
}

bool JobTraffic::cellsAreApart(Id id) {
    std::optional<bool>& apart = findings_[id].apart;
    if (!apart) apart = areApart(sets_[id].ofCells, capacities().size());
    return *apart;
}

std::vector<FlowDemand> JobTraffic::background() { return backgroundTraffic(*fabric_); }

LonePattern JobTraffic::lonePattern(const std::vector<int>& ranks, CollectiveKind kind, double bytes) {
    const std::vector<CollectiveOption> options = collectiveOptions(scenario_, libraryQuestion(scenario_, fabric_->router(), ranks, kind), bytes);
    const PatternRequest& request = fastestOption(options, [&](const PatternRequest& option) { return aloneTime(maker_.make(ranks, option), bytes, capacities()).time; });
    return {maker_.make(ranks, request), request.protocol};
}

Problem JobTraffic::unreachable(const TransferPattern& pattern) const { return noWay(fabric(), pattern); }

Problems JobTraffic::unreachable() const {
    if (!cut_) return {};
    for (const TransferPattern& pattern : sets_[*cut_].ofCells)
        if (!pattern.connected) return {unreachable(pattern)};
    return {};
}

} // namespace orrery
