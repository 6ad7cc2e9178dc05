// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSeek-V4's attention over compressed keys and its residual streams, by closed forms and by counting pairs one by one.
#include "core/base/json.hpp"
#include "core/model/architecture.hpp"
#include "core/model/backward.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/training/passes/passes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace orrery::compressed_layers {
namespace {

Architecture read(const Json& config) {
    Problems problems;
    std::optional<Architecture> a = importArchitecture(config, "", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return a.value_or(Architecture{});
}

/// One layer of each of the three kinds.
Json small() {
    return Json::parse(R"({"model_type": "deepseek_v4", "hidden_size": 256, "num_hidden_layers": 3, "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 64, "vocab_size": 1000,
        "q_lora_rank": 96, "o_groups": 4, "o_lora_rank": 48, "qk_rope_head_dim": 16, "index_n_heads": 4, "index_head_dim": 32, "index_topk": 24, "sliding_window": 32,
        "compress_ratios": [0, 4, 128, 0], "hc_mult": 4, "hc_sinkhorn_iters": 20, "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1, "moe_intermediate_size": 64})");
}

const Operator& named(const Graph& graph, const std::string& name) {
    const auto found = std::find_if(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; });
    EXPECT_NE(found, graph.forward.end()) << name;
    return found != graph.forward.end() ? *found : graph.forward.front();
}

bool has(const Graph& graph, const std::string& name) {
    return std::any_of(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; });
}

/// Pairs of a causal sequence, each query with its window and with those of the keys before it that stand for so many tokens.
double pairsOneByOne(int length, int window, int ratio, int most) {
    double pairs = 0;
    for (int query = 1; query <= length; ++query) pairs += std::min(query, window) + (ratio > 0 ? std::min(query / ratio, most) : 0);
    return pairs;
}

TEST(CompressedLayers, ThreeKindsInTheOrderOfTheirRatios) {
    const Architecture a = read(small());
    ASSERT_EQ(a.kinds.size(), 3u);
    EXPECT_EQ(a.kindOf(0).compression, 0);
    EXPECT_EQ(a.kindOf(1).compression, 4);
    EXPECT_EQ(a.kindOf(1).picked, 24);
    EXPECT_EQ(a.kindOf(2).compression, 128);
    EXPECT_EQ(a.kindOf(2).picked, 0);
    Json named = small();
    named.erase("compress_ratios");
    named["layer_types"] = {"sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"};
    EXPECT_EQ(read(named).parameters(), a.parameters()) << "transformers' words mean the same";
    Json unknown = small();
    unknown["compress_ratios"] = {0, 4, 7, 0};
    Problems problems;
    EXPECT_FALSE(importArchitecture(unknown, "", problems));
    EXPECT_EQ(problems.front().pointer, "/compress_ratios/2");
}

// Every parameter by hand, and the graphs carry as many.
TEST(CompressedLayers, ParametersAreThoseOfTheirMatrices) {
    const Architecture a = read(small());
    const double h = 256, attention = h * 96 + 96 + 96 * 8 * 64 + h * 64 + 64 + 8 * 64 * 48 + 4 * 48 * h + 8;
    const double streams = 2 * (24 * 4 * h + 24 + 3), experts = 9 * 3 * h * 64 + 8 * h + 8, layer = attention + streams + experts + 2 * h;
    const double csa = 2 * h * 128 + 4 * 128 + 64 + 2 * h * 64 + 4 * 64 + 32 + 96 * 4 * 32 + h * 4, hca = 2 * h * 64 + 128 * 64 + 64;
    EXPECT_EQ(a.layerParameters(a.kindOf(0)), layer);
    EXPECT_EQ(a.layerParameters(a.kindOf(1)), layer + csa);
    EXPECT_EQ(a.layerParameters(a.kindOf(2)), layer + hca);
    EXPECT_EQ(a.parameters(), 3 * layer + csa + hca + 2 * 1000 * h + h + 4 * 4 * h + 4 + 1);
    const ModelPieces pieces = buildModelPieces(a, {2, 512});
    for (std::int64_t i = 0; i < a.layers; ++i) {
        double elements = 0;
        for (const Operator& op : pieces.layer(i).forward) elements += op.weights + op.replicatedWeights;
        EXPECT_EQ(elements, a.layerParameters(a.kindOf(i))) << i;
    }
}

