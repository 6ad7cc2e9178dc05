// SPDX-License-Identifier: GPL-3.0-or-later
// Layers that share an earlier one's keys and values, inputs of their own and streams that are predicted (Gemma 3n and 4), places without experts
// (LongCat-Flash), narrow queries (Step-3) and RWKV-7's state, by arithmetic from configs.
#include "core/base/json.hpp"
#include "core/model/architecture.hpp"
#include "core/model/transformer_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace orrery::shared_layers {
namespace {

Architecture read(const Json& config) {
    Problems problems;
    std::optional<Architecture> a = importArchitecture(config, "", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return a.value_or(Architecture{});
}

Json gemma(const char* type) {
    return Json{{"model_type", type}, {"hidden_size", 128}, {"num_hidden_layers", 10}, {"num_attention_heads", 4}, {"num_key_value_heads", 2}, {"head_dim", 32}, {"intermediate_size", 256}, {"vocab_size", 1000}, {"vocab_size_per_layer_input", 900}, {"hidden_size_per_layer_input", 16}, {"num_kv_shared_layers", 5}, {"sliding_window", 64}, {"layer_types", {"sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "full_attention", "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"}}};
}

double elementsOf(const Graph& graph) {
    double elements = 0;
    for (const Operator& op : graph.forward) elements += op.weights + op.replicatedWeights;
    return elements;
}

bool has(const Graph& graph, const std::string& name) {
    return std::any_of(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; });
}

TEST(SharedLayers, KeepNothingAndMakeNoKeys) {
    Json config = gemma("gemma3n_text");
    const Architecture a = read(config);
    config["num_kv_shared_layers"] = 0;
    const Architecture apart = read(config);
    const double layer = 2 * 2 * 32 * 2;
    EXPECT_EQ(cacheBytesPerToken(a, CacheFormat::sixteen_bit), 5 * layer);
    EXPECT_EQ(cacheBytesPerToken(apart, CacheFormat::sixteen_bit), 10 * layer);
    EXPECT_EQ(apart.parameters() - a.parameters(), 5 * (2 * 128 * 2 * 32 + 32.0)) << "products of keys and values, and the keys' norm";
    EXPECT_FALSE(a.kindOf(4).cacheShared);
    EXPECT_TRUE(a.kindOf(5).cacheShared);
    const ModelPieces pieces = buildModelPieces(a, {1, 256}), step = buildStepPieces(a, {{{AttentionMode::decode, 4, 1, 100}}, CacheFormat::sixteen_bit});
    EXPECT_TRUE(has(pieces.layer(4), "attention.qkv"));
    EXPECT_FALSE(has(pieces.layer(9), "attention.qkv"));
    EXPECT_TRUE(has(step.layer(4), "attention.store"));
    EXPECT_FALSE(has(step.layer(9), "attention.store"));
    // A decode reads the earlier layer's keys and values all the same.
    const AttentionGroup decode{AttentionMode::decode, 4, 1, 999};
    Graph own = buildAttentionGroup(a, a.kindOf(4), decode, CacheFormat::sixteen_bit), shared = buildAttentionGroup(a, a.kindOf(9), decode, CacheFormat::sixteen_bit);
    settleTraffic(own, {});
    settleTraffic(shared, {});
    EXPECT_EQ(own.forward.front().bytesRead, shared.forward.front().bytesRead);
}

// Gemma 3n's layer by hand: four norms of the hidden width, attention with two norms of a head, a gated MLP; streams with their router, its norm, what
// comes out scaled, and both mixtures; the layer's own input; the narrow product beside attention.
TEST(SharedLayers, ParametersAreThoseOfTheirMatrices) {
    const Architecture a = read(gemma("gemma3n_text"));
    const double h = 128, attention = h * (4 * 32 + 2 * 2 * 32) + 4 * 32 * h + 2 * 32, streams = 2 * h + 4 * h + 64 + 16, own = 2 * 16 * h + h, narrow = 2 * 64 * h + h;
    EXPECT_EQ(a.layerParameters(a.kindOf(0)), attention + 3 * h * 256 + 4 * h + streams + own + narrow);
    const double inputs = (900 + h) * 10 * 16 + 16, projections = 6 * h * h;
    EXPECT_EQ(a.embeddingParameters() + a.headParameters(), 1000 * h + h + inputs + projections);
    EXPECT_EQ(a.parameters() - a.activeParameters(), 899.0 * 10 * 16) << "a token meets one row of the layers' table";
    EXPECT_EQ(a.passedWidth(), 4 * h);
    const ModelPieces pieces = buildModelPieces(a, {1, 256});
    double elements = elementsOf(pieces.embedding) + elementsOf(pieces.head);
    for (std::int64_t i = 0; i < a.layers; ++i) elements += elementsOf(pieces.layer(i));
    EXPECT_EQ(elements, a.parameters());
}

TEST(SharedLayers, AreWiderWhereGemmaFourSaysSo) {
    Json config = gemma("gemma4_text");
    config["global_head_dim"] = 64;
    const Architecture narrow = read(config);
    config["use_double_wide_mlp"] = true;
    const Architecture wide = read(config);
    EXPECT_EQ(wide.parameters() - narrow.parameters(), 5 * 3.0 * 128 * 256);
    EXPECT_EQ(wide.kindOf(9).ffn, 512);
    EXPECT_EQ(wide.passedWidth(), 128);
    // Full layers have heads of twice the size, keys too.
    EXPECT_EQ(cacheBytesPerToken(wide, CacheFormat::sixteen_bit), (4 * 2 * 32 + 2 * 64) * 2 * 2.0);
    config["hidden_size_per_layer_input"] = 0;
    EXPECT_FALSE(read(config).layerInputs);
}

TEST(IdlePlaces, TakeTheirShareOfTheChoices) {
    const Json config = Json::parse(R"({"model_type": "longcat_flash", "hidden_size": 128, "num_layers": 3, "num_attention_heads": 4, "vocab_size": 1000, "ffn_hidden_size": 256, "expert_ffn_hidden_size": 32,
        "q_lora_rank": 48, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16, "n_routed_experts": 16, "zero_expert_num": 8, "moe_topk": 12})");
    const Architecture a = read(config);
    EXPECT_EQ(a.layers, 6) << "two attentions and two MLPs a layer";
    EXPECT_EQ(a.experts->perToken, 8) << "of 12 choices among 24 places two thirds fall on experts";
    EXPECT_TRUE(a.kindOf(0).experts);
    EXPECT_FALSE(a.kindOf(1).experts);
    const double attention = 128 * 48 + 48 + 48 * 4 * 24 + 128 * (32 + 8) + 32 + 32 * 4 * 32 + 4 * 16 * 128, mlp = 3 * 128 * 256, experts = 16 * 3 * 128 * 32 + 128 * 24 + 16;
    EXPECT_EQ(a.parameters(), 6 * (attention + mlp + 2 * 128) + 3 * experts + 2 * 1000 * 128 + 128);
}

TEST(NarrowQueries, HaveOneHeadOfKeys) {
    const Json config = Json::parse(R"({"model_type": "step3_text", "hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 8, "num_attention_groups": 1, "head_dim": 32, "share_q_dim": 48, "vocab_size": 1000,
        "intermediate_size": 256, "moe_num_experts": 4, "moe_top_k": 2, "moe_intermediate_size": 64, "share_expert_dim": 64, "moe_layers_enum": [1]})");
    const Architecture a = read(config);
    const double attention = 128 * 48 + 48 + 48 * 8 * 32 + 2 * 128 * 32 + 8 * 32 * 128;
    EXPECT_EQ(a.layerParameters(a.kindOf(0)), attention + 3 * 128 * 256 + 2 * 128);
    EXPECT_EQ(a.layerParameters(a.kindOf(1)), attention + 5 * 3 * 128 * 64 + 4 * 128 + 2 * 128);
    EXPECT_EQ(cacheBytesPerToken(a, CacheFormat::sixteen_bit), 2 * 2 * 32 * 2.0);
}

TEST(Rwkv7, KeepsAStateAndTheTokenBefore) {
    const Json config = Json::parse(R"({"model_type": "rwkv7", "hidden_size": 256, "num_hidden_layers": 2, "head_dim": 64, "intermediate_size": 1024, "vocab_size": 1000, "decay_low_rank_dim": 32, "gate_low_rank_dim": 48,
        "a_low_rank_dim": 24, "v_low_rank_dim": 16})");
    const Architecture a = read(config);
    EXPECT_EQ(stateBytesPerSequence(a), 2 * (4 * 64 * 64 * 4.0 + 2 * 256 * 2));
    EXPECT_EQ(cacheBytesPerToken(a, CacheFormat::sixteen_bit), 0);
    const double h = 256, narrow = 2 * h * (32 + 24 + 16 + 48) + 3 * h, mixer = 4 * h * h + 7 * h + narrow + 3 * h + 2 * h;
    EXPECT_EQ(a.layerParameters(a.kindOf(0)), mixer + 2 * h * 1024 + 4 * h);
    // Work goes with length: twice the tokens are twice the scan.
    const auto scan = [&](double length) {
        double flops = 0;
        const ModelPieces pieces = buildModelPieces(a, {1, length});
        for (const Operator& op : pieces.layer(0).forward)
            if (op.name.starts_with("state.scan")) flops += op.flops;
        return flops;
    };
    for (const double length : {32768.0, 131072.0, 524288.0}) EXPECT_NEAR(scan(2 * length) / scan(length), 2, 1e-9);
}

} // namespace
} // namespace orrery::shared_layers
