// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of expert layers, latent attention and windows against forms written out here, and against published work a token.
#include "core/model/backward.hpp"
#include "core/model/transformer_graph.hpp"
#include "resources/shipped_catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>

namespace orrery {
namespace {

Architecture preset(const char* id) {
    Problems problems;
    const Catalog catalog = shippedCatalog();
    std::optional<Architecture> a = importArchitecture(catalog.model(id)->config, "", problems);
    EXPECT_TRUE(a) << id;
    return a.value_or(Architecture{});
}

bool isProduct(const Operator& op) {
    return op.kind == OperatorKind::gemm || op.kind == OperatorKind::batched_gemm || op.kind == OperatorKind::grouped_gemm;
}

double productFlops(const std::vector<Operator>& operators) {
    double flops = 0;
    for (const Operator& op : operators)
        if (isProduct(op)) flops += op.flops;
    return flops;
}

double coreFlops(const Graph& graph) {
    double flops = 0;
    for (const Operator& op : graph.forward)
        if (op.kind == OperatorKind::batched_gemm) flops += op.flops;
    return flops;
}

const Operator& named(const Graph& graph, const std::string& name) {
    for (const std::vector<Operator>* list : {&graph.forward, &graph.backward})
        for (const Operator& op : *list)
            if (op.name == name) return op;
    ADD_FAILURE() << "no " << name;
    static const Operator none;
    return none;
}

bool has(const Graph& graph, const std::string& name) {
    return std::any_of(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; });
}

struct Work {
    double all = 0, attention = 0;
};

Work forwardWork(const Architecture& a, const TokenShape& shape) {
    const ModelPieces pieces = buildModelPieces(a, shape);
    Work work{productFlops(pieces.embedding.forward) + productFlops(pieces.head.forward), 0};
    for (std::int64_t i = 0; i < a.layers; ++i) {
        work.all += productFlops(pieces.layer(i).forward);
        work.attention += coreFlops(pieces.layer(i));
    }
    return work;
}

// DeepSeek-AI 2025 (arXiv 2505.09343), table 2: 250 and 155 GFLOP a token in training, causal attention at 4,096 tokens.
TEST(LayerGraph, DeepSeeksPublishedTrainingWorkPerToken) {
    const TokenShape shape{1, 4096};
    const auto perToken = [&](const char* id) {
        const Work work = forwardWork(preset(id), shape);
        return 3 * (work.all - work.attention / 2) / shape.tokens();
    };
    EXPECT_NEAR(perToken("deepseek-v3") / 1e9, 250, 1.25);
    EXPECT_NEAR(perToken("deepseek-v2") / 1e9, 155, 0.8);
}

// DeepSeek-AI 2024 (arXiv 2412.19437), section 4.2: every matrix written out. 37 B activated.
TEST(LayerGraph, DeepSeekV3MatrixByMatrix) {
    const double h = 7168, heads = 128, s = 4096, sequences = 2, tokens = s * sequences;
    const double latents = h * 1536 + h * (512 + 64);
    const double ups = 1536 * heads * (128 + 64) + 512 * heads * (128 + 128);
    const double attention = latents + ups + heads * 128 * h;
    const double experts = h * 256 + (8 + 1) * 3 * h * 2048;
    const double matrices = 61 * attention + 3 * 3 * h * 18432 + 58 * experts + 129280 * h;
    const double core = 61 * heads * s * (192 + 128);
    const Work work = forwardWork(preset("deepseek-v3"), {sequences, s});
    EXPECT_NEAR(work.all / (2 * tokens * (matrices + core)), 1, 1e-12);
    EXPECT_NEAR(work.attention / (2 * tokens * core), 1, 1e-12);
    EXPECT_NEAR(matrices, 37e9, 0.5e9);

    const ModelPieces pieces = buildModelPieces(preset("deepseek-v3"), {sequences, s});
    ASSERT_EQ(pieces.layers.size(), 2u);
    EXPECT_TRUE(has(pieces.layer(2), "mlp.gate_up"));
    EXPECT_FALSE(has(pieces.layer(2), "moe.router"));
    EXPECT_TRUE(has(pieces.layer(3), "moe.router"));
    EXPECT_FALSE(has(pieces.layer(3), "mlp.gate_up"));
    // Equations 21 to 25: a projection of 2h, a layer, the output matrix. With copies of embedding and output matrix, as the
    // checkpoint stores them, the module is the README's 14 B.
    ASSERT_TRUE(pieces.nextToken);
    const double module = 2 * h * h + attention + experts + 129280 * h;
    EXPECT_NEAR(productFlops(pieces.nextToken->forward) / (2 * tokens * (module + heads * s * (192 + 128))), 1, 1e-12);
    EXPECT_NEAR(preset("deepseek-v3").nextTokenParameters() + 2 * 129280 * h, 14e9, 0.6e9);
}

TEST(LayerGraph, MixtralMatrixByMatrix) {
    const double h = 4096, f = 14336, s = 2048;
    const double layer = 2 * h * h + 2 * h * 1024 + h * 8 + 2 * 3 * h * f;
    const Work work = forwardWork(preset("mixtral-8x7b"), {1, s});
    EXPECT_NEAR(work.all / (2 * s * (32 * (layer + 2 * s * h) + 32000 * h)), 1, 1e-12);
}

TEST(LayerGraph, GroupedProductsShareTokensEvenlyAndReadVisitedExpertsOnly) {
    const Architecture a = preset("qwen3-30b-a3b"); // 128 experts of 768, 8 a token, h = 2048
    Graph graph = buildModelPieces(a, {1, 4096}).layers.front();
    settleTraffic(graph, {});
    const Operator& up = named(graph, "moe.gate_up");
    EXPECT_EQ(up.kind, OperatorKind::grouped_gemm);
    EXPECT_EQ(up.shape.m, 256);
    EXPECT_EQ(up.shape.n, 1536);
    EXPECT_EQ(up.shape.k, 2048);
    EXPECT_EQ(up.shape.batch, 128);
    EXPECT_EQ(up.flops, 2.0 * 4096 * 8 * 1536 * 2048);
    EXPECT_EQ(up.bytesRead, 2 * (4096.0 * 8 * 2048 + 128.0 * 2048 * 1536));
    EXPECT_EQ(up.bytesWritten, 2 * 4096.0 * 8 * 1536);
    EXPECT_EQ(up.weights, 128.0 * 2048 * 1536);
    // Rows in and out of the experts' order: h wide, one read and eight written a token.
    const Operator& permute = named(graph, "moe.permute");
    EXPECT_NEAR(permute.bytesWritten / (4096.0 * 8 * 2048 * 2), 1, 0.01);
    EXPECT_NEAR(permute.bytesRead / (4096.0 * 2048 * 2), 1, 0.02);
    const Operator& back = named(graph, "moe.unpermute");
    EXPECT_NEAR(back.bytesRead / (4096.0 * 8 * 2048 * 2), 1, 0.01);
    EXPECT_EQ(back.bytesWritten, 4096.0 * 2048 * 2);

    Graph small = buildModelPieces(a, {4, 1}).layers.front();
    settleTraffic(small, {});
    const Operator& few = named(small, "moe.gate_up");
    EXPECT_EQ(few.shape.batch, 32) << "4 tokens of 8 experts visit 32 of 128";
    EXPECT_EQ(few.shape.m, 1);
    EXPECT_EQ(few.flops, 2.0 * 32 * 1536 * 2048);
    EXPECT_EQ(few.bytesRead, 2 * (32.0 * 2048 + 32.0 * 2048 * 1536));
}

TEST(LayerGraph, ARouterInFp32ReadsTwiceTheBytes) {
    const auto routerBytes = [](const char* id) {
        Graph graph = buildModelPieces(preset(id), {1, 1024}).layers.back();
        settleTraffic(graph, {});
        return named(graph, "moe.router").bytesRead;
    };
    EXPECT_EQ(routerBytes("deepseek-v3"), 4 * (1024.0 * 7168 + 7168.0 * 256));
    EXPECT_EQ(routerBytes("qwen3-30b-a3b"), 2 * (1024.0 * 2048 + 2048.0 * 128));
}

/// Pairs of a query and a key within the reach, counted one by one.
double countedPairs(const LayerKind& kind, std::int64_t length) {
    double pairs = 0;
    for (std::int64_t i = 0; i < length; ++i)
        for (std::int64_t j = 0; j < length; ++j) {
            if (kind.reach == AttentionReach::window && std::abs(i - j) >= kind.span) continue;
            if (kind.reach == AttentionReach::chunk && i / kind.span != j / kind.span) continue;
            ++pairs;
        }
    return pairs;
}

TEST(LayerGraph, WindowsAndChunksCountTheirPairs) {
    Architecture a = preset("llama-3.1-8b");
    for (const AttentionReach reach : {AttentionReach::all, AttentionReach::window, AttentionReach::chunk})
        for (const std::int64_t span : {1, 7, 64, 100, 128, 400})
            for (const double length : {64.0, 100.0, 128.0, 300.0}) {
                a.kinds = {LayerKind{false, reach, span, true}};
                const Graph graph = buildModelPieces(a, {3, length}).layers.front();
                const double wanted = 3 * 4 * 32 * 128 * countedPairs(a.kinds[0], static_cast<std::int64_t>(length));
                EXPECT_NEAR(coreFlops(graph) / wanted, 1, 1e-12) << span << " of " << length;
            }
}

// gpt-oss-20b: every other layer sees 128 tokens only.
TEST(LayerGraph, WindowLayersDoLessAttention) {
    const Architecture a = preset("gpt-oss-20b");
    const ModelPieces pieces = buildModelPieces(a, {1, 8192});
    ASSERT_EQ(pieces.layers.size(), 2u);
    EXPECT_EQ(coreFlops(pieces.layer(1)), 4.0 * 64 * 64 * 8192 * 8192);
    EXPECT_NEAR(coreFlops(pieces.layer(0)) / (4.0 * 64 * 64 * 8192 * 255), 1, 0.01);
    EXPECT_EQ(productFlops(pieces.layer(0).forward) - coreFlops(pieces.layer(0)),
              productFlops(pieces.layer(1).forward) - coreFlops(pieces.layer(1)));
}

TEST(LayerGraph, NormsStandWhereTheModelHasThem) {
    const auto names = [](const char* id) {
        std::set<std::string> norms;
        const ModelPieces pieces = buildModelPieces(preset(id), {1, 128});
        for (const Operator& op : pieces.layers.back().forward)
            if (op.kind == OperatorKind::norm) norms.insert(op.name);
        return norms;
    };
    using Names = std::set<std::string>;
    EXPECT_EQ(names("llama-3.1-8b"), (Names{"attention.norm", "mlp.norm"}));
    EXPECT_EQ(names("qwen3-8b"), (Names{"attention.norm", "attention.qk_norm", "mlp.norm"}));
    EXPECT_EQ(names("olmo-2-7b"), (Names{"attention.qk_norm", "attention.post_norm", "mlp.post_norm"}));
    EXPECT_EQ(names("gemma-3-12b"),
              (Names{"attention.norm", "attention.qk_norm", "attention.post_norm", "mlp.norm", "mlp.post_norm"}));
    EXPECT_EQ(names("deepseek-v3"), (Names{"attention.norm", "attention.q_norm", "attention.kv_norm", "mlp.norm"}));
}

TEST(LayerGraph, BackwardIsTwiceForwardAndUsesWhatWasKept) {
    for (const char* id : {"deepseek-v3", "deepseek-v2-lite", "mixtral-8x7b", "qwen3-30b-a3b", "gpt-oss-20b", "llama-4-maverick-17b-128e",
                           "glm-4.5", "dbrx", "gemma-2-9b", "olmo-2-7b", "minimax-m2.5"}) {
        const ModelPieces pieces = buildModelPieces(preset(id), {2, 256});
        std::vector<Graph> graphs = pieces.layers;
        graphs.push_back(pieces.head);
        if (pieces.nextToken) graphs.push_back(*pieces.nextToken);
        for (const Graph& forward : graphs) {
            const Graph graph = deriveBackward(forward);
            EXPECT_NEAR(productFlops(graph.backward) / productFlops(graph.forward), 2, 1e-12) << id << " " << graph.name;
            std::set<TensorId> made, saved, used;
            for (const Operator& op : graph.forward) made.insert(op.outputs.begin(), op.outputs.end());
            for (const Operator& op : graph.forward) {
                for (TensorId input : op.inputs) made.insert(input);
                saved.insert(op.saved.begin(), op.saved.end());
            }
            for (const Operator& op : graph.backward) used.insert(op.inputs.begin(), op.inputs.end());
            for (TensorId id2 : saved) {
                EXPECT_TRUE(made.count(id2)) << id;
                EXPECT_TRUE(used.count(id2)) << id << " " << graph.tensors[std::size_t(id2)].name;
            }
            // A gradient is as large as what it is the gradient of, and is written before it is read.
            std::set<TensorId> written;
            for (const Operator& op : graph.backward) {
                for (TensorId output : op.outputs) {
                    const std::string& name = graph.tensors[std::size_t(output)].name;
                    EXPECT_TRUE(name.ends_with(".gradient")) << id << " " << op.name << " writes " << name;
                    for (const Tensor& tensor : forward.tensors)
                        if (tensor.name + ".gradient" == name) {
                            EXPECT_EQ(graph.tensors[std::size_t(output)].bytes, tensor.bytes) << name;
                        }
                    EXPECT_EQ(name.find("choice"), std::string::npos) << "places have no gradient";
                    EXPECT_EQ(name.find("places"), std::string::npos) << "places have no gradient";
                    written.insert(output);
                }
            }
            for (const Operator& op : graph.forward) {
                if (!isProduct(op) || op.kind == OperatorKind::batched_gemm) continue;
                EXPECT_EQ(named(graph, op.name + ".dgrad").flops, op.flops);
                const Operator& wgrad = named(graph, op.name + ".wgrad");
                EXPECT_EQ(wgrad.shape.m * wgrad.shape.n * wgrad.shape.batch, op.shape.n * op.shape.k * op.shape.batch);
            }
        }
    }
}

} // namespace
} // namespace orrery
