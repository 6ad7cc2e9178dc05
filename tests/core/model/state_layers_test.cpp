// SPDX-License-Identifier: GPL-3.0-or-later
// Layers that keep a state of constant size, and sparse attention: work, bytes and what a sequence keeps, by closed forms.
#include "core/base/json.hpp"
#include "core/model/architecture.hpp"
#include "core/model/backward.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/training/passes/passes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace orrery::state_layers {
namespace {

Architecture read(const Json& config) {
    Problems problems;
    std::optional<Architecture> a = importArchitecture(config, "", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return a.value_or(Architecture{});
}

Json deltaNet() {
    return Json::parse(R"({"model_type": "qwen3_next", "hidden_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
        "vocab_size": 1000, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 64, "shared_expert_intermediate_size": 64, "linear_num_value_heads": 16,
        "linear_num_key_heads": 8, "linear_key_head_dim": 32, "linear_value_head_dim": 64, "linear_conv_kernel_dim": 4})");
}

Json mamba() {
    return Json::parse(R"({"model_type": "nemotron_h", "hidden_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
        "vocab_size": 1000, "intermediate_size": 1024, "hybrid_override_pattern": "M-M*", "mamba_num_heads": 16, "mamba_head_dim": 64, "n_groups": 2, "ssm_state_size": 32,
        "conv_kernel": 4, "chunk_size": 128})");
}

Json sparse(std::int64_t picked) {
    Json config = Json::parse(R"({"model_type": "deepseek_v32", "hidden_size": 512, "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 1000, "intermediate_size": 1024,
        "q_lora_rank": 96, "kv_lora_rank": 64, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32, "index_n_heads": 4, "index_head_dim": 128})");
    config["index_topk"] = picked;
    return config;
}

double flopsOf(const Graph& graph, const std::string& prefix, OperatorKind kind) {
    double flops = 0;
    for (const Operator& op : graph.forward)
        if (op.kind == kind && op.name.starts_with(prefix)) flops += op.flops;
    return flops;
}

double bytesOf(Graph graph) {
    settleTraffic(graph, {});
    double bytes = 0;
    for (const Operator& op : graph.forward) bytes += op.bytesRead + op.bytesWritten;
    return bytes;
}

// Per token and head: within a chunk of C keys with each other, both parts of what is written, scores and their sum, 2·C·(3K + 2V); against
// the state what is found, what is added and what is read, 3·2·K·V.
TEST(StateLayers, TheChunkedDeltaRuleIsItsFlopCount) {
    const Architecture a = read(deltaNet());
    const ModelPieces pieces = buildModelPieces(a, {2, 1024});
    const double tokens = 2 * 1024, chunk = 64, heads = 16, key = 32, value = 64;
    const double wanted = tokens * heads * 2 * (chunk * (3 * key + 2 * value) + 3 * key * value);
    EXPECT_NEAR(flopsOf(pieces.layer(0), "state.scan", OperatorKind::batched_gemm) / wanted, 1, 1e-9);
    EXPECT_EQ(flopsOf(pieces.layer(3), "state.scan", OperatorKind::batched_gemm), 0) << "every fourth layer is attention";
}

// Dao and Gu 2024, section 6: scores of a group's heads are shared.
TEST(StateLayers, TheChunkedScanOfMambaTwoIsItsFlopCount) {
    const Architecture a = read(mamba());
    const double tokens = 1024, chunk = 128, heads = 16, groups = 2, state = 32, dim = 64;
    const double wanted = 2 * tokens * (groups * chunk * state + heads * (chunk * dim + 2 * state * dim));
    EXPECT_NEAR(flopsOf(buildModelPieces(a, {1, tokens}).layer(0), "state.scan", OperatorKind::batched_gemm) / wanted, 1, 1e-9);
}