// FLOP rules count a prompt with both halves of what its mask halves.
TEST(CompressedLayers, AttentionMeetsThePairsThatCountingFinds) {
    const Architecture a = read(small());
    constexpr int length = 4096;
    const ModelPieces pieces = buildModelPieces(a, {1, length});
    const int ratios[] = {0, 4, 128};
    for (int layer = 0; layer < 3; ++layer) {
        // A query stands once on its own diagonal, and what a window's rule counts is exact; the other part goes with length as if it had no steps.
        const double counted = 2 * pairsOneByOne(length, 32, ratios[layer], ratios[layer] == 4 ? 24 : length) - length;
        const double flops = named(pieces.layer(layer), "attention.scores").flops + named(pieces.layer(layer), "attention.context").flops;
        EXPECT_NEAR(flops / (counted * 2 * 8 * (64 + 64)), 1, ratios[layer] == 0 ? 1e-12 : 0.02) << ratios[layer];
    }
    const double scored = named(pieces.layer(1), "index.scores").flops;
    EXPECT_DOUBLE_EQ(scored, 2.0 * length * length / 4 * 4 * 32) << "an indexer scores every key that stands for four tokens";
    EXPECT_FALSE(has(pieces.layer(2), "index.scores"));
}

TEST(CompressedLayers, AWindowAndAChoiceBeyondThePromptChangeNothing) {
    Json wide = small(), wider = small();
    wide["sliding_window"] = wide["index_topk"] = 4096;
    wider["sliding_window"] = wider["index_topk"] = 100000;
    const ModelPieces one = buildModelPieces(read(wide), {1, 2048}), other = buildModelPieces(read(wider), {1, 2048});
    for (int layer = 0; layer < 3; ++layer) EXPECT_EQ(named(one.layer(layer), "attention.scores").flops, named(other.layer(layer), "attention.scores").flops);
    // All keys of the prompt, and one for every four or 128 of its tokens.
    EXPECT_DOUBLE_EQ(named(one.layer(1), "attention.scores").flops, 2.0 * 2048 * (2048 + 2048 / 4) * 8 * 64);
    EXPECT_DOUBLE_EQ(named(one.layer(2), "attention.scores").flops, 2.0 * 2048 * (2048 + 2048 / 128) * 8 * 64);
}

TEST(CompressedLayers, ASequenceKeepsItsWindowAndWhatStandsForTheRest) {
    const Architecture a = read(small());
    const double key = 64 * 2, index = 32 + 32 / 128.0 * 4;
    EXPECT_EQ(cacheBytesOfLayer(a, a.kindOf(0), CacheFormat::sixteen_bit), key);
    EXPECT_EQ(cacheBytesOfLayer(a, a.kindOf(1), CacheFormat::sixteen_bit), key + (key + index) / 4);
    EXPECT_EQ(cacheBytesOfLayer(a, a.kindOf(2), CacheFormat::sixteen_bit, 8), key + key / 128) << "every tensor rank holds the one head";
    for (int layer = 0; layer < 3; ++layer) EXPECT_EQ(windowedBytesOfLayer(a, a.kindOf(layer), CacheFormat::sixteen_bit), key);
    // What waits to be laid together: keys and how much of each in fp32, of two groups where they overlap.
    EXPECT_EQ(stateBytesOfLayer(a, a.kindOf(0)), 0);
    EXPECT_EQ(stateBytesOfLayer(a, a.kindOf(1)), 2 * 4.0 * (2 * 4) * (2 * (64 + 32)));
    EXPECT_EQ(stateBytesOfLayer(a, a.kindOf(2)), 2 * 4.0 * 128 * 64);
    // Never more than attention over all keys and values of such a head.
    for (int layer = 0; layer < 3; ++layer) EXPECT_LT(cacheBytesOfLayer(a, a.kindOf(layer), CacheFormat::sixteen_bit), 2 * key);
}

