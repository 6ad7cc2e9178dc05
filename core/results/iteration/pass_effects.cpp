// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/pass_effects.hpp"
#include "core/model/graph.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/rank_work/graph_passes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

using Key = std::tuple<std::string, Phase, int>;

struct Listed {
    std::vector<Key> order;
    std::map<Key, const Operator*> byKey;
};

Listed listed(const Graph& graph) {
    Listed list;
    std::map<std::pair<std::string, Phase>, int> seen;
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators) {
            const Key key{op.name, op.phase, seen[{op.name, op.phase}]++};
            list.order.push_back(key);
            list.byKey[key] = &op;
        }
    return list;
}

double bytesOf(const Graph& graph, const std::vector<TensorId>& ids) {
    double bytes = 0;
    for (const TensorId id : ids) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

std::string phaseWord(const Operator& op) {
    return std::string(toString(op.kind == OperatorKind::collective ? Phase::communication : op.phase));
}

std::vector<std::string> changedAttributes(const Graph& before, const Operator& a, const Graph& after, const Operator& b) {
    std::vector<std::string> names;
    const auto note = [&](bool same, const char* name) {
        if (!same) names.emplace_back(name);
    };
    note(a.kind == b.kind, "kind");
    note(a.shape.m == b.shape.m && a.shape.n == b.shape.n && a.shape.k == b.shape.k && a.shape.batch == b.shape.batch, "shape");
    note(a.flops == b.flops, "flops");
    note(a.bytesRead == b.bytesRead && a.bytesWritten == b.bytesWritten, "bytes");
    note(a.weights == b.weights && a.replicatedWeights == b.replicatedWeights, "weights");
    note(a.format == b.format, "format");
    note(a.collective == b.collective && a.backwardCollective == b.backwardCollective && a.group == b.group, "collective");
    note(a.messageBytes == b.messageBytes, "message");
    note(a.kernels == b.kernels, "kernels");
    note(a.inputs.size() == b.inputs.size() && bytesOf(before, a.inputs) == bytesOf(after, b.inputs), "inputs");
    note(a.outputs.size() == b.outputs.size() && bytesOf(before, a.outputs) == bytesOf(after, b.outputs), "outputs");
    note(a.saved.size() == b.saved.size() && bytesOf(before, a.saved) == bytesOf(after, b.saved), "saved");
    return names;
}

void addSums(const Graph& graph, double sign, PieceEffect& effect) {
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators) {
            effect.flops += sign * op.flops;
            effect.messageBytes += sign * op.messageBytes;
            if (op.kind != OperatorKind::collective) effect.bytes += sign * (op.bytesRead + op.bytesWritten);
        }
    effect.savedBytes += sign * savedBytes(graph);
}

/// What leads from one graph of a piece to another: operators found by phase and name (the first with the first where several
/// have the same), and sums over all.
PieceEffect difference(const Graph& before, const Graph& after) {
    PieceEffect effect;
    effect.piece = after.name;
    const Listed was = listed(before), is = listed(after);
    for (const Key& key : was.order)
        if (!is.byKey.contains(key)) effect.changes.push_back({ChangeKind::removed, std::get<0>(key), phaseWord(*was.byKey.at(key)), {}});
    for (const Key& key : is.order) {
        const auto known = was.byKey.find(key);
        const Operator& op = *is.byKey.at(key);
        if (known == was.byKey.end()) {
            effect.changes.push_back({ChangeKind::added, op.name, phaseWord(op), {}});
            continue;
        }
        std::vector<std::string> attributes = changedAttributes(before, *known->second, after, op);
        if (!attributes.empty()) effect.changes.push_back({ChangeKind::changed, op.name, phaseWord(op), std::move(attributes)});
    }
    addSums(after, 1, effect);
    addSums(before, -1, effect);
    return effect;
}

