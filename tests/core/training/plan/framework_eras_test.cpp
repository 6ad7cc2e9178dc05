// SPDX-License-Identifier: GPL-3.0-or-later
// What releases did between ranks that hold the same weights, and what they kept: nanotron of 2024 and DeepSpeed's ZeRO-3 of 2021.
#include "core/training/memory/static_memory.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/plan/lanes.hpp"
#include "core/training/replica_policy/replica_policy.hpp"
#include "core/training/stage_memory/unit_buffers.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace orrery {
namespace {

constexpr double erasHidden = 1024, erasTokens = 2048, erasVocabulary = 32768;
constexpr int erasLayers = 4;

/// A small Llama on two nodes.
Scenario erasScenario(const char* framework, int tensor, int zeroStage, int microBatches = 2) {
    Json document = test::smallScenario(tensor, 1, 16 / tensor, microBatches);
    document["model"]["config"] = {{"model_type", "llama"}, {"num_hidden_layers", erasLayers}, {"hidden_size", erasHidden}, {"intermediate_size", 4096}, {"num_attention_heads", 16}, {"num_key_value_heads", 16}, {"vocab_size", erasVocabulary}, {"max_position_embeddings", 2048}, {"tie_word_embeddings", false}};
    document["cluster"]["nodes"] = 2;
    document["workload"]["sequence_length"] = erasTokens;
    document["parallelism"] = {{"tensor", tensor}, {"sequence", tensor > 1}, {"zero_stage", zeroStage}};
    document["execution"] = {{"framework", framework}, {"recompute", "none"}};
    return test::sound(document);
}

struct ErasPlan {
    JobTraffic traffic;
    Iteration iteration;

    explicit ErasPlan(const Scenario& scenario)
        : traffic(scenario), iteration(buildIteration(scenario, makeRankWork(scenario, scenario.execution.recompute, costModelOf(scenario), traffic),
                                                      traffic, LaneMap(1, scenario.parallelism.data))) {}

    /// Bytes of each collective of this kind that a lane takes part in, in order.
    std::vector<double> sent(CollectiveKind kind) const {
        std::vector<double> bytes;
        for (const TaskInfo& task : iteration.tasks) {
            if (task.role != TaskRole::joint && !(task.role == TaskRole::work && task.stream == TrainingStream::data)) continue;
            const Segment& segment = iteration.work.segments[task.segment];
            if (segment.entries.empty()) continue;
            const Operator& op = iteration.work.operators[segment.entries.front().op].op;
            if (op.kind == OperatorKind::collective && op.collective == kind) bytes.push_back(op.messageBytes);
        }
        return bytes;
    }
};

double erasTime(const Scenario& scenario) { return simulate(scenario).result->training()->iterationTime; }

/// Four matrices and two norms a layer; embedding, final norm and output matrix.
constexpr int erasTensors = 6 * erasLayers + 3;
constexpr double erasElements = erasLayers * (4 * erasHidden * erasHidden + 3 * erasHidden * 4096 + 2 * erasHidden) + 2 * erasVocabulary * erasHidden + erasHidden;

TEST(GatheredInputs, AreKeptWholeInPlaceOfBeingGatheredAgain) {
    Scenario scenario = erasScenario("nanotron-2024", 4, 0);
    ASSERT_TRUE(scenario.execution.profile.keepsGatheredInputs);
    const auto layer = [&] { return plannedGraphs(scenario, RecomputeKind::none)[1]; };
    const auto gathersAgain = [](const Graph& graph) {
        return std::count_if(graph.backward.begin(), graph.backward.end(), [](const Operator& op) { return op.name.ends_with(".again"); });
    };
    const double kept = forwardMemory(layer()).saved;
    EXPECT_EQ(gathersAgain(layer()), 0);
    scenario.execution.profile.keepsGatheredInputs = false;
    EXPECT_EQ(gathersAgain(layer()), 2); // of attention and of the MLP
    EXPECT_NEAR(kept - forwardMemory(layer()).saved, 2 * (2 * erasTokens * erasHidden) * (1 - 1.0 / 4), 1e-6);
}

TEST(LossOnACopy, HoldsTwoFp32TensorsOfLogits) {
    const Scenario scenario = erasScenario("nanotron-2024", 1, 0);
    const PieceMemory head = forwardMemory(plannedGraphs(scenario, RecomputeKind::none)[2]);
    const double logits = erasTokens * erasVocabulary;
    double atLoss = 0;
    for (const TensorLife& life : head.lives)
        if (life.isAliveAt(head.operators - 1) && life.bytes >= 2 * logits) atLoss += life.bytes;
    EXPECT_DOUBLE_EQ(atLoss, (4 + 4) * logits);
    EXPECT_NEAR(head.saved, 4 * logits + 2 * 2 * erasTokens * erasHidden, 0.01 * logits); // probabilities, and two hidden states
}

TEST(BackwardGradients, OfAMicroBatchStayToTheEndOfItsBackward) {
    const Scenario scenario = erasScenario("nanotron-2024", 1, 1, 3);
    const ErasPlan plan(scenario);
    const ModelChunks chunks(scenario, plan.iteration.work, plan.iteration.schedule.placement);
    const std::vector<PlacedWork> order = stageOrder(plan.iteration.schedule.stages[0], chunks);
    const UnitBuffers buffers(scenario, plan.iteration.work, chunks, 0, order);
    int ends = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const UnitPass& pass = order[i].passes[0];
        if (pass.isForward() || !pass.last) continue;
        ++ends;
        double bytes = 0;
        for (const BufferLife& life : buffers.lives()) {
            if (life.last != static_cast<int>(2 * i + 1)) continue;
            EXPECT_EQ(life.kind, MemoryKind::gradients);
            bytes += life.bytes;
        }
        // The embedding's own are a tensor of its backward.
        EXPECT_DOUBLE_EQ(bytes, 2 * (erasElements - erasVocabulary * erasHidden));
    }
    EXPECT_EQ(ends, 3);
}

