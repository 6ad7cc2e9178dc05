// SPDX-License-Identifier: GPL-3.0-or-later
// What frameworks keep: losses, torchtitan's selective checkpointing and weight gradients, against counts made by hand.
#include "core/model/graph.hpp"
#include "core/training/memory/liveness.hpp"
#include "core/training/passes/passes.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orrery::memory_passes {
namespace {

/// Llama-3-8B's shape.
constexpr double h = 4096, ffn = 14336, kv = 1024, heads = 32, V = 128256, s = 8192, b = 2, tokens = b * s;

Scenario llama(bool compile, LossKernel loss) {
    Scenario scenario;
    Architecture& model = scenario.model;
    model.modelType = "llama";
    model.layers = 32;
    model.hidden = int(h);
    model.heads = int(heads);
    model.kvHeads = 8;
    model.headDim = 128;
    model.ffn = int(ffn);
    model.vocabulary = int(V);
    model.embeddingWidth = int(h);
    model.gatedMlp = true;
    model.positions = PositionKind::rotary;
    scenario.training().microBatch = int(b);
    scenario.training().sequenceLength = int(s);
    scenario.training().globalBatch = int(b);
    scenario.execution.compile = compile;
    scenario.execution.profile.selectiveRecompute = SelectiveRecompute::operators;
    scenario.execution.profile.loss = loss;
    return scenario;
}

TEST(SelectiveOfTorchtitan, KeepsEverySecondProductAndAttention) {
    const auto saved = [](bool compile) {
        return forwardMemory(plannedGraphs(llama(compile, LossKernel::fused), RecomputeKind::selective)[1]).saved;
    };
    // The layer's input, wq, wv, attention with its log-sum-exp, w1 (of wq wk wv wo w1 w3 w2 the odd ones), and w2, which nothing reads.
    const double needed = 2 * tokens * (h + h + kv + h + ffn) + 4 * tokens * heads;
    EXPECT_EQ(saved(true), needed);
    EXPECT_EQ(saved(false), needed + 2 * tokens * h);
}

TEST(SelectiveOfTorchtitan, MakesAgainWhatBackwardReadsAndNoMore) {
    const Graph graph = plannedGraphs(llama(true, LossKernel::fused), RecomputeKind::selective)[1];
    std::set<TensorId> there;
    double again = 0;
    for (const Operator& op : graph.forward) there.insert(op.saved.begin(), op.saved.end());
    for (const Operator& op : graph.backward) {
        if (op.phase != Phase::recompute) continue;
        if (op.kind == OperatorKind::gemm) again += op.flops;
        for (TensorId id : op.inputs) EXPECT_TRUE(there.contains(id)) << op.name << " reads " << graph.tensors[std::size_t(id)].name;
        there.insert(op.outputs.begin(), op.outputs.end());
        EXPECT_NE(op.kind, OperatorKind::attention);
    }
    EXPECT_NEAR(again, 2 * tokens * h * (kv + h + ffn), 1); // wk, wo, w3
}

/// Hsu et al. 2024 (arXiv 2410.10989), section 3.2: ⌈V/h⌉ = 32 parts here, of 512 tokens each.
TEST(ChunkedLoss, NeverHoldsTheLogitsWhole) {
    constexpr double parts = 32, logits = 2 * tokens * V;
    for (const LossKernel loss : {LossKernel::fused, LossKernel::in_place_fp32, LossKernel::eager_16_bit, LossKernel::eager_fp32}) {
        Scenario scenario = llama(false, loss);
        const Graph whole = plannedGraphs(scenario, RecomputeKind::none)[2];
        scenario.execution.chunkedLoss = true;
        const Graph chunked = plannedGraphs(scenario, RecomputeKind::none)[2];
        const auto flops = [](const Graph& graph) {
            double sum = 0;
            for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
                for (const Operator& op : *operators) sum += op.flops;
            return sum;
        };
        EXPECT_DOUBLE_EQ(flops(chunked), flops(whole));
        EXPECT_GE(forwardMemory(whole).peak, logits);
        // A part's logits, as many copies of them as the loss's kernels make, and hidden states.
        EXPECT_LE(forwardMemory(chunked).peak, 6 * logits / parts + 4 * 2 * tokens * h);
        EXPECT_LE(backwardMemory(chunked).peak, 6 * logits / parts + 4 * 2 * tokens * h + 2 * V * h);
        for (std::size_t i = 0; i < chunked.forward.size(); ++i)
            if (chunked.forward[i].name == "head.logits") {
                EXPECT_DOUBLE_EQ(chunked.forward[i].bytesRead, 2 * (tokens * h + parts * V * h)) << "every part reads the matrix";
            }
    }
}

TEST(ChunkedLoss, LeavesLayersAsTheyAre) {
    Scenario scenario = llama(false, LossKernel::fused);
    const std::string whole = toText(plannedGraphs(scenario, RecomputeKind::none)[1]);
    scenario.execution.chunkedLoss = true;
    EXPECT_EQ(toText(plannedGraphs(scenario, RecomputeKind::none)[1]), whole);
}

/// What forward keeps, the two parts of a split backward give back between them, whatever a neighbour hands in.
TEST(SplitBackward, GivesBackWhatForwardKeeps) {
    for (const RecomputeKind recompute : {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full})
        for (const Graph& graph : plannedGraphs(llama(true, LossKernel::fused), recompute)) {
            const SplitBackwardMemory split = splitBackwardMemory(graph);
            EXPECT_EQ(forwardMemory(graph).change + split.input.change + split.weight.change, 0) << graph.name;
            EXPECT_EQ(forwardMemory(graph).change + backwardMemory(graph).change, 0) << graph.name;
        }
}

/// Each part reads only what is there: made before it, kept by forward, or handed in by a neighbour (never made here at all).
TEST(SplitBackward, OfAdaptersReadsNothingThatTheWeightPartMakes) {
    Scenario scenario = llama(true, LossKernel::fused);
    scenario.training().task = TaskKind::lora;
    scenario.training().loraRank = 16;
    scenario.parallelism.tensor = 2;
    scenario.parallelism.sequence = true;
    for (const Graph& graph : plannedGraphs(scenario, RecomputeKind::none)) {
        std::set<TensorId> ofWeightPart;
        for (const Operator& op : graph.backward)
            if (op.weightPart) ofWeightPart.insert(op.outputs.begin(), op.outputs.end());
        for (const Operator& op : graph.backward)
            for (const TensorId id : op.inputs) EXPECT_TRUE(op.weightPart || !ofWeightPart.contains(id)) << op.name;
    }
}

TEST(FullRecompute, StopsAtTheLastThatBackwardReadsWhereCheckpointsDo) {
    const auto madeAgain = [](bool stopsEarly) {
        Scenario scenario = llama(false, LossKernel::fused);
        scenario.execution.profile.recomputeStopsEarly = stopsEarly;
        const Graph layer = plannedGraphs(scenario, RecomputeKind::full)[1];
        std::set<TensorId> there(layer.forward.front().saved.begin(), layer.forward.front().saved.end());
        double flops = 0;
        for (const Operator& op : layer.backward) {
            if (op.phase == Phase::recompute) {
                if (op.kind == OperatorKind::gemm) flops += op.flops;
                there.insert(op.outputs.begin(), op.outputs.end());
            }
            for (const TensorId id : op.saved) EXPECT_TRUE(there.contains(id)) << op.name;
        }
        return flops;
    };
    const double products = 2 * tokens * h * (2 * h + 2 * kv + 3 * ffn);
    EXPECT_NEAR(madeAgain(false), products, 1);
    // All but the layer's last product: its input is all that is kept of it.
    EXPECT_NEAR(madeAgain(true), products - 2 * tokens * h * ffn, 1);
}

TEST(SavedActivations, EachHasAProducerAndALastUse) {
    for (RecomputeKind kind : {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full})
        for (const Graph& graph : plannedGraphs(llama(true, LossKernel::eager_fp32), kind)) {
            std::set<TensorId> made, read;
            const TensorId input = graph.forward.front().inputs.front();
            for (const Operator& op : graph.forward) made.insert(op.outputs.begin(), op.outputs.end());
            for (const Operator& op : graph.backward) read.insert(op.inputs.begin(), op.inputs.end());
            for (const Operator& op : graph.forward)
                for (TensorId id : op.saved) {
                    EXPECT_TRUE(id == input || made.contains(id)) << graph.tensors[std::size_t(id)].name;
                    EXPECT_TRUE(read.contains(id)) << graph.tensors[std::size_t(id)].name << " of " << graph.name;
                }
        }
}

/// Bytes a logit that the head keeps, and that its backward holds at most.
std::pair<double, double> lossBytes(LossKernel loss, bool plansMemory = false) {
    Scenario scenario = llama(true, loss);
    scenario.execution.profile.plansMemory = plansMemory;
    const Graph head = plannedGraphs(scenario, RecomputeKind::none)[2];
    double kept = 0;
    const std::vector<bool> saved = savedTensors(head);
    for (std::size_t id = 0; id < saved.size(); ++id)
        if (saved[id] && head.tensors[id].bytes >= tokens * V) kept += head.tensors[id].bytes;
    const PieceMemory backward = backwardMemory(head);
    return {kept / (tokens * V), (backward.peak + backward.saved) / (tokens * V)};
}

TEST(Losses, HoldWhatTheirKernelsHold) {
    // The final norm's input and output and their gradients are 16-bit rows of h; a logit's row is 31 times as long.
    const double rows = 4 * 2 * h / V + 2 * h * V / (tokens * V);
    const auto [fp32Kept, fp32Most] = lossBytes(LossKernel::eager_fp32);
    EXPECT_EQ(fp32Kept, 4);
    EXPECT_NEAR(fp32Most, 4 + 4 + 4, rows);
    const auto [halfKept, halfMost] = lossBytes(LossKernel::eager_16_bit);
    EXPECT_EQ(halfKept, 2 + 2); // the loop's own variable holds the logits
    EXPECT_NEAR(halfMost, 4 + 2 + 2, rows);
    const auto [megatronKept, megatronMost] = lossBytes(LossKernel::in_place_fp32);
    EXPECT_EQ(megatronKept, 4);
    EXPECT_NEAR(megatronMost, 4 + 2, rows);
    const auto [fusedKept, fusedMost] = lossBytes(LossKernel::fused);
    EXPECT_EQ(fusedKept, 2);
    EXPECT_NEAR(fusedMost, 2 + 2, rows);
    // A compiler that plans the whole step lets the gradient take the logits' place.
    const auto [plannedKept, plannedMost] = lossBytes(LossKernel::fused, true);
    EXPECT_EQ(plannedKept, 2);
    EXPECT_NEAR(plannedMost, 2, rows);
}

TEST(Losses, OverTheWholeVocabularyTakeTensorRanksTimesAsMuch) {
    Scenario scenario = llama(true, LossKernel::eager_16_bit);
    scenario.parallelism.tensor = 4;
    scenario.parallelism.sequence = true;
    const auto kept = [&](bool gathers) {
        scenario.execution.profile.gathersLogits = gathers;
        const Graph head = plannedGraphs(scenario, RecomputeKind::none)[2];
        double most = 0;
        for (const Operator& op : head.forward)
            for (TensorId id : op.saved) most = std::max(most, head.tensors[std::size_t(id)].bytes);
        return most;
    };
    EXPECT_EQ(kept(false), 2 * tokens * V / 4);
    EXPECT_EQ(kept(true), 2 * tokens * V);
}

TEST(WeightGradients, TransientOnesAreGoneAfterTheirProductKeptOnesAtTheEnd) {
    Scenario scenario = llama(true, LossKernel::fused);
    const Graph plain = plannedGraphs(scenario, RecomputeKind::none)[1];
    const double elements = (h * (h + 2 * kv) + h * h + 3 * h * ffn);
    scenario.parallelism.zeroStage = 3;
    scenario.parallelism.data = 8;
    const Graph sharded = plannedGraphs(scenario, RecomputeKind::none)[1];
    double kept = 0;
    const PieceMemory ofSharded = backwardMemory(sharded), ofPlain = backwardMemory(plain);
    for (const TensorLife& life : ofSharded.lives)
        if (sharded.tensors[std::size_t(life.tensor)].name.ends_with(".weight_gradient")) {
            EXPECT_EQ(life.last, int(sharded.backward.size()) - 1);
            kept += life.bytes;
        }
    EXPECT_EQ(kept, 2 * elements);
    for (const TensorLife& life : ofPlain.lives) {
        if (plain.tensors[std::size_t(life.tensor)].name.ends_with(".weight_gradient")) {
            EXPECT_EQ(life.first, life.last);
        }
    }
}

} // namespace
} // namespace orrery::memory_passes