PieceEffect pieceEffect(const PieceUse& use, const Scenario& before, const Scenario& after) {
    const PlannedGraph was = plannedGraph(use.piece, before, before.execution.recompute == RecomputeKind::none ? RecomputeKind::none : use.recompute);
    const PlannedGraph is = plannedGraph(use.piece, after, after.execution.recompute == RecomputeKind::none ? RecomputeKind::none : use.recompute);
    PieceEffect effect = difference(was.graph, is.graph);
    const auto held = [](const PlannedGraph& planned) {
        double elements = planned.frozenElements;
        for (const Operator& op : planned.graph.forward) elements += op.weights + op.replicatedWeights;
        return elements;
    };
    effect.parameters = held(is) - held(was);
    effect.piece = use.name;
    effect.count = use.count;
    return effect;
}

/// An operator that an iteration runs beside the pieces, mean over stages.
struct BesideOperator {
    Operator op;
    double count = 0; ///< on one rank in an iteration
    double bytes = 0;
    double message = 0;
};
using BesideOperators = std::map<std::string, BesideOperator>;

std::set<std::uint32_t> segmentsOfPieces(const Iteration& iteration) {
    const RankWork& work = iteration.work;
    std::set<std::uint32_t> segments;
    for (const auto& [parts, pair] : iteration.pairs) segments.insert(pair);
    const auto add = [&](const PieceWork& piece) {
        for (const std::uint32_t segment : {piece.forwardSegment, piece.backwardSegment, piece.backwardInputSegment, piece.backwardWeightSegment})
            segments.insert(segment);
    };
    add(work.embedding);
    add(work.head);
    for (const PieceWork& layer : work.layers) add(layer);
    if (work.nextToken) add(*work.nextToken);
    return segments;
}

BesideOperators besidePieces(const Scenario& scenario) {
    JobTraffic traffic(scenario);
    const CostModel cost = costModelOf(scenario);
    const Iteration iteration = buildIteration(scenario, makeRankWork(scenario, scenario.execution.recompute, cost, traffic), traffic,
                                               LaneMap(scenario.parallelism.pipeline, scenario.parallelism.data));
    const std::set<std::uint32_t> pieces = segmentsOfPieces(iteration);
    BesideOperators operators;
    const double stages = scenario.parallelism.pipeline;
    for (const TaskInfo& task : iteration.tasks) {
        if (!iteration.isShown(task) || pieces.contains(task.segment)) continue;
        for (const SegmentEntry& entry : iteration.work.segments[task.segment].entries) {
            const Operator& op = iteration.work.operators[entry.op].op;
            BesideOperator& sum = operators[op.name];
            sum.op = op;
            sum.count += 1 / stages;
            sum.bytes += (op.bytesRead + op.bytesWritten) / stages;
            sum.message += op.messageBytes / stages;
        }
    }
    return operators;
}

/// Sums of the same numbers in another order differ in their last digits.
bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

PieceEffect difference(const BesideOperators& before, const BesideOperators& after) {
    PieceEffect effect;
    effect.piece = "iteration";
    const auto word = [](const Operator& op) {
        const bool sends = op.kind == OperatorKind::collective || op.kind == OperatorKind::send_receive;
        return std::string(toString(sends ? Phase::communication : op.phase));
    };
    const auto add = [&](const BesideOperator& one, double sign) {
        effect.flops += sign * one.op.flops * one.count;
        effect.bytes += sign * one.bytes;
        effect.messageBytes += sign * one.message;
    };
    for (const auto& [name, was] : before) {
        add(was, -1);
        if (!after.contains(name)) effect.changes.push_back({ChangeKind::removed, name, word(was.op), {}});
    }
    for (const auto& [name, is] : after) {
        add(is, 1);
        const auto known = before.find(name);
        if (known == before.end()) {
            effect.changes.push_back({ChangeKind::added, name, word(is.op), {}});
            continue;
        }
        const BesideOperator& was = known->second;
        std::vector<std::string> attributes;
        if (!same(was.count, is.count)) attributes.emplace_back("count");
        if (!same(was.bytes, is.bytes)) attributes.emplace_back("bytes");
        if (!same(was.message, is.message)) attributes.emplace_back("message");
        if (!attributes.empty()) effect.changes.push_back({ChangeKind::changed, name, word(is.op), std::move(attributes)});
    }
    return effect;
}