TEST(BucketGradients, AreHeldWhereGradientsAreReducedWhole) {
    const auto gradients = [](int tensor, int zeroStage) {
        const Scenario scenario = erasScenario("nanotron-2024", tensor, zeroStage);
        return stateBytes(scenario, ReplicaPolicy(scenario), ReplicaPolicy(scenario).sharders()).gradients;
    };
    EXPECT_DOUBLE_EQ(gradients(1, 0), 4 + 2);
    EXPECT_DOUBLE_EQ(gradients(8, 0), 4 + 2);
    EXPECT_DOUBLE_EQ(gradients(1, 1), 4);
}

TEST(ShardedStep, ReducesWholeGradientsOnceAfterTheBackward) {
    const Scenario scenario = erasScenario("nanotron-2024", 1, 1);
    const ErasPlan plan(scenario);
    EXPECT_TRUE(plan.sent(CollectiveKind::reduce_scatter).empty());
    EXPECT_EQ(plan.sent(CollectiveKind::all_reduce), (std::vector<double>{4 * erasElements}));
    EXPECT_EQ(plan.sent(CollectiveKind::all_gather), (std::vector<double>{2 * erasElements}));
    // Nothing of it is hidden: beside no communication at all it takes what both take, and every share's copy.
    Scenario overlapping = scenario;
    overlapping.execution.profile.shardedStepWaits = false;
    EXPECT_LT(erasTime(overlapping), erasTime(scenario));
}

TEST(EachTensor, IsReducedByItselfInDistributedDataParallelsBuckets) {
    const Scenario scenario = erasScenario("nanotron-2024", 1, 0);
    const std::vector<double> bytes = ErasPlan(scenario).sent(CollectiveKind::all_reduce);
    EXPECT_EQ(bytes.size(), std::size_t(erasTensors));
    double sum = 0;
    for (const double one : bytes) sum += one;
    EXPECT_NEAR(sum, 4 * erasElements, 1);
    Scenario together = scenario;
    together.execution.profile.reducesEachTensor = false;
    EXPECT_LT(ErasPlan(together).sent(CollectiveKind::all_reduce).size(), bytes.size());
}

