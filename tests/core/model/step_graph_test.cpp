// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine's step computes and reads, against forms written out here and arithmetic on the models' configs.
#include "core/model/transformer_graph.hpp"
#include "core/training/passes/passes.hpp"
#include "resources/shipped_catalog.hpp"

#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace orrery {
namespace {

Architecture known(const char* id) {
    Problems problems;
    std::optional<Architecture> a = importArchitecture(test::catalog().model(id)->config, "", problems);
    EXPECT_TRUE(a) << id;
    return a.value_or(Architecture{});
}

AttentionGroup prompts(double sequences, double tokens) { return {AttentionMode::prefill, sequences, tokens, 0}; }
AttentionGroup chunk(double tokens, double context) { return {AttentionMode::chunk, 1, tokens, context}; }
AttentionGroup decodes(double sequences, double context) { return {AttentionMode::decode, sequences, 1, context}; }

Graph settledLayer(const Architecture& a, const StepShape& step, int tensor = 1, std::size_t kind = 0) {
    Graph layer = removeIdentities(tensorPass(buildStepPieces(a, step).layers[kind], a, tensor));
    settleTraffic(layer, {});
    return layer;
}

std::vector<Operator> cores(const Graph& graph) {
    std::vector<Operator> found;
    for (const Operator& op : graph.forward)
        if (op.kind == OperatorKind::attention) found.push_back(op);
    return found;
}

const Operator* find(const Graph& graph, const std::string& name) {
    const auto found = std::find_if(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; });
    return found == graph.forward.end() ? nullptr : &*found;
}

double ofGroupFlops(const Graph& graph) {
    double flops = 0;
    for (const Operator& op : graph.forward)
        if (isOfGroup(op)) flops += op.flops;
    return flops;
}

TEST(StepGraph, DecodeReadsEveryCachedKeyOnce) {
    // Llama-3.1-70B: 64 query heads, 8 key heads, 128 wide.
    const Architecture a = known("llama-3.1-70b");
    for (const int tensor : {1, 4, 8, 16}) {
        const Operator core = cores(settledLayer(a, {{decodes(32, 2047)}, CacheFormat::fp8}, tensor)).at(0);
        const double queryHeads = 64.0 / tensor, keyHeads = std::max(1.0, 8.0 / tensor);
        EXPECT_EQ(core.attentionMode, AttentionMode::decode);
        EXPECT_EQ(core.cache, CacheFormat::fp8);
        EXPECT_DOUBLE_EQ(core.shape.n, 2048);
        EXPECT_DOUBLE_EQ(core.flops, 4.0 * 32 * 2048 * queryHeads * 128);
        EXPECT_DOUBLE_EQ(core.bytesRead, 32 * (2 * 2048 * keyHeads * 128 * 1 + queryHeads * 128 * 2)) << tensor;
        EXPECT_DOUBLE_EQ(core.bytesWritten, 32 * queryHeads * 128 * 2);
    }
}

TEST(StepGraph, PrefillReadsItsOwnTokensAndStoresThem) {
    const Architecture a = known("llama-3.1-8b"); // 32 query heads, 8 key heads
    const Graph layer = settledLayer(a, {{prompts(3, 512)}, CacheFormat::sixteen_bit});
    const Operator core = cores(layer).at(0);
    EXPECT_DOUBLE_EQ(core.flops, 4.0 * 3 * 512 * 512 * 32 * 128);
    EXPECT_DOUBLE_EQ(core.bytesRead, 3.0 * 512 * (32 + 2 * 8) * 128 * 2);
    EXPECT_DOUBLE_EQ(find(layer, "attention.store")->bytesWritten, 3.0 * 512 * 2 * 8 * 128 * 2);
    // It counts as many floating-point operations as training's forward, which has no cache.
    const Graph training = fusionPass(buildModelPieces(a, {3, 512}).layers[0], {});
    EXPECT_DOUBLE_EQ(cores(training).at(0).flops, core.flops);
    EXPECT_EQ(cores(training).at(0).cache, CacheFormat::none);
    EXPECT_EQ(cores(training).at(0).attentionMode, AttentionMode::prefill);
}