TEST(StateLayers, WhatASequenceKeepsDoesNotGrow) {
    const Architecture delta = read(deltaNet()), hybrid = read(mamba());
    // fp32 states of 16 heads, and three inputs of the convolution's channels, in three layers of four; in two of four.
    EXPECT_EQ(stateBytesPerSequence(delta), 3 * (16.0 * 32 * 64 * 4 + 3 * (2 * 8 * 32 + 16 * 64) * 2.0));
    EXPECT_EQ(stateBytesPerSequence(hybrid), 2 * (16.0 * 32 * 64 * 4 + 3 * (2 * 2 * 32 + 16 * 64) * 2.0));
    EXPECT_EQ(stateBytesPerSequence(delta, 4), stateBytesPerSequence(delta) / 4) << "ranks share the heads out";
    EXPECT_EQ(cacheBytesPerToken(delta, CacheFormat::sixteen_bit), 2.0 * 2 * 64 * 2) << "one layer of four has a cache";
    EXPECT_EQ(cacheBytesPerToken(hybrid, CacheFormat::sixteen_bit), 2.0 * 2 * 64 * 2);
    const Graph near = buildAttentionGroup(delta, delta.kindOf(0), {AttentionMode::decode, 8, 1, 1000}, CacheFormat::sixteen_bit);
    const Graph far = buildAttentionGroup(delta, delta.kindOf(0), {AttentionMode::decode, 8, 1, 1'000'000}, CacheFormat::sixteen_bit);
    EXPECT_EQ(bytesOf(near), bytesOf(far));
    EXPECT_GT(bytesOf(near), 2 * 8 * 16.0 * 32 * 64 * 4) << "each state once in and once out";
}

TEST(StateLayers, WorkIsLinearInTheLength) {
    const Architecture a = read(deltaNet());
    const auto work = [&](double length) { return flopsOf(buildModelPieces(a, {1, length}).layer(0), "state", OperatorKind::batched_gemm); };
    for (const double length : {32768.0, 131072.0, 1048576.0}) EXPECT_NEAR(work(length) / work(32768) / (length / 32768), 1, 1e-12);
}

TEST(StateLayers, BackwardIsTwiceForwardAndTensorRanksShareTheHeads) {
    for (const Json& config : {deltaNet(), mamba()}) {
        const Architecture a = read(config);
        Graph graph = buildModelPieces(a, {1, 1024}).layer(0);
        const double forward = flopsOf(graph, "state", OperatorKind::batched_gemm);
        const Graph shared = tensorPass(graph, a, 4);
        EXPECT_NEAR(flopsOf(shared, "state", OperatorKind::batched_gemm), forward / 4, 1e-9 * forward);
        graph = deriveBackward(std::move(graph));
        double backward = 0;
        for (const Operator& op : graph.backward)
            if (op.kind == OperatorKind::batched_gemm) backward += op.flops;
        EXPECT_NEAR(backward, 2 * forward, 1e-9 * forward);
    }
}

TEST(SparseAttention, NoMoreThanDenseAndDenseWhereAllIsPicked) {
    const Architecture all = read(sparse(4096)), some = read(sparse(256));
    Architecture dense = all;
    for (LayerKind& kind : dense.kinds) kind = LayerKind{};
    for (const double length : {128.0, 256.0, 1024.0, 4096.0}) {
        const auto core = [&](const Architecture& a) { return flopsOf(buildModelPieces(a, {1, length}).layer(0), "attention.", OperatorKind::batched_gemm); };
        EXPECT_EQ(core(all), core(dense)) << length;
        EXPECT_LE(core(some), core(dense)) << length;
        if (length <= 256) {
            EXPECT_EQ(core(some), core(dense)) << length;
        }
        const Graph step = buildAttentionGroup(some, some.kindOf(0), {AttentionMode::decode, 1, 1, length - 1}, CacheFormat::sixteen_bit);
        for (const Operator& op : step.forward)
            if (op.kind == OperatorKind::attention) {
                EXPECT_EQ(op.shape.n, std::min(length, 256.0));
            }
    }
}

TEST(SparseAttention, TheIndexersScoresAreQuadraticAndItsKeysAreKept) {
    const Architecture a = read(sparse(256));
    const auto scores = [&](double length) { return flopsOf(buildModelPieces(a, {1, length}).layer(0), "index.scores", OperatorKind::batched_gemm); };
    EXPECT_EQ(scores(1024), 2.0 * 1024 * 1024 * 4 * 128);
    EXPECT_EQ(scores(2048), 4 * scores(1024));
    EXPECT_EQ(cacheBytesPerToken(a, CacheFormat::sixteen_bit), 2 * ((64 + 16) * 2.0 + 128 + 4)) << "latents in 16 bit, a key in 8 bit with its scale";
}

} // namespace
} // namespace orrery::state_layers
