// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/pipeline_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

using Layers = std::vector<int>;

TEST(PipelineLayout, EvenWhereItDivides) {
    EXPECT_EQ(defaultPipelineLayout(80, 4).layers, (Layers{20, 20, 20, 20}));
    EXPECT_EQ(defaultPipelineLayout(32, 1).layers, (Layers{32}));
    EXPECT_EQ(defaultPipelineLayout(8, 8).layers, Layers(8, 1));
}

// BLOOM-176B: 70 layers on 12 stages, 72 slots with embedding and loss (BigScience's own layout).
TEST(PipelineLayout, EmbeddingAndLossCountAsALayerEach) {
    EXPECT_EQ(defaultPipelineLayout(70, 12).layers, (Layers{5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5}));
    EXPECT_EQ(defaultPipelineLayout(78, 16).layers.front(), 4);
    // Llama-3.1-405B on 16 stages.
    const auto llama = defaultPipelineLayout(126, 16).layers;
    EXPECT_EQ(llama.front(), 7);
    EXPECT_EQ(llama.back(), 7);
    EXPECT_EQ(llama[8], 8);
}

// 100 layers on 6 chunks: 100 = 6·16 + 4 and 102 = 6·17, so the second rule; 106 on 12: 106 = 12·8 + 10, 108 = 12·9.
TEST(PipelineLayout, SecondRuleGoesBeforeTheThird) {
    EXPECT_EQ(defaultPipelineLayout(100, 6).layers, (Layers{16, 17, 17, 17, 17, 16}));
    EXPECT_EQ(defaultPipelineLayout(106, 12).layers, (Layers{8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 8}));
}

// Megatron-Bridge's layouts of DeepSeek-V3 (61 layers), with its module of multi-token prediction and without.
TEST(PipelineLayout, FullChunksFirstAreMegatronBridges) {
    std::vector<int> sixteen(16, 4), eight(8, 8), thirtyTwo(32, 2);
    sixteen.back() = 1;
    eight.back() = 5;
    thirtyTwo.front() = 1;
    thirtyTwo.back() = 0;
    for (const std::int64_t after : {0, 1}) {
        EXPECT_EQ(defaultPipelineLayout(61, 16, after).layers, sixteen);
        EXPECT_EQ(defaultPipelineLayout(61, 8, after).layers, eight);
        EXPECT_EQ(defaultPipelineLayout(61, 4, after).layers, (Layers{16, 16, 16, 13}));
    }
    EXPECT_EQ(defaultPipelineLayout(61, 32, 1).layers, thirtyTwo);
    // The other two rules come first all the same.
    EXPECT_EQ(defaultPipelineLayout(64, 16, 1).layers, Layers(16, 4));
    EXPECT_EQ(defaultPipelineLayout(94, 8, 0).layers, (Layers{11, 12, 12, 12, 12, 12, 12, 11}));
    for (int layers = 2; layers <= 130; ++layers)
        for (int chunks = 1; chunks <= layers; ++chunks) {
            const Layers split = defaultPipelineLayout(layers, chunks, 1).layers;
            EXPECT_EQ(std::accumulate(split.begin(), split.end(), 0), layers) << layers << " on " << chunks;
            EXPECT_GE(*std::min_element(split.begin(), split.end() - (chunks > 1 ? 1 : 0)), 1) << layers << " on " << chunks;
        }
}

// Worked by hand from the contract: k spare layers go to the chunks ⌊(C−k)/2⌋ onward.
TEST(PipelineLayout, SpareLayersGoToTheMiddle) {
    // 61 on 16: k = 13, 63 does not divide; first = ⌊3/2⌋ = 1.
    EXPECT_EQ(defaultPipelineLayout(61, 16).layers, (Layers{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3}));
    // 33 on 4: k = 1, first = ⌊3/2⌋ = 1.
    EXPECT_EQ(defaultPipelineLayout(33, 4).layers, (Layers{8, 9, 8, 8}));
    // 35 on 4: k = 3, first = 0.
    EXPECT_EQ(defaultPipelineLayout(35, 4).layers, (Layers{9, 9, 9, 8}));
    // 3 on 2: k = 1, first = 0.
    EXPECT_EQ(defaultPipelineLayout(3, 2).layers, (Layers{2, 1}));
}

// NVIDIA's recipe for Llama-3.1-405B on 256 GB200: 16 stages of 8 chunks; embedding and loss have a chunk of their own.
TEST(PipelineLayout, TheEndsMayHoldNoLayer) {
    const auto layers = defaultPipelineLayout(126, 128).layers;
    EXPECT_EQ(layers.front(), 0);
    EXPECT_EQ(layers.back(), 0);
    EXPECT_EQ(std::count(layers.begin(), layers.end(), 1), 126);
    EXPECT_EQ(defaultPipelineLayout(4, 5).layers, (Layers{1, 1, 1, 1, 0}));
}

TEST(PipelineLayout, AlwaysHoldsEveryLayerAndNoEmptyInnerChunk) {
    for (int layers = 1; layers <= 130; ++layers) {
        for (int chunks = 1; chunks <= layers + 2; ++chunks) {
            const PipelineLayout layout = defaultPipelineLayout(layers, chunks);
            ASSERT_EQ(static_cast<int>(layout.layers.size()), chunks);
            ASSERT_EQ(std::accumulate(layout.layers.begin(), layout.layers.end(), 0), layers) << layers << " on " << chunks;
            const auto [least, most] = std::minmax_element(layout.layers.begin(), layout.layers.end());
            ASSERT_GE(*least, chunks > layers ? 0 : 1) << layers << " on " << chunks;
            for (int inner = 1; inner + 1 < chunks; ++inner) ASSERT_GE(layout.layers[static_cast<std::size_t>(inner)], 1);
            ASSERT_LE(*most - *least, 1) << layers << " on " << chunks;
            ASSERT_FALSE(layout.why.empty());
        }
    }
}

} // namespace
} // namespace orrery
