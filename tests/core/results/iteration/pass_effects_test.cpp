// SPDX-License-Identifier: GPL-3.0-or-later
// What every pass is said to add, against the graphs that run: the effects of all passes lead from the model to the plan.
#include "core/base/json.hpp"
#include "core/results/iteration/pass_effects.hpp"
#include "core/training/rank_work/graph_passes.hpp"
#include "tests/core/training/plan/random_plans.hpp"

#include <map>

namespace orrery {
namespace {

const PassEffect& of(const std::vector<PassEffect>& effects, PassId id) { return effects[static_cast<std::size_t>(id)]; }

bool has(const PassEffect& effect, ChangeKind kind, const std::string& name, const std::string& attribute = {}) {
    for (const PieceEffect& piece : effect.pieces)
        for (const OperatorChange& change : piece.changes)
            if (change.kind == kind && change.name == name &&
                (attribute.empty() || std::find(change.attributes.begin(), change.attributes.end(), attribute) != change.attributes.end()))
                return true;
    return false;
}

struct Sums {
    double operators = 0, flops = 0, saved = 0;
};

Sums sumsOf(const PlannedGraph& planned) {
    Sums sums;
    for (const std::vector<Operator>* operators : {&planned.graph.forward, &planned.graph.backward})
        for (const Operator& op : *operators) {
            sums.operators += 1;
            sums.flops += op.flops;
        }
    std::map<TensorId, double> saved;
    for (const Operator& op : planned.graph.forward)
        for (const TensorId id : op.saved) saved[id] = planned.graph.tensors[static_cast<std::size_t>(id)].bytes;
    for (const auto& [id, bytes] : saved) sums.saved += bytes;
    return sums;
}

TEST(PassEffects, AddUpFromTheModelToThePlan) {
    test::RandomSource random(61);
    for (int i = 0; i < 30; ++i) {
        const Json document = test::randomPlan(random, test::smallModelKinds()[static_cast<std::size_t>(i) % test::smallModelKinds().size()]);
        SCOPED_TRACE(document.dump());
        const Scenario scenario = test::sound(document);
        Scenario plain = scenario;
        for (const PassInfo& pass : passTable())
            if (isGraphPass(pass.id)) leaveOutOfGraphs(pass.id, plain);
        const std::vector<PassEffect> effects = passEffects(scenario);
        ASSERT_EQ(effects.size(), passTable().size());
        for (const PieceUse& use : pieceUses(scenario, scenario.execution.recompute)) {
            const Sums first = sumsOf(plannedGraph(use.piece, plain, RecomputeKind::none)), last = sumsOf(plannedGraph(use.piece, scenario, use.recompute));
            Sums sums = first;
            for (const PassEffect& effect : effects)
                for (const PieceEffect& piece : effect.pieces) {
                    if (piece.piece != use.name) continue;
                    EXPECT_EQ(piece.count, use.count);
                    sums.flops += piece.flops;
                    sums.saved += piece.savedBytes;
                    for (const OperatorChange& change : piece.changes)
                        sums.operators += change.kind == ChangeKind::added ? 1 : change.kind == ChangeKind::removed ? -1
                                                                                                                    : 0;
                }
            EXPECT_EQ(sums.operators, last.operators) << use.name;
            EXPECT_NEAR(sums.flops, last.flops, 1e-9 * (first.flops + last.flops)) << use.name;
            EXPECT_NEAR(sums.saved, last.saved, 1e-9 * (first.saved + last.saved)) << use.name;
        }
        for (const PassEffect& effect : effects) {
            EXPECT_EQ(effect.whyIdle, whyPassIsIdle(effect.pass, scenario));
            // What overlaps may be the same operators at other times.
            if (effect.pass == PassId::overlap && effect.whyIdle.empty()) continue;
            EXPECT_EQ(effect.pieces.empty(), !effect.whyIdle.empty()) << passInfo(effect.pass).name << " " << effect.whyIdle;
        }
    }
}

TEST(PassEffects, NameTheOperatorsThatEachPassIsKnownFor) {
    Json document = test::smallScenario(2, 2, 4, 4);
    document["cluster"]["accelerator"] = "h100-sxm5-80gb";
    document["workload"]["precision"] = "fp8";
    document["parallelism"].update(Json{{"sequence", true}, {"zero_stage", 1}});
    document["execution"].update(Json{{"attention", "flash"}, {"recompute", "selective"}, {"overlap", {{"data", true}}}});
    const std::vector<PassEffect> effects = passEffects(test::sound(document));
    EXPECT_TRUE(has(of(effects, PassId::precision), ChangeKind::added, "mlp.up.cast"));
    EXPECT_TRUE(has(of(effects, PassId::precision), ChangeKind::changed, "mlp.up", "format"));
    EXPECT_TRUE(has(of(effects, PassId::fusion), ChangeKind::added, "attention.core"));
    EXPECT_TRUE(has(of(effects, PassId::fusion), ChangeKind::removed, "attention.softmax"));
    EXPECT_TRUE(has(of(effects, PassId::tensor), ChangeKind::added, "mlp.down.reduce"));
    EXPECT_TRUE(has(of(effects, PassId::tensor), ChangeKind::changed, "mlp.up", "shape"));
    EXPECT_TRUE(has(of(effects, PassId::sequence), ChangeKind::changed, "mlp.norm", "shape") || has(of(effects, PassId::sequence), ChangeKind::changed, "mlp.norm", "flops"));
    EXPECT_TRUE(has(of(effects, PassId::sequence), ChangeKind::changed, "mlp.down.reduce", "collective"));
    EXPECT_TRUE(has(of(effects, PassId::recompute), ChangeKind::added, "attention.core"));
    EXPECT_TRUE(has(of(effects, PassId::data), ChangeKind::added, "data.all_reduce_gradients"));
    EXPECT_TRUE(has(of(effects, PassId::zero), ChangeKind::removed, "data.all_reduce_gradients"));
    EXPECT_TRUE(has(of(effects, PassId::zero), ChangeKind::added, "data.reduce_scatter_gradients"));
    EXPECT_TRUE(has(of(effects, PassId::zero), ChangeKind::changed, "optimizer.adam", "bytes"));
    EXPECT_FALSE(of(effects, PassId::pipeline).pieces.empty());
    EXPECT_EQ(of(effects, PassId::context).whyIdle, "there is 1 context rank.");
    // Overlap: buckets leave one after the other instead of all gradients and all weights at once.
    document["execution"]["framework"] = "megatron-core-2024";
    const std::vector<PassEffect> bucketed = passEffects(test::sound(document));
    EXPECT_TRUE(has(of(bucketed, PassId::overlap), ChangeKind::changed, "data.reduce_scatter_gradients", "count"));
    EXPECT_TRUE(has(of(bucketed, PassId::overlap), ChangeKind::changed, "data.gather_parameters", "count"));
}

TEST(PassEffects, OfAPassSwitchedOffIsNothing) {
    Json document = test::smallScenario(2, 2, 4, 4);
    document["execution"]["passes"] = {{"fusion", false}};
    const std::vector<PassEffect> effects = passEffects(test::sound(document));
    EXPECT_FALSE(of(effects, PassId::fusion).isOn);
    EXPECT_TRUE(of(effects, PassId::fusion).pieces.empty());
    EXPECT_EQ(toJson(effects)[1]["on"], false);
}

} // namespace
} // namespace orrery