TEST(CompressedLayers, ADecodeReadsItsWindowAndWhatIsPicked) {
    const Architecture a = read(small());
    const AttentionGroup decode{AttentionMode::decode, 3, 1, 99999};
    const double keys[] = {32, 32 + 24, 32 + 781}; // 100,000 tokens stand as 25,000 keys, or as 781
    for (int layer = 0; layer < 3; ++layer) {
        Graph graph = buildAttentionGroup(a, a.kindOf(layer), decode, CacheFormat::sixteen_bit);
        const Operator& core = named(graph, "attention.core");
        EXPECT_EQ(core.shape.n, keys[layer]);
        EXPECT_EQ(core.flops, 3 * 2 * keys[layer] * 8 * (64 + 64));
        settleTraffic(graph, {});
        const Operator& settled = named(graph, "attention.core");
        EXPECT_EQ(settled.bytesRead, 3 * (keys[layer] * 64 * 2 + 8 * 64 * 2)) << "keys are values, read once";
    }
}

// Prompts in chunks do what whole ones do.
TEST(CompressedLayers, ChunksShareTheirPromptsFlopsOut) {
    const Architecture a = read(small());
    for (int layer = 0; layer < 3; ++layer) {
        const auto flopsOf = [&](double tokens, double context) {
            double flops = 0;
            for (const Operator& op : buildAttentionGroup(a, a.kindOf(layer), {AttentionMode::chunk, 1, tokens, context}, CacheFormat::sixteen_bit).forward) flops += op.flops;
            return flops;
        };
        EXPECT_NEAR((flopsOf(512, 0) + flopsOf(512, 512) + flopsOf(1024, 1024)) / flopsOf(2048, 0), 1, 1e-12) << layer;
    }
}

TEST(CompressedLayers, LayersPassAllStreamsOn) {
    const Architecture a = read(small());
    EXPECT_EQ(a.passedWidth(), 4 * 256.0);
    const ModelPieces pieces = buildModelPieces(a, {1, 512});
    const Graph& layer = pieces.layer(0);
    const double bytes = 512.0 * 4 * 256 * 2;
    EXPECT_EQ(layer.tensors[static_cast<std::size_t>(layer.forward.front().inputs.front())].bytes, bytes);
    EXPECT_EQ(layer.tensors[static_cast<std::size_t>(layer.forward.back().outputs.front())].bytes, bytes);
    for (const char* site : {"attention", "mlp"}) EXPECT_EQ(named(layer, std::string(site) + ".mixtures").flops, 2.0 * 512 * 24 * 4 * 256) << "every stream tells of all mixtures";
    const Graph backward = deriveBackward(layer);
    double forward = 0, back = 0;
    for (const Operator& op : backward.forward) forward += op.kind == OperatorKind::gemm ? op.flops : 0;
    for (const Operator& op : backward.backward) back += op.kind == OperatorKind::gemm ? op.flops : 0;
    EXPECT_DOUBLE_EQ(back, 2 * forward);
}

TEST(CompressedLayers, TensorRanksShareHeadsAndGroupsOut) {
    const Architecture a = read(small());
    const ModelPieces pieces = buildModelPieces(a, {1, 512});
    for (int layer = 0; layer < 3; ++layer) {
        const Graph whole = pieces.layer(layer), part = tensorPass(whole, a, 4);
        for (const char* name : {"attention.q_up", "attention.output_groups", "attention.output", "attention.scores"}) {
            EXPECT_DOUBLE_EQ(named(part, name).flops, named(whole, name).flops / 4) << name;
            EXPECT_DOUBLE_EQ(named(part, name).weights, named(whole, name).weights / 4) << name;
        }
        EXPECT_EQ(named(part, "attention.kv_down").flops, named(whole, "attention.kv_down").flops);
    }
}

} // namespace
} // namespace orrery::compressed_layers
