// SPDX-License-Identifier: GPL-3.0-or-later
// The operator graph against published closed forms, for a GPT shape (f = 4h, biases, dropout, learned positions, tied embedding):
// FLOPs (rows 2 and 3 of the physics notes), tensor traffic (row 6), activations (row 7). Every formula is written out here.
#include "core/model/transformer_graph.hpp"
#include "core/training/memory/liveness.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <gtest/gtest.h>

#include <string>

namespace orrery::plan_closed_forms {
namespace {

constexpr double b = 4, s = 2048, h = 6144, a = 64, V = 51200, l = 48;

Architecture gpt() {
    Architecture model;
    model.modelType = "gpt2";
    model.layers = int(l);
    model.hidden = int(h);
    model.heads = model.kvHeads = int(a);
    model.headDim = int(h / a);
    model.ffn = 4 * int(h);
    model.vocabulary = int(V);
    model.embeddingWidth = int(h);
    model.maxPositions = model.positionRows = int(s);
    model.positions = PositionKind::learned;
    model.tiedEmbedding = true;
    model.qkvBias = model.attentionOutputBias = model.mlpBias = model.normBias = true;
    model.attentionDropout = model.hiddenDropout = 0.1;
    return model;
}

Scenario scenario(int tensor, bool sequence) {
    Scenario scenario;
    scenario.model = gpt();
    scenario.training().microBatch = int(b);
    scenario.training().sequenceLength = int(s);
    scenario.training().globalBatch = int(b);
    scenario.parallelism.tensor = tensor;
    scenario.parallelism.sequence = sequence;
    scenario.execution.attention = AttentionKind::unfused;
    return scenario;
}

Graph layer(int tensor, bool sequence, RecomputeKind recompute) { return plannedGraphs(scenario(tensor, sequence), recompute)[1]; }

double matrixFlops(const std::vector<Operator>& operators, bool recomputedToo) {
    double flops = 0;
    for (const Operator& op : operators) {
        const bool product = op.kind == OperatorKind::gemm || op.kind == OperatorKind::batched_gemm || op.kind == OperatorKind::attention;
        if (product && (recomputedToo || op.phase != Phase::recompute)) flops += op.flops;
    }
    return flops;
}

/// FLOPs of an iteration with one micro-batch, over all tensor ranks.
double iterationFlops(int tensor, bool sequence, RecomputeKind recompute, bool recomputedToo) {
    const auto graphs = plannedGraphs(scenario(tensor, sequence), recompute);
    double flops = 0;
    for (const Graph& graph : graphs) {
        const double times = graph.name == "layer" ? l : 1;
        flops += times * tensor * (matrixFlops(graph.forward, true) + matrixFlops(graph.backward, recomputedToo));
    }
    return flops;
}

void expectSame(double value, double expected, const std::string& what) {
    EXPECT_NEAR(value, expected, 1e-9 * expected) << what;
}

TEST(ClosedForms, Row1ParametersOfTheGraph) {
    double elements = 0;
    for (const Graph& graph : plannedGraphs(scenario(1, false), RecomputeKind::none))
        for (const Operator& op : graph.forward) elements += (graph.name == "layer" ? l : 1) * (op.weights + op.replicatedWeights);
    expectSame(elements, 12 * l * h * h * (1 + 13 / (12 * h) + (V + s + 2) / (12 * l * h)), "row 1");
}

TEST(ClosedForms, Row2ModelFlopsAndTheirInvarianceUnderTensorParallelism) {
    const double expected = 72 * b * l * s * h * h * (1 + s / (6 * h) + V / (12 * l * h));
    for (int t : {1, 2, 4, 8})
        for (bool sequence : {false, true})
            for (RecomputeKind kind : {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full})
                expectSame(iterationFlops(t, sequence, kind, false), expected, "t = " + std::to_string(t));
}

TEST(ClosedForms, Row3HardwareFlops) {
    for (int t : {1, 8}) {
        expectSame(iterationFlops(t, t > 1, RecomputeKind::selective, true),
                   72 * b * l * s * h * h * (1 + 2 * s / (9 * h) + V / (12 * l * h)), "selective");
        expectSame(iterationFlops(t, t > 1, RecomputeKind::full, true),
                   96 * b * l * s * h * h * (1 + s / (6 * h) + V / (16 * l * h)), "full");
    }
}

/// Elements a layer moves per GPU in units of b s h (t - 1)/t: an all-reduce is two of them.
double tensorTraffic(const Graph& graph) {
    double units = 0;
    for (const auto* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators) {
            if (op.kind != OperatorKind::collective) continue;
            EXPECT_EQ(op.group, RankGroup::tensor);
            units += op.messageBytes / 2 / (b * s * h) * (op.collective == CollectiveKind::all_reduce ? 2 : 1);
        }
    return units;
}

TEST(ClosedForms, Row6TensorTraffic) {
    for (int t : {2, 8}) {
        expectSame(tensorTraffic(layer(t, false, RecomputeKind::none)), 8, "t alone");
        expectSame(tensorTraffic(layer(t, true, RecomputeKind::none)), 10, "with sequence parallelism");
        expectSame(tensorTraffic(layer(t, false, RecomputeKind::full)), 12, "full");
        expectSame(tensorTraffic(layer(t, true, RecomputeKind::full)), 14, "full with sequence parallelism");
        expectSame(tensorTraffic(layer(t, true, RecomputeKind::selective)), 10, "selective recomputes no collective");
    }
    EXPECT_EQ(tensorTraffic(layer(1, false, RecomputeKind::full)), 0);
}

TEST(ClosedForms, Row7ActivationsOfALayer) {
    const double sbh = s * b * h;
    const double scores = 5 * a * s / h;
    const auto stored = [&](int t, bool sequence, RecomputeKind kind) { return forwardMemory(layer(t, sequence, kind)).saved; };
    expectSame(stored(1, false, RecomputeKind::none), sbh * (34 + scores), "none");
    expectSame(stored(1, false, RecomputeKind::selective), sbh * 34, "selective");
    expectSame(stored(1, false, RecomputeKind::full), sbh * 2, "full");
    for (double t : {2.0, 4.0, 8.0}) {
        const int ranks = int(t);
        expectSame(stored(ranks, false, RecomputeKind::none), sbh * (10 + 24 / t + scores / t), "t");
        expectSame(stored(ranks, true, RecomputeKind::none), sbh * (34 / t + scores / t), "t with sequence");
        expectSame(stored(ranks, false, RecomputeKind::selective), sbh * (10 + 24 / t), "selective, t");
        expectSame(stored(ranks, true, RecomputeKind::selective), sbh * 34 / t, "selective, t with sequence");
        expectSame(stored(ranks, false, RecomputeKind::full), sbh * 2, "full, t");
        expectSame(stored(ranks, true, RecomputeKind::full), sbh * 2 / t, "full, t with sequence");
    }
}

TEST(ClosedForms, BackwardGivesBackWhatForwardKept) {
    for (int t : {1, 8})
        for (bool sequence : {false, true})
            for (RecomputeKind kind : {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full})
                for (const Graph& graph : plannedGraphs(scenario(t, sequence && t > 1), kind)) {
                    const PieceMemory forward = forwardMemory(graph);
                    const PieceMemory backward = backwardMemory(graph);
                    EXPECT_EQ(forward.saved, backward.saved);
                    EXPECT_EQ(forward.saved, savedBytes(graph));
                    EXPECT_GE(forward.peak, forward.saved);
                    EXPECT_GE(backward.peak, 0);
                }
}

TEST(ClosedForms, EverySavedActivationHasAProducerAndALastUse) {
    for (RecomputeKind kind : {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full})
        for (bool flash : {false, true}) {
            Scenario plan = scenario(8, true);
            plan.execution.attention = flash ? AttentionKind::flash : AttentionKind::unfused;
            const Graph graph = plannedGraphs(plan, kind)[1];
            for (const Operator& op : graph.forward)
                for (TensorId id : op.saved) {
                    bool produced = id == graph.forward.front().inputs.front(); // the layer's input comes from outside
                    for (const Operator& other : graph.forward)
                        for (TensorId output : other.outputs) produced |= output == id;
                    bool used = false;
                    for (const Operator& other : graph.backward)
                        for (TensorId input : other.inputs) used |= input == id;
                    EXPECT_TRUE(produced) << graph.tensors[std::size_t(id)].name;
                    EXPECT_TRUE(used) << graph.tensors[std::size_t(id)].name << " saved by " << op.name;
                }
        }
}

} // namespace
} // namespace orrery::plan_closed_forms
