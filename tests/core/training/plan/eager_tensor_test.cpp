// SPDX-License-Identifier: GPL-3.0-or-later
// What PyTorch's own tensor parallelism does, which Megatron's does not: collectives along the sequence that are copied into order and waited for
// at once, products one by one, a loss in many kernels.
#include "core/training/plan/iteration.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace orrery {
namespace {

constexpr double eagerHidden = 1024, eagerTokens = 2 * 2048, eagerFfn = 4096, eagerVocabulary = 32768;
constexpr int eagerTensor = 4;

/// A small Llama with four key heads on a node; two sequences a micro-batch.
Json eagerDocument(const char* framework = "torchtitan-2025") {
    Json document = test::smallScenario(eagerTensor, 1, 2, 2);
    document["model"]["config"] = {{"model_type", "llama"}, {"num_hidden_layers", 4}, {"hidden_size", eagerHidden}, {"intermediate_size", eagerFfn}, {"num_attention_heads", 16}, {"num_key_value_heads", 4}, {"vocab_size", eagerVocabulary}, {"max_position_embeddings", 2048}, {"tie_word_embeddings", false}};
    document["workload"]["sequence_length"] = 2048;
    document["workload"]["micro_batch_size"] = 2;
    document["workload"]["global_batch_size"] = 4;
    document["parallelism"] = {{"tensor", eagerTensor}, {"sequence", true}, {"zero_stage", 3}};
    document["execution"] = {{"framework", framework}, {"recompute", "none"}, {"compile", false}};
    return document;
}

Graph eagerGraph(const Json& document, std::size_t piece, RecomputeKind recompute = RecomputeKind::none) { return plannedGraphs(test::sound(document), recompute)[piece]; }

template <class Wanted> std::ptrdiff_t countOf(const std::vector<Operator>& operators, Wanted wanted) { return std::count_if(operators.begin(), operators.end(), wanted); }

bool laysOut(const Operator& op) { return op.name.ends_with(".lay_out") && op.kind == OperatorKind::permute && op.name.find("weights") == std::string::npos && op.name.find("gradients") == std::string::npos; }
bool isTensorCollective(const Operator& op) {
    return op.kind == OperatorKind::collective && op.group == RankGroup::tensor && (op.collective == CollectiveKind::all_gather || op.collective == CollectiveKind::reduce_scatter);
}

double productFlops(const Graph& graph) {
    double flops = 0;
    for (const std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (const Operator& op : *operators)
            if (op.kind == OperatorKind::gemm) flops += op.flops;
    return flops;
}

double elementsIn(const Graph& graph) {
    return std::accumulate(graph.forward.begin(), graph.forward.end(), 0.0, [](double sum, const Operator& op) { return sum + op.weights + op.replicatedWeights; });
}

TEST(EagerTensorRanks, CopyWhatTheyGatherAndScatterAlongTheSequence) {
    const Graph layer = eagerGraph(eagerDocument(), 1);
    for (const std::vector<Operator>* operators : {&layer.forward, &layer.backward}) {
        EXPECT_EQ(countOf(*operators, laysOut), 4) << "two gathers and two scatters each way";
        EXPECT_EQ(countOf(*operators, isTensorCollective), 4);
        for (const Operator& op : *operators) {
            if (!laysOut(op)) continue;
            EXPECT_DOUBLE_EQ(op.bytesRead + op.bytesWritten, 2 * 2 * eagerTokens * eagerHidden) << op.name << ": read and written whole";
        }
    }
    Json chunks = eagerDocument();
    chunks["execution"]["overlap"] = {{"tensor", true}};
    EXPECT_EQ(countOf(eagerGraph(chunks, 1).forward, laysOut), 0) << "products that gather their input themselves read it where it arrives";
    EXPECT_EQ(countOf(eagerGraph(eagerDocument("megatron-core-2025"), 1).forward, laysOut), 0) << "the sequence comes first there";
}

TEST(EagerTensorRanks, CopiesStandBetweenCollectiveAndReader) {
    const Graph layer = eagerGraph(eagerDocument(), 1, RecomputeKind::full);
    for (const std::vector<Operator>* operators : {&layer.forward, &layer.backward})
        for (std::size_t i = 0; i < operators->size(); ++i) {
            const Operator& op = (*operators)[i];
            if (!isTensorCollective(op)) continue;
            const bool gathers = op.collective == CollectiveKind::all_gather;
            const Operator& copy = (*operators)[gathers ? i + 1 : i - 1];
            ASSERT_TRUE(laysOut(copy)) << op.name;
            EXPECT_EQ(copy.phase, op.phase);
            EXPECT_EQ(gathers ? op.outputs.front() : copy.outputs.front(), gathers ? copy.inputs.front() : op.inputs.front());
        }
}

TEST(EagerTensorRanks, NothingOfTheirCollectivesIsHidden) {
    const auto besideOthers = [](Json document) {
        const Scenario scenario = test::sound(document);
        JobTraffic traffic(scenario);
        const RankWork work = makeRankWork(scenario, RecomputeKind::none, costModelOf(scenario), traffic);
        double overlap = 0;
        for (const std::uint32_t segment : {work.layers.front().forwardSegment, work.layers.front().backwardSegment}) {
            const std::vector<SegmentEntry>& entries = work.segments[segment].entries;
            for (std::size_t i = 1; i < entries.size(); ++i) overlap += std::max(0.0, entries[i - 1].end - entries[i].start);
        }
        return overlap;
    };
    EXPECT_NEAR(besideOthers(eagerDocument()), 0, 1e-12);
    Json compiled = eagerDocument();
    compiled["execution"]["compile"] = true;
    EXPECT_GT(besideOthers(compiled), 0) << "reductions beside weight gradients";
}

TEST(SeparateProducts, AreTheSameWorkInMoreProducts) {
    Json joined = eagerDocument("megatron-core-2025"), separate = eagerDocument();
    for (const int tensor : {1, 2, 4}) {
        for (Json* document : {&joined, &separate}) {
            (*document)["parallelism"] = {{"tensor", tensor}, {"sequence", tensor > 1}};
            (*document)["workload"]["global_batch_size"] = 16;
        }
        const Graph one = eagerGraph(joined, 1), other = eagerGraph(separate, 1);
        EXPECT_DOUBLE_EQ(productFlops(other), productFlops(one)) << tensor;
        EXPECT_DOUBLE_EQ(elementsIn(other), elementsIn(one)) << tensor;
        EXPECT_EQ(countOf(other.forward, [](const Operator& op) { return op.kind == OperatorKind::gemm; }), 7);
        EXPECT_EQ(countOf(one.forward, [](const Operator& op) { return op.kind == OperatorKind::gemm; }), 4);
        // Two sums of queries', keys' and values' gradients, one of gate's and up's.
        EXPECT_EQ(countOf(other.backward, [](const Operator& op) { return op.name.ends_with(".gradient_sum"); }) - countOf(one.backward, [](const Operator& op) { return op.name.ends_with(".gradient_sum"); }), 3);
    }
}

TEST(SeparateProducts, EachGatherTheirInputWhereTheFrameworkSaysSo) {
    const Graph layer = eagerGraph(eagerDocument("kempnerforge-2026"), 1);
    const auto gathers = [](const Operator& op) { return isTensorCollective(op) && op.collective == CollectiveKind::all_gather; };
    EXPECT_EQ(countOf(layer.forward, gathers), 3 + 2);
    EXPECT_EQ(countOf(layer.backward, [](const Operator& op) { return isTensorCollective(op) && op.collective == CollectiveKind::reduce_scatter; }), 3 + 2);
}

TEST(SharedEagerLoss, HoldsFourFp32TensorsOfLogitsInBackward) {
    const Graph head = eagerGraph(eagerDocument(), 2);
    const PieceMemory backward = backwardMemory(head);
    const double logits = eagerTokens * eagerVocabulary / eagerTensor;
    double most = 0;
    for (int at = 0; at < backward.operators; ++at) {
        double bytes = 0;
        for (const TensorLife& life : backward.lives)
            if (life.isAliveAt(at) && life.bytes >= 4 * logits) bytes += life.bytes;
        most = std::max(most, bytes);
    }
    EXPECT_DOUBLE_EQ(most, 4 * 4 * logits) << "log-probabilities, the chosen ones' gradient, exponentials and their sum";
    EXPECT_EQ(countOf(head.forward, [](const Operator& op) { return op.name.starts_with("head.loss.") && op.kind != OperatorKind::collective; }), 1 + 4 + 0) << "cast; shift, exponential, sum, logarithm";
}

TEST(WeighedExpertOutputs, AreKeptRowByRow) {
    Json document = eagerDocument();
    document["model"] = {{"preset", "deepseek-v2-lite"}};
    document["parallelism"] = {{"zero_stage", 3}};
    document["workload"]["global_batch_size"] = 16;
    document["execution"]["compile"] = true;
    Scenario scenario = test::sound(document);
    ASSERT_TRUE(scenario.execution.profile.experts.weighsOutputs);
    const auto saved = [&] {
        JobTraffic traffic(scenario);
        return makeRankWork(scenario, RecomputeKind::none, costModelOf(scenario), traffic).layers.back().forwardMemory.saved;
    };
    const double outputs = saved();
    scenario.execution.profile.experts.weighsOutputs = false;
    // Six rows a token of the model's width, in 16 bit.
    EXPECT_NEAR(outputs - saved(), 6 * eagerTokens * 2048 * 2, 1);
}

} // namespace
} // namespace orrery