BesideOperators ofGroups(const BesideOperators& all, std::initializer_list<RankGroup> groups) {
    BesideOperators chosen;
    for (const auto& [name, one] : all)
        if (std::find(groups.begin(), groups.end(), one.op.group) != groups.end()) chosen.emplace(name, one);
    return chosen;
}

void addUnlessEmpty(PassEffect& effect, PieceEffect piece) {
    if (!piece.changes.empty()) effect.pieces.push_back(std::move(piece));
}

class Effects {
public:
    explicit Effects(const Scenario& scenario) : scenario_(scenario) {
        for (const PassInfo& pass : passTable()) {
            PassEffect effect;
            effect.pass = pass.id;
            effect.isOn = !isSwitchedOff(pass.id, scenario);
            effect.whyIdle = effect.isOn ? whyPassIsIdle(pass.id, scenario) : "it is switched off.";
            if (scenario.recorded()) effect.whyIdle = "the graph runs as it was recorded.";
            effects_.push_back(std::move(effect));
        }
    }

    std::vector<PassEffect> run() {
        if (!scenario_.recorded()) {
            graphPasses();
            iterationPasses();
        }
        return std::move(effects_);
    }

private:
    PassEffect& of(PassId id) { return effects_[static_cast<std::size_t>(id)]; }
    bool works(PassId id) { return of(id).whyIdle.empty(); }

    /// One graph pass after the other is let in, on a model that begins with none.
    void graphPasses() {
        const std::vector<PieceUse> uses = pieceUses(scenario_, scenario_.execution.recompute);
        const auto upTo = [&](std::size_t first) {
            Scenario without = scenario_;
            for (std::size_t i = first; i < effects_.size() && isGraphPass(effects_[i].pass); ++i) leaveOutOfGraphs(effects_[i].pass, without);
            return without;
        };
        for (std::size_t i = 0; i < effects_.size() && isGraphPass(effects_[i].pass); ++i) {
            if (!effects_[i].whyIdle.empty()) continue;
            const Scenario before = upTo(i), after = upTo(i + 1);
            for (const PieceUse& use : uses) addUnlessEmpty(effects_[i], pieceEffect(use, before, after));
        }
    }

    /// What runs beside the pieces, with the plan's ranks as they are: host memory, sharding, groups and overlap are let in one after the other.
    void iterationPasses() {
        Scenario plan = scenario_;
        plan.parallelism.zeroStage = 0;
        plan.parallelism.shardGroup = 0;
        plan.execution.offload = Offload{};
        plan.execution.overlap = Overlap{};
        BesideOperators now = besidePieces(plan);
        if (works(PassId::pipeline))
            addUnlessEmpty(of(PassId::pipeline), difference({}, ofGroups(now, {RankGroup::pipeline, RankGroup::embedding})));
        if (works(PassId::data)) addUnlessEmpty(of(PassId::data), difference({}, ofGroups(now, {RankGroup::data, RankGroup::expert_data, RankGroup::shard, RankGroup::replicate})));
        const auto letIn = [&](PassId id) {
            BesideOperators next = besidePieces(plan);
            if (works(id)) addUnlessEmpty(of(id), difference(now, next));
            now = std::move(next);
        };
        plan.execution.offload = scenario_.execution.offload;
        if (works(PassId::offload)) letIn(PassId::offload);
        plan.parallelism.zeroStage = scenario_.parallelism.zeroStage;
        if (works(PassId::zero)) letIn(PassId::zero);
        plan.parallelism.shardGroup = scenario_.parallelism.shardGroup;
        if (works(PassId::hsdp)) letIn(PassId::hsdp);
        plan.execution.overlap = scenario_.execution.overlap;
        if (works(PassId::overlap)) letIn(PassId::overlap);
    }

    const Scenario& scenario_;
    std::vector<PassEffect> effects_;
};

} // namespace

std::vector<PassEffect> passEffects(const Scenario& scenario) {
    if (!scenario.isTraining()) return {};
    return Effects(scenario).run();
}

} // namespace orrery