TEST(StepGraph, ChunkReadsTheCacheBeforeIt) {
    const Architecture a = known("llama-3.1-8b");
    const Operator core = cores(settledLayer(a, {{chunk(256, 1000)}, CacheFormat::sixteen_bit})).at(0);
    EXPECT_EQ(core.attentionMode, AttentionMode::chunk);
    EXPECT_DOUBLE_EQ(core.shape.n, 1256);
    EXPECT_DOUBLE_EQ(core.flops, 4.0 * 32 * 128 * (1256.0 * 1256 - 1000.0 * 1000));
    EXPECT_DOUBLE_EQ(core.bytesRead, 256.0 * 32 * 128 * 2 + 1256.0 * 2 * 8 * 128 * 2);
}

TEST(StepGraph, ChunkWithoutContextIsAPrefill) {
    for (const char* id : {"llama-3.1-8b", "deepseek-v3"}) {
        const Architecture a = known(id);
        const Graph one = settledLayer(a, {{chunk(300, 0)}, CacheFormat::fp8}), other = settledLayer(a, {{prompts(1, 300)}, CacheFormat::fp8});
        ASSERT_EQ(one.forward.size(), other.forward.size());
        for (std::size_t i = 0; i < one.forward.size(); ++i) {
            EXPECT_EQ(one.forward[i].name, other.forward[i].name);
            EXPECT_EQ(one.forward[i].attentionMode, other.forward[i].attentionMode);
            EXPECT_DOUBLE_EQ(one.forward[i].flops, other.forward[i].flops);
            EXPECT_DOUBLE_EQ(one.forward[i].bytesRead, other.forward[i].bytesRead);
        }
    }
}

/// Any way to cut a prompt, windows included, does the whole prompt's work.
TEST(StepGraph, ChunksSumToTheirPrompt) {
    test::RandomSource random(7);
    for (const char* id : {"llama-3.1-8b", "mistral-7b-v0.1", "llama-4-scout-17b-16e", "gpt-oss-120b"}) {
        const Architecture a = known(id);
        for (std::size_t kind = 0; kind < a.kinds.size(); ++kind) {
            const double whole = double(random.between(std::size_t{1000}, std::size_t{20000}));
            const double prompt = cores(settledLayer(a, {{prompts(1, whole)}}, 1, kind)).at(0).flops;
            double sum = 0;
            for (double done = 0; done < whole;) {
                const double tokens = std::min(whole - done, double(random.between(std::size_t{1}, std::size_t{5000})));
                sum += cores(settledLayer(a, {{chunk(tokens, done)}}, 1, kind)).at(0).flops;
                done += tokens;
            }
            EXPECT_NEAR(sum / prompt, 1, 1e-12) << id << kind;
        }
    }
}

TEST(StepGraph, LatentAttentionIsWideForPromptsAndAbsorbedForDecodes) {
    const Architecture a = known("deepseek-v3"); // 128 heads; latents 512 + 64; plain 128, values 128
    const Graph prompt = settledLayer(a, {{prompts(2, 1000)}, CacheFormat::sixteen_bit});
    EXPECT_DOUBLE_EQ(cores(prompt).at(0).flops, 2.0 * 2 * 1000 * 1000 * 128 * (192 + 128));
    EXPECT_DOUBLE_EQ(find(prompt, "attention.kv_up")->flops, 2.0 * 2000 * 512 * 128 * 256);
    EXPECT_FALSE(find(prompt, "attention.q_absorb"));

    for (const int tensor : {1, 8}) {
        const Graph decode = settledLayer(a, {{decodes(16, 4095)}, CacheFormat::fp8}, tensor);
        const Operator core = cores(decode).at(0);
        const double heads = 128.0 / tensor;
        EXPECT_DOUBLE_EQ(core.flops, 2.0 * 16 * 4096 * heads * (576 + 512));
        // All heads share the latents, and so every tensor rank reads all of them.
        EXPECT_DOUBLE_EQ(core.bytesRead, 16 * 4096.0 * 576 * 1 + 16 * heads * 576 * 2);
        EXPECT_DOUBLE_EQ(find(decode, "attention.q_absorb")->flops, 2.0 * 16 * heads * 128 * 512);
        EXPECT_DOUBLE_EQ(find(decode, "attention.value_up")->flops, 2.0 * 16 * heads * 512 * 128);
        EXPECT_FALSE(find(decode, "attention.kv_up"));
        EXPECT_DOUBLE_EQ(find(decode, "attention.store")->bytesWritten, 16.0 * 576);
    }
    // A chunk makes the cached tokens' keys and values again.
    EXPECT_DOUBLE_EQ(find(settledLayer(a, {{chunk(100, 900)}}), "attention.kv_up")->flops, 2.0 * 1000 * 512 * 128 * 256);
}

