// SPDX-License-Identifier: GPL-3.0-or-later
// What products in 8 and 4 bit cost around them, adapters, and packed documents: bytes and FLOPs counted by hand.
#include "core/training/memory/static_memory.hpp"
#include "core/training/passes/passes.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <gtest/gtest.h>

#include <string>

namespace orrery::quantisation {
namespace {

/// Llama-3-8B's shape.
constexpr double h = 4096, ffn = 14336, kv = 1024, heads = 32, s = 8192, b = 2, tokens = b * s;

Scenario llama(const std::string& precision) {
    Scenario scenario;
    Architecture& model = scenario.model;
    model.modelType = "llama";
    model.layers = 32;
    model.hidden = int(h);
    model.heads = int(heads);
    model.kvHeads = 8;
    model.headDim = 128;
    model.ffn = int(ffn);
    model.vocabulary = 128256;
    model.embeddingWidth = int(h);
    model.gatedMlp = true;
    model.positions = PositionKind::rotary;
    scenario.training().microBatch = int(b);
    scenario.training().sequenceLength = int(s);
    scenario.training().globalBatch = int(b);
    scenario.training().precision = fromText<Precision>(precision).value();
    scenario.execution.profile.savesQuantisedInputs = true;
    scenario.execution.profile.normsQuantise = true;
    scenario.execution.profile.gathersQuantised = true;
    return scenario;
}

Graph layerOf(const Scenario& scenario) { return plannedGraphs(scenario, RecomputeKind::none)[1]; }

const Operator* named(const std::vector<Operator>& operators, const std::string& name) {
    for (const Operator& op : operators)
        if (op.name == name) return &op;
    return nullptr;
}

/// Bytes that an operator moves, 0 when there is none of that name.
double moved(const std::vector<Operator>& operators, const std::string& name) {
    const Operator* op = named(operators, name);
    return op ? op->bytesRead + op->bytesWritten : 0;
}

TEST(Quantisation, WithKnownScalesNormsWriteEightBitAndOtherOperandsAreCastAndTurned) {
    const Graph graph = layerOf(llama("fp8"));
    for (const char* name : {"attention.qkv.cast", "mlp.gate_up.cast"}) EXPECT_EQ(named(graph.forward, name), nullptr) << name;
    EXPECT_EQ(moved(graph.forward, "attention.norm"), tokens * h * (2 + 1));
    EXPECT_EQ(moved(graph.forward, "mlp.norm"), tokens * h * (2 + 1));
    // 16 bit read, 8 bit written by rows and by columns.
    EXPECT_EQ(moved(graph.forward, "attention.output.cast"), tokens * h * (2 + 2));
    EXPECT_EQ(moved(graph.forward, "mlp.down.cast"), tokens * ffn * (2 + 2));
    EXPECT_EQ(moved(graph.backward, "attention.qkv.dgrad.cast"), tokens * (h + 2 * kv) * (2 + 2));
    EXPECT_EQ(moved(graph.backward, "mlp.gate_up.dgrad.cast"), tokens * 2 * ffn * (2 + 2));
    EXPECT_EQ(moved(graph.backward, "attention.qkv.transpose"), tokens * h * 2);
    EXPECT_EQ(moved(graph.backward, "mlp.gate_up.transpose"), tokens * h * 2);
    EXPECT_EQ(named(graph.backward, "mlp.down.transpose"), nullptr);
}

TEST(Quantisation, HardwareThatTakesEitherLayoutNeedsOneCopy) {
    Scenario scenario = llama("fp8");
    scenario.kernels.anyOperandLayout = true;
    const Graph graph = layerOf(scenario);
    EXPECT_EQ(moved(graph.forward, "attention.output.cast"), tokens * h * (2 + 1));
    EXPECT_EQ(moved(graph.backward, "mlp.down.dgrad.cast"), tokens * h * (2 + 1));
    for (const Operator& op : graph.backward) EXPECT_FALSE(op.name.ends_with(".transpose")) << op.name;
}

TEST(Quantisation, ScalesOfTheTensorItselfCostAnotherReadUnlessANormSawThemFirst) {
    Scenario scenario = llama("fp8");
    scenario.kernels.anyOperandLayout = true;
    scenario.execution.profile.tensorScaling = TensorScaling::current;
    const Graph graph = layerOf(scenario);
    EXPECT_EQ(moved(graph.forward, "attention.norm"), tokens * h * (2 + 2));
    EXPECT_EQ(moved(graph.forward, "attention.qkv.cast"), tokens * h * (2 + 1));
    EXPECT_EQ(moved(graph.forward, "mlp.down.cast"), tokens * ffn * (2 + 2 + 1));
    EXPECT_EQ(moved(graph.backward, "mlp.gate_up.dgrad.cast"), tokens * 2 * ffn * (2 + 2 + 1));
}

TEST(Quantisation, BlocksAreScaledByRowsAndByColumnsOnAnyHardware) {
    for (const bool anyLayout : {false, true}) {
        Scenario scenario = llama("mxfp8");
        scenario.kernels.anyOperandLayout = anyLayout;
        const Graph graph = layerOf(scenario);
        const double element = 1 + 1.0 / 32;
        EXPECT_DOUBLE_EQ(moved(graph.forward, "mlp.norm"), tokens * h * (2 + 2 * element));
        EXPECT_DOUBLE_EQ(moved(graph.forward, "mlp.down.cast"), tokens * ffn * (2 + 2 * element));
        EXPECT_DOUBLE_EQ(moved(graph.backward, "mlp.down.dgrad.cast"), tokens * h * (2 + 2 * element));
    }
}

TEST(Quantisation, RowsAndColumnsAreLookedThroughEachByItself) {
    Scenario scenario = llama("fp8");
    scenario.training().fp8Recipe = Fp8Recipe::rowwise;
    scenario.kernels.physics.rowQuantisingBytes = 6;
    scenario.kernels.physics.columnQuantisingBytes = 9;
    const Graph graph = layerOf(scenario);
    EXPECT_EQ(moved(graph.forward, "mlp.norm"), tokens * h * (2 + 2));
    EXPECT_EQ(moved(graph.forward, "mlp.gate_up.cast"), tokens * h * (6 + 9));
    EXPECT_EQ(moved(graph.forward, "mlp.down.cast"), tokens * ffn * (6 + 9));
    EXPECT_EQ(moved(graph.backward, "mlp.gate_up.dgrad.cast"), tokens * 2 * ffn * (6 + 9));
    EXPECT_EQ(named(graph.forward, "mlp.down.cast")->kernels, 2);
    // No copy of the weights is kept: forward quantises their rows, backward their columns.
    EXPECT_EQ(moved(graph.forward, "mlp.down.weight_cast"), h * ffn * 6);
    EXPECT_EQ(moved(graph.backward, "mlp.down.dgrad.weight_cast"), h * ffn * 9);
    scenario.execution.profile.keepsQuantisedWeights = true;
    EXPECT_EQ(named(layerOf(scenario).forward, "mlp.down.weight_cast"), nullptr);
}

TEST(Quantisation, WeightsThatRanksShareOutAreQuantisedWhereTheyAreGathered) {
    Scenario scenario = llama("fp8");
    scenario.execution.profile.keepsQuantisedWeights = true;
    scenario.parallelism.data = 8;
    EXPECT_EQ(quantisedExtraBytes(scenario, ReplicaPolicy(scenario), 1), 2);
    EXPECT_FALSE(quantisesWeightsEachPass(scenario));
    scenario.parallelism.zeroStage = 3;
    EXPECT_EQ(quantisedExtraBytes(scenario, ReplicaPolicy(scenario), 8), 0) << "no rank keeps whole copies of what it has a share of";
    EXPECT_EQ(gatheredCopyBytes(scenario), 2);
    EXPECT_TRUE(quantisesWeightsEachPass(scenario));
    EXPECT_EQ(moved(layerOf(scenario).forward, "mlp.down.weight_cast"), h * ffn * (2 + 1));
    // Of each format as much as its products read: rows and columns, but where units take either order.
    scenario.kernels.anyOperandLayout = true;
    EXPECT_EQ(gatheredCopyBytes(scenario), 1);
    scenario.training().precision = Precision::mxfp8;
    EXPECT_DOUBLE_EQ(gatheredCopyBytes(scenario), 2 * (1 + 1.0 / 32));
    scenario.training().precision = Precision::nvfp4;
    EXPECT_DOUBLE_EQ(gatheredCopyBytes(scenario), 2 * (0.5 + 1.0 / 16));
    scenario.training().precision = Precision::bf16;
    EXPECT_EQ(gatheredCopyBytes(scenario), 0);
}

TEST(Quantisation, FourBitLooksForTheLargestValueThenQuantisesRowsAndRotatedColumns) {
    Scenario scenario = llama("nvfp4");
    const Graph graph = layerOf(scenario);
    const double element = 0.5 + 1.0 / 16;
    EXPECT_DOUBLE_EQ(moved(graph.forward, "mlp.down.cast"), tokens * ffn * (3 * 2 + 2 * element));
    EXPECT_DOUBLE_EQ(moved(graph.forward, "mlp.gate_up.cast"), tokens * h * (2 * 2 + 2 * element));
}

TEST(Quantisation, TensorRanksGatherEightBitAndAddUpSixteen) {
    Scenario scenario = llama("fp8");
    scenario.parallelism.tensor = 4;
    scenario.parallelism.sequence = true;
    const double whole = 2 * tokens * h;
    const auto bytes = [&](bool quantised) {
        scenario.execution.profile.gathersQuantised = quantised;
        const Graph graph = layerOf(scenario);
        double gathered = 0, added = 0;
        for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
            for (const Operator& op : *operators) {
                if (op.kind != OperatorKind::collective) continue;
                (op.collective == CollectiveKind::all_gather ? gathered : added) += op.messageBytes;
            }
        return std::pair{gathered, added};
    };
    // Korthikanti et al. 2022: six gathers and four scatters a layer, of the whole hidden state each.
    EXPECT_EQ(bytes(false), std::pair(6 * whole, 4 * whole));
    EXPECT_EQ(bytes(true), std::pair(6 * whole / 2, 4 * whole));
    // A rank quantises its own rows before.
    EXPECT_EQ(moved(layerOf(scenario).forward, "mlp.norm"), tokens * h / 4 * (2 + 1));
    EXPECT_EQ(moved(layerOf(scenario).backward, "mlp.down.dgrad.cast"), tokens * h / 4 * (2 + 2));
}

TEST(Adapters, AreSixteenBitAndLeaveTheFrozenProductOneOperand) {
    Scenario scenario = llama("fp8");
    scenario.training().task = TaskKind::lora;
    scenario.training().loraRank = 16;
    const Graph graph = layerOf(scenario);
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators) {
            EXPECT_EQ(op.name.find(".lora.cast"), std::string::npos) << op.name;
            if (op.name.find(".lora") != std::string::npos) {
                EXPECT_EQ(op.format, MatrixFormat::sixteen_bit) << op.name;
            }
            EXPECT_FALSE(op.name.ends_with(".transpose")) << op.name;
        }
    // The adapter reads the norm's 16-bit output too, so the operand is made beside it: once, for there is no weight gradient.
    EXPECT_EQ(moved(graph.forward, "mlp.gate_up.cast"), tokens * h * (2 + 1));
    // Both results are read, their sum written.
    EXPECT_EQ(moved(graph.forward, "mlp.gate_up.lora.sum"), 3 * 2 * tokens * 2 * ffn);
    EXPECT_EQ(moved(graph.backward, "mlp.gate_up.lora.backward.sum"), 3 * 2 * tokens * h);
}

TEST(Adapters, SitWhereTheFrameworkPutsThem) {
    Scenario scenario = llama("bf16");
    scenario.training().task = TaskKind::lora;
    scenario.training().loraRank = 16;
    scenario.execution.profile.adaptedProducts = {"attention.qkv"};
    const Graph graph = layerOf(scenario);
    double trained = 0;
    for (const Operator& op : graph.forward) trained += op.weights + op.replicatedWeights;
    EXPECT_EQ(trained, 16 * (h + h + 2 * kv));
    EXPECT_EQ(named(graph.forward, "mlp.down.lora"), nullptr);
    for (const char* frozen : {"mlp.down.dgrad", "mlp.gate_up.dgrad", "attention.output.dgrad"}) EXPECT_NE(named(graph.backward, frozen), nullptr);
}

TEST(PackedDocuments, AttentionStaysWithinOneAndEverythingElseIsAsItWas) {
    Scenario scenario = llama("bf16");
    const Graph whole = layerOf(scenario);
    scenario.training().documentLength = 512;
    const Graph packed = layerOf(scenario);
    ASSERT_EQ(whole.forward.size(), packed.forward.size());
    for (std::size_t i = 0; i < whole.forward.size(); ++i) {
        const bool attention = whole.forward[i].kind == OperatorKind::attention;
        // Sixteen documents a sequence: a sixteenth of the pairs.
        EXPECT_DOUBLE_EQ(packed.forward[i].flops, whole.forward[i].flops / (attention ? s / 512 : 1)) << whole.forward[i].name;
        EXPECT_DOUBLE_EQ(packed.forward[i].bytesRead, whole.forward[i].bytesRead) << whole.forward[i].name;
        if (attention) {
            EXPECT_EQ(packed.forward[i].sequences, b * s / 512);
        }
    }
}

TEST(QuantisedParameters, TakeTheirOwnBytesAndNoOthers) {
    Scenario scenario = llama("fp8");
    scenario.execution.profile.quantisedParameters = true;
    const auto bytes = [&] { return scenario.execution.profile.weightBytes + quantisedExtraBytes(scenario, ReplicaPolicy(scenario), 1); };
    EXPECT_DOUBLE_EQ(bytes(), 2); // by rows and turned
    EXPECT_DOUBLE_EQ(frozenBytes(scenario, ReplicaPolicy(scenario), true), 1);
    EXPECT_DOUBLE_EQ(frozenBytes(scenario, ReplicaPolicy(scenario), false), 2);
    scenario.kernels.anyOperandLayout = true;
    EXPECT_DOUBLE_EQ(bytes(), 1);
    scenario.training().precision = Precision::mxfp8;
    EXPECT_DOUBLE_EQ(bytes(), 2 * (1 + 1.0 / 32));
    scenario.training().precision = Precision::nvfp4; // not stored in 4 bit
    EXPECT_DOUBLE_EQ(bytes(), 2);
}

} // namespace
} // namespace orrery::quantisation