TEST(ShareCopies, TakeTheirTimeForEachTensorAndRank) {
    Scenario scenario = erasScenario("nanotron-2024", 1, 1);
    scenario.execution.profile.shareCopy = 10e-6;
    const double with = erasTime(scenario);
    scenario.execution.profile.shareCopy = 0;
    EXPECT_NEAR(with - erasTime(scenario), 10e-6 * erasTensors * 16, 1e-9);
    // Gathered and scattered unit by unit (ZeRO-3), every unit waits for its own.
    Scenario sharded = erasScenario("deepspeed-2021", 1, 3);
    EXPECT_GT(sharded.execution.profile.shareCopy, 0);
    const double slow = erasTime(sharded);
    sharded.execution.profile.shareCopy = 0;
    EXPECT_LT(erasTime(sharded), slow);
}

TEST(DeepSpeedOf2021, GathersEveryParameterByItselfWhenItIsNeeded) {
    Scenario scenario = erasScenario("deepspeed-2021", 1, 3, 1);
    const double each = erasTime(scenario);
    scenario.execution.profile.prefetchesWeights = true;
    const double ahead = erasTime(scenario);
    EXPECT_LE(ahead, each);
    // Forward and backward gather every tensor; recomputation is off here.
    scenario = erasScenario("deepspeed-2021", 1, 3, 1);
    EXPECT_EQ(ErasPlan(scenario).sent(CollectiveKind::all_gather).size(), std::size_t(2 * erasTensors));
    EXPECT_EQ(ErasPlan(scenario).sent(CollectiveKind::reduce_scatter).size(), std::size_t(erasTensors));
}

/// Narayanan et al. 2021, table 2: GPT-3 of 174.6 billion parameters by ZeRO-3 without model parallelism, TFLOP/s a GPU. Its FLOPs are
/// the paper's equation 3. The 768 GPUs come out 14 % fast: messages between nodes no longer wait for slots that a large ring does not fill,
/// which the libraries measured since show, and NCCL of 2021 may have done.
TEST(DeepSpeedOf2021, TakesTheTimesThatWerePublished) {
    struct Published {
        int accelerators, microBatch;
        double teraflops;
    };
    constexpr double layers = 96, hidden = 12288, length = 2048, vocabulary = 51200, batch = 1536;
    constexpr double work = 96 * batch * length * layers * hidden * hidden * (1 + length / (6 * hidden) + vocabulary / (16 * layers * hidden));
    for (const Published& one : {Published{384, 4, 144}, Published{768, 2, 88}, Published{1536, 1, 44}}) {
        Json document = test::smallScenario(1, 1, one.accelerators, 1);
        document["model"]["config"] = {{"model_type", "gpt2"}, {"n_layer", layers}, {"n_embd", hidden}, {"n_head", 96}, {"n_positions", length}, {"vocab_size", vocabulary}};
        document["cluster"]["scale_out"] = {{"bandwidth_gb_s", 25}};
        document["workload"] = {{"kind", "training"}, {"sequence_length", length}, {"global_batch_size", batch}, {"micro_batch_size", one.microBatch}, {"precision", "fp16"}};
        document["parallelism"] = {{"zero_stage", 3}};
        document["execution"] = {{"framework", "deepspeed-2021"}};
        const double teraflops = work / erasTime(test::sound(document)) / one.accelerators / 1e12;
        EXPECT_NEAR(one.teraflops / teraflops, 1, 0.15) << one.accelerators << ": " << teraflops;
    }
}

TEST(FlatGathers, ReserveABlockThatNoTensorLeftBehind) {
    Scenario scenario = erasScenario("nanotron-2024", 1, 1);
    const auto reserved = [&] { return simulate(scenario).result->memory.reservedPeakBytes; };
    const double with = reserved();
    scenario.execution.profile.flattensGathers = false;
    const double largest = 4 * erasTokens * erasVocabulary; // fp32 logits
    const double block = 2 * erasElements;
    EXPECT_NEAR(with - reserved(), block > largest ? block : 0, 1);
}