TEST(StepGraph, WeightsAreTheModelsHoweverAttentionIsWritten) {
    for (const char* id : {"llama-3.1-70b", "deepseek-v3", "qwen3-235b-a22b"}) {
        const Architecture a = known(id);
        for (const StepShape& step : {StepShape{{prompts(1, 64)}}, StepShape{{decodes(8, 100)}}, StepShape{{prompts(1, 64), chunk(10, 20), decodes(8, 100)}}}) {
            const ModelPieces pieces = buildStepPieces(a, step);
            for (std::size_t kind = 0; kind < a.kinds.size(); ++kind) {
                double elements = 0;
                for (const Operator& op : pieces.layers[kind].forward) elements += op.weights + op.replicatedWeights;
                EXPECT_DOUBLE_EQ(elements, a.layerParameters(a.kinds[kind])) << id;
            }
        }
    }
}

TEST(StepGraph, GroupsOfAStepStandSideBySide) {
    const Architecture a = known("deepseek-v3");
    const StepShape step{{prompts(2, 300), chunk(128, 512), decodes(40, 900)}, CacheFormat::fp8};
    const Graph mixed = settledLayer(a, step);
    EXPECT_EQ(cores(mixed).size(), 3U);
    EXPECT_DOUBLE_EQ(step.tokens(), 600 + 128 + 40);
    EXPECT_DOUBLE_EQ(step.logits(), 2 + 1 + 40);
    EXPECT_DOUBLE_EQ(find(mixed, "attention.output")->shape.m, step.tokens());
    double alone = 0;
    for (const AttentionGroup& group : step.groups) alone += ofGroupFlops(settledLayer(a, {{group}, CacheFormat::fp8}));
    EXPECT_DOUBLE_EQ(ofGroupFlops(mixed), alone);
    const ModelPieces pieces = buildStepPieces(a, step);
    EXPECT_DOUBLE_EQ(find(pieces.head, "head.logits")->shape.m, step.logits());
    EXPECT_FALSE(find(pieces.head, "head.loss"));
}

TEST(StepGraph, CacheBytesOfATokenFollowTheConfig) {
    EXPECT_DOUBLE_EQ(cacheBytesPerToken(known("llama-3.1-70b"), CacheFormat::sixteen_bit), 327680);
    EXPECT_DOUBLE_EQ(cacheBytesPerToken(known("deepseek-v3"), CacheFormat::sixteen_bit), 61 * 576 * 2);
    EXPECT_DOUBLE_EQ(cacheBytesPerToken(known("deepseek-v3"), CacheFormat::fp8, 8), 61 * 576);
    for (const ModelEntry& entry : test::catalog().models()) {
        Problems problems;
        const std::optional<Architecture> a = importArchitecture(entry.config, "", problems);
        if (!a || a->latent || a->compressed) continue;
        std::int64_t attending = 0;
        for (std::int64_t layer = 0; layer < a->layers; ++layer) attending += a->kindOf(layer).attends();
        const double whole = 2.0 * double(attending * a->kvHeads * a->headDim);
        EXPECT_DOUBLE_EQ(cacheBytesPerToken(*a, CacheFormat::sixteen_bit), 2 * whole) << entry.id;
        EXPECT_DOUBLE_EQ(cacheBytesPerToken(*a, CacheFormat::fp8, 1024), whole / double(a->kvHeads)) << entry.id;
        // The graph stores as much.
        double stored = 0;
        const ModelPieces pieces = buildStepPieces(*a, {{decodes(1, 99)}});
        for (std::int64_t layer = 0; layer < a->layers; ++layer) {
            Graph graph = pieces.layer(layer);
            settleTraffic(graph, {});
            if (const Operator* store = find(graph, "attention.store")) stored += store->bytesWritten;
        }
        EXPECT_DOUBLE_EQ(stored, 2 * whole) << entry.id;
    }
}

} // namespace
} // namespace orrery
