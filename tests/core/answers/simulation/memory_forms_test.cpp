// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of a whole iteration against closed forms: physics rows 8 (stored on stage 0) and 9 (states a parameter).
#include "core/base/json.hpp"
#include "core/training/memory/liveness.hpp"
#include "core/training/memory/static_memory.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <set>

namespace orrery {
namespace {

using test::run;
using test::smallScenario;
using test::sound;

double kept(const Result& result, int stage) {
    double most = 0;
    for (const MemorySample& sample : result.timeline.stages[std::size_t(stage)].memory) most = std::max(most, sample.activations);
    return most;
}

double bytes(const Result& result, int stage, MemoryKind kind) {
    return result.memory.stages[std::size_t(stage)].bytes[std::size_t(kind)];
}

/// What stage 0 keeps of its layers when every micro-batch in flight also keeps its embedding's share.
double layersKept(const Json& document, double microBatchesInFlight, int layersOfAChunk) {
    const auto graphs = plannedGraphs(sound(document), RecomputeKind::none);
    return microBatchesInFlight * layersOfAChunk * forwardMemory(graphs[1]).saved;
}

TEST(MemoryForms, Row8StageZeroOfOneForwardOneBackwardKeepsAllLayersWhateverTheDepth) {
    for (int p : {1, 2, 4, 8}) {
        Json document = smallScenario(1, p, 8 / p, 16);
        document["execution"]["recompute"] = "none";
        const ResultPtr result = run(document);
        const auto graphs = plannedGraphs(sound(document), RecomputeKind::none);
        const double embedding = forwardMemory(graphs[0]).saved * p;
        const double head = p == 1 ? forwardMemory(graphs[2]).saved : 0;
        EXPECT_NEAR(kept(*result, 0), layersKept(document, p, 16 / p) + embedding + head, 1) << p;
    }
}

TEST(MemoryForms, Row8InterleavingKeepsMore) {
    const int p = 4;
    const int v = 2;
    Json document = smallScenario(1, p, 2, 16);
    document["execution"]["recompute"] = "none";
    document["parallelism"]["virtual_pipeline"] = v;
    document["parallelism"]["schedule"] = "interleaved";
    const ResultPtr result = run(document);
    const auto graphs = plannedGraphs(sound(document), RecomputeKind::none);
    const double allLayers = 16 * forwardMemory(graphs[1]).saved;
    // Among the 2(p − 1) + (v − 1)p + 1 chunks in flight those of chunk 0 keep an embedding too.
    const double withoutEmbedding = allLayers * (1 + double(p - 1) / (p * v));
    const double embeddings = kept(*result, 0) - withoutEmbedding;
    const double one = forwardMemory(graphs[0]).saved;
    EXPECT_NEAR(std::round(embeddings / one) * one, embeddings, 1);
    EXPECT_GT(embeddings, 0);
}

TEST(MemoryForms, Row9EighteenBytesAParameterDividedByZero) {
    for (int stage : {0, 1, 2, 3}) {
        Json document = smallScenario(1, 1, 8, 4);
        document["parallelism"]["zero_stage"] = stage;
        const ResultPtr result = run(document);
        const double parameters = result->parameters;
        const double d = 8;
        EXPECT_NEAR(bytes(*result, 0, MemoryKind::weights), parameters * 2 / (stage >= 3 ? d : 1), 1);
        EXPECT_NEAR(bytes(*result, 0, MemoryKind::gradients), parameters * 4 / (stage >= 2 ? d : 1), 1);
        EXPECT_NEAR(bytes(*result, 0, MemoryKind::optimizer_states), parameters * 12 / (stage >= 1 ? d : 1), 1);
    }
}

TEST(MemoryForms, TensorRanksHoldTheirShareAndTheirOwnNorms) {
    const double whole = run(smallScenario(1, 1, 8, 4))->parameters;
    const ResultPtr shared = run(smallScenario(8, 1, 1, 4));
    // Norms, output biases and the position table stand on every rank (h = 1024, 16 layers, 1,024 positions).
    const double replicated = 16 * (2 * 2 * 1024 + 2 * 1024) + 2 * 1024 + 1024 * 1024.0;
    EXPECT_NEAR(bytes(*shared, 0, MemoryKind::weights), 2 * ((whole - replicated) / 8 + replicated), 1);
}

/// Unfused attention's core weighs more than whole layers now and then; flash attention has none to speak of.
class AutoRecompute : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Attention, AutoRecompute, testing::Values("unfused", "flash"));

TEST_P(AutoRecompute, TakesTheLeastThatFits) {
    Json document = smallScenario(1, 1, 8, 4);
    document["execution"]["recompute"] = "auto";
    document["execution"]["attention"] = GetParam();
    const ResultPtr roomy = run(document);
    EXPECT_EQ(roomy->scenario.execution.recompute, RecomputeKind::none);
    ASSERT_TRUE(roomy->fits);

    // The same job on smaller and smaller devices: always the least that fits there, and full when nothing does.
    using Choice = std::pair<RecomputeKind, int>; // and of every how many layers
    const Choice least{RecomputeKind::none, 1}, all{RecomputeKind::full, 1};
    const std::vector<Choice> ladder{least, {RecomputeKind::selective, 1}, {RecomputeKind::every, 8}, {RecomputeKind::every, 4}, {RecomputeKind::every, 3}, {RecomputeKind::every, 2}, all};
    Scenario scenario = sound(document);
    const auto runOn = [&](const Choice& choice, double capacity) {
        scenario.execution.recompute = choice.first;
        scenario.execution.recomputeEvery = choice.second;
        scenario.cluster.accelerator.memoryBytes = capacity;
        return simulate(scenario).result;
    };
    const double largest = runOn(least, 1e15)->memory.peakBytes;
    const double smallest = runOn(all, 1)->memory.peakBytes;
    EXPECT_GT(largest, smallest);
    std::set<Choice> seen;
    for (double capacity = largest; capacity > 0.9 * smallest; capacity -= (largest - 0.9 * smallest) / 24) {
        const auto fitting = std::find_if(ladder.begin(), ladder.end(), [&](const Choice& choice) { return runOn(choice, capacity)->fits; });
        const Choice expected = fitting == ladder.end() ? all : *fitting;
        const ResultPtr chosen = runOn({RecomputeKind::automatic, 1}, capacity);
        const Choice taken{chosen->scenario.execution.recompute, chosen->scenario.execution.recomputeEvery};
        EXPECT_EQ(taken, expected) << capacity;
        EXPECT_EQ(chosen->fits, chosen->memory.peakBytes <= capacity);
        if (!chosen->fits) {
            ASSERT_TRUE(chosen->outOfMemory);
            EXPECT_EQ(chosen->outOfMemory->neededBytes, chosen->memory.peakBytes);
        }
        seen.insert(taken);
    }
    EXPECT_GE(seen.size(), std::string(GetParam()) == "flash" ? 5u : 3u);
    EXPECT_FALSE(runOn({RecomputeKind::automatic, 1}, 0.5 * smallest)->fits);
}

} // namespace
} // namespace orrery