TEST(PlannedMemory, HoldsTheWeightsOfTheRunningUnitAlone) {
    Scenario scenario = erasScenario("maxtext-2025", 1, 3);
    ASSERT_TRUE(scenario.execution.profile.plansMemory);
    const auto most = [&](std::string_view name) {
        const Outcome outcome = simulate(scenario);
        double bytes = 0;
        for (const auto& stage : outcome.result->memory.detail.buffers)
            for (const BufferLife& life : stage)
                if (life.name == name) bytes = std::max(bytes, life.bytes);
        return bytes;
    };
    EXPECT_EQ(most("gather buffer"), 0);
    EXPECT_EQ(most("reduce-scatter input"), 0);
    EXPECT_GT(most("gathered weights"), 0);
    const double planned = simulate(scenario).result->memory.allocatedPeakBytes;
    scenario.execution.profile.plansMemory = false;
    EXPECT_GT(most("gather buffer"), 0);
    EXPECT_GT(simulate(scenario).result->memory.allocatedPeakBytes, planned);
}

TEST(EagerNorms, MoveWhatEachOfTheirKernelsMoves) {
    Scenario scenario = erasScenario("torchtitan-2025", 1, 3);
    ASSERT_TRUE(scenario.execution.compile);
    const auto traffic = [&](OperatorKind kind, Phase phase) {
        const Graph layer = plannedGraphs(scenario, RecomputeKind::none)[1];
        double bytes = 0;
        for (const std::vector<Operator>* list : {&layer.forward, &layer.backward})
            for (const Operator& op : *list)
                if (op.kind == kind && op.phase == phase) bytes += op.bytesRead + op.bytesWritten;
        return bytes;
    };
    // Two norms read and write a row of 16 bit; queries and keys are rotated.
    EXPECT_NEAR(traffic(OperatorKind::norm, Phase::forward), 2 * 4 * erasTokens * erasHidden, 1);
    scenario.execution.compile = false;
    const FrameworkProfile& profile = scenario.execution.profile;
    EXPECT_NEAR(traffic(OperatorKind::norm, Phase::forward), 2 * profile.eagerNormBytes * erasTokens * erasHidden, 1);
    EXPECT_NEAR(traffic(OperatorKind::norm, Phase::backward), 2 * profile.eagerNormBackwardBytes * erasTokens * erasHidden, 1);
    EXPECT_NEAR(traffic(OperatorKind::rotary, Phase::forward), 2 * profile.eagerRotaryBytes * erasTokens * erasHidden, 1);
}

TEST(OutrunCollectives, ReserveAgainWhatTheNextMicroBatchFindsAwaited) {
    const auto lost = [](int tensor, int microBatches, double vocabularyShare) {
        Scenario scenario = erasScenario("nanotron-2024", tensor, 0, microBatches);
        scenario.model.vocabulary = static_cast<std::int64_t>(erasVocabulary * vocabularyShare);
        EXPECT_TRUE(scenario.execution.profile.outrunsCollectives);
        const double with = simulate(scenario).result->memory.reservedPeakBytes;
        scenario.execution.profile.outrunsCollectives = false;
        return with - simulate(scenario).result->memory.reservedPeakBytes;
    };
    // The inputs of two products a layer, and of the head's, are gathered and kept.
    EXPECT_NEAR(lost(4, 2, 1), (2 * erasLayers + 1) * 2 * erasTokens * erasHidden, 1);
    // No more is cut up than the two copies of fp32 logits.
    EXPECT_NEAR(lost(4, 2, 0.125), 2 * 4 * erasTokens * erasVocabulary / 8 / 4, 1);
    EXPECT_EQ(lost(4, 1, 1), 0); // nothing follows
    EXPECT_EQ(lost(1, 2, 1), 0); // a layer has no collectives
}

} // namespace
} // namespace orrery
